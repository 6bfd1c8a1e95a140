//! `Item`: one stored object at one revision, as text, with the labels and fields that it is selected by.

use super::field_values::FieldValues;
use super::packed::Packed;
use super::scope::{IndexValue, IndexedField};
use super::text::Text;
use super::unreadable::Unstorable;
use bytes::Bytes;
use memchr::memmem;
use once_cell::race::OnceBox;
use ratchet_apply::FieldsPool;
use ratchet_object::selector::{FieldSelector, LabelSelector, selectable};
use ratchet_object::{
    CompactJson, Entry, Node, StoredText, decode_stored, stored_object, stored_text,
};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// A stored object at one revision. Responses contain its bytes unchanged; what other objects have as well may be kept
/// once for all of them: `managedFields` apart from the rest, which most readers do without, and the rest as its
/// differences from another object.
#[derive(Debug)]
pub struct Item {
    /// `namespace/name`, or the name alone.
    pub key: Arc<str>,
    /// The revision of its last change, which is its `resourceVersion`.
    pub revision: u64,
    /// The object without `kind` and `apiVersion`: `{"metadata":{"resourceVersion":"7",…},…}`; also without
    /// `managedFields` if they are packed.
    body: Text,
    packed: Option<Packed>,
    /// The serial number of the type whose objects look like `body`; zero if that is not known.
    shape: AtomicU64,
    /// What few objects have.
    extras: OnceBox<Extras>,
    /// The value of the field that its resource is indexed by.
    index: Option<IndexValue>,
}

/// The parts of an item that most do without, so that a million of them do not have room for it.
#[derive(Debug, Default)]
struct Extras {
    /// The version in which it is stored, where that is not the same for all objects of the resource.
    version: Option<Box<str>>,
    /// The labels, as soon as somebody selects by them.
    labels: OnceLock<Vec<(Box<str>, Box<str>)>>,
    /// The fields that it can be selected by, as soon as somebody does.
    fields: OnceLock<FieldValues>,
}

/// The first bytes of every stored object; the resource version is inserted after them.
const START: &str = r#"{"metadata":{"#;

/// What stands before the version at the end of a stored custom object. Within a text the quotes would be escaped, and
/// behind an inner object there would be more than one brace.
const VERSION: &str = r#","apiVersion":""#;

/// An encoded object for the store: without `kind`, `apiVersion` and `resourceVersion`, metadata first. Made only by
/// [`storable`], which checks that it decodes to the same object.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    bytes: Bytes,
    /// Where each of its `managedFields` stands.
    managed_fields: Vec<Range<usize>>,
}

impl Stored {
    /// The bytes for the store.
    pub(crate) fn bytes(&self) -> Bytes {
        self.bytes.clone()
    }

    /// The same object in the same version without `managedFields`.
    pub(crate) fn without_managed_fields(&self) -> Result<Self, Unstorable> {
        let text = std::str::from_utf8(&self.bytes).ok();
        let Some(mut node) = text.and_then(|text| decode_stored(text).ok()) else {
            return Ok(self.clone());
        };
        node.map_mut("metadata").remove("managedFields");
        match split_version(&self.bytes).1 {
            Some(version) => storable_as(&node, version),
            None => storable(&node),
        }
    }
}

impl Item {
    /// Decodes a value of the store: an object without `kind`, `apiVersion` and `resourceVersion`. Any other value is
    /// an error, because items are served unchecked.
    pub fn stored(key: Arc<str>, revision: u64, value: &[u8]) -> Result<Self, String> {
        decode_stored(Self::stored_text(value)?).map_err(|why| why.to_string())?;
        Ok(Self::of(key, revision, value))
    }

    /// The same, with `managedFields` shared with other objects of the pool, and with the field that its resource is
    /// indexed by.
    pub(super) fn cached(
        key: Arc<str>,
        revision: u64,
        value: &[u8],
        pool: &Mutex<FieldsPool>,
        index: Option<&'static IndexedField>,
    ) -> Result<Self, String> {
        let text = Self::stored_text(value)?;
        let Some(object) = CompactJson::object(text) else {
            // Somebody else wrote it, with spaces.
            let object = decode_stored(text).map_err(|why| why.to_string())?;
            let index = index.map(|row| IndexValue::new(object.text_at(row.path), row));
            return Ok(Self { index, ..Self::of(key, revision, value) });
        };
        let index = index.map(|row| index_value(text, object, row));
        Ok(match Packed::cut(text, object, pool) {
            Some(cut) => Self::packed(key, revision, cut, index),
            None => Self { index, ..Self::of(key, revision, value) },
        })
    }

