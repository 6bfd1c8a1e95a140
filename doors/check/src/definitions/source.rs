//! `DefinitionSource`: the text of one CustomResourceDefinition, from which it is decoded when an object needs it.

use ratchet_manifests::{DocumentRef, objects_in};
use ratchet_object::{DecodeError, Limits, LineColumn, Node, Object, decode};
use std::sync::Arc;

/// The `apiVersion` of definitions.
pub(crate) const API_VERSION: &str = "apiextensions.k8s.io/v1";
/// The kind of definitions.
pub(crate) const KIND: &str = "CustomResourceDefinition";

/// The names and the scope of a custom kind, from its definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CustomKind {
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    pub(crate) namespaced: bool,
}

impl CustomKind {
    /// Reads a CustomResourceDefinition.
    pub(crate) fn from_definition(definition: &Node<'_>) -> Self {
        let text = |names: &[&str]| definition.text_at(names).to_owned();
        Self {
            group: text(&["spec", "group"]),
            kind: text(&["spec", "names", "kind"]),
            plural: text(&["spec", "names", "plural"]),
            namespaced: definition.text_at(&["spec", "scope"]) != "Cluster",
        }
    }
}

/// A definition in a file. A tree would take several times the memory of the text, and most are never asked for.
#[derive(Clone, Debug)]
pub(crate) struct DefinitionSource {
    /// The name of the file.
    pub(crate) file: Arc<str>,
    /// The line where the definition begins.
    pub(crate) line: u32,
    /// The kind that it defines.
    pub(crate) custom_kind: CustomKind,
    /// The document, or the definition alone where the document has more.
    text: Box<str>,
}

impl DefinitionSource {
    /// The definitions of a document, each with its tree; documents that do not mention any are not decoded.
    pub(crate) fn for_each(
        file: &Arc<str>,
        document: &DocumentRef<'_>,
        mut each: impl FnMut(Self, Node<'_>),
    ) -> Result<(), DecodeError> {
        let Ok(text) = document.text else { return Ok(()) };
        if !mentions_definitions(document, text) {
            return Ok(());
        }
        let decoded = decode(text, Limits::DEFAULT)?;
        let is_whole = matches!(decoded.documents.as_slice(), [only] if is_definition(only));
        let objects = objects_in(document, decoded.documents).into_iter();
        for node in objects.filter(is_definition) {
            let line = document.line + LineColumn::of(text, node.span.start).line;
            let text = if is_whole { text.into() } else { node.to_json().into() };
            let custom_kind = CustomKind::from_definition(&node);
            each(Self { file: Arc::clone(file), line, custom_kind, text }, node);
        }
        Ok(())
    }

    /// The definition that a stored object is.
    pub(crate) fn stored(file: &Arc<str>, object: &Object<'_>) -> Self {
        let custom_kind = CustomKind::from_definition(object.node());
        let text = object.node().to_json().into();
        Self { file: Arc::clone(file), line: 1, custom_kind, text }
    }

    /// The size of the text.
    pub(crate) fn size(&self) -> usize {
        self.text.len()
    }

    /// The definition as a tree.
    pub(crate) fn decode(&self) -> Option<Node<'_>> {
        decode(&self.text, Limits::DEFAULT).ok()?.documents.into_iter().next()
    }
}

fn is_definition(node: &Node<'_>) -> bool {
    node.text_at(&["apiVersion"]) == API_VERSION && node.text_at(&["kind"]) == KIND
}

/// Whether a document may hold a definition.
fn mentions_definitions(document: &DocumentRef<'_>, text: &str) -> bool {
    document.list.is_some_and(|head| head.kind == KIND)
        || memchr::memmem::find(text.as_bytes(), KIND.as_bytes()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_in_documents_and_lists() {
        let text = "# all\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod}\n- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n  spec: {group: a.b, scope: Cluster, names: {kind: K, plural: ks}}\n";
        let document = DocumentRef { text: Ok(text), line: 10, column: 0, offset: 0, list: None };
        let find_all = |document: &DocumentRef<'_>| {
            let mut found = Vec::new();
            DefinitionSource::for_each(&"f".into(), document, |source, _| found.push(source))
                .map(|()| found)
        };
        let found = find_all(&document).unwrap();
        assert_eq!(found.len(), 1);
        let (source, custom) = (&found[0], &found[0].custom_kind);
        assert_eq!((&*custom.group, &*custom.kind, &*custom.plural), ("a.b", "K", "ks"));
        assert_eq!((custom.namespaced, source.line), (false, 16));
        assert_eq!(source.decode().unwrap().text_at(&["spec", "group"]), "a.b");
        let other = DocumentRef { text: Ok("kind: CustomResourceDefinition"), ..document };
        assert!(find_all(&other).unwrap().is_empty());
        let broken = DocumentRef { text: Ok("kind: [CustomResourceDefinition"), ..document };
        assert!(find_all(&broken).is_err());
    }
}
