//! A commit as a transaction of etcd: guards are comparisons, and large commits are nested within etcd's limit.

use std::collections::HashMap;
use std::sync::Arc;

use ratchet_store::{Commit, Guard, Operation, StoreError, Write};

use crate::keys::KeyMap;
use crate::messages::{
    KeyRange, KeyValue, RequestOp, TxnResponse, compare_modified, compare_version, delete, put,
    range, txn,
};
use crate::protobuf::Message;
use crate::records::record;
use crate::shared::{from_etcd, to_etcd};

/// The operations, and the comparisons, that a member allows in a transaction (`--max-txn-ops`). A nested transaction
/// may have as many as the one around it has left.
const MAX_OPS: usize = 128;
/// The nested transactions of a large commit, and the operations of each.
pub(crate) const NESTED: usize = MAX_OPS / 2;

/// A commit, ready to be sent.
#[derive(Debug)]
pub(crate) struct Transaction {
    guards: Vec<(Arc<str>, Vec<u8>, Guard)>,
    /// What is done to each key, in the order of the writes.
    acts: Vec<(Vec<u8>, Operation)>,
}

impl Transaction {
    pub(crate) fn new(keys: &KeyMap, writes: Vec<Write>) -> Result<Self, StoreError> {
        let (mut guards, mut acts) = (Vec::new(), Vec::<(Vec<u8>, Operation)>::new());
        let mut places = HashMap::new();
        for Write { key, guard, act } in writes {
            let Some(there) = keys.to_etcd(&key) else {
                return Err(StoreError::Broken(format!(
                    "{key} is not among the keys of this store"
                )));
            };
            if guard != Guard::Anything {
                guards.push((key, there.clone(), guard));
            }
            if act == Operation::Keep {
                continue;
            }
            // The last act of a key counts.
            let place = *places.entry(there.clone()).or_insert(acts.len());
            match acts.get_mut(place) {
                Some((_, earlier)) => *earlier = act,
                None => acts.push((there, act)),
            }
        }
        let limit = if acts.len() > MAX_OPS { NESTED } else { MAX_OPS };
        if guards.len() > limit || acts.len() > NESTED * NESTED {
            return Err(StoreError::Broken(format!(
                "a commit of {} keys, {} of them guarded, is more than etcd takes",
                acts.len(),
                guards.len()
            )));
        }
        Ok(Self { guards, acts })
    }

    /// The times to live of its puts.
    pub(crate) fn lives(&self) -> impl Iterator<Item = std::time::Duration> {
        self.acts.iter().filter_map(|(_, act)| match act {
            Operation::Put { lives, .. } => *lives,
            Operation::Delete | Operation::Keep => None,
        })
    }

    /// The transaction; `leases` has the lease of each put that has a time to live, in their order.
    pub(crate) fn message(&self, leases: &[u64]) -> Message {
        let compare = self.guards.iter().filter_map(|(_, key, guard)| match guard {
            Guard::Anything => None,
            Guard::Absent => Some(compare_version(key, 0)),
            Guard::At(revision) => Some(compare_modified(key, to_etcd(*revision))),
        });
        let mut leases = leases.iter();
        let ops = self.acts.iter().map(|(key, act)| match act {
            Operation::Put { value, lives } => {
                let lease = lives.and_then(|_| leases.next()).copied().unwrap_or_default();
                RequestOp::Put(put(key, value, lease))
            }
            Operation::Delete | Operation::Keep => RequestOp::Delete(delete(key)),
        });
        let found = self
            .guards
            .iter()
            .map(|(_, key, _)| RequestOp::Range(range(&KeyRange::one(key.clone()), 0, 0)));
        txn(compare.collect(), nest(ops.collect()), found.collect())
    }

    /// The result of the commit.
    pub(crate) fn result(
        &self,
        keys: &KeyMap,
        response: TxnResponse,
    ) -> Result<Commit, StoreError> {
        if response.succeeded {
            return Ok(Commit::Done(from_etcd(response.revision)));
        }
        let found = response.ranges.into_iter().map(|mut range| range.kvs.pop());
        for ((key, _, guard), found) in self.guards.iter().zip(found) {
            if !holds(*guard, found.as_ref()) {
                let found = found.and_then(|kv| record(keys, kv));
                return Ok(Commit::Refused { key: key.clone(), found });
            }
        }
        Err(StoreError::Broken("etcd refused a commit whose guards hold".to_owned()))
    }
}

fn holds(guard: Guard, found: Option<&KeyValue>) -> bool {
    match guard {
        Guard::Anything => true,
        Guard::Absent => found.is_none(),
        Guard::At(revision) => found.is_some_and(|kv| kv.modified == to_etcd(revision)),
    }
}

/// Operations in nested transactions without conditions, if there are too many for one.
fn nest(ops: Vec<RequestOp>) -> Vec<RequestOp> {
    if ops.len() <= MAX_OPS {
        return ops;
    }
    let mut ops = ops.into_iter();
    let mut nested = Vec::new();
    loop {
        let part: Vec<RequestOp> = ops.by_ref().take(NESTED).collect();
        if part.is_empty() {
            return nested;
        }
        nested.push(RequestOp::Txn(txn(Vec::new(), part, Vec::new())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_store::Revision;

    #[test]
    fn the_last_act_of_a_key_counts_and_all_guards() {
        let keys = KeyMap::new("", "/registry");
        let writes = vec![
            Write::put("/a", Guard::Absent, "1"),
            Write::delete("/b", Guard::Anything),
            Write::put("/a", Guard::Anything, "2"),
            Write::keep("/a", Guard::At(Revision(3))),
        ];
        let transaction = Transaction::new(&keys, writes).unwrap();
        assert_eq!(transaction.guards.len(), 2);
        let acts: Vec<_> =
            transaction.acts.iter().map(|(key, act)| (key.as_slice(), act)).collect();
        let put = Operation::Put { value: "2".into(), lives: None };
        assert_eq!(acts, [(&b"/registry/a"[..], &put), (&b"/registry/b"[..], &Operation::Delete)]);
    }

    #[test]
    fn what_etcd_does_not_take_is_refused() {
        let keys = KeyMap::new("/registry", "/registry");
        let many = |count: usize, guard| {
            (0..count).map(|number| Write::delete(&format!("/registry/{number}"), guard)).collect()
        };
        assert!(Transaction::new(&keys, many(4096, Guard::Anything)).is_ok());
        assert!(Transaction::new(&keys, many(4097, Guard::Anything)).is_err());
        assert!(Transaction::new(&keys, many(128, Guard::Absent)).is_ok());
        assert!(Transaction::new(&keys, many(129, Guard::Absent)).is_err());
        assert!(Transaction::new(&keys, vec![Write::delete("/else", Guard::Anything)]).is_err());
        let transaction = Transaction::new(&keys, many(200, Guard::Anything)).unwrap();
        assert_eq!(nest((0..200).map(|_| RequestOp::Delete(delete(b"/a"))).collect()).len(), 4);
        assert!(!transaction.message(&[]).into_bytes().is_empty());
    }
}
