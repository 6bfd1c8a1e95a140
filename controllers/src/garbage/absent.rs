//! Cache of owners that the API reported as absent; uids are never reused.

use super::identity::Identity;
use std::collections::{HashSet, VecDeque};

/// The number of owners that are remembered, as in kube-controller-manager.
const CAPACITY: usize = 500;

/// The most recently reported absent owners.
#[derive(Debug, Default)]
pub(super) struct AbsentOwners {
    set: HashSet<Identity>,
    order: VecDeque<Identity>,
}

impl AbsentOwners {
    /// Adds an owner, and evicts the oldest when full.
    pub(super) fn add(&mut self, identity: Identity) {
        if !self.set.insert(identity.clone()) {
            return;
        }
        self.order.push_back(identity);
        if self.order.len() > CAPACITY
            && let Some(oldest) = self.order.pop_front()
        {
            self.set.remove(&oldest);
        }
    }

    /// Whether the owner is known to be absent.
    pub(super) fn contains(&self, identity: &Identity) -> bool {
        self.set.contains(identity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::garbage::identity::ObjectKind;
    use std::sync::Arc;

    #[test]
    fn the_oldest_are_forgotten() {
        let kind = Arc::new(ObjectKind { kind: "K".into(), api_version: "v1".into() });
        let identity = |uid: usize| Identity {
            kind: kind.clone(),
            namespace: "".into(),
            name: "n".into(),
            uid: uid.to_string().as_str().into(),
        };
        let mut absent = AbsentOwners::default();
        for uid in 0..CAPACITY + 10 {
            absent.add(identity(uid));
            absent.add(identity(uid));
        }
        assert!(!absent.contains(&identity(9)) && absent.contains(&identity(10)));
        assert_eq!((absent.set.len(), absent.order.len()), (CAPACITY, CAPACITY));
    }
}
