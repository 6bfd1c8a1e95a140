//! Limits of long-running requests (watch, log, exec, attach, portforward, proxy): per user and in total.

use ratchet_access::User;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Members are exempt from the total limit, so that an administrator can always look.
const MASTERS: &str = "system:masters";

/// Counters and limits of long-running requests.
#[derive(Debug, Default)]
pub struct LongRunning {
    /// The total limit; zero means none.
    limit: usize,
    /// The limit per user; zero means none.
    limit_per_user: usize,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    by_user: HashMap<String, usize>,
}

impl LongRunning {
    /// Sets the total limit and the limit per user; zero means none.
    pub fn new(limit: usize, limit_per_user: usize) -> Self {
        Self { limit, limit_per_user, ..Self::default() }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits one more request unless a limit is reached.
    pub(crate) fn admit(self: &Arc<Self>, user: &User) -> Option<Permit> {
        let is_master = user.groups.iter().any(|group| group == MASTERS);
        let mut counts = self.counts();
        let own = counts.by_user.get(&user.name).copied().unwrap_or_default();
        let is_full = |count: usize, limit: usize| limit > 0 && count >= limit;
        if is_full(own, self.limit_per_user) || (is_full(counts.all, self.limit) && !is_master) {
            return None;
        }
        counts.all += 1;
        *counts.by_user.entry(user.name.clone()).or_default() += 1;
        Some(Permit { of: self.clone(), user: user.name.clone() })
    }
}

/// An admitted request, counted until this is dropped.
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
            // Users without requests leave no entry, so that the table cannot grow without bound.
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
        let first = limits.admit(&a).unwrap();
        let _second = limits.admit(&a).unwrap();
        assert!(limits.admit(&a).is_none(), "a has two already");
        let third = limits.admit(&b).unwrap();
        assert!(limits.admit(&b).is_none(), "there are three in all");
        let _looks = limits.admit(&root).expect("the administrator may look");
        let _looks_again = limits.admit(&root).unwrap();
        assert!(limits.admit(&root).is_none(), "and has a limit, too");
        drop(first);
        assert!(limits.admit(&a).is_none(), "there are still four in all");
        drop(third);
        drop(_looks_again);
        assert!(limits.admit(&a).is_some());
    }

    #[test]
    fn what_ends_leaves_nothing_behind_and_zero_is_no_limit() {
        let limits = Arc::new(LongRunning::new(0, 0));
        let permits: Vec<_> = (0..100)
            .map(|number| limits.admit(&user(&format!("u{number}"), "")).unwrap())
            .collect();
        assert_eq!(limits.counts().all, 100);
        drop(permits);
        assert!(limits.counts().all == 0 && limits.counts().by_user.is_empty());
    }
}
