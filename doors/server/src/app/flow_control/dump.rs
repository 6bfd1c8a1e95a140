//! The pages below `/debug/api_priority_and_fairness`: levels, queues and requests as aligned text.

use super::clock::Clock;
use super::current::Current;
use super::level::{Held, Level};
use crate::request::{ResourcePath, Target};
use ratchet_flow_control::{Distinguisher, RequestState};
use std::sync::Arc;

const LEVELS: &[&str] = &[
    "PriorityLevelName",
    "ActiveQueues",
    "IsIdle",
    "IsQuiescing",
    "WaitingRequests",
    "ExecutingRequests",
    "DispatchedRequests",
    "RejectedRequests",
    "TimedoutRequests",
    "CancelledRequests",
];

const QUEUES: &[&str] = &[
    "PriorityLevelName",
    "Index",
    "PendingRequests",
    "ExecutingRequests",
    "SeatsInUse",
    "NextDispatchR",
    "InitialSeatsSum",
    "MaxSeatsSum",
    "TotalWorkSum",
];

/// The fifth is spelled as clients know it.
const REQUESTS: &[&str] = &[
    "PriorityLevelName",
    "FlowSchemaName",
    "QueueIndex",
    "RequestIndexInQueue",
    "FlowDistingsher",
    "ArriveTime",
    "InitialSeats",
    "FinalSeats",
    "AdditionalLatency",
    "StartTime",
];

const DETAILS: &[&str] =
    &["UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"];

/// The text of a page; none if there is no such page.
pub(super) fn page(
    current: &Current,
    clock: Clock,
    page: &str,
    has_details: bool,
) -> Option<String> {
    let all = || {
        let quiescing = current.quiescing.iter().map(|level| (level, true));
        current.levels.iter().map(|level| (level, false)).chain(quiescing)
    };
    let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = match page {
        "dump_priority_levels" => {
            let mut levels: Vec<(&Arc<Level>, bool)> = all().collect();
            levels.sort_by_key(|(level, _)| level.name().to_owned());
            let rows = levels.into_iter().map(|(level, is_quiescing)| row(level, is_quiescing));
            std::iter::once(texts(LEVELS)).chain(rows).collect()
        }
        "dump_queues" => {
            let rows = all().flat_map(|(level, _)| queues(level));
            std::iter::once(texts(QUEUES)).chain(rows).collect()
        }
        "dump_requests" => {
            let mut header = texts(REQUESTS);
            if has_details {
                header.extend(texts(DETAILS));
            }
            let rows = all().flat_map(|(level, _)| requests(level, clock, has_details));
            std::iter::once(header).chain(rows).collect()
        }
        _ => return None,
    };
    Some(aligned(&rows))
}

fn row(level: &Level, is_quiescing: bool) -> Vec<String> {
    let state = level.state();
    let totals = state.set.totals();
    let active = state.set.queues().filter(|queue| queue.waiting > 0).count();
    vec![
        level.name().to_owned(),
        active.to_string(),
        state.set.is_idle().to_string(),
        is_quiescing.to_string(),
        totals.waiting.to_string(),
        totals.executing.to_string(),
        totals.dispatched.to_string(),
        totals.rejected.to_string(),
        // Waits that end are counted as cancelled.
        "0".to_owned(),
        totals.cancelled.to_string(),
    ]
}

fn queues(level: &Level) -> Vec<Vec<String>> {
    let state = level.state();
    let rows = state.set.queues().enumerate().map(|(index, queue)| {
        vec![
            level.name().to_owned(),
            index.to_string(),
            queue.waiting.to_string(),
            queue.executing.to_string(),
            queue.executing_seats.to_string(),
            seat_seconds(queue.next_dispatch),
            queue.waiting_seats.to_string(),
            queue.waiting_seats.to_string(),
            seat_seconds(queue.waiting_work),
        ]
    });
    rows.collect()
}

