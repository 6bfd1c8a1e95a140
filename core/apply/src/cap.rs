//! The cap on update managers: the oldest are united.

use crate::entry::{Operation, seconds};
use crate::managed::{Managed, ManagerId, Owner};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The most managers of updates that an object keeps.
const MAX_UPDATE_MANAGERS: usize = 10;

/// The manager of what was united.
const ANCIENT_CHANGES: &str = "ancient-changes";

/// Unites the oldest managers of updates, version by version, until few enough are left.
pub(crate) fn cap_update_managers(managed: &mut Managed<'_>) {
    let is_update = |owner: &Owner<'_>| owner.id.operation == Operation::Update;
    let mut oldest: Vec<(i64, String)> = managed
        .owners
        .iter()
        .filter(|(_, owner)| is_update(owner))
        .map(|(key, owner)| (seconds(owner.time.as_deref()), key.clone()))
        .collect();
    let mut count = oldest.len();
    oldest.sort();
    // The first of each version waits for a second one to be united with.
    let mut firsts: BTreeMap<String, String> = BTreeMap::new();
    for (_, key) in oldest {
        if count <= MAX_UPDATE_MANAGERS {
            return;
        }
        let Some(version) = managed.owners.get(&key).map(|owner| owner.api_version.to_string())
        else {
            continue;
        };
        match firsts.get(&version) {
            None => {
                firsts.insert(version, key);
            }
            Some(first) => {
                unite(managed, &version, first, &key);
                count -= 1;
            }
        }
    }
}

/// Moves what a manager owns to that of ancient changes, which begins with what `first` owned.
fn unite(managed: &mut Managed<'_>, version: &str, first: &str, key: &str) {
    let id = |version: &str| ManagerId {
        manager: ANCIENT_CHANGES.into(),
        operation: Operation::Update,
        api_version: version.to_string().into(),
        subresource: "".into(),
    };
    let bucket = id(version).key();
    if !managed.owners.contains_key(&bucket)
        && let Some(owner) = managed.owners.remove(first)
    {
        managed.owners.insert(bucket.clone(), Owner { id: id(version), ..owner });
    }
    let Some(owner) = managed.owners.get(key).cloned() else { return };
    if let Some(ancient) = managed.owners.get_mut(&bucket) {
        ancient.set = owner.set.union(&ancient.set);
        // The time of the youngest.
        ancient.time = owner.time;
    }
    if key != bucket {
        managed.owners.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use ratchet_object::{Limits, Node, decode};

    fn capped(entries: &str) -> Vec<(String, String, String)> {
        let entries = decode(entries, Limits::DEFAULT).unwrap().documents.remove(0);
        let mut managed = Managed::decode(Some(&entries)).unwrap();
        cap_update_managers(&mut managed);
        let entry = |node: Node<'static>| {
            let text = |name| node.text_at(&[name]).to_string();
            let fields = node.get("fieldsV1").map(Node::to_json).unwrap_or_default();
            (text("manager"), text("time"), fields)
        };
        managed.encode().into_iter().map(|found| entry(found.into_node())).collect()
    }

    fn entry(manager: &str, second: usize, version: &str, operation: &str) -> String {
        format!(
            "{{manager: {manager}, operation: {operation}, apiVersion: {version}, time: '2026-01-02T03:04:{second:02}Z', fieldsType: FieldsV1, fieldsV1: {{f:{manager}: {{}}}}}}"
        )
    }

    #[test]
    fn ten_are_kept_and_those_who_apply_do_not_count() {
        let entries: Vec<String> = (0..10)
            .map(|n| entry(&format!("u{n}"), n, "v1", "Update"))
            .chain((0..5).map(|n| entry(&format!("a{n}"), n, "v1", "Apply")))
            .collect();
        assert_eq!(capped(&format!("[{}]", entries.join(","))).len(), 15);
    }

    #[test]
    fn the_oldest_are_united_with_the_time_of_the_youngest_of_them() {
        let entries: Vec<String> =
            (10..22).map(|n| entry(&format!("u{n}"), 59 - n, "v1", "Update")).collect();
        let left = capped(&format!("[{}]", entries.join(",")));
        assert_eq!(left.len(), 10);
        let (manager, time, fields) = &left[0];
        assert_eq!(manager, "ancient-changes");
        assert_eq!(time, "2026-01-02T03:04:40Z");
        assert_eq!(fields, r#"{"f:u19":{},"f:u20":{},"f:u21":{}}"#);
    }

    #[test]
    fn versions_are_united_apart() {
        let entries: Vec<String> = (10..22)
            .map(|n| entry(&format!("u{n}"), n, if n == 11 { "v2" } else { "v1" }, "Update"))
            .collect();
        let left = capped(&format!("[{}]", entries.join(",")));
        let names: Vec<&str> = left.iter().map(|entry| entry.0.as_str()).collect();
        assert_eq!(
            names,
            ["u11", "ancient-changes", "u14", "u15", "u16", "u17", "u18", "u19", "u20", "u21"]
        );
        assert_eq!(left[1].2, r#"{"f:u10":{},"f:u12":{},"f:u13":{}}"#);
    }
}
