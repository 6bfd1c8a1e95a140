//! `Item`: one stored object at one revision, as bytes and with cached labels.

use super::packed::Packed;
use super::unreadable::Unstorable;
use bytes::Bytes;
use ratchet_apply::FieldsPool;
use ratchet_object::selector::{FieldSelector, LabelSelector, selectable};
use ratchet_object::{Entry, Node, Value, decode_stored, stored_json};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock};

/// A stored object at one revision. Responses contain its bytes unchanged; only `managedFields`, which many objects
/// have in common, may be kept apart.
#[derive(Debug)]
pub struct Item {
    /// `namespace/name`, or the name alone.
    pub key: Arc<str>,
    /// The revision of its last change, which is its `resourceVersion`.
    pub revision: u64,
    /// The object without `kind` and `apiVersion`: `{"metadata":{"resourceVersion":"7",…},…}`; also without
    /// `managedFields` if they are packed.
    body: Bytes,
    packed: Option<Packed>,
    labels: OnceLock<Vec<(Box<str>, Box<str>)>>,
}

/// The first bytes of every stored object; the resource version is inserted after them.
const START: &str = r#"{"metadata":{"#;

/// An encoded object for the store: without `kind`, `apiVersion` and `resourceVersion`, metadata first. Made only by
/// [`storable`], which checks that it decodes to the same object.
#[derive(Clone, Debug)]
pub(crate) struct Stored(Bytes);

impl Stored {
    /// The bytes for the store.
    pub(crate) fn bytes(&self) -> Bytes {
        self.0.clone()
    }

    /// The same object without `managedFields`.
    pub(crate) fn without_managed_fields(&self) -> Result<Self, Unstorable> {
        match std::str::from_utf8(&self.0).ok().and_then(|text| decode_stored(text).ok()) {
            Some(mut node) => {
                node.map_mut("metadata").remove("managedFields");
                storable(node)
            }
            None => Ok(self.clone()),
        }
    }
}

impl Item {
    /// Decodes a value of the store: an object without `kind`, `apiVersion` and `resourceVersion`. Any other value is
    /// an error, because items are served unchecked.
    pub fn stored(key: Arc<str>, revision: u64, value: &[u8]) -> Result<Self, String> {
        Self::checked(value).map(|_| Self::of(key, revision, value))
    }

    /// The same, with `managedFields` shared with other objects of the pool.
    pub(super) fn cached(
        key: Arc<str>,
        revision: u64,
        value: &[u8],
        pool: &Mutex<FieldsPool>,
    ) -> Result<Self, String> {
        let (text, object) = Self::checked(value)?;
        let Some((rest, packed)) = Packed::cut(text, &object, pool) else {
            return Ok(Self::of(key, revision, value));
        };
        let item = Self::of(key, revision, rest.as_bytes());
        let packed = Some(packed.moved(rest.as_bytes(), &item.body));
        Ok(Self { packed, ..item })
    }

    fn checked(value: &[u8]) -> Result<(&str, Node<'_>), String> {
        if !value.starts_with(START.as_bytes()) {
            return Err("it does not begin with its metadata".to_owned());
        }
        let text = std::str::from_utf8(value).map_err(|why| why.to_string())?;
        Ok((text, decode_stored(text).map_err(|why| why.to_string())?))
    }

    /// The item of a write that was just committed.
    pub(crate) fn written(key: Arc<str>, revision: u64, value: &Stored) -> Self {
        Self::of(key, revision, &value.0)
    }

    /// The item of a dry-run create, which has no resource version.
    pub(crate) fn unsaved(key: Arc<str>, value: &Stored) -> Self {
        Self { key, revision: 0, body: value.bytes(), packed: None, labels: OnceLock::new() }
    }

