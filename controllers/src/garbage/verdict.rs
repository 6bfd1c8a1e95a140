//! The verdict on a dependent, by the states of its owners.

use super::uid::Uid;
use crate::Policy;

/// Whether an owner still keeps what it owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnerState {
    /// It exists.
    Solid,
    /// It does not exist.
    Dangling,
    /// It is being deleted in the foreground and waits for its dependents.
    Waiting,
}

/// What is known of an object that may have to be deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct DependentState {
    /// Its owners and their states.
    pub(super) owners: Vec<(Uid, OwnerState)>,
    /// For each of its dependents, whether it waits for its own dependents.
    pub(super) dependents: Vec<bool>,
    /// Whether the object has the orphan finalizer.
    pub(super) orphan: bool,
    /// Whether the object has the foreground finalizer.
    pub(super) foreground: bool,
}

/// What happens to the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Keep it unchanged.
    Keep,
    /// Keep it, without its references to these owners.
    Drop(Vec<Uid>),
    /// Delete it, because no existing owner keeps it.
    Delete {
        /// What happens to its dependents.
        policy: Policy,
        /// Whether it must first stop blocking its owners: it may wait for one that waits for it.
        unblock: bool,
    },
}

impl DependentState {
    /// One existing owner keeps an object; without any it is deleted, and if an owner waits for it,
    /// its own dependents are deleted first.
    pub(super) fn judge(&self) -> Verdict {
        let count = |expected| self.owners.iter().filter(|(_, state)| *state == expected).count();
        if self.owners.is_empty() {
            return Verdict::Keep;
        }
        if count(OwnerState::Solid) > 0 {
            // Waiting owners would wait for ever for an object that stays.
            let others = self.owners.iter().filter(|(_, state)| *state != OwnerState::Solid);
            let others: Vec<_> = others.map(|(uid, _)| uid.clone()).collect();
            return if others.is_empty() { Verdict::Keep } else { Verdict::Drop(others) };
        }
        if count(OwnerState::Waiting) > 0 && !self.dependents.is_empty() {
            let unblock = self.dependents.contains(&true);
            return Verdict::Delete { policy: Policy::Foreground, unblock };
        }
        let policy = match (self.orphan, self.foreground) {
            (true, _) => Policy::Orphan,
            (_, true) => Policy::Foreground,
            _ => Policy::Background,
        };
        Verdict::Delete { policy, unblock: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use OwnerState::{Dangling, Solid, Waiting};

    fn dependent(owners: &[OwnerState], dependents: &[bool]) -> DependentState {
        let owners = owners.iter().enumerate();
        DependentState {
            owners: owners.map(|(at, state)| (at.to_string().as_str().into(), *state)).collect(),
            dependents: dependents.to_vec(),
            ..DependentState::default()
        }
    }

    fn drop_of(uids: &[&str]) -> Verdict {
        Verdict::Drop(uids.iter().map(|uid| Uid::from(*uid)).collect())
    }

    #[test]
    fn every_way_that_owners_can_stand() {
        let deleted = |policy, unblock| Verdict::Delete { policy, unblock };
        let table: &[(&[OwnerState], &[bool], Verdict)] = &[
            (&[], &[], Verdict::Keep),
            (&[Solid], &[], Verdict::Keep),
            (&[Solid, Solid], &[true], Verdict::Keep),
            (&[Solid, Dangling], &[], drop_of(&["1"])),
            (&[Waiting, Solid], &[], drop_of(&["0"])),
            (&[Waiting, Solid, Dangling], &[false], drop_of(&["0", "2"])),
            (&[Dangling], &[], deleted(Policy::Background, false)),
            (&[Dangling], &[true, false], deleted(Policy::Background, false)),
            (&[Waiting], &[], deleted(Policy::Background, false)),
            (&[Waiting], &[false], deleted(Policy::Foreground, false)),
            (&[Waiting], &[false, true], deleted(Policy::Foreground, true)),
            (&[Dangling, Waiting], &[false], deleted(Policy::Foreground, false)),
        ];
        for (owners, dependents, expected) in table {
            assert_eq!(
                &dependent(owners, dependents).judge(),
                expected,
                "{owners:?} {dependents:?}"
            );
        }
    }

    #[test]
    fn what_the_object_says_of_its_dependents_is_kept() {
        for (orphan, foreground, policy) in [
            (true, false, Policy::Orphan),
            (true, true, Policy::Orphan),
            (false, true, Policy::Foreground),
            (false, false, Policy::Background),
        ] {
            let dependent = DependentState { orphan, foreground, ..dependent(&[Dangling], &[]) };
            assert_eq!(dependent.judge(), Verdict::Delete { policy, unblock: false });
        }
    }
}
