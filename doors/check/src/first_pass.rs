//! The first pass over the input: its namespaces and definitions decide about objects anywhere in it.

use crate::definitions::{DefinitionSource, DefinitionSources};
use crate::namespaces::NamespaceIndex;
use ratchet_manifests::{Item, run};
use ratchet_object::Node;
use std::path::PathBuf;

/// What the input defines for its objects.
#[derive(Debug, Default)]
pub(crate) struct FirstPass {
    pub(crate) namespaces: NamespaceIndex,
    pub(crate) definitions: DefinitionSources,
    /// Number of files in the input.
    pub(crate) files: u64,
}

enum Found {
    Namespace(String, Node<'static>),
    Definition(DefinitionSource),
    File,
}

impl FirstPass {
    /// Searches the input; documents that mention neither are not decoded.
    pub(crate) fn read(inputs: &[PathBuf], recursive: bool, workers: usize) -> Self {
        let mut pass = Self::default();
        let work = |item: Item<'_>, found: &mut Vec<Found>| match item {
            Item::Document(file, document) => {
                let namespaces = NamespaceIndex::find_all(&document).into_iter();
                found.extend(namespaces.map(|(name, node)| Found::Namespace(name, node)));
                // A document that cannot be decoded is reported when it is checked.
                let _ = DefinitionSource::for_each(file, &document, |source, _| {
                    found.push(Found::Definition(source));
                });
            }
            Item::Done => found.push(Found::File),
            Item::Failed(..) => {}
        };
        run(inputs, recursive, workers, work, |found| {
            match found {
                Found::Namespace(name, namespace) => pass.namespaces.insert(name, namespace),
                Found::Definition(source) => pass.definitions.push(source),
                Found::File => pass.files += 1,
            }
            true
        });
        pass
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_and_definitions_are_found_wherever_they_stand() {
        let root = tempfile::tempdir().unwrap();
        let text = "kind: Pod\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {a: b}}\n---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {group: example.com}\n";
        std::fs::write(root.path().join("all.yaml"), text).unwrap();
        let list = r#"{"kind": "List", "items": [{"kind": "NamespaceList", "items": [{"metadata": {"name": "x", "labels": {"c": "d"}}}]}]}"#;
        std::fs::write(root.path().join("list.json"), list).unwrap();
        let FirstPass { namespaces, definitions, files } =
            FirstPass::read(&[root.path().into()], false, 2);
        assert!(namespaces.labels("shop").is_some_and(|labels| labels.get("a").is_some()));
        assert!(namespaces.labels("x").is_some());
        assert!(namespaces.labels("other").is_none());
        let lines: Vec<u32> = definitions.iter().map(|source| source.line).collect();
        assert_eq!((files, lines), (2, vec![7]));
    }
}
