//! Keys that expire, with the time that their leases have left.

use std::collections::HashMap;
use std::time::Duration;

use ratchet_store::{Expiring, StoreError};

use crate::client::Repeat;
use crate::messages::{RangeResponse, lease_time_to_live, method, parse_lease, range_keys};
use crate::shared::{Shared, failure, from_etcd};

/// The keys that are read at once.
const PART: u64 = 10_000;

/// The keys with a lease, as of the latest revision.
pub(crate) async fn expiring(shared: &Shared) -> Result<Expiring, StoreError> {
    let mut found = Expiring { revision: shared.latest().await?, ..Expiring::default() };
    let Some(mut keys) = shared.keys.range("", None) else { return Ok(found) };
    let (mut revision, mut leases) = (0, HashMap::new());
    loop {
        let message = || range_keys(&keys, PART, revision);
        let part = shared.call(method::RANGE, Repeat::Safe, message, RangeResponse::parse).await;
        let part = match part {
            Ok(part) => part,
            Err(error) => return Err(shared.explain(error).await),
        };
        if revision == 0 {
            revision = part.revision;
            found.revision = from_etcd(revision);
        }
        for kv in part.kvs.iter().filter(|kv| kv.lease != 0) {
            let Some(key) = shared.keys.to_store(&kv.key) else { continue };
            let left = match leases.get(&kv.lease) {
                Some(left) => *left,
                None => {
                    let left = time_left(shared, kv.lease).await?;
                    *leases.entry(kv.lease).or_insert(left)
                }
            };
            found.keys.push((key, left));
        }
        match part.kvs.last() {
            Some(last) if part.count > part.kvs.len() as u64 => {
                keys.start = [&last.key[..], &[0]].concat();
            }
            _ => return Ok(found),
        }
    }
}

/// The time that a lease has left; none if it has expired.
async fn time_left(shared: &Shared, lease: u64) -> Result<Duration, StoreError> {
    let message = || lease_time_to_live(lease);
    let requested =
        shared.call(method::LEASE_TIME_TO_LIVE, Repeat::Safe, message, parse_lease).await;
    let (_, seconds) = requested.map_err(|error| failure(&error))?;
    // A negative number of 64 bits is what etcd says of a lease that it does not know.
    Ok(Duration::from_secs(if seconds > i64::MAX as u64 { 0 } else { seconds }))
}
