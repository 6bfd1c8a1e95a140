//! Power failures while several clients write, read and watch: the whole history is linearizable.
#![allow(clippy::print_stderr, reason = "a long run tells how far it is")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use histories::{Action, Call, Change, Event, History, Outcome, Watch};
use ratchet_store::{Commit, EventKind, Guard, Query, Record, Revision, Store, StoreError, Write};

use super::{cuts, machine::Machine, open, power::dice};
use crate::Embedded;

/// The number of cuts in CI.
const CUTS: usize = 200;
/// The number of cuts before a new disk is used, and its history is checked.
const LIFE: usize = 20;
const WRITERS: usize = 5;
const WATCHERS: usize = 2;
const KEYS: usize = 6;

/// The history of one disk while it is recorded.
struct Recorder {
    start: Instant,
    history: Mutex<History>,
    /// Up to where each watch has seen everything.
    seen: Mutex<[u64; WATCHERS]>,
}

impl Recorder {
    fn new() -> Self {
        let (start, seen) = (Instant::now(), Mutex::new([0; WATCHERS]));
        Self { start, history: Mutex::default(), seen }
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    fn call(&self, client: usize, begin: u64, action: Action, outcome: Outcome) {
        let end = if outcome == Outcome::Unknown { u64::MAX } else { self.now() };
        let call = Call { client, begin, end, action, outcome };
        self.history.lock().unwrap().calls.push(call);
    }

    /// The power is off: what has no answer yet has happened by now or never.
    fn settle(&self) {
        let now = self.now();
        for call in &mut self.history.lock().unwrap().calls {
            call.end = call.end.min(now);
        }
    }
}

fn text(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    // Values are padded to different lengths, and what is torn is no value of anybody.
    let (name, rest) = text.split_once(' ').unwrap_or((&text, "torn"));
    if rest.bytes().all(|byte| byte == b'x') && rest.len() == padding(name) {
        return name.to_owned();
    }
    text.into_owned()
}

fn padding(name: &str) -> usize {
    name.bytes().map(usize::from).sum::<usize>() * 31 % 5000
}

fn padded(name: &str) -> String {
    format!("{name} {}", "x".repeat(padding(name)))
}

fn recorded(record: &Record) -> histories::Record {
    let (key, revision) = (record.key.to_string(), record.modified.0);
    histories::Record { key, revision, value: text(&record.value) }
}

/// Calls at random until the power is off.
async fn run_client(
    store: Arc<Embedded>,
    recorder: Arc<Recorder>,
    client: usize,
    mut random: fastrand::Rng,
) {
    let mut known: HashMap<String, u64> = HashMap::new();
    loop {
        let key = format!("/k/{}", random.usize(0..KEYS));
        let value = format!("{client}-{:x}", random.u64(..));
        let begin = recorder.now();
        let (action, result) = match (random.u8(0..10), known.get(&key).copied()) {
            (0, _) => (Action::Get { key: key.clone() }, get(&store, &key).await),
            (1, _) => (Action::List { prefix: "/k/".to_owned() }, list(&store).await),
            (2..7, Some(over)) => {
                let write = Write::put(&key, Guard::At(Revision(over)), padded(&value));
                (Action::Update { key: key.clone(), value, over }, commit(&store, write).await)
            }
            (7.., Some(over)) => {
                let write = Write::delete(&key, Guard::At(Revision(over)));
                (Action::Delete { key: key.clone(), over }, commit(&store, write).await)
            }
            (_, None) => {
                let write = Write::put(&key, Guard::Absent, padded(&value));
                (Action::Create { key: key.clone(), value }, commit(&store, write).await)
            }
        };
        let outcome = match (result, &action) {
            (Err(_), _) => Outcome::Unknown,
            (Ok(Outcome::Written(_)), Action::Delete { .. }) => Outcome::Deleted,
            // The record that stood in the way tells what a client knows from now on.
            (Ok(Outcome::Found(record)), Action::Create { .. }) => {
                known.insert(key.clone(), record.revision);
                Outcome::Exists
            }
            (Ok(Outcome::Found(record)), Action::Update { .. } | Action::Delete { .. }) => {
                known.insert(key.clone(), record.revision);
                Outcome::Conflict
            }
            (Ok(outcome), _) => outcome,
        };
        match &outcome {
            Outcome::Written(revision) => drop(known.insert(key, *revision)),
            Outcome::Found(record) => drop(known.insert(key, record.revision)),
            Outcome::Deleted | Outcome::Absent => drop(known.remove(&key)),
            _ => {}
        }
        let is_over = outcome == Outcome::Unknown;
        recorder.call(client, begin, action, outcome);
        if is_over {
            return;
        }
        if random.u8(0..40) == 0 {
            let oldest = recorder.seen.lock().unwrap().iter().min().copied().unwrap_or(0);
            let _ = store.compact(Revision(oldest)).await;
        }
    }
}

/// Written, or what stood in the way.
async fn commit(store: &Embedded, write: Write) -> Result<Outcome, StoreError> {
    Ok(match store.commit(vec![write]).await? {
        Commit::Done(revision) => Outcome::Written(revision.0),
        Commit::Refused { found: Some(record), .. } => Outcome::Found(recorded(&record)),
        Commit::Refused { found: None, .. } => Outcome::Absent,
    })
}

async fn get(store: &Embedded, key: &str) -> Result<Outcome, StoreError> {
    let found = store.get(key).await?;
    Ok(found.map_or(Outcome::Absent, |record| Outcome::Found(recorded(&record))))
}

async fn list(store: &Embedded) -> Result<Outcome, StoreError> {
    let page = store.list(Query::under("/k/")).await?;
    let records = page.records.iter().map(recorded).collect();
    Ok(Outcome::Listed { revision: page.revision.0, records })
}

/// Watches until the store fails, or until all is seen that there is at first.
async fn follow(store: &Embedded, recorder: &Recorder, client: usize, is_short: bool) {
    let from = recorder.seen.lock().unwrap()[client];
    let number = {
        let mut history = recorder.history.lock().unwrap();
        let prefix = "/k/".to_owned();
        history.watches.push(Watch { client, prefix, from, upto: from, events: Vec::new() });
        history.watches.len() - 1
    };
    let Ok(latest) = store.latest().await else { return };
    let mut watch = match store.watch("/k/", Revision(from)).await {
        Ok(watch) => watch,
        Err(why @ (StoreError::Compacted { .. } | StoreError::Future { .. })) => {
            panic!("a watch from {from}: {why}")
        }
        Err(_) => return,
    };
    let mut upto = from;
    while !is_short || upto < latest.0 {
        let Ok(batch) = watch.next().await else { return };
        upto = batch.upto.0;
        let events = batch.events.into_iter().map(|event| {
            let change = match event.act {
                EventKind::Put { value, created } if created == event.revision => {
                    Change::Added(text(&value))
                }
                EventKind::Put { value, .. } => Change::Modified(text(&value)),
                EventKind::Deleted => Change::Deleted,
            };
            Event { key: event.key.to_string(), revision: event.revision.0, change }
        });
        let mut history = recorder.history.lock().unwrap();
        history.watches[number].events.extend(events);
        history.watches[number].upto = upto;
        drop(history);
        recorder.seen.lock().unwrap()[client] = upto;
    }
}

/// Uses the store until the power is off.
async fn use_up(store: Embedded, recorder: &Arc<Recorder>, random: &mut fastrand::Rng) {
    let store = Arc::new(store);
    let watchers: Vec<_> = (0..WATCHERS)
        .map(|client| {
            let (store, recorder) = (Arc::clone(&store), Arc::clone(recorder));
            tokio::spawn(async move { follow(&store, &recorder, client, false).await })
        })
        .collect();
    let clients: Vec<_> = (0..WRITERS)
        .map(|client| {
            let (store, recorder) = (Arc::clone(&store), Arc::clone(recorder));
            tokio::spawn(run_client(store, recorder, client, random.fork()))
        })
        .collect();
    for client in clients {
        client.await.unwrap();
    }
    for watcher in watchers {
        watcher.abort();
        assert!(!watcher.await.is_err_and(|why| why.is_panic()), "a watch panicked");
    }
}

/// One disk and its power failures; returns how many writes were acknowledged.
async fn run_life(cuts: usize, random: &mut fastrand::Rng) -> usize {
    let recorder = Arc::new(Recorder::new());
    let mut image = Vec::new();
    for cut in 0..cuts {
        let machine = Machine::new(image);
        let longest = if random.bool() { 60 } else { 900 };
        machine.light(random.usize(0..longest));
        if let Ok(store) = open(&machine, false) {
            use_up(store, &recorder, random).await;
        }
        image = machine.wreck(random);
        recorder.settle();
        let machine = Machine::new(image);
        let store = open(&machine, cut % 5 == 0).unwrap_or_else(|why| panic!("cut {cut}: {why}"));
        let begin = recorder.now();
        let all = list(&store).await.unwrap();
        recorder.call(WRITERS, begin, Action::List { prefix: "/k/".to_owned() }, all);
        for client in 0..WATCHERS {
            follow(&store, &recorder, client, true).await;
        }
        drop(store);
        image = machine.image();
    }
    let history = recorder.history.lock().unwrap();
    let violations = histories::check(&history);
    let texts: Vec<String> = violations.iter().take(20).map(ToString::to_string).collect();
    assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), texts.join("\n"));
    let written = |call: &&Call| matches!(call.outcome, Outcome::Written(_) | Outcome::Deleted);
    history.calls.iter().filter(written).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn histories_over_power_failures_are_linearizable() {
    let mut random = dice("concurrent", 20_261_116);
    let (cuts, mut written) = (cuts(CUTS), 0);
    let lives = cuts.div_ceil(LIFE);
    for life in 0..lives {
        written += run_life(LIFE.min(cuts - life * LIFE), &mut random).await;
        if cuts > CUTS && life % 50 == 49 {
            eprintln!("{} cuts, {written} acknowledged writes", (life + 1) * LIFE);
        }
    }
    assert!(written > cuts, "the cuts came too early to prove anything: {written}");
}
