//! Owners of which the API said that they are not there; uids are never used again.

use super::identity::Identity;
use std::collections::{HashSet, VecDeque};

/// So many are remembered.
const ROOM: usize = 500;

/// The last ones.
#[derive(Debug, Default)]
pub(super) struct Absent {
    known: HashSet<Identity>,
    order: VecDeque<Identity>,
}

impl Absent {
    /// Remembers one; the oldest is forgotten where there is no room.
    pub(super) fn add(&mut self, identity: Identity) {
        if !self.known.insert(identity.clone()) {
            return;
        }
        self.order.push_back(identity);
        if self.order.len() > ROOM
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }

    /// Whether it is known not to be there.
    pub(super) fn has(&self, identity: &Identity) -> bool {
        self.known.contains(identity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_are_forgotten() {
        let identity = |uid: usize| Identity {
            kind: "K".into(),
            api_version: "v1".into(),
            namespace: "".into(),
            name: "n".into(),
            uid: uid.to_string().into(),
        };
        let mut absent = Absent::default();
        for uid in 0..ROOM + 10 {
            absent.add(identity(uid));
            absent.add(identity(uid));
        }
        assert!(!absent.has(&identity(9)) && absent.has(&identity(10)));
        assert_eq!((absent.known.len(), absent.order.len()), (ROOM, ROOM));
    }
}
