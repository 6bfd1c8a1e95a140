//! The canonical form of addresses that controllers write, as a JSON patch of the object.

use ratchet_engine::{Class, FIELDS, Field, Ratchet};
use ratchet_net::{CidrText, IpText};
use ratchet_object::{Node, Value};
use std::collections::HashSet;

/// Kinds whose addresses only controllers write; those of other kinds only in their status.
const OF_CONTROLLERS: [&str; 3] = ["EndpointSlice", "Endpoints", "Node"];

/// The patch that makes new addresses of an object canonical; `None` if they are. What the old object has stays.
pub(crate) fn patch(kind: &str, new: &Node<'_>, old: Option<&Node<'_>>) -> Option<String> {
    let fields = FIELDS.iter().filter(|field| field.kind == kind && is_of_controllers(field));
    let operations: Vec<Node<'static>> =
        fields.flat_map(|field| replacements(field, new, old)).collect();
    (!operations.is_empty()).then(|| Node::list(operations).to_json())
}

/// Whether controllers write a field, and nobody else.
pub(crate) fn is_of_controllers(field: &Field) -> bool {
    field.path.starts_with("status.") || OF_CONTROLLERS.contains(&field.kind)
}

fn replacements(field: &Field, new: &Node<'_>, old: Option<&Node<'_>>) -> Vec<Node<'static>> {
    let values = texts_at(new, field.path);
    let stored = old.map(|old| texts_at(old, field.path)).unwrap_or_default();
    // Once any value of such a field changes, all of them meet the rule.
    let is_whole = field.ratchet == Ratchet::WholeField;
    let is_unchanged = values.iter().map(|(_, text)| text).eq(stored.iter().map(|(_, text)| text));
    if is_whole && is_unchanged {
        return Vec::new();
    }
    let stored: HashSet<&str> = stored.into_iter().map(|(_, text)| text).collect();
    let changed = values.into_iter().filter(|(_, text)| is_whole || !stored.contains(text));
    changed
        .filter_map(|(pointer, text)| {
            let canonical = canonical(class_of(field), text).filter(|form| form != text)?;
            Some(Node::map([
                ("op", Node::string("replace")),
                ("path", Node::string(pointer)),
                ("value", Node::string(canonical)),
            ]))
        })
        .collect()
}

/// The class of a field, or of the one that it mirrors.
fn class_of(field: &Field) -> Class {
    let Class::Follows(path) = field.class else { return field.class };
    let mirrored = FIELDS.iter().find(|other| other.kind == field.kind && other.path == path);
    mirrored.map_or(field.class, |field| field.class)
}

/// The one canonical form of a text; `None` if it has none.
fn canonical(class: Class, text: &str) -> Option<String> {
    match class {
        Class::LegacyAddress | Class::Address => {
            IpText::parse(text).ok().map(|ip| ip.canonical().to_string())
        }
        Class::LegacyNetwork | Class::Network => {
            let cidr = CidrText::parse(text).ok().filter(|cidr| !cidr.is_ambiguous())?;
            Some(cidr.network().to_string())
        }
        Class::InterfaceAddress => {
            CidrText::parse(text).ok().map(|cidr| cidr.interface().to_string())
        }
        Class::Follows(_) => None,
    }
}

/// The texts at a path of `FIELDS`, with their JSON pointers.
fn texts_at<'n>(object: &'n Node<'_>, path: &str) -> Vec<(String, &'n str)> {
    let mut found: Vec<(String, &'n Node<'_>)> = vec![(String::new(), object)];
    for segment in path.split('.') {
        let name = segment.trim_end_matches("[]");
        let members = found.into_iter().filter_map(|(pointer, node)| {
            node.get(name).map(|member| (format!("{pointer}/{name}"), member))
        });
        found = match segment.ends_with("[]") {
            true => members.flat_map(|(pointer, list)| items(&pointer, list)).collect(),
            false => members.collect(),
        };
    }
    let text = |(pointer, node): (String, &'n Node<'_>)| match &node.value {
        Value::Text(text) => Some((pointer, text.as_ref())),
        _ => None,
    };
    found.into_iter().filter_map(text).collect()
}

fn items<'n, 't>(pointer: &str, list: &'n Node<'t>) -> Vec<(String, &'n Node<'t>)> {
    let items = list.items().iter().enumerate();
    items.map(|(index, item)| (format!("{pointer}/{index}"), item)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn patched(kind: &str, new: &str, old: Option<&str>) -> Vec<(String, String)> {
        let node = |text| decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
        let Some(patch) = patch(kind, &node(new), old.map(node).as_ref()) else {
            return Vec::new();
        };
        let text = |operation: &Node<'_>, name: &str| operation.text_at(&[name]).to_owned();
        let patch = node(&patch);
        let operations = patch.items().iter();
        operations.map(|operation| (text(operation, "path"), text(operation, "value"))).collect()
    }

    fn replaced(path: &str, value: &str) -> (String, String) {
        (path.to_owned(), value.to_owned())
    }

    #[test]
    fn addresses_of_a_status_and_their_mirrors_become_canonical() {
        let pod =
            "{spec: {hostAliases: [{ip: 010.0.0.9}]}, status: {hostIP: 10.0.0.1, podIP: 010.0.0.2,
            podIPs: [{ip: 010.0.0.2}, {ip: '2001:DB8::0'}]}}";
        let wanted = [
            replaced("/status/podIP", "10.0.0.2"),
            replaced("/status/podIPs/0/ip", "10.0.0.2"),
            replaced("/status/podIPs/1/ip", "2001:db8::"),
        ];
        assert_eq!(patched("Pod", pod, None), wanted, "what people wrote stays");
    }

    #[test]
    fn what_is_stored_stays() {
        let node = "{spec: {podCIDR: 10.1.0.0/016, podCIDRs: [10.1.0.0/016]}}";
        let wanted =
            [replaced("/spec/podCIDR", "10.1.0.0/16"), replaced("/spec/podCIDRs/0", "10.1.0.0/16")];
        assert_eq!(patched("Node", node, None), wanted);
        assert_eq!(patched("Node", node, Some(node)), []);
        let slice = "{endpoints: [{addresses: ['010.0.0.1']}]}";
        assert_eq!(patched("EndpointSlice", slice, Some(slice)), []);
        let more = "{endpoints: [{addresses: ['010.0.0.1']}, {addresses: ['10.0.0.2']}]}";
        let wanted = [replaced("/endpoints/0/addresses/0", "10.0.0.1")];
        assert_eq!(patched("EndpointSlice", more, Some(slice)), wanted, "all of it meets the rule");
    }

    #[test]
    fn what_has_no_one_canonical_form_stays() {
        assert_eq!(patched("Node", "{spec: {podCIDRs: [10.1.2.3/16, x, 5]}}", None), []);
        assert_eq!(patched("Service", "{spec: {clusterIP: 010.0.0.1}}", None), []);
        assert_eq!(patched("Pod", "{status: [1]}", None), []);
        assert_eq!(patched("ConfigMap", "{data: {a: 010.0.0.1}}", None), []);
    }
}
