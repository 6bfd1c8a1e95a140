//! Printers of dynamic resource allocation: device classes, claims, slices, taints.

use crate::column::{AGE, Column, NAME, Row, integer, text as column};
use crate::printed_object::{Cells, NONE, PrintedObject, at, int, text};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::Node;

const GROUP: &str = "resource.k8s.io";

pub(crate) const ROWS: &[Row] = &[
    Row { group: GROUP, kind: "DeviceClass", columns: &[NAME, AGE], cells: plain },
    Row { group: GROUP, kind: "ResourceClaim", columns: CLAIM, cells: claim },
    Row { group: GROUP, kind: "ResourceClaimTemplate", columns: &[NAME, AGE], cells: plain },
    Row { group: GROUP, kind: "ResourceSlice", columns: SLICE, cells: slice },
    Row { group: GROUP, kind: "DeviceTaintRule", columns: TAINT, cells: taint },
    Row { group: GROUP, kind: "ResourcePoolStatusRequest", columns: POOLS, cells: pools },
];

const CLAIM: &[Column] =
    &[NAME, column("State", "Whether the claim is pending, allocated, reserved, deleted."), AGE];

const SLICE: &[Column] = &[
    NAME,
    column("Node", "The node that has the devices."),
    column("Driver", "The driver of the devices."),
    column("Pool", "The pool that the devices belong to."),
    AGE,
];

const TAINT: &[Column] = &[
    NAME,
    column("Key", "The key of the taint."),
    column("Value", "The value of the taint."),
    column("Effect", "What the taint does to claims that do not tolerate it."),
    column("TimeAdded", "The time since the taint was added."),
    AGE,
];

const POOLS: &[Column] = &[
    NAME,
    column("Driver", "The driver whose pools are asked for."),
    column("Total", "How many devices there are in all pools."),
    column("Available", "How many of them are free."),
    column("Allocated", "How many of them are taken."),
    column("Unavailable", "How many of them cannot be used."),
    column("Errors", "How many pools are not valid."),
    integer("Pools", "How many pools there are."),
    column("Status", "How far the request has come."),
    column("Completed", "The time since the request was answered."),
];

/// The numbers that are summed over all pools.
const SUMMED: [&str; 4] =
    ["totalDevices", "availableDevices", "allocatedDevices", "unavailableDevices"];

fn plain(object: &PrintedObject<'_>) -> Cells {
    vec![object.name(), object.age()]
}

fn claim(object: &PrintedObject<'_>) -> Cells {
    let is_allocated = object.at(&["status", "allocation"]).is_some();
    let is_reserved = is_allocated && object.count(&["status", "reservedFor"]) > 0;
    let states = [
        ("deleted", object.is_terminating()),
        ("pending", !is_allocated && !object.is_terminating()),
        ("allocated", is_allocated),
        ("reserved", is_reserved),
    ];
    let states: Vec<&str> = states
        .iter()
        .filter(|(_, is_condition_true)| *is_condition_true)
        .map(|(state, _)| *state)
        .collect();
    vec![object.name(), text(states.join(",")), object.age()]
}

fn slice(object: &PrintedObject<'_>) -> Cells {
    vec![
        object.name(),
        object.cell(&["spec", "nodeName"]),
        object.cell(&["spec", "driver"]),
        object.cell(&["spec", "pool", "name"]),
        object.age(),
    ]
}

fn taint(object: &PrintedObject<'_>) -> Cells {
    let added = &["spec", "taint", "timeAdded"];
    vec![
        object.name(),
        object.cell(&["spec", "taint", "key"]),
        object.cell(&["spec", "taint", "value"]),
        object.cell(&["spec", "taint", "effect"]),
        text(if object.at(added).is_some() { object.since(added) } else { String::new() }),
        object.age(),
    ]
}

