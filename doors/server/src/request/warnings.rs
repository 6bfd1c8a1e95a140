//! `Warnings`: the warnings collected for the client while a request is handled.

use std::sync::{Mutex, PoisonError};

/// Warnings in the order in which they were added, each once; sent as `Warning` headers.
#[derive(Debug, Default)]
pub(crate) struct Warnings(Mutex<Vec<String>>);

impl Warnings {
    /// Adds a warning unless it is already there.
    pub(crate) fn add(&self, text: impl Into<String>) {
        let text = text.into();
        let mut warnings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !warnings.contains(&text) {
            warnings.push(text);
        }
    }

    /// Keeps the first `length` warnings; a retry drops those of the attempt before it.
    pub(crate) fn truncate(&self, length: usize) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).truncate(length);
    }

    /// The number of warnings, to be passed to [`Self::truncate`].
    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// A copy of all warnings.
    pub(crate) fn to_vec(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
