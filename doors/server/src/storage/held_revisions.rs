//! `HeldRevisions`: revisions that somebody reads page by page, and that are not compacted meanwhile.

use ratchet_store::Line;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The held revisions, and how often each is held.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldRevisions(Arc<Mutex<BTreeMap<(Line, u64), usize>>>);

impl HeldRevisions {
    /// Holds a revision until the hold is dropped.
    pub(crate) fn hold(&self, line: Line, revision: u64) -> Hold {
        *self.counts().entry((line, revision)).or_default() += 1;
        Hold { of: self.clone(), held: (line, revision) }
    }

    /// The oldest held revision of a store.
    pub(crate) fn oldest(&self, line: Line) -> Option<u64> {
        let counts = self.counts();
        let (held, _) = counts.range((line, 0)..=(line, u64::MAX)).next()?;
        Some(held.1)
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<(Line, u64), usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A held revision.
#[derive(Debug)]
pub(crate) struct Hold {
    of: HeldRevisions,
    held: (Line, u64),
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut counts = self.of.counts();
        if let Some(count) = counts.get_mut(&self.held) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.held);
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
        let _other = held.hold(Line(1), 1);
        assert_eq!(held.oldest(Line(0)), None);
        let (a, b, c) = (held.hold(Line(0), 7), held.hold(Line(0), 5), held.hold(Line(0), 5));
        assert_eq!(held.oldest(Line(0)), Some(5));
        drop(b);
        assert_eq!(held.oldest(Line(0)), Some(5));
        drop(c);
        assert_eq!(held.oldest(Line(0)), Some(7));
        drop(a);
        assert_eq!(held.oldest(Line(0)), None);
    }
}
