//! Stored values that cannot be read: they are told, never taken for empty objects.

use crate::status::StatusError;
use std::sync::Arc;

/// A stored value that is no object that this server could have written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The key of the store.
    pub key: String,
    /// What is wrong with the value.
    pub why: String,
}

impl Unreadable {
    /// Tells of a value as it comes in, once.
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

/// An object that would not be read back as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unstorable {
    /// What is wrong with it.
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