fn pools(object: &PrintedObject<'_>) -> Cells {
    let mut conditions = object.items(&["status", "conditions"]).iter();
    let end = conditions.find(|condition| {
        condition.text_at(&["status"]) == "True"
            && ["Complete", "Failed"].contains(&condition.text_at(&["type"]))
    });
    let status = end.map_or("Pending", |end| end.text_at(&["type"]));
    let pools = object.items(&["status", "pools"]);
    let count = object.int(&["status", "poolCount"]);
    let is_truncated = status == "Complete" && count > crate::printed_object::count(pools.len());
    let completed = end.filter(|_| status == "Complete").map_or_else(
        || NONE.to_owned(),
        |end| {
            let then = crate::age::seconds(end.text_at(&["lastTransitionTime"]));
            crate::age::since(then, object.now)
        },
    );
    let mut cells = vec![object.name(), object.cell(&["spec", "driver"])];
    // Nothing is counted before there is a status, nor after a failure.
    let is_counted = object.at(&["status"]).is_some() && status != "Failed";
    cells.extend(sums(pools).map(|sum| text(if is_counted { sum } else { "-".to_owned() })));
    cells.push(Node::int(count));
    cells.push(text(if is_truncated {
        format!("Complete ({}/{count} pools)", pools.len())
    } else {
        status.to_owned()
    }));
    cells.push(text(completed));
    cells
}

/// The devices of all pools, and the number of pools with an error.
fn sums(pools: &[Node<'_>]) -> impl Iterator<Item = String> {
    let sum =
        |field: &str| pools.iter().fold(0_i64, |sum, pool| sum.saturating_add(int(pool, &[field])));
    let invalid = pools.iter().filter(|pool| at(pool, &["validationError"]).is_some()).count();
    let devices = SUMMED.map(|field| sum(field).to_string());
    devices.into_iter().chain([invalid.to_string()])
}

#[cfg(test)]
mod tests {
    use super::GROUP;
    use crate::testing::line;
    use alloc::format;

    #[test]
    fn classes_and_templates() {
        assert_eq!(line(GROUP, "DeviceClass", "{}"), "a | 5m");
        assert_eq!(line(GROUP, "ResourceClaimTemplate", "{}"), "a | 5m");
    }

    #[test]
    fn claims_tell_their_states() {
        let claim = |text: &str| line(GROUP, "ResourceClaim", text);
        assert_eq!(claim("{}"), "a | pending | 5m");
        assert_eq!(claim("{status: {allocation: {}}}"), "a | allocated | 5m");
        let text = "{status: {allocation: {}, reservedFor: [{}]}}";
        assert_eq!(claim(text), "a | allocated,reserved | 5m");
        let going = "metadata: {name: g, deletionTimestamp: '2026-01-01T00:00:00Z'}";
        assert_eq!(claim(&format!("{{{going}}}")), "g | deleted | <unknown>");
        let text = format!("{{{going}, status: {{allocation: {{}}}}}}");
        assert_eq!(claim(&text), "g | deleted,allocated | <unknown>");
    }

    #[test]
    fn slices_and_taints() {
        let text = "{spec: {nodeName: 'n', driver: d, pool: {name: p}}}";
        assert_eq!(line(GROUP, "ResourceSlice", text), "a | n | d | p | 5m");
        assert_eq!(line(GROUP, "ResourceSlice", "{}"), "a |  |  |  | 5m");
        let text = "{spec: {taint: {key: k, value: v, effect: NoExecute, timeAdded: '2025-12-31T23:59:00Z'}}}";
        assert_eq!(line(GROUP, "DeviceTaintRule", text), "a | k | v | NoExecute | 60s | 5m");
        assert_eq!(line(GROUP, "DeviceTaintRule", "{}"), "a |  |  |  |  | 5m");
    }

    #[test]
    fn pools() {
        let pools = |status: &str| {
            let text = format!("{{spec: {{driver: d}}{status}}}");
            line(GROUP, "ResourcePoolStatusRequest", &text)
        };
        assert_eq!(pools(""), "a | d | - | - | - | - | - | 0 | Pending | <none>");
        let list = "poolCount: 3, pools: [{totalDevices: 4, availableDevices: 1, allocatedDevices: 2, \
            unavailableDevices: 1}, {totalDevices: 2, validationError: x}]";
        let complete = format!(
            ", status: {{{list}, conditions: [{{type: Complete, status: 'True', \
             lastTransitionTime: '2025-12-31T23:59:00Z'}}]}}"
        );
        let expected = "a | d | 6 | 1 | 2 | 1 | 1 | 3 | Complete (2/3 pools) | 60s";
        assert_eq!(pools(&complete), expected);
        let failed =
            format!(", status: {{{list}, conditions: [{{type: Failed, status: 'True'}}]}}");
        assert_eq!(pools(&failed), "a | d | - | - | - | - | - | 3 | Failed | <none>");
    }
}