    /// The same of a value that this process has made: nobody need look for what it knows of it.
    pub(super) fn known(
        key: Arc<str>,
        revision: u64,
        value: &Stored,
        pool: &Mutex<FieldsPool>,
        index: Option<&'static IndexedField>,
    ) -> Result<Self, String> {
        let text = Self::stored_text(&value.bytes)?;
        let index = index.map(|row| index_value(text, CompactJson::unread(text), row));
        Ok(match Packed::cut_known(text, &value.managed_fields, pool) {
            Some(cut) => Self::packed(key, revision, cut, index),
            None => Self { index, ..Self::of(key, revision, &value.bytes) },
        })
    }

    fn packed(
        key: Arc<str>,
        revision: u64,
        (rest, packed): (String, Packed),
        index: Option<IndexValue>,
    ) -> Self {
        Self { packed: Some(packed), index, ..Self::of(key, revision, rest.as_bytes()) }
    }

    /// Whether a member outside of `managedFields` may have this name: it is looked for as text.
    pub(crate) fn may_name(&self, member: &str) -> bool {
        may_name(&self.body.bytes(), member)
    }

    /// The value of the field that its resource is indexed by.
    pub(super) fn index(&self) -> Option<&IndexValue> {
        self.index.as_ref()
    }

    /// Replaces the index value by an equal one that others have, too.
    pub(super) fn share_index_value(&mut self, known: impl Fn(&IndexValue) -> Option<IndexValue>) {
        if let Some(value) = &mut self.index
            && let Some(known) = known(value)
        {
            *value = known;
        }
    }

    fn stored_text(value: &[u8]) -> Result<&str, String> {
        if !value.starts_with(START.as_bytes()) {
            return Err("it does not begin with its metadata".to_owned());
        }
        std::str::from_utf8(value).map_err(|why| why.to_string())
    }

    /// The item of a write that was just committed.
    pub(crate) fn written(key: Arc<str>, revision: u64, value: &Stored) -> Self {
        Self::of(key, revision, &value.bytes)
    }

    /// The item of a dry-run create, which has no resource version.
    pub(crate) fn unsaved(key: Arc<str>, value: &Stored) -> Self {
        let (body, version) = without_version(&value.bytes);
        Self::new(key, 0, body.into_owned(), version)
    }

    fn new(key: Arc<str>, revision: u64, body: Vec<u8>, version: Option<&str>) -> Self {
        let (packed, index, shape) = (None, None, AtomicU64::new(0));
        let extras = version.map_or_else(OnceBox::new, |version| {
            OnceBox::with_value(Box::new(Extras {
                version: Some(version.into()),
                ..Extras::default()
            }))
        });
        Self { key, revision, body: Text::new(body), packed, shape, extras, index }
    }

    /// Keeps what it has in common with another object only once, if that is worth it. The version before of the same
    /// object goes soon: nothing is gained by keeping a part of it, unless others do.
    pub(super) fn share_text(&mut self, other: &Self) {
        if other.key != self.key || other.body.is_shared() {
            self.body.share(&other.body);
        }
    }

    /// Whether others have a part of its text.
    #[cfg(test)]
    pub(super) fn shares_text(&self) -> bool {
        self.body.is_shared()
    }

    fn extras(&self) -> &Extras {
        self.extras.get_or_init(Box::default)
    }

    /// The `apiVersion` in which the object is stored, where that is not the same for all objects of its resource.
    fn api_version(&self) -> Option<&str> {
        self.extras.get()?.version.as_deref()
    }

    fn of(key: Arc<str>, revision: u64, value: &[u8]) -> Self {
        let (value, version) = without_version(value);
        Self::at(key, revision, &value, version)
    }

