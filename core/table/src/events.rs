//! Printer of events in both API groups.

use crate::age;
use crate::column::{Column, NAME, Row, text as column};
use crate::printed_object::{Cells, PrintedObject, int, or, text};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use ratchet_object::Node;

pub(crate) const ROWS: &[Row] = &[
    Row { group: "", kind: "Event", columns: EVENT, cells: event },
    Row { group: "events.k8s.io", kind: "Event", columns: EVENT, cells: event },
];

const EVENT: &[Column] = &[
    column("Last Seen", "The time since this happened last."),
    column("Type", "Normal or Warning."),
    column("Reason", "Why this happened, in one word."),
    column("Object", "The object that this happened to."),
    column("Subobject", "The part of the object that this happened to.").wide(),
    column("Source", "Who tells this.").wide(),
    column("Message", "What happened."),
    column("First Seen", "The time since this happened first.").wide(),
    column("Count", "How often this happened.").wide(),
    NAME.wide(),
];

fn event(object: &PrintedObject<'_>) -> Cells {
    let (last, first) = times(object);
    let regarding = regarding(object);
    vec![
        text(age::since(last, object.now)),
        object.cell(&["type"]),
        object.cell(&["reason"]),
        text(target(regarding)),
        text(regarding.map_or("", |regarding| regarding.text_at(&["fieldPath"]))),
        text(source(object)),
        text(or(object.text(&["message"]), object.text(&["note"])).trim()),
        text(age::since(first, object.now)),
        Node::int(count(object)),
        object.name(),
    ]
}

/// The last and the first time. A series has its own last time.
fn times(object: &PrintedObject<'_>) -> (Option<i64>, Option<i64>) {
    let either = |core: &str, other: &str| object.time(&[core]).or_else(|| object.time(&[other]));
    let first = either("firstTimestamp", "deprecatedFirstTimestamp")
        .or_else(|| object.time(&["eventTime"]));
    let last = match object.at(&["series"]) {
        Some(_) => object.time(&["series", "lastObservedTime"]),
        None => either("lastTimestamp", "deprecatedLastTimestamp").or(first),
    };
    (last, first)
}

fn regarding<'a>(object: &PrintedObject<'a>) -> Option<&'a Node<'a>> {
    object.at(&["involvedObject"]).or_else(|| object.at(&["regarding"]))
}

fn target(regarding: Option<&Node<'_>>) -> String {
    let Some(regarding) = regarding else { return String::new() };
    let kind = regarding.text_at(&["kind"]).to_lowercase();
    match regarding.text_at(&["name"]) {
        "" => kind,
        name => format!("{kind}/{name}"),
    }
}

fn source(object: &PrintedObject<'_>) -> String {
    let first = |places: &[&[&str]]| {
        places
            .iter()
            .map(|names| object.text(names))
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    };
    let component = first(&[
        &["source", "component"],
        &["deprecatedSource", "component"],
        &["reportingComponent"],
        &["reportingController"],
    ]);
    let instance =
        first(&[&["source", "host"], &["deprecatedSource", "host"], &["reportingInstance"]]);
    if instance.is_empty() { component.into() } else { format!("{component}, {instance}") }
}

/// Single events have no count.
fn count(object: &PrintedObject<'_>) -> i64 {
    if let Some(series) = object.at(&["series"]) {
        return int(series, &["count"]);
    }
    let counts = [object.int(&["count"]), object.int(&["deprecatedCount"])];
    counts.into_iter().find(|count| *count != 0).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use crate::testing::line;

    #[test]
    fn both_groups_tell_the_same() {
        let core = "{type: Warning, reason: Failed, involvedObject: {kind: Pod, name: p, fieldPath: f}, \
            source: {component: kubelet, host: 'n'}, message: ' oh no ', count: 3, \
            firstTimestamp: '2025-12-31T23:50:00Z', lastTimestamp: '2025-12-31T23:59:00Z'}";
        let expected = "60s | Warning | Failed | pod/p | f | kubelet, n | oh no | 10m | 3 | a";
        assert_eq!(line("", "Event", core), expected);
        let other = "{type: Warning, reason: Failed, regarding: {kind: Pod, name: p, fieldPath: f}, \
            deprecatedSource: {component: kubelet, host: 'n'}, note: oh no, deprecatedCount: 3, \
            deprecatedFirstTimestamp: '2025-12-31T23:50:00Z', deprecatedLastTimestamp: '2025-12-31T23:59:00Z'}";
        assert_eq!(line("events.k8s.io", "Event", other), expected);
    }

    #[test]
    fn new_events_have_a_time_and_perhaps_a_series() {
        let text = "{eventTime: '2025-12-31T23:50:00.000001Z', reportingController: c, regarding: {kind: Node}}";
        let expected = "10m |  |  | node |  | c |  | 10m | 1 | a";
        assert_eq!(line("events.k8s.io", "Event", text), expected);
        let text = "{eventTime: '2025-12-31T23:50:00.000001Z', reportingComponent: c, reportingInstance: i, \
            series: {count: 7, lastObservedTime: '2025-12-31T23:59:30.5Z'}}";
        let expected = "30s |  |  |  |  | c, i |  | 10m | 7 | a";
        assert_eq!(line("", "Event", text), expected);
        let expected = "<unknown> |  |  |  |  |  |  | <unknown> | 1 | a";
        assert_eq!(line("", "Event", "{}"), expected);
    }
}
