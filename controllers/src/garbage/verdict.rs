//! What becomes of an object, by how its owners stand.

use super::identity::Uid;
use crate::Policy;

/// How an owner stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is there.
    Solid,
    /// It is not there.
    Dangling,
    /// It was deleted, and waits until its dependents are gone.
    Waiting,
}

/// What is known of an object that may have to go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Case {
    /// Its owners.
    pub(super) owners: Vec<(Uid, Standing)>,
    /// For each of its dependents, whether it waits for its own dependents.
    pub(super) dependents: Vec<bool>,
    /// Whether the object has the finalizer of who leaves his dependents behind.
    pub(super) orphan: bool,
    /// Whether the object has the finalizer of who waits for his dependents.
    pub(super) foreground: bool,
}

/// What becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It stays as it is.
    Keep,
    /// It stays, without its references to these owners.
    Drop(Vec<Uid>),
    /// It goes.
    Delete {
        /// What becomes of its dependents.
        policy: Policy,
        /// Whether its owners must stop waiting for it first: it may wait for one that waits
        /// for it.
        unblock: bool,
    },
}

impl Case {
    /// One owner that is there keeps an object; without any it goes, and if an owner waits for it,
    /// its own dependents go first.
    pub(super) fn judge(&self) -> Verdict {
        let count = |wanted| self.owners.iter().filter(|(_, standing)| *standing == wanted).count();
        if self.owners.is_empty() {
            return Verdict::Keep;
        }
        if count(Standing::Solid) > 0 {
            // Owners that wait would wait for ever for an object that stays.
            let others = self.owners.iter().filter(|(_, standing)| *standing != Standing::Solid);
            let others: Vec<_> = others.map(|(uid, _)| uid.clone()).collect();
            return if others.is_empty() { Verdict::Keep } else { Verdict::Drop(others) };
        }
        if count(Standing::Waiting) > 0 && !self.dependents.is_empty() {
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
    use Standing::{Dangling, Solid, Waiting};

    fn case(owners: &[Standing], dependents: &[bool]) -> Case {
        let owners = owners.iter().enumerate();
        Case {
            owners: owners.map(|(at, standing)| (at.to_string().into(), *standing)).collect(),
            dependents: dependents.to_vec(),
            ..Case::default()
        }
    }

    fn drop_of(uids: &[&str]) -> Verdict {
        Verdict::Drop(uids.iter().map(|uid| Uid::from(*uid)).collect())
    }

    #[test]
    fn every_way_that_owners_can_stand() {
        let goes = |policy, unblock| Verdict::Delete { policy, unblock };
        let table: &[(&[Standing], &[bool], Verdict)] = &[
            (&[], &[], Verdict::Keep),
            (&[Solid], &[], Verdict::Keep),
            (&[Solid, Solid], &[true], Verdict::Keep),
            (&[Solid, Dangling], &[], drop_of(&["1"])),
            (&[Waiting, Solid], &[], drop_of(&["0"])),
            (&[Waiting, Solid, Dangling], &[false], drop_of(&["0", "2"])),
            (&[Dangling], &[], goes(Policy::Background, false)),
            (&[Dangling], &[true, false], goes(Policy::Background, false)),
            (&[Waiting], &[], goes(Policy::Background, false)),
            (&[Waiting], &[false], goes(Policy::Foreground, false)),
            (&[Waiting], &[false, true], goes(Policy::Foreground, true)),
            (&[Dangling, Waiting], &[false], goes(Policy::Foreground, false)),
        ];
        for (owners, dependents, expected) in table {
            assert_eq!(&case(owners, dependents).judge(), expected, "{owners:?} {dependents:?}");
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
            let case = Case { orphan, foreground, ..case(&[Dangling], &[]) };
            assert_eq!(case.judge(), Verdict::Delete { policy, unblock: false });
        }
    }
}
