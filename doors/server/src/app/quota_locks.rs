//! `QuotaLocks`: one queue per namespace for requests that charge its quotas.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use tokio::sync::{Mutex, MutexGuard};

/// Locks by namespace: requests that charge a quota queue here instead of conflicting in the store.
pub struct QuotaLocks([Mutex<()>; 64]);

impl Default for QuotaLocks {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::new(())))
    }
}

impl QuotaLocks {
    /// Locks the quotas of a namespace.
    pub(crate) async fn lock(&self, namespace: &str) -> Option<MutexGuard<'_, ()>> {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(namespace);
        let at = usize::try_from(hash % 64).unwrap_or(0);
        Some(self.0.get(at)?.lock().await)
    }
}
