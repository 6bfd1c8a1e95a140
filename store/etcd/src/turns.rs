//! Turns of work that one of several servers does: who is first in a round takes it from the others.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ratchet_store::StoreError;

use crate::client::Repeat;
use crate::messages::{KeyRange, RequestOp, TxnResponse, compare_version, method, put, range, txn};
use crate::shared::Shared;

/// The rounds of each work as this server has last seen them.
#[derive(Debug, Default)]
pub(crate) struct Turns(Mutex<HashMap<String, u64>>);

impl Turns {
    /// Whether nobody has taken a turn since this server last asked. A server that has never asked learns the round
    /// only.
    pub(crate) async fn take(&self, shared: &Shared, name: &str) -> Result<bool, StoreError> {
        let seen = self.seen(|turns| turns.get(name).copied());
        let key = shared.keys.own(name);
        let message = || {
            let success = vec![RequestOp::Put(put(&key, b"", 0))];
            let failure = vec![RequestOp::Range(range(&KeyRange::one(key.clone()), 0, 0))];
            // A version that no key has makes the first question fail.
            txn(vec![compare_version(&key, seen.unwrap_or(u64::MAX >> 1))], success, failure)
        };
        let response = shared.call(method::TXN, Repeat::Unsafe, message, TxnResponse::parse).await;
        let response = match response {
            Ok(response) => response,
            Err(error) => return Err(shared.explain(error).await),
        };
        let version = match response.succeeded {
            true => seen.unwrap_or_default() + 1,
            false => {
                let found = response.ranges.first().and_then(|range| range.kvs.first());
                found.map_or(0, |kv| kv.version)
            }
        };
        self.seen(|turns| turns.insert(name.to_owned(), version));
        Ok(response.succeeded)
    }

    fn seen<T>(&self, run: impl FnOnce(&mut HashMap<String, u64>) -> T) -> T {
        run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
