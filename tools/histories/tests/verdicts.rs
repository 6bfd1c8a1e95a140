//! Histories that are linearizable and such that are not: each sort of violation once, alone.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use histories::{Action, Call, Change, Event, History, Kind, Outcome, Record, Watch, check};

fn create(key: &str, value: &str) -> Action {
    Action::Create { key: key.into(), value: value.into() }
}

fn update(key: &str, value: &str, over: u64) -> Action {
    Action::Update { key: key.into(), value: value.into(), over }
}

fn delete(key: &str, over: u64) -> Action {
    Action::Delete { key: key.into(), over }
}

fn get(key: &str) -> Action {
    Action::Get { key: key.into() }
}

fn list() -> Action {
    Action::List { prefix: String::new() }
}

fn record(key: &str, revision: u64, value: &str) -> Record {
    Record { key: key.into(), revision, value: value.into() }
}

fn added(key: &str, revision: u64, value: &str) -> Event {
    Event { key: key.into(), revision, change: Change::Added(value.into()) }
}

fn modified(key: &str, revision: u64, value: &str) -> Event {
    Event { key: key.into(), revision, change: Change::Modified(value.into()) }
}

fn deleted(key: &str, revision: u64) -> Event {
    Event { key: key.into(), revision, change: Change::Deleted }
}

/// A call: begin, end, action, outcome.
type Row = (u64, u64, Action, Outcome);

/// A history of calls with one watch that saw these events.
fn history(calls: &[Row], events: &[Event]) -> History {
    let calls = calls.iter().cloned().enumerate();
    let calls = calls.map(|(client, (begin, end, action, outcome))| Call {
        client,
        begin,
        end,
        action,
        outcome,
    });
    let upto = events.last().map_or(0, |event| event.revision);
    let watch = Watch { events: events.to_vec(), upto, ..Watch::default() };
    History { calls: calls.collect(), watches: vec![watch] }
}

fn kinds(history: &History) -> Vec<Kind> {
    check(history).into_iter().map(|violation| violation.kind).collect()
}

/// Create, update, delete, one after another, with reads between them.
fn sound() -> (Vec<Row>, Vec<Event>) {
    let calls = vec![
        (1, 2, get("a"), Outcome::Absent),
        (3, 4, create("a", "one"), Outcome::Written(5)),
        (5, 6, get("a"), Outcome::Found(record("a", 5, "one"))),
        (7, 8, update("a", "two", 5), Outcome::Written(7)),
        (9, 10, create("a", "three"), Outcome::Exists),
        (9, 10, update("a", "four", 5), Outcome::Conflict),
        (11, 12, list(), Outcome::Listed { revision: 9, records: vec![record("a", 7, "two")] }),
        (13, 14, delete("a", 7), Outcome::Deleted),
        (15, 16, delete("a", 7), Outcome::Absent),
        (17, 18, list(), Outcome::Listed { revision: 12, records: Vec::new() }),
    ];
    (calls, vec![added("a", 5, "one"), modified("a", 7, "two"), deleted("a", 11)])
}

#[test]
fn a_sequence_is_linearizable() {
    let (calls, events) = sound();
    assert_eq!(check(&history(&calls, &events)), []);
}

#[test]
fn what_overlaps_may_be_seen_or_not() {
    for (found, more) in [(Outcome::Absent, 0), (Outcome::Found(record("a", 5, "one")), 1)] {
        let calls = [
            (1, 10, create("a", "one"), Outcome::Written(5)),
            (2, 3, get("a"), found),
            // Once somebody has seen it, everybody does.
            (4, 9, get("a"), Outcome::Absent),
        ];
        assert_eq!(kinds(&history(&calls, &[added("a", 5, "one")])), vec![Kind::Stale; more]);
    }
}

#[test]
fn no_answer_means_that_it_happened_or_not() {
    let create = (1, 4, create("a", "one"), Outcome::Unknown);
    let there = (5, 6, get("a"), Outcome::Found(record("a", 5, "one")));
    let absent = (5, 6, get("a"), Outcome::Absent);
    let events = [added("a", 5, "one")];
    assert_eq!(check(&history(&[create.clone(), there.clone()], &events)), []);
    assert_eq!(check(&history(&[create.clone(), absent.clone()], &[])), []);
    assert_eq!(kinds(&history(&[create.clone(), there], &[])), [Kind::Stale], "half there");
    // It is there, and it cannot have come after its end, so it was there when it was read.
    assert_eq!(kinds(&history(&[create.clone(), absent.clone()], &events)), [Kind::Stale]);
    let late = (1, u64::MAX, create.2, Outcome::Unknown);
    assert_eq!(check(&history(&[late, absent], &events)), []);
}

#[test]
fn a_stale_read_is_found() {
    let calls = [
        (1, 2, create("a", "one"), Outcome::Written(5)),
        (3, 4, update("a", "two", 5), Outcome::Written(6)),
        (5, 6, get("a"), Outcome::Found(record("a", 5, "one"))),
    ];
    let events = [added("a", 5, "one"), modified("a", 6, "two")];
    assert_eq!(kinds(&history(&calls, &events)), [Kind::Stale]);
}

#[test]
fn a_read_from_the_future_is_found() {
    let calls = [
        (1, 2, get("a"), Outcome::Found(record("a", 5, "one"))),
        (3, 4, create("a", "one"), Outcome::Written(5)),
    ];
    assert_eq!(kinds(&history(&calls, &[added("a", 5, "one")])), [Kind::Stale]);
}

