//! Long-running requests (watches, logs, commands, ports, proxies): how many there may be of one user, and in all.

use ratchet_access::User;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Whose requests are always let in where only the sum is too large: somebody must be able to look.
const MASTERS: &str = "system:masters";

/// Counts the long-running requests and knows their limits.
#[derive(Debug, Default)]
pub struct LongRunning {
    /// How many there may be in all; zero means any number.
    most: usize,
    /// How many one user may have; zero means any number.
    most_of_user: usize,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    by_user: HashMap<String, usize>,
}

impl LongRunning {
    /// With these limits in all and for each user; zero means none.
    pub fn new(most: usize, most_of_user: usize) -> Self {
        Self { most, most_of_user, ..Self::default() }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets one more in, if there is room.
    pub(crate) fn enter(self: &Arc<Self>, user: &User) -> Option<Permit> {
        let is_master = user.groups.iter().any(|group| group == MASTERS);
        let mut counts = self.counts();
        let own = counts.by_user.get(&user.name).copied().unwrap_or_default();
        let is_full = |count: usize, most: usize| most > 0 && count >= most;
        if is_full(own, self.most_of_user) || (is_full(counts.all, self.most) && !is_master) {
            return None;
        }
        counts.all += 1;
        *counts.by_user.entry(user.name.clone()).or_default() += 1;
        Some(Permit { of: self.clone(), user: user.name.clone() })
    }
}

/// One request that was let in; it counts until this is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    of: Arc<LongRunning>,
    user: String,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut counts = self.of.counts();
        counts.all = counts.all.saturating_sub(1);
        let Some(own) = counts.by_user.get_mut(&self.user) else { return };
        *own = own.saturating_sub(1);
        if *own == 0 {
            // Strangers must not be able to fill the table with names.
            counts.by_user.remove(&self.user);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str, group: &str) -> User {
        User { name: name.into(), groups: vec![group.into()], ..User::default() }
    }

    #[test]
    fn nobody_takes_everybodys_room() {
        let limits = Arc::new(LongRunning::new(3, 2));
        let (a, b, root) = (user("a", ""), user("b", ""), user("root", MASTERS));
        let first = limits.enter(&a).unwrap();
        let _second = limits.enter(&a).unwrap();
        assert!(limits.enter(&a).is_none(), "a has two already");
        let third = limits.enter(&b).unwrap();
        assert!(limits.enter(&b).is_none(), "there are three in all");
        let _looks = limits.enter(&root).expect("the administrator may look");
        let _looks_again = limits.enter(&root).unwrap();
        assert!(limits.enter(&root).is_none(), "and has a limit, too");
        drop(first);
        assert!(limits.enter(&a).is_none(), "there are still four in all");
        drop(third);
        drop(_looks_again);
        assert!(limits.enter(&a).is_some());
    }

    #[test]
    fn what_ends_leaves_nothing_behind_and_zero_is_no_limit() {
        let limits = Arc::new(LongRunning::new(0, 0));
        let permits: Vec<_> = (0..100)
            .map(|number| limits.enter(&user(&format!("u{number}"), "")).unwrap())
            .collect();
        assert_eq!(limits.counts().all, 100);
        drop(permits);
        assert!(limits.counts().all == 0 && limits.counts().by_user.is_empty());
    }
}
