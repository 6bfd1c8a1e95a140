//! `HeldRevisions`: revisions that somebody reads page by page, and that are not compacted meanwhile.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The held revisions, and how often each is held.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldRevisions(Arc<Mutex<BTreeMap<u64, usize>>>);

impl HeldRevisions {
    /// Holds a revision until the hold is dropped.
    pub(crate) fn hold(&self, revision: u64) -> Hold {
        *self.counts().entry(revision).or_default() += 1;
        Hold { of: self.clone(), revision }
    }

    /// The oldest held revision.
    pub(crate) fn oldest(&self) -> Option<u64> {
        self.counts().first_key_value().map(|(revision, _)| *revision)
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<u64, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A held revision.
#[derive(Debug)]
pub(crate) struct Hold {
    of: HeldRevisions,
    revision: u64,
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut counts = self.of.counts();
        if let Some(count) = counts.get_mut(&self.revision) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.revision);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_hold_counts() {
        let held = HeldRevisions::default();
        assert_eq!(held.oldest(), None);
        let (a, b, c) = (held.hold(7), held.hold(5), held.hold(5));
        assert_eq!(held.oldest(), Some(5));
        drop(b);
        assert_eq!(held.oldest(), Some(5));
        drop(c);
        assert_eq!(held.oldest(), Some(7));
        drop(a);
        assert_eq!(held.oldest(), None);
    }
}
