//! Check of the writes: what was acknowledged is in the log, and nothing else, in an order that their times allow.

use crate::log::{Entry, Log};
use crate::violation::{Kind, Violation};
use crate::{Action, Call, Outcome};
use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};

/// A write that took effect: its revision, and the times between which it did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effective {
    pub(crate) revision: u64,
    pub(crate) begin: u64,
    pub(crate) end: u64,
}

/// Where the writes of the log are found by what a call knows of them.
struct Finder<'a> {
    by_value: HashMap<(&'a str, &'a str), Entry<'a>>,
    deletions: HashMap<(&'a str, u64), Entry<'a>>,
}

impl<'a> Finder<'a> {
    fn of(log: &Log<'a>, violations: &mut Vec<Violation>) -> Self {
        let mut finder = Self { by_value: HashMap::new(), deletions: HashMap::new() };
        for entry in log.entries() {
            let known = match (entry.value, entry.before) {
                (Some(value), _) => finder.by_value.insert((entry.key, value), *entry),
                (None, Some(before)) => finder.deletions.insert((entry.key, before), *entry),
                // A deletion of what was not there: the log has complained.
                (None, None) => None,
            };
            if let Some(known) = known {
                let text = format!("{known:?} happened again as {entry:?}");
                violations.push(Violation::new(Kind::Twice, text));
            }
        }
        finder
    }

    /// The effect of a call, if it had one.
    fn find(&self, call: &Call) -> Option<Entry<'a>> {
        match &call.action {
            Action::Create { key, value } | Action::Update { key, value, .. } => {
                self.by_value.get(&(key.as_str(), value.as_str())).copied()
            }
            Action::Delete { key, over } => self.deletions.get(&(key.as_str(), *over)).copied(),
            Action::Get { .. } | Action::List { .. } => None,
        }
    }
}

/// Checks all writes; returns those that took effect.
pub(crate) fn check(
    calls: &[Call],
    log: &Log<'_>,
    violations: &mut Vec<Violation>,
) -> Vec<Effective> {
    let finder = Finder::of(log, violations);
    // With whether the call was acknowledged.
    let mut effects: HashMap<(u64, &str), (Effective, bool)> = HashMap::new();
    for call in calls {
        let found = finder.find(call);
        let mut complain = |kind, what: &str| {
            violations.push(Violation::new(kind, format!("{what}: {call:?}, log: {found:?}")));
        };
        let is_acknowledged = match &call.outcome {
            Outcome::Written(revision) => {
                if found.is_none_or(|entry| entry.revision != *revision) {
                    complain(Kind::Lost, "acknowledged and not there");
                }
                true
            }
            Outcome::Deleted => {
                if found.is_none() {
                    complain(Kind::Lost, "deletion acknowledged and not there");
                }
                true
            }
            Outcome::Unknown => false,
            _ => {
                // Another client may have deleted the same revision.
                let is_own = found.is_some_and(|entry| entry.value.is_some());
                if is_own {
                    complain(Kind::Refused, "refused and yet there");
                }
                continue;
            }
        };
        let Some(entry) = found else { continue };
        let wanted = match &call.action {
            Action::Update { over, .. } | Action::Delete { over, .. } => Some(*over),
            _ => None,
        };
        if entry.before != wanted {
            complain(Kind::Precondition, "written over something else");
        }
        let effect = Effective { revision: entry.revision, begin: call.begin, end: call.end };
        match effects.entry((entry.revision, entry.key)) {
            Vacant(place) => {
                place.insert((effect, is_acknowledged));
            }
            Occupied(mut place) => match (place.get_mut(), is_acknowledged) {
                ((_, true), true) => complain(Kind::Twice, "acknowledged to two calls"),
                ((_, true), false) => {}
                (known, true) => *known = (effect, true),
                // Two deletions of one revision without an answer: either may have done it.
                ((known, false), false) => {
                    known.begin = known.begin.min(effect.begin);
                    known.end = known.end.max(effect.end);
                }
            },
        }
    }
    for entry in log.entries() {
        if !effects.contains_key(&(entry.revision, entry.key)) {
            let text = format!("nobody called for {entry:?}");
            violations.push(Violation::new(Kind::Phantom, text));
        }
    }
    let mut effective: Vec<Effective> = effects.into_values().map(|(effect, _)| effect).collect();
    effective.sort_unstable_by_key(|effect| effect.revision);
    check_order(&effective, violations);
    effective
}

/// No write may come before one that had ended when it began.
fn check_order(effective: &[Effective], violations: &mut Vec<Violation>) {
    let mut earliest: Option<Effective> = None;
    for effect in effective.iter().rev() {
        if let Some(later) = earliest
            && later.end < effect.begin
            && later.revision > effect.revision
        {
            let text = format!("{later:?} ended before {effect:?} began");
            violations.push(Violation::new(Kind::Order, text));
        }
        if earliest.is_none_or(|later| effect.end < later.end) {
            earliest = Some(*effect);
        }
    }
}
