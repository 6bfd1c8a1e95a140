//! Check of the reads: each fits a place in the log that its time and earlier reads allow.

use crate::log::{Entry, Log};
use crate::times::Times;
use crate::violation::{Kind, Violation};
use crate::{Action, Call, Outcome, Record};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// What an answer says of the key at its place in the log; refused writes are reads, too.
enum Expected<'a> {
    Absent,
    Present,
    /// There, at another revision than this.
    NotAt(u64),
    Exactly(&'a Record),
}

impl Expected<'_> {
    fn of(call: &Call) -> Option<Expected<'_>> {
        match (&call.outcome, &call.action) {
            (Outcome::Absent, _) => Some(Expected::Absent),
            (Outcome::Exists, _) => Some(Expected::Present),
            (Outcome::Conflict, Action::Update { over, .. } | Action::Delete { over, .. }) => {
                Some(Expected::NotAt(*over))
            }
            (Outcome::Found(record), _) => Some(Expected::Exactly(record)),
            _ => None,
        }
    }

    fn holds(&self, entry: Option<&Entry<'_>>) -> bool {
        let current = entry.and_then(|entry| Some((entry.revision, entry.value?)));
        match self {
            Self::Absent => current.is_none(),
            Self::Present => current.is_some(),
            Self::NotAt(revision) => current.is_some_and(|(at, _)| at != *revision),
            Self::Exactly(record) => current == Some((record.revision, record.value.as_str())),
        }
    }
}

/// Checks all reads. The places are the lowest possible ones, each at least that of every read that ended before it began:
/// if these do not fit, none do.
pub(crate) fn check(calls: &[Call], log: &Log<'_>, times: &Times, violations: &mut Vec<Violation>) {
    let mut reads: Vec<&Call> = calls.iter().collect();
    reads.sort_by_key(|call| call.begin);
    let mut running: BinaryHeap<Reverse<(u64, u64)>> = BinaryHeap::new();
    let mut read = 0;
    for call in reads {
        while let Some(Reverse((end, place))) = running.peek().copied()
            && end < call.begin
        {
            read = read.max(place);
            running.pop();
        }
        let lowest = times.certain(call.begin).max(read);
        let highest = times.impossible(call.end);
        let place = match (&call.outcome, Expected::of(call)) {
            (Outcome::Listed { revision, records }, _) => {
                let prefix = call.action.key();
                let differs = difference(log, prefix, *revision, records);
                let fits = lowest <= *revision && *revision < highest && differs.is_none();
                if !fits {
                    let why = differs.unwrap_or_default();
                    let text = format!(
                        "client {} listed {prefix} at {revision}, from {} to {}; possible is {lowest} up to before {highest}; {why}",
                        call.client, call.begin, call.end
                    );
                    violations.push(Violation::new(Kind::Stale, text));
                }
                fits.then_some(*revision)
            }
            (_, Some(expected)) => {
                let place = find(log, call.action.key(), lowest, highest, &expected);
                if place.is_none() {
                    let text = format!("{call:?}; possible is {lowest} up to before {highest}");
                    violations.push(Violation::new(Kind::Stale, text));
                }
                place
            }
            _ => None,
        };
        if let Some(place) = place {
            running.push(Reverse((call.end, place)));
        }
    }
}

/// The lowest place from `lowest` on and before `highest` where the key is as expected.
fn find(
    log: &Log<'_>,
    key: &str,
    lowest: u64,
    highest: u64,
    expected: &Expected<'_>,
) -> Option<u64> {
    if expected.holds(log.at(key, lowest)) {
        return Some(lowest);
    }
    let later = log.of_key(key).iter().skip_while(|entry| entry.revision <= lowest);
    let mut possible = later.take_while(|entry| entry.revision < highest);
    possible.find(|entry| expected.holds(Some(entry))).map(|entry| entry.revision)
}

/// How a list differs from the log at its revision.
fn difference(log: &Log<'_>, prefix: &str, revision: u64, records: &[Record]) -> Option<String> {
    let mut listed: HashMap<&str, &Record> = HashMap::new();
    for record in records {
        if listed.insert(&record.key, record).is_some() {
            return Some(format!("{} is there twice", record.key));
        }
    }
    for key in log.keys().filter(|key| key.starts_with(prefix)) {
        let entry = log.at(key, revision);
        let expected = match listed.remove(key) {
            Some(record) => Expected::Exactly(record),
            None => Expected::Absent,
        };
        if !expected.holds(entry) {
            return Some(format!("{key} should be {entry:?}"));
        }
    }
    listed.keys().next().map(|key| format!("nobody wrote {key}"))
}
