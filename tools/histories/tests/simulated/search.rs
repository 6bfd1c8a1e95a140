//! Search of all orders of a small history for one that explains every answer, as Wing and Gong do.

use histories::{Action, Call, Change, Event, History, Outcome};
use std::collections::BTreeMap;

/// What is there: the revision and the value of each key.
type State = BTreeMap<String, (u64, String)>;

/// Whether there is an order of all calls that explains every answer. Writes come in the order of their revisions.
pub(crate) fn is_linearizable(history: &History) -> bool {
    let mut log: Vec<&Event> = history.watches.iter().flat_map(|watch| &watch.events).collect();
    log.sort_by_key(|event| event.revision);
    log.dedup();
    let calls: Vec<&Call> = history.calls.iter().collect();
    step(&calls, &log, &State::new(), 0)
}

/// Tries every call that can be next.
fn step(calls: &[&Call], log: &[&Event], state: &State, revision: u64) -> bool {
    if calls.is_empty() {
        return log.is_empty();
    }
    (0..calls.len()).any(|number| {
        let call = calls[number];
        if calls.iter().any(|other| other.end < call.begin) {
            return false;
        }
        let rest: Vec<&Call> = calls
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != number)
            .map(|(_, call)| *call)
            .collect();
        // Without an answer, it may not have happened.
        if call.outcome == Outcome::Unknown && step(&rest, log, state, revision) {
            return true;
        }
        match &call.outcome {
            Outcome::Written(_) | Outcome::Deleted | Outcome::Unknown => {
                let Some((event, later)) = log.split_first() else { return false };
                let next = apply(call, event, state);
                next.is_some_and(|state| step(&rest, later, &state, event.revision))
            }
            Outcome::Listed { revision: at, records } => {
                let listed = records.iter();
                let listed = listed
                    .map(|record| (record.key.clone(), (record.revision, record.value.clone())));
                let next = log.first().map_or(u64::MAX, |event| event.revision);
                let fits = *at >= revision && *at < next && listed.collect::<State>() == *state;
                fits && step(&rest, log, state, *at)
            }
            outcome => {
                let current = state.get(call.action.key());
                let fits = match (outcome, &call.action) {
                    (Outcome::Absent, _) => current.is_none(),
                    (Outcome::Exists, _) => current.is_some(),
                    (Outcome::Found(record), _) => {
                        current == Some(&(record.revision, record.value.clone()))
                    }
                    (
                        Outcome::Conflict,
                        Action::Update { over, .. } | Action::Delete { over, .. },
                    ) => current.is_some_and(|(at, _)| at != over),
                    _ => true,
                };
                fits && step(&rest, log, state, revision)
            }
        }
    })
}

/// The state after a call that made an event; none if it did not.
fn apply(call: &Call, event: &Event, state: &State) -> Option<State> {
    let current = state.get(&event.key).map(|(revision, _)| *revision);
    let value = match (&call.action, &event.change) {
        (Action::Create { key, value }, Change::Added(added)) if current.is_none() => {
            (*key == event.key && value == added).then(|| Some(value.clone()))
        }
        (Action::Update { key, value, over }, Change::Modified(new)) if current == Some(*over) => {
            (*key == event.key && value == new).then(|| Some(value.clone()))
        }
        (Action::Delete { key, over }, Change::Deleted) if current == Some(*over) => {
            (*key == event.key).then_some(None)
        }
        _ => None,
    }?;
    if let Outcome::Written(revision) = call.outcome
        && revision != event.revision
    {
        return None;
    }
    let mut state = state.clone();
    match value {
        Some(value) => state.insert(event.key.clone(), (event.revision, value)),
        None => state.remove(&event.key),
    };
    Some(state)
}
