//! `Underway`: values on their way into the store, so that the cache need not read again what this process has written.

use super::item::Stored;
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The values of commits that have not returned. A value is known by the address of its bytes, which nobody else can have
/// as long as it is here; a store that hands on other bytes, as etcd does, is read as ever.
#[derive(Debug, Default)]
pub(super) struct Underway(Mutex<HashMap<usize, Stored>>);

/// Forgets a value when its commit has returned, or nobody waits for it any more.
pub(super) struct Commitment<'u> {
    underway: &'u Underway,
    address: usize,
}

impl Underway {
    /// Announces a value that is about to be committed.
    pub(super) fn announce(&self, value: &Stored) -> Commitment<'_> {
        let address = address(&value.bytes());
        self.values().insert(address, value.clone());
        Commitment { underway: self, address }
    }

    /// What is known of these bytes, if they are those of a value that was announced.
    pub(super) fn take(&self, bytes: &Bytes) -> Option<Stored> {
        let value = self.values().remove(&address(bytes))?;
        (value.bytes().len() == bytes.len()).then_some(value)
    }

    fn values(&self) -> MutexGuard<'_, HashMap<usize, Stored>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Commitment<'_> {
    fn drop(&mut self) {
        self.underway.values().remove(&self.address);
    }
}

fn address(bytes: &Bytes) -> usize {
    bytes.as_ptr().addr()
}

#[cfg(test)]
mod tests {
    use super::super::item::storable;
    use super::*;
    use ratchet_object::Node;

    fn value() -> Stored {
        storable(&Node::map([("metadata", Node::map([("name", Node::string("x"))]))])).unwrap()
    }

    #[test]
    fn a_value_is_known_by_its_own_bytes_until_it_is_taken_or_its_commit_returns() {
        let (underway, value) = (Underway::default(), value());
        assert!(underway.take(&value.bytes()).is_none(), "nobody has announced it");
        let commitment = underway.announce(&value);
        let copy = Bytes::copy_from_slice(&value.bytes());
        assert!(underway.take(&copy).is_none(), "other bytes may say something else tomorrow");
        assert_eq!(underway.take(&value.bytes()).map(|value| value.bytes()), Some(value.bytes()));
        assert!(underway.take(&value.bytes()).is_none(), "it comes once");
        drop(commitment);
        let refused = underway.announce(&value);
        drop(refused);
        assert!(underway.values().is_empty());
    }

    #[test]
    fn a_part_of_a_value_is_not_the_value() {
        let (underway, value) = (Underway::default(), value());
        let _commitment = underway.announce(&value);
        assert!(underway.take(&value.bytes().slice(..2)).is_none());
    }
}