#[test]
fn reads_that_go_back_over_two_keys_are_found() {
    // Each key for itself could be explained: the second list is older than the first.
    let calls = [
        (1, 20, create("a", "one"), Outcome::Written(5)),
        (1, 20, create("b", "two"), Outcome::Written(6)),
        (2, 3, get("b"), Outcome::Found(record("b", 6, "two"))),
        (4, 5, get("a"), Outcome::Absent),
    ];
    let events = [added("a", 5, "one"), added("b", 6, "two")];
    assert_eq!(kinds(&history(&calls, &events)), [Kind::Stale]);
}

#[test]
fn a_list_that_mixes_revisions_is_found() {
    let records = vec![record("a", 5, "one")];
    let calls = [
        (1, 20, create("a", "one"), Outcome::Written(5)),
        (1, 20, create("b", "two"), Outcome::Written(6)),
        (2, 3, list(), Outcome::Listed { revision: 6, records: records.clone() }),
    ];
    let events = [added("a", 5, "one"), added("b", 6, "two")];
    assert_eq!(kinds(&history(&calls, &events)), [Kind::Stale]);
    let old = [calls[0].clone(), (21, 22, list(), Outcome::Listed { revision: 4, records })];
    assert_eq!(kinds(&history(&old, &events[..1])), [Kind::Stale]);
}

#[test]
fn a_lost_write_is_found() {
    let (calls, mut events) = sound();
    events.retain(|event| event.revision < 11);
    let found = kinds(&history(&calls, &events));
    assert!(found.contains(&Kind::Lost) && found.contains(&Kind::Stale), "{found:?}");
    let alone = [(1, 2, create("a", "one"), Outcome::Written(5))];
    assert_eq!(kinds(&history(&alone, &[])), [Kind::Lost]);
    assert_eq!(kinds(&history(&alone, &[added("a", 6, "one")])), [Kind::Lost], "another revision");
}

#[test]
fn a_lost_update_is_found() {
    // Both replaced 5, and both were told that they did.
    let calls = [
        (1, 2, create("a", "one"), Outcome::Written(5)),
        (3, 9, update("a", "two", 5), Outcome::Written(6)),
        (3, 9, update("a", "three", 5), Outcome::Written(7)),
    ];
    let events = [added("a", 5, "one"), modified("a", 6, "two"), modified("a", 7, "three")];
    assert_eq!(kinds(&history(&calls, &events)), [Kind::Precondition]);
}

#[test]
fn a_phantom_is_found() {
    assert_eq!(kinds(&history(&[], &[added("a", 5, "one")])), [Kind::Phantom]);
    let refused = [(1, 2, create("a", "one"), Outcome::Refused)];
    let found = kinds(&history(&refused, &[added("a", 5, "one")]));
    assert_eq!(found, [Kind::Refused, Kind::Phantom]);
}

#[test]
fn one_deletion_is_acknowledged_once() {
    let calls = [
        (1, 2, create("a", "one"), Outcome::Written(5)),
        (3, 9, delete("a", 5), Outcome::Deleted),
        (3, 9, delete("a", 5), Outcome::Deleted),
    ];
    let events = [added("a", 5, "one"), deleted("a", 6)];
    assert_eq!(kinds(&history(&calls, &events)), [Kind::Twice]);
    let mut unknown = calls.clone();
    unknown[1].3 = Outcome::Unknown;
    unknown[2].3 = Outcome::Unknown;
    assert_eq!(check(&history(&unknown, &events)), []);
}

#[test]
fn writes_in_the_wrong_order_are_found() {
    let calls = [
        (1, 2, create("a", "one"), Outcome::Written(6)),
        (3, 4, create("b", "two"), Outcome::Written(5)),
    ];
    let events = [added("b", 5, "two"), added("a", 6, "one")];
    assert_eq!(kinds(&history(&calls, &events)), [Kind::Order]);
}

#[test]
fn a_watch_with_a_gap_is_found() {
    let (calls, events) = sound();
    let mut gap = history(&calls, &events);
    let mut other = gap.watches[0].clone();
    other.events.remove(1);
    gap.watches.push(other.clone());
    assert_eq!(kinds(&gap), [Kind::Gap]);
    // What resumes after 7 has not left it out.
    other = Watch { from: 7, events: events[2..].to_vec(), upto: 11, ..other };
    gap.watches[1] = other;
    assert_eq!(check(&gap), []);
    // A bookmark beyond what was delivered is a gap, too.
    gap.watches[1] = Watch { upto: 11, ..Watch::default() };
    assert_eq!(kinds(&gap), [Kind::Gap; 3]);
    gap.watches[1] = Watch { upto: 11, prefix: "b".into(), ..Watch::default() };
    assert_eq!(check(&gap), []);
}

#[test]
fn a_watch_that_repeats_is_found() {
    let (calls, events) = sound();
    let mut repeat = history(&calls, &events);
    let again = Watch { from: 7, events: events[1..].to_vec(), upto: 11, ..Watch::default() };
    repeat.watches.push(again);
    assert_eq!(kinds(&repeat), [Kind::Repeat]);
    repeat.watches[1] =
        Watch { events: [&events[..], &events[2..]].concat(), upto: 11, ..Watch::default() };
    assert_eq!(kinds(&repeat), [Kind::Repeat]);
}

#[test]
fn watches_that_disagree_are_found() {
    let (calls, mut events) = sound();
    let mut both = history(&calls, &events);
    events[1] = modified("a", 7, "other");
    both.watches.push(Watch { events, upto: 11, ..Watch::default() });
    assert_eq!(kinds(&both), [Kind::Disagreement]);
    let odd = [(1, 2, create("a", "one"), Outcome::Written(5))];
    assert_eq!(kinds(&history(&odd, &[modified("a", 5, "one")])), [Kind::Disagreement]);
}
