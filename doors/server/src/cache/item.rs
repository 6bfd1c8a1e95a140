//! One stored object as it is served: bytes, and what selectors ask about them.

use bytes::Bytes;
use ratchet_object::selector::{FieldSelector, LabelSelector, selectable};
use ratchet_object::{Limits, Node, decode};
use std::sync::{Arc, OnceLock};

/// A stored object at one revision. Its bytes are copied to every reader as they are.
#[derive(Debug)]
pub struct Item {
    /// `namespace/name`, or the name alone.
    pub key: Arc<str>,
    /// The revision of its last change, which is its `resourceVersion`.
    pub revision: u64,
    /// The object without `kind` and `apiVersion`: `{"metadata":{"resourceVersion":"7",…},…}`.
    pub body: Bytes,
    labels: OnceLock<Vec<(Box<str>, Box<str>)>>,
}

/// How every stored object begins; the resource version is put in right behind it.
const START: &str = r#"{"metadata":{"#;

impl Item {
    /// Takes a stored value: the object without kind, version and `resourceVersion`.
    pub fn stored(key: Arc<str>, revision: u64, value: &[u8]) -> Self {
        let rest = value.strip_prefix(START.as_bytes()).unwrap_or(value);
        let version = format!(r#"{START}"resourceVersion":"{revision}","#);
        let mut body = Vec::with_capacity(version.len() + rest.len());
        body.extend_from_slice(version.as_bytes());
        body.extend_from_slice(rest);
        Self { key, revision, body: body.into(), labels: OnceLock::new() }
    }

    /// An object that was never stored: what a dry run shows has no resource version.
    pub fn unsaved(key: Arc<str>, value: &Bytes) -> Self {
        Self { key, revision: 0, body: value.clone(), labels: OnceLock::new() }
    }

    /// The same object as of another revision: what a deletion is told with.
    #[must_use]
    pub fn as_of(&self, revision: u64) -> Self {
        let old = format!(r#"{START}"resourceVersion":"{}","#, self.revision);
        let rest = self.body.strip_prefix(old.as_bytes()).unwrap_or(&self.body);
        let mut value = START.as_bytes().to_vec();
        value.extend_from_slice(rest);
        Self::stored(self.key.clone(), revision, &value)
    }

    /// The tree of a stored value: never fails, for only this server writes values.
    pub fn node(&self) -> Node<'static> {
        let text = std::str::from_utf8(&self.body).unwrap_or_default();
        let decoded = decode(text, Limits::STORED).ok();
        let node = decoded.and_then(|mut decoded| decoded.documents.pop());
        node.map_or_else(Node::empty_map, Node::into_owned)
    }

    /// Hands the tree of a stored value to `take`, without copying its texts.
    pub fn read<R>(&self, take: impl FnOnce(&Node<'_>) -> R) -> R {
        let text = std::str::from_utf8(&self.body).unwrap_or_default();
        let decoded = decode(text, Limits::STORED).ok();
        let node = decoded.and_then(|mut decoded| decoded.documents.pop());
        take(&node.unwrap_or_else(Node::empty_map))
    }

    /// The object with its kind and version, as one text.
    pub fn whole(&self, api_version: &str, kind: &str) -> [Bytes; 2] {
        let start = format!(r#"{{"kind":"{kind}","apiVersion":"{api_version}","#);
        [start.into(), self.body.slice(1..)]
    }

    /// Whether its labels are asked for.
    pub fn has_labels(&self, selector: &LabelSelector) -> bool {
        let labels = self.labels.get_or_init(|| {
            let node = self.node();
            let entries = node.find(&["metadata", "labels"]).map(Node::entries).unwrap_or_default();
            let pair = |entry: &ratchet_object::Entry<'_>| {
                (entry.key.as_ref().into(), entry.node.text().unwrap_or_default().into())
            };
            entries.iter().map(pair).collect()
        });
        selector.matches(|name| {
            labels.iter().find(|(key, _)| **key == *name).map(|(_, value)| value.as_ref())
        })
    }

    /// Whether its fields are asked for.
    pub fn has_fields(&self, selector: &FieldSelector, group: &str, kind: &str) -> bool {
        selector.matches(&self.node(), selectable(group, kind))
    }
}

/// What is put into the store: the object without kind, version and `resourceVersion`, metadata first.
pub(crate) fn storable(mut node: Node<'_>) -> Bytes {
    node.remove("kind");
    node.remove("apiVersion");
    let mut metadata = node.remove("metadata").unwrap_or_else(Node::empty_map);
    metadata.remove("resourceVersion");
    let mut out = String::from(r#"{"metadata":"#);
    metadata.write_json(&mut out);
    for entry in node.entries() {
        out.push(',');
        let _ = ratchet_object::write_text(&mut out, &entry.key);
        out.push(':');
        entry.node.write_json(&mut out);
    }
    out.push('}');
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item() -> Item {
        let text = r#"{"kind":"Pod","apiVersion":"v1","spec":{"a":1},"metadata":{"name":"x","resourceVersion":"3","labels":{"a":"b"}}}"#;
        let node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
        Item::stored("ns/x".into(), 7, &storable(node))
    }

    #[test]
    fn the_revision_is_put_in_and_changed() {
        let item = item();
        let body =
            r#"{"metadata":{"resourceVersion":"7","name":"x","labels":{"a":"b"}},"spec":{"a":1}}"#;
        assert_eq!(item.body, body);
        let later = item.as_of(12);
        assert!(
            std::str::from_utf8(&later.body)
                .unwrap()
                .starts_with(r#"{"metadata":{"resourceVersion":"12","name""#)
        );
    }

    #[test]
    fn it_is_served_with_its_kind() {
        let whole = item().whole("v1", "Pod").concat();
        let text = String::from_utf8(whole).unwrap();
        assert!(
            text.starts_with(
                r#"{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"7""#
            )
        );
        assert!(decode(&text, Limits::DEFAULT).is_ok());
    }

    #[test]
    fn labels_are_read_once() {
        let item = item();
        assert!(item.has_labels(&LabelSelector::parse("a=b").unwrap()));
        assert!(!item.has_labels(&LabelSelector::parse("a!=b").unwrap()));
    }
}
