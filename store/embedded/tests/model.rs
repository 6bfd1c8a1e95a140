//! The store against a model with a copy of every revision: any sequence of operations gets the
//! same results.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper of a test may fail like a test"
)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use ratchet_embedded::{Embedded, Options};
use ratchet_store::{Commit, EventKind, Guard, Query, Revision, Store, StoreError, Write};

const KEYS: [&str; 7] = ["/", "/a", "/a/", "/a/b", "/ab", "/b", "\u{10ffff}"];
const PREFIXES: [&str; 6] = ["", "/", "/a", "/a/", "/b", "\u{10ffff}"];

#[derive(Clone, Debug)]
enum Op {
    /// The key, the guard, and the act: a value, a deletion, or nothing.
    Commit(Vec<(usize, GuardChoice, Option<Option<u8>>)>),
    /// The share of all revisions to read at.
    List {
        prefix: usize,
        after: Option<usize>,
        limit: usize,
        at: Option<u8>,
    },
    Watch {
        prefix: usize,
        after: u8,
    },
    Compact(u8),
    Reopen,
}

#[derive(Clone, Copy, Debug)]
enum GuardChoice {
    Anything,
    Absent,
    /// The revision at which the key was modified: the right guard.
    Right,
    Wrong(u64),
}

fn op() -> impl Strategy<Value = Op> {
    let guard_choice = prop_oneof![
        4 => Just(GuardChoice::Anything),
        2 => Just(GuardChoice::Absent),
        4 => Just(GuardChoice::Right),
        1 => (0..40u64).prop_map(GuardChoice::Wrong),
    ];
    let write = (
        0..KEYS.len(),
        guard_choice,
        proptest::option::weighted(0.9, proptest::option::weighted(0.7, any::<u8>())),
    );
    let list = (
        0..PREFIXES.len(),
        proptest::option::of(0..KEYS.len()),
        0..4usize,
        proptest::option::of(any::<u8>()),
    );
    prop_oneof![
        10 => proptest::collection::vec(write, 0..4).prop_map(Op::Commit),
        5 => list.prop_map(|(prefix, after, limit, at)| Op::List { prefix, after, limit, at }),
        2 => (0..PREFIXES.len(), any::<u8>()).prop_map(|(prefix, after)| Op::Watch { prefix, after }),
        1 => any::<u8>().prop_map(Op::Compact),
        1 => Just(Op::Reopen),
    ]
}

/// Key → (value, created, modified).
type State = BTreeMap<String, (u8, u64, u64)>;

/// Revision, key, and the value and created, if it was not deleted.
type ModelEvent = (u64, String, Option<(u8, u64)>);

/// A copy of every revision from the beginning.
struct Model {
    revisions: Vec<State>,
    oldest: u64,
}

impl Model {
    fn latest(&self) -> u64 {
        self.revisions.len() as u64 - 1
    }

    fn now(&self) -> &State {
        self.revisions.last().unwrap()
    }

    /// A revision, now and then one that is compacted or in the future.
    fn pick(&self, share: u8) -> u64 {
        u64::from(share) * (self.latest() + 2) / 255
    }

    fn refusal(&self, at: u64) -> Option<StoreError> {
        if at < self.oldest {
            return Some(StoreError::Compacted { oldest: Revision(self.oldest) });
        }
        (at > self.latest()).then(|| StoreError::Future { latest: Revision(self.latest()) })
    }

    fn commit(&mut self, writes: &[Write]) -> Result<u64, String> {
        let now = self.now().clone();
        for write in writes {
            let current = now.get(&*write.key);
            let holds = match write.guard {
                Guard::Anything => true,
                Guard::Absent => current.is_none(),
                Guard::At(revision) => {
                    current.is_some_and(|(_, _, modified)| *modified == revision.0)
                }
            };
            if !holds {
                return Err(write.key.to_string());
            }
        }
        let (next, mut after) = (self.latest() + 1, now.clone());
        let mut changed = false;
        for key in KEYS {
            let mut acts = writes.iter().filter(|write| *write.key == *key).map(|write| &write.act);
            match acts.rfind(|act| **act != ratchet_store::Operation::Keep) {
                Some(ratchet_store::Operation::Put { value, .. }) => {
                    let created = now.get(key).map_or(next, |(_, created, _)| *created);
                    after.insert(key.to_owned(), (value[0], created, next));
                    changed = true;
                }
                Some(_) => changed |= after.remove(key).is_some(),
                None => {}
            }
        }
        if changed {
            self.revisions.push(after);
        }
        Ok(self.latest())
    }

    /// The events after a revision, in any order within one.
    fn events(&self, prefix: &str, after: u64) -> Vec<ModelEvent> {
        let mut events = Vec::new();
        for revision in after + 1..=self.latest() {
            let (old, new) =
                (&self.revisions[revision as usize - 1], &self.revisions[revision as usize]);
            for key in KEYS.iter().filter(|key| key.starts_with(prefix)) {
                match (old.get(*key), new.get(*key)) {
                    (one, Some(two)) if one != Some(two) => {
                        events.push((revision, key.to_string(), Some((two.0, two.1))));
                    }
                    (Some(_), None) => events.push((revision, key.to_string(), None)),
                    _ => {}
                }
            }
        }
        events
    }
}

