//! `Change`: a change of one object, and its watch event.

use super::conversions::Conversions;
use super::item::Item;
use bytes::Bytes;
use std::sync::{Arc, OnceLock};

/// A change of one object.
#[derive(Debug)]
pub struct Change {
    /// The revision of the change.
    pub revision: u64,
    /// The object after the change; for a deletion its last state with the revision of the deletion.
    pub item: Arc<Item>,
    /// The object before the change; none for a creation.
    pub before: Option<Arc<Item>>,
    /// Whether the object was deleted.
    pub is_deletion: bool,
    encoded: [OnceLock<Bytes>; 3],
    /// The object as versions serve it in which it is not stored.
    pub(crate) conversions: Conversions,
}

/// The type of a watch event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventType {
    /// The object was created, or entered the selection.
    Added,
    /// The object changed.
    Modified,
    /// The object was deleted, or left the selection.
    Deleted,
}

impl EventType {
    /// The `type` of the event.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

impl Change {
    /// The change of an object from one state to another; none if there is neither.
    pub(super) fn new(
        revision: u64,
        item: Option<Arc<Item>>,
        before: Option<Arc<Item>>,
    ) -> Option<Arc<Self>> {
        let is_deletion = item.is_none();
        let item = match (item, &before) {
            (Some(item), _) => item,
            (None, Some(old)) => Arc::new(old.as_of(revision)),
            (None, None) => return None,
        };
        let encoded = std::array::from_fn(|_| OnceLock::new());
        let conversions = Conversions::default();
        Some(Arc::new(Self { revision, item, before, is_deletion, encoded, conversions }))
    }

    /// The memory that the change takes: the object, and the encoded event for watchers; a custom object may have been
    /// converted for them, too.
    pub(super) fn weight(&self) -> usize {
        let copies = if self.item.version().is_some() { 3 } else { 2 };
        copies * self.item.size() + 256
    }

    /// The event type for a watch without selectors.
    pub fn event_type(&self) -> EventType {
        match (&self.before, self.is_deletion) {
            (_, true) => EventType::Deleted,
            (None, false) => EventType::Added,
            (Some(_), false) => EventType::Modified,
        }
    }

    /// The event as one line of JSON, encoded once for all watchers of the storage version.
    pub fn encoded(&self, event: EventType, api_version: &str, kind: &str) -> Bytes {
        let slot = self.encoded.get(event as usize);
        let write = || event_line(event, &self.item.whole(api_version, kind));
        slot.map_or_else(write, |slot| slot.get_or_init(write).clone())
    }
}

/// Encodes a watch event as one line of JSON.
pub(crate) fn event_line(event: EventType, object: &[Bytes]) -> Bytes {
    let length: usize = object.iter().map(Bytes::len).sum();
    let mut out = Vec::with_capacity(length + 40);
    out.extend_from_slice(br#"{"type":""#);
    out.extend_from_slice(event.as_str().as_bytes());
    out.extend_from_slice(br#"","object":"#);
    for part in object {
        out.extend_from_slice(part);
    }
    out.extend_from_slice(b"}\n");
    out.into()
}
