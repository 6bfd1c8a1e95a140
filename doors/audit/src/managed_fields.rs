//! `managedFields`: which managers own the value at a place of an object, and when they wrote it.

use crate::finding::Manager;
use ratchet_object::{Limits, Node, decode_json};

/// One step to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment<'a> {
    /// A member of a map.
    Member(&'a str),
    /// An item of a list.
    Item(usize),
}

/// All entries.
pub(crate) fn all(object: &Node<'_>) -> Vec<Manager> {
    entries(object).iter().map(manager).collect()
}

/// The entries that own the value at a place; all of them if none claims it.
pub(crate) fn owners_of(object: &Node<'_>, place: &[Segment<'_>]) -> Vec<Manager> {
    let owns = |row: &&Node<'_>| row.get("fieldsV1").is_some_and(|set| holds(set, object, place));
    let own: Vec<Manager> = entries(object).iter().filter(owns).map(manager).collect();
    if own.is_empty() || place.is_empty() { all(object) } else { own }
}

fn entries<'a, 't>(object: &'a Node<'t>) -> &'a [Node<'t>] {
    object.find(&["metadata", "managedFields"]).map(Node::items).unwrap_or_default()
}

fn manager(row: &Node<'_>) -> Manager {
    let text = |name: &str| row.text_at(&[name]).to_owned();
    Manager {
        manager: text("manager"),
        operation: text("operation"),
        subresource: text("subresource"),
        time: text("time"),
    }
}

/// Whether a set of fields has the value at `place` below `value`, or an atomic value around it.
fn holds(set: &Node<'_>, value: &Node<'_>, place: &[Segment<'_>]) -> bool {
    let Some((first, rest)) = place.split_first() else { return true };
    // A member without members is a leaf: the whole value is owned at once.
    let goes_on = |below: &Node<'_>, value: Option<&Node<'_>>| {
        below.entries().is_empty() || value.is_some_and(|value| holds(below, value, rest))
    };
    match first {
        Segment::Member(name) => {
            let below =
                set.entries().iter().find(|entry| entry.key.strip_prefix("f:") == Some(name));
            below.is_some_and(|entry| goes_on(&entry.node, value.get(name)))
        }
        Segment::Item(index) => {
            let Some(item) = value.items().get(*index) else { return false };
            let below = set.entries().iter().find(|entry| names_item(&entry.key, item, *index));
            below.is_some_and(|entry| goes_on(&entry.node, Some(item)))
        }
    }
}

/// Whether a path element of a set (`k:{…}`, `v:…`, `i:…`) names an item.
fn names_item(element: &str, item: &Node<'_>, index: usize) -> bool {
    let Some((kind, text)) = element.split_once(':') else { return false };
    let decoded = || decode_json(text, Limits::DEFAULT).ok()?.documents.into_iter().next();
    match kind {
        "i" => text.parse() == Ok(index),
        "v" => decoded().is_some_and(|value| value == *item),
        "k" => decoded().is_some_and(|keys| {
            keys.entries().iter().all(|key| item.get(&key.key) == Some(&key.node))
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::decode;

    #[test]
    fn the_manager_of_a_value_is_found_through_keys_and_atomic_lists() {
        let text = r#"{"spec": {"externalIPs": ["10.0.0.1"], "ports": [{"port": 80, "protocol": "TCP"}]},
            "metadata": {"managedFields": [
              {"manager": "a", "fieldsV1": {"f:spec": {"f:externalIPs": {}}}},
              {"manager": "b", "fieldsV1": {"f:spec": {"f:ports": {".": {}, "k:{\"port\":80,\"protocol\":\"TCP\"}": {"f:port": {}}}}}}]}}"#;
        let object = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
        let names = |place: &[Segment<'_>]| -> Vec<String> {
            owners_of(&object, place).into_iter().map(|row| row.manager).collect()
        };
        use Segment::{Item, Member};
        assert_eq!(names(&[Member("spec"), Member("externalIPs"), Item(0)]), ["a"]);
        assert_eq!(names(&[Member("spec"), Member("ports"), Item(0), Member("port")]), ["b"]);
        assert_eq!(names(&[Member("spec"), Member("type")]), ["a", "b"]);
    }
}
