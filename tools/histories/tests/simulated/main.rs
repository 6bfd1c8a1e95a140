//! Random histories of a simulated store, which are linearizable, and the same after one lie, which are not.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

mod search;

use histories::{Action, Call, Change, Event, History, Outcome, Record, Watch, check};
use std::collections::BTreeMap;

const KEYS: [&str; 3] = ["a", "b", "c"];

/// A store that does one thing after another, and remembers all events.
#[derive(Default)]
struct Store {
    state: BTreeMap<String, (u64, String)>,
    events: Vec<Event>,
    revision: u64,
}

impl Store {
    fn call(&mut self, action: &Action) -> Outcome {
        let current = self.state.get(action.key()).cloned();
        match (action, current) {
            (Action::Create { .. }, Some(_)) => Outcome::Exists,
            (Action::Create { key, value }, None) => {
                self.put(key, Change::Added(value.clone()), Some(value.clone()))
            }
            (Action::Update { .. } | Action::Delete { .. } | Action::Get { .. }, None) => {
                Outcome::Absent
            }
            (Action::Update { key, value, over }, Some((at, _))) if at == *over => {
                self.put(key, Change::Modified(value.clone()), Some(value.clone()))
            }
            (Action::Delete { key, over }, Some((at, _))) if at == *over => {
                self.put(key, Change::Deleted, None)
            }
            (Action::Update { .. } | Action::Delete { .. }, Some(_)) => Outcome::Conflict,
            (Action::Get { key }, Some((revision, value))) => {
                Outcome::Found(Record { key: key.clone(), revision, value })
            }
            (Action::List { .. }, _) => {
                let records = self.state.iter().map(|(key, (revision, value))| Record {
                    key: key.clone(),
                    revision: *revision,
                    value: value.clone(),
                });
                Outcome::Listed { revision: self.revision, records: records.collect() }
            }
        }
    }

    fn put(&mut self, key: &str, change: Change, value: Option<String>) -> Outcome {
        self.revision += 1;
        let revision = self.revision;
        self.events.push(Event { key: key.to_owned(), revision, change });
        match value {
            Some(value) => {
                self.state.insert(key.to_owned(), (revision, value));
                Outcome::Written(revision)
            }
            None => {
                self.state.remove(key);
                Outcome::Deleted
            }
        }
    }
}

/// A random action; the revision that it names is mostly the current one.
fn action(random: &mut fastrand::Rng, store: &Store, number: usize) -> Action {
    let key = KEYS[random.usize(0..KEYS.len())].to_owned();
    let current = store.state.get(&key).map_or(0, |(revision, _)| *revision);
    let over = if random.u8(0..5) == 0 { random.u64(0..=store.revision) } else { current };
    match random.u8(0..8) {
        0 | 1 => Action::Create { key, value: number.to_string() },
        2 | 3 => Action::Update { key, value: number.to_string(), over },
        4 => Action::Delete { key, over },
        5 | 6 => Action::Get { key },
        _ => Action::List { prefix: String::new() },
    }
}

/// A history: every call takes effect at one moment within its interval, and some lose their answers.
fn simulate(random: &mut fastrand::Rng, count: usize) -> History {
    let mut store = Store::default();
    let mut history = History::default();
    for number in 0..count {
        let moment = number as u64 * 10;
        let action = action(random, &store, number);
        let is_lost = random.u8(0..6) == 0;
        let outcome = match is_lost && random.bool() {
            true => Outcome::Unknown,
            false => store.call(&action),
        };
        history.calls.push(Call {
            client: number,
            begin: moment.saturating_sub(random.u64(0..60)),
            end: if is_lost && random.bool() { u64::MAX } else { moment + random.u64(0..60) },
            action,
            outcome: if is_lost { Outcome::Unknown } else { outcome },
        });
    }
    for client in 0..2 {
        let cut = random.u64(0..=store.revision);
        for (from, upto) in [(0, cut), (cut, store.revision)] {
            let seen = |event: &&Event| event.revision > from && event.revision <= upto;
            let events = store.events.iter().filter(seen).cloned().collect();
            history.watches.push(Watch { client, from, events, upto, ..Watch::default() });
        }
    }
    history
}

