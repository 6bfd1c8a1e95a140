//! Errors for stored values that cannot be decoded and for objects that cannot be stored.

use crate::status::StatusError;
use std::sync::Arc;

/// A stored value that this server could not have written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The store key.
    pub key: String,
    /// The decode error.
    pub why: String,
}

impl Unreadable {
    /// Logs the value when it enters the cache.
    pub(super) fn report(&self) {
        tracing::error!(key = self.key, why = self.why, "a stored value cannot be read");
    }
}

impl From<Unreadable> for StatusError {
    fn from(found: Unreadable) -> Self {
        Self::internal(format!("the stored value of {} cannot be read", found.key))
    }
}

impl From<&Arc<Unreadable>> for StatusError {
    fn from(found: &Arc<Unreadable>) -> Self {
        found.as_ref().clone().into()
    }
}

/// An object whose encoding would not decode to the same object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unstorable {
    /// The reason.
    pub(crate) why: String,
    /// `namespace/name` of the object.
    pub(crate) name: String,
}

impl From<Unstorable> for StatusError {
    fn from(found: Unstorable) -> Self {
        let Unstorable { why, name } = found;
        tracing::error!(name, why, "an object cannot be stored");
        Self::internal(format!("the object cannot be stored: {why}"))
    }
}