async fn run(ops: Vec<Op>) {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { cache: 64 << 10, recent: 600, ..Options::default() };
    let mut store = Embedded::open(dir.path(), options.clone()).unwrap();
    let mut model = Model { revisions: vec![State::new()], oldest: 0 };
    for op in ops {
        match op {
            Op::Commit(choices) => commit(&store, &mut model, choices).await,
            Op::List { prefix, after, limit, at } => {
                let query = Query {
                    prefix: PREFIXES[prefix].to_owned(),
                    after: after.map(|key| KEYS[key].to_owned()),
                    limit,
                    at: at.map(|share| Revision(model.pick(share))),
                };
                list(&store, &model, query).await;
            }
            Op::Watch { prefix, after } => {
                watch(&store, &model, PREFIXES[prefix], model.pick(after)).await;
            }
            Op::Compact(share) => {
                let before = model.pick(share);
                let result = store.compact(Revision(before)).await;
                if before > model.latest() {
                    assert!(matches!(result, Err(StoreError::Future { .. })));
                } else {
                    assert_eq!(result, Ok(()));
                    model.oldest = model.oldest.max(before);
                }
            }
            Op::Reopen => {
                drop(store);
                store = Embedded::open(dir.path(), options.clone()).unwrap();
            }
        }
        assert_eq!(store.latest().await, Ok(Revision(model.latest())));
    }
    for at in model.oldest..=model.latest() {
        list(&store, &model, Query { at: Some(Revision(at)), ..Query::default() }).await;
        watch(&store, &model, "", at).await;
    }
}

async fn commit(
    store: &Embedded,
    model: &mut Model,
    choices: Vec<(usize, GuardChoice, Option<Option<u8>>)>,
) {
    let write = |(key, guard_choice, act): (usize, GuardChoice, Option<Option<u8>>)| {
        let key = KEYS[key];
        let guard = match (guard_choice, model.now().get(key)) {
            (GuardChoice::Anything, _) => Guard::Anything,
            (GuardChoice::Wrong(revision), _) => Guard::At(Revision(revision)),
            (GuardChoice::Absent, _) | (GuardChoice::Right, None) => Guard::Absent,
            (GuardChoice::Right, Some((_, _, modified))) => Guard::At(Revision(*modified)),
        };
        match act {
            Some(Some(value)) => Write::put(key, guard, vec![value]),
            Some(None) => Write::delete(key, guard),
            None => Write::keep(key, guard),
        }
    };
    let writes: Vec<Write> = choices.into_iter().map(write).collect();
    match (store.commit(writes.clone()).await.unwrap(), model.commit(&writes)) {
        (Commit::Done(revision), Ok(right)) => assert_eq!(revision.0, right),
        (Commit::Refused { key, found }, Err(right)) => {
            assert_eq!(*key, *right);
            let found = found.map(|record| (record.value[0], record.created.0, record.modified.0));
            assert_eq!(found.as_ref(), model.now().get(&right));
        }
        (one, two) => panic!("{one:?} and not {two:?}"),
    }
}

async fn list(store: &Embedded, model: &Model, query: Query) {
    let at = query.at.map_or(model.latest(), |at| at.0);
    let result = store.list(query.clone()).await;
    if let Some(refusal) = model.refusal(at) {
        assert_eq!(result, Err(refusal));
        return;
    }
    let page = result.unwrap();
    let state = &model.revisions[at as usize];
    let matching = state.iter().filter(|(key, _)| {
        key.starts_with(&query.prefix) && query.after.as_ref().is_none_or(|after| *key > after)
    });
    let all: Vec<_> = matching.map(|(key, row)| (key.clone(), *row)).collect();
    let limit = if query.limit == 0 { all.len() } else { query.limit.min(all.len()) };
    let records = page.records.iter().map(|record| {
        (record.key.to_string(), (record.value[0], record.created.0, record.modified.0))
    });
    assert_eq!(records.collect::<Vec<_>>(), all[..limit], "{query:?}");
    assert_eq!((page.has_more, page.revision.0), (all.len() > limit, at));
}

async fn watch(store: &Embedded, model: &Model, prefix: &str, after: u64) {
    let result = store.watch(prefix, Revision(after)).await;
    if let Some(refusal) = model.refusal(after) {
        assert_eq!(result.map(drop), Err(refusal));
        return;
    }
    let (mut watch, mut upto, mut events) = (result.unwrap(), after, Vec::new());
    while upto < model.latest() {
        let batch = watch.next().await.unwrap();
        for event in batch.events {
            let put = match event.act {
                EventKind::Put { value, created } => Some((value[0], created.0)),
                EventKind::Deleted => None,
            };
            events.push((event.revision.0, event.key.to_string(), put));
        }
        assert!(events.is_sorted_by_key(|(revision, _, _)| *revision));
        upto = batch.upto.0;
    }
    events.sort();
    let mut right = model.events(prefix, after);
    right.sort();
    assert_eq!(events, right);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]
    #[test]
    fn answers_as_the_model_does(ops in proptest::collection::vec(op(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(run(ops));
    }
}