#[test]
fn what_happened_one_after_another_is_linearizable() {
    let mut random = fastrand::Rng::with_seed(15);
    let mut reads = 0;
    for round in 0..400 {
        let history = simulate(&mut random, 60);
        assert_eq!(check(&history), [], "round {round}: {history:?}");
        let answered = |call: &&Call| matches!(call.outcome, Outcome::Found(_));
        reads += history.calls.iter().filter(answered).count();
    }
    assert!(reads > 400, "{reads}");
}

/// Changes one answer so that nothing can explain it; false if there is none to change.
fn lie(random: &mut fastrand::Rng, history: &mut History) -> bool {
    let at = random.usize(0..history.calls.len());
    let call = &mut history.calls[at];
    match &mut call.outcome {
        Outcome::Written(revision) => *revision += 1000,
        Outcome::Found(record) => record.value.push_str("-torn"),
        Outcome::Listed { records, .. } if !records.is_empty() => {
            let gone = random.usize(0..records.len());
            records.remove(gone);
        }
        outcome @ Outcome::Deleted => *outcome = Outcome::Written(0),
        _ => return false,
    }
    true
}

#[test]
fn one_lie_is_enough() {
    let mut random = fastrand::Rng::with_seed(16);
    let mut lies = 0;
    for round in 0..400 {
        let mut history = simulate(&mut random, 60);
        if lie(&mut random, &mut history) {
            lies += 1;
            assert_ne!(check(&history), [], "round {round}: {history:?}");
        }
    }
    assert!(lies > 100, "{lies}");
}

#[test]
fn one_event_less_or_more_is_enough() {
    let mut random = fastrand::Rng::with_seed(17);
    let mut tried = 0;
    for round in 0..400 {
        let mut history = simulate(&mut random, 60);
        let watch = &mut history.watches[random.usize(0..4)];
        if watch.events.is_empty() {
            continue;
        }
        let at = random.usize(0..watch.events.len());
        match random.bool() {
            true => drop(watch.events.remove(at)),
            false => watch.events.insert(at, watch.events[at].clone()),
        }
        tried += 1;
        assert_ne!(check(&history), [], "round {round}: {history:?}");
    }
    assert!(tried > 200, "{tried}");
}

/// Gives one call the answer of another one of its sort, or none.
fn confuse(random: &mut fastrand::Rng, history: &mut History) {
    let (at, from) = (random.usize(0..history.calls.len()), random.usize(0..history.calls.len()));
    let other = history.calls[from].outcome.clone();
    let call = &mut history.calls[at];
    match (&call.action, &other) {
        (Action::Get { key }, Outcome::Found(record)) if record.key == *key => call.outcome = other,
        (Action::Get { .. }, _) => call.outcome = Outcome::Absent,
        (Action::List { .. }, Outcome::Listed { .. }) => call.outcome = other,
        (Action::Create { .. }, _) if call.outcome == Outcome::Absent => {
            call.outcome = Outcome::Exists;
        }
        (Action::Update { .. }, _) if call.outcome == Outcome::Absent => {
            call.outcome = Outcome::Conflict;
        }
        _ => {}
    }
}

#[test]
fn the_check_and_a_search_of_all_orders_agree() {
    let mut random = fastrand::Rng::with_seed(18);
    let mut verdicts = [0; 2];
    for round in 0..800 {
        let mut history = simulate(&mut random, 9);
        confuse(&mut random, &mut history);
        let found = check(&history);
        let is_linearizable = search::is_linearizable(&history);
        assert_eq!(found.is_empty(), is_linearizable, "round {round}: {found:?} {history:?}");
        verdicts[usize::from(is_linearizable)] += 1;
    }
    assert!(verdicts.iter().all(|count| *count > 50), "{verdicts:?}");
}
