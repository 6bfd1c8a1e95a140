//! Leases of keys that live for a while, shared by keys that expire at nearly the same time.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::client::Repeat;
use crate::grpc::RpcError;
use crate::messages::{lease_grant, method, parse_lease};
use crate::shared::Shared;

/// A key may live longer than asked for by this part of its time, and by this much at most.
const SHARE: u32 = 20;
const MAX_EXTRA: Duration = Duration::from_secs(60);
/// The keys of one lease, which etcd deletes in one transaction.
const MAX_KEYS: u32 = 1000;

/// The lease that the next key may share.
#[derive(Debug, Default)]
pub(crate) struct Leases(Mutex<Option<Lease>>);

#[derive(Debug)]
struct Lease {
    id: u64,
    expires: Instant,
    keys: u32,
}

impl Leases {
    /// A lease that lasts for this time or a little longer.
    pub(crate) async fn lasting(&self, shared: &Shared, lives: Duration) -> Result<u64, RpcError> {
        let mut last = self.0.lock().await;
        let extra = Duration::from_secs((lives / SHARE).min(MAX_EXTRA).as_secs());
        let wanted = Instant::now() + lives;
        if let Some(lease) = last.as_mut()
            && lease.expires >= wanted
            && lease.expires <= wanted + extra
            && lease.keys < MAX_KEYS
        {
            lease.keys += 1;
            return Ok(lease.id);
        }
        let seconds = (lives + extra).as_millis().div_ceil(1000);
        let seconds = u64::try_from(seconds).unwrap_or(u64::MAX).max(1);
        let message = || lease_grant(seconds);
        // A lease that was granted and not heard of expires by itself.
        let (id, _) = shared.call(method::LEASE_GRANT, Repeat::Safe, message, parse_lease).await?;
        *last = Some(Lease { id, expires: wanted + extra, keys: 1 });
        Ok(id)
    }

    /// Forgets the lease: etcd does not know it any more.
    pub(crate) async fn forget(&self) {
        *self.0.lock().await = None;
    }
}
