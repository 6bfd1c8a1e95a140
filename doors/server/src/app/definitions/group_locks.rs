//! `GroupLocks`: one queue per API group for whoever gives names to definitions.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use tokio::sync::{Mutex, MutexGuard};

/// The number of queues; groups that share one wait for each other without need.
const QUEUES: u64 = 64;

/// Locks by group.
pub(super) struct GroupLocks([Mutex<()>; 64]);

impl Default for GroupLocks {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::new(())))
    }
}

impl GroupLocks {
    /// Locks groups, always in the same order, so that nobody waits for ever.
    pub(super) async fn lock_all<'g>(
        &self,
        groups: impl IntoIterator<Item = &'g str>,
    ) -> Vec<MutexGuard<'_, ()>> {
        let queue = |group| {
            let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(group);
            usize::try_from(hash % QUEUES).unwrap_or(0)
        };
        let queues: BTreeSet<usize> = groups.into_iter().map(queue).collect();
        let mut guards = Vec::with_capacity(queues.len());
        for lock in queues.into_iter().filter_map(|queue| self.0.get(queue)) {
            guards.push(lock.lock().await);
        }
        guards
    }
}