    /// The item of an object without `kind`, `apiVersion` and `resourceVersion`.
    fn at(key: Arc<str>, revision: u64, value: &[u8], api_version: Option<&str>) -> Self {
        let rest = value.strip_prefix(START.as_bytes()).unwrap_or(value);
        let end: &[u8] = if rest.starts_with(b"}") { b"\"" } else { b"\"," };
        let (version, revision_text) = (br#""resourceVersion":""#, revision.to_string());
        let body = [START.as_bytes(), version, revision_text.as_bytes(), end, rest].concat();
        Self::new(key, revision, body, api_version)
    }

    /// The version in which the object is stored, where that is not the same for all objects of its resource.
    pub(crate) fn version(&self) -> Option<&str> {
        let api_version = self.api_version()?;
        Some(api_version.rsplit_once('/').map_or(api_version, |(_, version)| version))
    }

    /// Whether the object is stored as this very value.
    pub(crate) fn is_stored_as(&self, value: &Stored) -> bool {
        let written = Self::written(self.key.clone(), self.revision, value);
        *self.body() == *written.body.bytes() && self.api_version() == written.api_version()
    }

    /// Whether `body` is what an object of the type with this serial number looks like.
    pub(crate) fn has_shape(&self, serial: u64) -> bool {
        self.shape.load(Ordering::Relaxed) == serial
    }

    /// Remembers that `body` is what an object of the type with this serial number looks like.
    pub(crate) fn set_shape(&self, serial: u64) {
        self.shape.store(serial, Ordering::Relaxed);
    }

    /// The same object at the same revision with other contents, as another version or schema shows it.
    pub(crate) fn showing(&self, node: Node<'_>) -> Self {
        let body = stored_text(&node, None).text;
        let key = self.key.clone();
        match self.revision {
            // An object that is not saved has no resource version.
            0 => Self::new(key, 0, body.into_bytes(), self.api_version()),
            revision => Self::at(key, revision, body.as_bytes(), self.api_version()),
        }
    }

    /// The same object at another revision, for DELETED events.
    #[must_use]
    pub fn as_of(&self, revision: u64) -> Self {
        let old = format!(r#"{START}"resourceVersion":"{}""#, self.revision);
        let body = self.body.bytes();
        let rest = body.strip_prefix(old.as_bytes()).unwrap_or(&body);
        let mut value = START.as_bytes().to_vec();
        value.extend_from_slice(rest.strip_prefix(b",").unwrap_or(rest));
        let (packed, index) = (self.packed.clone(), self.index.clone());
        let shape = AtomicU64::new(self.shape.load(Ordering::Relaxed));
        let item = Self::at(self.key.clone(), revision, &value, self.api_version());
        Self { packed, shape, index, ..item }
    }

    /// The number of bytes of the object.
    pub fn size(&self) -> usize {
        self.body.len() + self.packed.as_ref().map_or(0, Packed::size)
    }

    /// The object without `kind` and `apiVersion`.
    pub fn body(&self) -> Bytes {
        let mut out = Vec::with_capacity(self.size());
        self.write_body(&mut out);
        out.into()
    }

    /// Appends the object without `kind` and `apiVersion`.
    pub(crate) fn write_body(&self, out: &mut Vec<u8>) {
        match &self.packed {
            None => self.body.write(out),
            Some(packed) => packed.join(&self.body, self.revision, out),
        }
    }

    /// Whether the text of the object, apart from `managedFields` that are packed, contains `text`.
    pub fn contains(&self, text: &str) -> bool {
        std::str::from_utf8(&self.body.bytes()).is_ok_and(|body| body.contains(text))
    }

    /// Decodes the object.
    pub fn node(&self) -> Node<'static> {
        match self.packed {
            None => self.tree(&self.body.bytes()).into_interned(),
            Some(_) => self.tree(&self.body()).into_interned(),
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
        take(&self.tree(&self.body.bytes()))
    }

    /// The JSON object with `kind` and `apiVersion`, in two pieces.
    pub fn whole(&self, api_version: &str, kind: &str) -> [Bytes; 2] {
        let start = [r#"{"kind":""#, kind, r#"","apiVersion":""#, api_version, r#"","#].concat();
        [start.into(), self.body().slice(1..)]
    }

    /// The JSON of its metadata, with which its text begins; those that are packed are left out if nobody wants them.
    pub(crate) fn metadata(&self, has_owners: bool) -> Bytes {
        let body = match has_owners && self.packed.is_some() {
            true => Vec::from(self.body()).into(),
            false => self.body.bytes(),
        };
        let text = std::str::from_utf8(&body).unwrap_or_default();
        let start = START.len() - 1;
        let end = match CompactJson::first_object(text, start) {
            Some(metadata) => metadata.end(),
            None => self.tree(&body).get("metadata").map_or(start, |node| node.span.end as usize),
        };
        Bytes::copy_from_slice(body.get(start..end).unwrap_or_default())
    }

    /// Whether its labels match.
    pub fn has_labels(&self, selector: &LabelSelector) -> bool {
        let labels = self.extras().labels.get_or_init(|| {
            let body = self.body.bytes();
            let node = self.tree(&body);
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
        if self.knows(selector) {
            return selector.matches_by(|field| self.known_field(field).unwrap_or_default());
        }
        let fields = selectable(group, kind);
        let values = &self.extras().fields;
        let values = values.get_or_init(|| self.read(|node| FieldValues::of_kind(node, fields)));
        selector.matches_by(|field| values.of_field(field, fields))
    }

    /// Whether its fields match; `read` returns the names and values of those that a definition names. They are read
    /// once for each object as long as the type with this serial number is the only one that asks.
    pub(crate) fn has_named_fields(
        &self,
        selector: &FieldSelector,
        serial: u64,
        read: impl FnOnce() -> Option<FieldValues>,
    ) -> bool {
        if self.knows(selector) {
            return selector.matches_by(|field| self.known_field(field).unwrap_or_default());
        }
        let matches = |values: &FieldValues| {
            selector.matches_by(|field| match self.known_field(field) {
                Some(known) => known,
                None => values.named(field),
            })
        };
        let fields = &self.extras().fields;
        match fields.get().filter(|values| values.serial == serial) {
            Some(values) => matches(values),
            None => read().is_some_and(|values| {
                let is_match = matches(&values);
                // Another type may have been first; then this one reads again each time.
                let _ = fields.set(values);
                is_match
            }),
        }
    }

    /// Whether a selector is about fields that need no decoding.
    fn knows(&self, selector: &FieldSelector) -> bool {
        selector.terms().iter().all(|term| self.known_field(&term.field).is_some())
    }

    /// Name and namespace are in the key, and an index has its field; selecting by them, as most do, decodes nothing.
    fn known_field(&self, field: &str) -> Option<Cow<'_, str>> {
        let (namespace, name) = self.key.rsplit_once('/').unwrap_or(("", &self.key));
        match field {
            "metadata.name" => Some(Cow::Borrowed(name)),
            "metadata.namespace" => Some(Cow::Borrowed(namespace)),
            _ => self.index.as_ref()?.of_field(field).map(Cow::Borrowed),
        }
    }
}

/// The value of the field that objects are indexed by, in the text of one.
fn index_value(text: &str, object: CompactJson<'_>, row: &'static IndexedField) -> IndexValue {
    // Most pods that wait for a node do not even have the word.
    let is_named = row.path.last().is_some_and(|name| may_name(text.as_bytes(), name));
    let found = is_named.then(|| object.find(row.path)).flatten();
    match found.map(CompactJson::plain_text) {
        None => IndexValue::new("", row),
        Some(Some(text)) => IndexValue::new(text, row),
        Some(None) => {
            let decoded = decode_stored(text).unwrap_or_else(|_| Node::empty_map());
            IndexValue::new(decoded.text_at(row.path), row)
        }
    }
}

/// Whether a member of a JSON text may have this name: it is looked for as text, which may say it by escapes, too.
fn may_name(text: &[u8], member: &str) -> bool {
    memmem::find(text, format!("\"{member}\"").as_bytes()).is_some()
        || memmem::find(text, b"\\u").is_some()
}

/// Encodes an object for the store: without `kind`, `apiVersion` and `resourceVersion`, metadata first. The only way to
/// make a [`Stored`]; fails if the result would not decode to the same object.
pub(crate) fn storable(node: &Node<'_>) -> Result<Stored, Unstorable> {
    encode(node, None)
}

/// The same for an object of a resource whose objects are not all stored in the same version: `api_version` is that
/// of this one.
pub(crate) fn storable_as(node: &Node<'_>, api_version: &str) -> Result<Stored, Unstorable> {
    encode(node, Some(api_version))
}

/// A stored value without its version, and the version.
fn without_version(value: &[u8]) -> (Cow<'_, [u8]>, Option<&str>) {
    match split_version(value) {
        (value, None) => (value.into(), None),
        (open, version) => ([open, b"}"].concat().into(), version),
    }
}

/// Splits the version off the end of a stored value, together with the last brace.
fn split_version(value: &[u8]) -> (&[u8], Option<&str>) {
    let whole = (value, None);
    let Some(open) = value.strip_suffix(b"\"}") else { return whole };
    let Some(quote) = open.iter().rposition(|byte| *byte == b'"') else { return whole };
    let (Some(before), Some(version)) = (open.get(..=quote), open.get(quote + 1..)) else {
        return whole;
    };
    let Some(rest) = before.strip_suffix(VERSION.as_bytes()) else { return whole };
    match std::str::from_utf8(version) {
        Ok(version) => (rest, Some(version)),
        Err(_) => whole,
    }
}

fn encode(node: &Node<'_>, api_version: Option<&str>) -> Result<Stored, Unstorable> {
    let name = |metadata: &Node<'_>| {
        format!("{}/{}", metadata.text_at(&["namespace"]), metadata.text_at(&["name"]))
    };
    match stored_object(node, api_version) {
        Ok(StoredText { text, managed_fields }) => {
            Ok(Stored { bytes: text.into(), managed_fields })
        }
        Err(why) => {
            let name = node.get("metadata").map(name).unwrap_or_default();
            Err(Unstorable { why, name })
        }
    }
}

#[cfg(test)]
mod tests;