    fn of(key: Arc<str>, revision: u64, value: &[u8]) -> Self {
        let rest = value.strip_prefix(START.as_bytes()).unwrap_or(value);
        let comma = if rest.starts_with(b"}") { "" } else { "," };
        let version = format!(r#"{START}"resourceVersion":"{revision}"{comma}"#);
        let mut body = Vec::with_capacity(version.len() + rest.len());
        body.extend_from_slice(version.as_bytes());
        body.extend_from_slice(rest);
        Self { key, revision, body: body.into(), packed: None, labels: OnceLock::new() }
    }

    /// The same object at another revision, for DELETED events.
    #[must_use]
    pub fn as_of(&self, revision: u64) -> Self {
        let old = format!(r#"{START}"resourceVersion":"{}""#, self.revision);
        let rest = self.body.strip_prefix(old.as_bytes()).unwrap_or(&self.body);
        let mut value = START.as_bytes().to_vec();
        value.extend_from_slice(rest.strip_prefix(b",").unwrap_or(rest));
        let later = Self::of(self.key.clone(), revision, &value);
        let packed = self.packed.as_ref().map(|packed| packed.moved(&self.body, &later.body));
        Self { packed, ..later }
    }

    /// The number of bytes of the object.
    pub fn size(&self) -> usize {
        self.body.len() + self.packed.as_ref().map_or(0, Packed::size)
    }

    /// The object without `kind` and `apiVersion`.
    pub fn body(&self) -> Bytes {
        match &self.packed {
            None => self.body.clone(),
            Some(packed) => packed.join(&self.body),
        }
    }

    /// Whether the text of the object, apart from `managedFields` that are packed, contains `text`.
    pub fn contains(&self, text: &str) -> bool {
        std::str::from_utf8(&self.body).is_ok_and(|body| body.contains(text))
    }

    /// Decodes the object.
    pub fn node(&self) -> Node<'static> {
        match self.packed {
            None => self.tree(&self.body).into_owned(),
            Some(_) => self.tree(&self.body()).into_owned(),
        }
    }

    /// Cannot fail, because the value was decoded when the item was made. If it does, the request panics rather than
    /// continue with an empty object.
    fn tree<'b>(&self, body: &'b [u8]) -> Node<'b> {
        let text = std::str::from_utf8(body).unwrap_or_default();
        decode_stored(text).unwrap_or_else(|why| unreachable!("{}: {why}", self.key))
    }

    /// Passes the decoded object to `take` without copying its strings. It may lack its `managedFields`: they are
    /// often larger than the rest, and nobody decides by them.
    pub fn read<R>(&self, take: impl FnOnce(&Node<'_>) -> R) -> R {
        take(&self.tree(&self.body))
    }

    /// The JSON object with `kind` and `apiVersion`, in two pieces.
    pub fn whole(&self, api_version: &str, kind: &str) -> [Bytes; 2] {
        let start = format!(r#"{{"kind":"{kind}","apiVersion":"{api_version}","#);
        [start.into(), self.body().slice(1..)]
    }

    /// Whether its labels match.
    pub fn has_labels(&self, selector: &LabelSelector) -> bool {
        let labels = self.labels.get_or_init(|| {
            let node = self.tree(&self.body);
            let entries = node.find(&["metadata", "labels"]).map(Node::entries).unwrap_or_default();
            let pair = |entry: &Entry<'_>| {
                (entry.key.as_ref().into(), entry.node.text().unwrap_or_default().into())
            };
            entries.iter().map(pair).collect()
        });
        selector.matches(|name| {
            labels.iter().find(|(key, _)| **key == *name).map(|(_, value)| value.as_ref())
        })
    }

    /// Whether its fields match.
    pub fn has_fields(&self, selector: &FieldSelector, group: &str, kind: &str) -> bool {
        // Name and namespace are in the key; selecting by them, as most do, decodes nothing.
        let (namespace, name) = self.key.rsplit_once('/').unwrap_or(("", &self.key));
        let of_key = |field: &str| match field {
            "metadata.name" => Some(Cow::Borrowed(name)),
            "metadata.namespace" => Some(Cow::Borrowed(namespace)),
            _ => None,
        };
        if selector.terms().iter().all(|term| of_key(&term.field).is_some()) {
            return selector.matches_by(|field| of_key(field).unwrap_or_default());
        }
        self.read(|node| selector.matches(node, selectable(group, kind)))
    }
}