/// Seconds of seats with eight decimals.
fn seat_seconds(nanoseconds: i128) -> String {
    let units = nanoseconds / 10;
    format!("{}.{:08}ss", units / 100_000_000, units % 100_000_000)
}

fn requests(level: &Level, clock: Clock, has_details: bool) -> Vec<Vec<String>> {
    let state = level.state();
    let cells = |state: &RequestState<Held>, index: Option<usize>| {
        request(level, clock, state, index, has_details)
    };
    let mut rows = Vec::new();
    for queue in 0..state.set.queues().count() {
        let waiting = state.set.waiting(queue).enumerate();
        rows.extend(waiting.map(|(index, request)| cells(request, Some(index))));
    }
    rows.extend(state.set.executing().map(|request| cells(request, None)));
    rows
}

fn request(
    level: &Level,
    clock: Clock,
    state: &RequestState<Held>,
    index: Option<usize>,
    has_details: bool,
) -> Vec<String> {
    const NOT_YET: &str = "0001-01-01T00:00:00Z";
    let held = &state.request;
    let place = |index: Option<usize>| index.map_or("-1".to_owned(), |index| index.to_string());
    let nowhere = ResourcePath::default();
    let (path, resource) = match &held.info.target {
        Target::Path(path) => (path.clone(), &nowhere),
        Target::Resource(resource) => (path_of(resource), resource),
    };
    let distinguisher = match held.flow.schema.distinguisher {
        Some(Distinguisher::ByUser) => held.user.to_string(),
        Some(Distinguisher::ByNamespace) => resource.namespace.clone(),
        None => String::new(),
    };
    let mut cells = vec![
        level.name().to_owned(),
        held.flow.schema.name.clone(),
        place(state.queue),
        place(index),
        distinguisher,
        clock.time(state.arrived).to_string(),
        state.seats.to_string(),
        "0".to_owned(),
        "0s".to_owned(),
        state.started.map_or(NOT_YET.to_owned(), |started| clock.time(started).to_string()),
    ];
    if has_details {
        let group_version = match resource.group.as_str() {
            "" => resource.version.clone(),
            group => format!("{group}/{}", resource.version),
        };
        cells.extend([
            held.user.to_string(),
            held.info.verb.to_owned(),
            path,
            resource.namespace.clone(),
            resource.name.clone(),
            group_version,
            resource.resource.clone(),
            resource.subresource.clone(),
        ]);
    }
    cells
}

/// The path of a request for a resource.
fn path_of(resource: &ResourcePath) -> String {
    let mut path = match resource.group.as_str() {
        "" => format!("/api/{}", resource.version),
        group => format!("/apis/{group}/{}", resource.version),
    };
    if resource.in_namespace {
        path.push_str("/namespaces/");
        path.push_str(&resource.namespace);
    }
    let name = if resource.is_item { resource.name.as_str() } else { "" };
    let parts = [resource.resource.as_str(), name, &resource.subresource, &resource.rest];
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        path.push('/');
        path.push_str(part);
    }
    path
}

/// Cells with commas, in columns of at least eight letters, with a space between them.
fn aligned(rows: &[Vec<String>]) -> String {
    const LEAST: usize = 8;
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        // With the comma and the space.
        cells.map(|cell| cell.chars().count() + 2).max().unwrap_or_default().max(LEAST)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            if column + 1 == row.len() {
                text.push_str(cell);
            } else {
                let width = widths.get(column).copied().unwrap_or_default();
                text.push_str(&format!("{:width$}", format!("{cell},")));
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [
            vec!["Name".to_owned(), "N".into(), "Z".into()],
            vec!["a-long-name".into(), "10".into(), "x".into()],
        ];
        assert_eq!(aligned(&rows), "Name,        N,      Z\na-long-name, 10,     x\n");
    }

    #[test]
    fn work_is_told_in_seconds_of_seats() {
        assert_eq!(seat_seconds(3_000_000), "0.00300000ss");
        assert_eq!(seat_seconds(12_345_678_901), "12.34567890ss");
    }
}
