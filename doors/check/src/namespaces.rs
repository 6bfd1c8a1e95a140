//! Index of the namespaces in the input, whose labels decide about the objects in them.

use crate::documents::DocumentRef;
use crate::lists::objects_in;
use crate::pipeline::{Item, run};
use ratchet_object::{Limits, Node, Object, decode};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The namespaces that the input defines, and how many files it has.
#[derive(Debug, Default)]
pub(crate) struct NamespaceIndex {
    namespaces: BTreeMap<String, Node<'static>>,
    /// Number of files in the input.
    pub(crate) files: u64,
}

impl NamespaceIndex {
    /// Searches the input for namespaces; documents that do not mention one are not decoded.
    pub(crate) fn read(inputs: &[PathBuf], recursive: bool, workers: usize) -> Self {
        let mut index = Self::default();
        let work = |item: Item<'_>, found: &mut Vec<Option<(String, Node<'static>)>>| match item {
            Item::Document(_, document) => {
                let listed = document.list.is_some_and(|head| head.kind == "Namespace");
                if let Ok(text) = document.text
                    && (listed || memchr::memmem::find(text.as_bytes(), b"Namespace").is_some())
                {
                    found.extend(namespaces(&document, text).into_iter().map(Some));
                }
            }
            Item::Done => found.push(None),
            Item::Failed(..) => {}
        };
        run(inputs, recursive, workers, work, |found| {
            match found {
                Some((name, namespace)) => drop(index.namespaces.insert(name, namespace)),
                None => index.files += 1,
            }
            true
        });
        index
    }

    /// The labels of a namespace, if the input defines it.
    pub(crate) fn labels(&self, namespace: &str) -> Option<&Node<'static>> {
        self.namespaces.get(namespace)?.get("metadata")?.get("labels")
    }

    /// A namespace, if the input defines it.
    pub(crate) fn namespace(&self, name: &str) -> Option<&Node<'static>> {
        self.namespaces.get(name)
    }
}

fn namespaces(document: &DocumentRef<'_>, text: &str) -> Vec<(String, Node<'static>)> {
    let Ok(decoded) = decode(text, Limits::DEFAULT) else { return Vec::new() };
    objects_in(document, decoded.documents)
        .into_iter()
        .map(Object::new)
        .filter(|object| object.kind_name() == "Namespace")
        .map(|object| (object.name().to_owned(), object.into_node().into_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_found_wherever_the_namespace_stands() {
        let root = tempfile::tempdir().unwrap();
        let text = "kind: Pod\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {a: b}}\n";
        std::fs::write(root.path().join("all.yaml"), text).unwrap();
        let list = r#"{"kind": "List", "items": [{"kind": "NamespaceList", "items": [{"metadata": {"name": "x", "labels": {"c": "d"}}}]}]}"#;
        std::fs::write(root.path().join("list.json"), list).unwrap();
        let index = NamespaceIndex::read(&[root.path().into()], false, 2);
        assert!(index.labels("shop").is_some_and(|labels| labels.get("a").is_some()));
        assert!(index.labels("x").is_some());
        assert!(index.labels("other").is_none());
        assert_eq!(index.files, 2);
    }
}