/// Encodes an object for the store: without `kind`, `apiVersion` and `resourceVersion`, metadata first. The only way to
/// make a [`Stored`]; fails if the result would not decode to the same object.
pub(crate) fn storable(mut node: Node<'_>) -> Result<Stored, Unstorable> {
    node.remove("kind");
    node.remove("apiVersion");
    let mut metadata = node.remove("metadata").unwrap_or_else(Node::empty_map);
    metadata.remove("resourceVersion");
    // Last, where the cache looks for them.
    if let Some(entries) = metadata.remove("managedFields") {
        metadata.set("managedFields", entries);
    }
    let is_map = matches!(metadata.value, Value::Map(_));
    let name = |metadata: &Node<'_>| {
        format!("{}/{}", metadata.text_at(&["namespace"]), metadata.text_at(&["name"]))
    };
    let unstorable = |why: String, node: &Node<'_>| {
        let name = node.get("metadata").map(name).unwrap_or_default();
        Unstorable { why, name }
    };
    if let Some(entries) = node.entries_mut() {
        entries.insert(0, Entry::new("metadata", metadata));
    }
    if !is_map {
        return Err(unstorable("its metadata is no object".to_owned(), &node));
    }
    match stored_json(&node) {
        Ok(text) => Ok(Stored(text.into())),
        Err(why) => Err(unstorable(why, &node)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn item() -> Item {
        let text = r#"{"kind":"Pod","apiVersion":"v1","spec":{"a":1},"metadata":{"name":"x","resourceVersion":"3","labels":{"a":"b"}}}"#;
        let node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
        Item::written("ns/x".into(), 7, &storable(node).unwrap())
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
    fn an_object_without_metadata_is_served_as_json_too() {
        let item = Item::written("x".into(), 7, &storable(Node::empty_map()).unwrap());
        assert_eq!(item.body, r#"{"metadata":{"resourceVersion":"7"}}"#);
        assert_eq!(item.as_of(8).body, r#"{"metadata":{"resourceVersion":"8"}}"#);
        assert_eq!(item.node().text_at(&["metadata", "resourceVersion"]), "7");
    }

    #[test]
    fn an_object_can_do_without_its_managed_fields() {
        let text = r#"{"metadata":{"managedFields":[{"manager":"m"}],"name":"x"},"data":{}}"#;
        let stored = storable(decode(text, Limits::DEFAULT).unwrap().documents.remove(0)).unwrap();
        let last = r#"{"metadata":{"name":"x","managedFields":[{"manager":"m"}]},"data":{}}"#;
        assert_eq!(stored.bytes(), last);
        let less = stored.without_managed_fields().unwrap();
        assert_eq!(less.bytes(), r#"{"metadata":{"name":"x"},"data":{}}"#);
    }

    #[test]
    fn only_what_is_read_back_is_stored() {
        let deep = (0..280).fold(Node::empty_map(), |inner, _| Node::list(vec![inner]));
        let why = storable(Node::map([("data", deep)])).unwrap_err().why;
        assert_eq!(why, "it is nested 281 levels deep, more than 270");
        let odd = Node::map([("metadata", Node::string("x"))]);
        assert_eq!(storable(odd).unwrap_err().why, "its metadata is no object");
        let metadata = Node::map([("name", Node::string("a")), ("namespace", Node::string("n"))]);
        let twice = vec![
            Entry::new("metadata", metadata),
            Entry::new("spec", Node::int(1)),
            Entry::new("spec", Node::int(2)),
        ];
        let unstorable = storable(Node::new(Value::Map(twice))).unwrap_err();
        assert_eq!(unstorable.name, "n/a");
        assert_eq!(unstorable.why, "it is read back as another object");
    }

    #[test]
    fn only_what_can_be_read_becomes_an_item() {
        let deep = format!(
            r#"{{"metadata":{{"name":"x"}},"data":{}{}}}"#,
            "[".repeat(400),
            "]".repeat(400)
        );
        for value in
            ["", "{}", r#"{"metadata":{"#, r#"{"metadata":{"name":"x"}"#, r#"{"spec":{}}"#, &deep]
        {
            assert!(Item::stored("x".into(), 7, value.as_bytes()).is_err(), "{value}");
        }
        assert!(Item::stored("x".into(), 7, b"{\"metadata\":{\"name\":\"\xff\"}}").is_err());
        assert!(Item::stored("x".into(), 7, br#"{"metadata":{"name":"x"}}"#).is_ok());
    }

    #[test]
    fn labels_are_read_once() {
        let item = item();
        assert!(item.has_labels(&LabelSelector::parse("a=b").unwrap()));
        assert!(!item.has_labels(&LabelSelector::parse("a!=b").unwrap()));
    }
}
