//! `ObjectState`: what became of an object, decoded.

use super::item::{Item, Stored};
use super::scope::IndexedField;
use super::unreadable::Unreadable;
use ratchet_apply::FieldsPool;
use std::sync::{Arc, Mutex};

/// A change of one object: revision, cache key and new state.
pub(crate) type ObjectChange = (u64, Arc<str>, ObjectState);

/// The state of an object after a change.
#[derive(Debug)]
pub(crate) enum ObjectState {
    /// The object.
    Item(Item),
    /// It exists but cannot be decoded.
    Unreadable(Arc<Unreadable>),
    /// It was deleted.
    Deleted,
}

impl ObjectState {
    /// The object, if it can be decoded.
    pub(super) fn item(&self) -> Option<&Item> {
        match self {
            Self::Item(item) => Some(item),
            Self::Unreadable(_) | Self::Deleted => None,
        }
    }

    /// Decodes a stored value, of which there may be knowledge; a failure is logged.
    pub(super) fn of(
        pool: &Mutex<FieldsPool>,
        store_key: &str,
        key: &Arc<str>,
        revision: u64,
        (value, known): (&[u8], Option<&Stored>),
        index: Option<&'static IndexedField>,
    ) -> Self {
        let item = match known {
            Some(known) => Item::known(key.clone(), revision, known, pool, index),
            None => Item::cached(key.clone(), revision, value, pool, index),
        };
        match item {
            Ok(item) => Self::Item(item),
            Err(why) => {
                let unreadable = Unreadable { key: store_key.to_owned(), why };
                unreadable.report();
                Self::Unreadable(Arc::new(unreadable))
            }
        }
    }
}
