//! Linearizability check of recorded histories: calls of clients with their times and answers, and what watches saw.
//!
//! A store with one counter of revisions says itself in which order it claims that writes happened: the events of its
//! watches, sorted by revision, are the log. So nothing is searched, as it is for stores that say nothing (Wing and
//! Gong): the log is the only order in question, and [`check`] decides whether it explains every answer.
//!
//! * every acknowledged write is in the log once, at its revision and over the revision that it named; every entry of the
//!   log is a write that somebody called; what was refused is not in it;
//! * a call that ended before another one began comes before it;
//! * for every read there is a place in the log, after all that ended before it and before all that began after it, where
//!   what it found was there;
//! * every watch saw the part of the log that belongs to it, in order, without a gap or a repeat.
//!
//! Values must be unique within a history, and deletions name the revision that they delete: that is how a call without
//! an answer is found in the log.
//!
//! ```
//! use histories::{Action, Call, Change, Event, History, Kind, Outcome, Watch, check};
//!
//! let call = |begin, end, action, outcome| Call { client: 0, begin, end, action, outcome };
//! let mut history = History::default();
//! let create = Action::Create { key: "a".into(), value: "one".into() };
//! history.calls.push(call(1, 2, create, Outcome::Written(7)));
//! let added = Event { key: "a".into(), revision: 7, change: Change::Added("one".into()) };
//! history.watches.push(Watch { events: vec![added], upto: 7, ..Watch::default() });
//! assert!(check(&history).is_empty());
//!
//! // A read that began after the write had ended, and did not see it.
//! history.calls.push(call(3, 4, Action::Get { key: "a".into() }, Outcome::Absent));
//! assert_eq!(check(&history)[0].kind, Kind::Stale);
//! ```

mod history;
mod log;
mod reads;
mod times;
mod violation;
mod watches;
mod writes;

pub use history::{Action, Call, Change, Event, History, Outcome, Record, Watch};
pub use violation::{Kind, Violation};

/// All violations of a history; none if it is linearizable and its watches are complete.
pub fn check(history: &History) -> Vec<Violation> {
    let mut violations = Vec::new();
    let log = log::Log::of(&history.watches, &mut violations);
    let effective = writes::check(&history.calls, &log, &mut violations);
    reads::check(&history.calls, &log, &times::Times::of(&effective), &mut violations);
    watches::check(&history.watches, &log, &mut violations);
    violations
}
