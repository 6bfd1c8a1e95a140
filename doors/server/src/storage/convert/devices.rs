//! Conversion of `resource.k8s.io/v1beta1`: requests without the level `exactly`, devices below the level `basic`.

use ratchet_engine::EXACT_FIELDS;
use ratchet_object::{Node, Value};

/// The fields of a device that stay outside of `basic`.
const OUTSIDE: &[&str] = &["name", "basic"];

/// Moves the fields of each request below `exactly`; `devices` leads to the requests.
pub(super) fn requests_to_v1(node: &mut Node<'static>, devices: &[&str]) {
    for request in items(node, devices, "requests") {
        let mut exactly: Vec<(&'static str, Node<'static>)> = Vec::new();
        for name in EXACT_FIELDS {
            if let Some(value) = request.remove(name) {
                exactly.push((name, value));
            }
        }
        // A request that has none of them may have alternatives instead.
        if exactly.iter().any(|(_, value)| is_set(value)) {
            request.set("exactly", Node::map(exactly));
        }
    }
}

/// Moves what stands below `exactly` into each request.
pub(super) fn requests_from_v1(node: &mut Node<'static>, devices: &[&str]) {
    for request in items(node, devices, "requests") {
        let Some(mut exactly) = request.remove("exactly") else { continue };
        for name in EXACT_FIELDS {
            if let Some(value) = exactly.remove(name) {
                request.set(name, value);
            }
        }
    }
}

/// Moves what stands below `basic` into each device.
pub(super) fn devices_to_v1(node: &mut Node<'static>) {
    for device in items(node, &["spec"], "devices") {
        let Some(basic) = device.remove("basic") else { continue };
        if let Value::Map(entries) = basic.value {
            for entry in entries {
                device.set(entry.key, entry.node);
            }
        }
    }
}

/// Moves all but the name of each device below `basic`.
pub(super) fn devices_from_v1(node: &mut Node<'static>) {
    for device in items(node, &["spec"], "devices") {
        let Some(entries) = device.entries_mut() else { continue };
        let is_outside = |key: &str| OUTSIDE.contains(&key);
        let inside: Vec<_> = entries.extract_if(.., |entry| !is_outside(&entry.key)).collect();
        let basic = inside.into_iter().map(|entry| (entry.key, entry.node));
        device.set("basic", Node::map(basic));
    }
}

/// The items of a list below a path.
fn items<'n>(
    node: &'n mut Node<'static>,
    path: &[&str],
    list: &str,
) -> impl Iterator<Item = &'n mut Node<'static>> {
    let parent = node.find_mut(path);
    let list = parent.and_then(|parent| parent.get_mut(list));
    list.and_then(Node::items_mut).into_iter().flatten()
}

/// Whether the reference counts a value as set: not the empty one of its type.
fn is_set(value: &Node<'_>) -> bool {
    match &value.value {
        Value::Null => false,
        Value::Text(text) => !text.is_empty(),
        Value::Int(number) => *number != 0,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    #[test]
    fn requests_gain_and_lose_a_level() {
        let old = "{spec: {devices: {requests: [{name: a, deviceClassName: gpu, count: 2}, {name: b, firstAvailable: [{name: c}]}]}}}";
        let new = "{spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu, count: 2}}, {name: b, firstAvailable: [{name: c}]}]}}}";
        let mut converted = node(old);
        requests_to_v1(&mut converted, &["spec", "devices"]);
        assert_eq!(converted.to_json(), node(new).to_json());
        requests_from_v1(&mut converted, &["spec", "devices"]);
        assert_eq!(converted.to_json(), node(old).to_json());
    }

    #[test]
    fn devices_lose_and_gain_a_level() {
        let old = "{spec: {driver: d, devices: [{name: a, basic: {attributes: {x: {int: 1}}, allNodes: true}}]}}";
        let new =
            "{spec: {driver: d, devices: [{name: a, attributes: {x: {int: 1}}, allNodes: true}]}}";
        let mut converted = node(old);
        devices_to_v1(&mut converted);
        assert_eq!(converted.to_json(), node(new).to_json());
        devices_from_v1(&mut converted);
        assert_eq!(converted.to_json(), node(old).to_json());
    }
}
