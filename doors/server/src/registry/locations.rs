//! Where the objects of a resource are stored: the prefixes of their keys.

use super::row::storage_name;
use super::storage;
use crate::storage::cache::{NODE_PORTS, ROOT};
use std::collections::BTreeSet;

/// The prefixes of the keys of a resource of the catalog, `*` for all of a group; none if nothing is stored under this
/// group and name. As in kube-apiserver, a resource that several groups have is stored under one of them.
///
/// ```
/// use ratchet_server::key_prefixes;
///
/// assert_eq!(key_prefixes("apps", "deployments"), ["/registry/deployments.apps/"]);
/// assert_eq!(key_prefixes("", "services"), ["/registry/nodeports/", "/registry/services/"]);
/// assert!(key_prefixes("example.com", "widgets").is_empty());
/// ```
pub fn key_prefixes(group: &str, resource: &str) -> Vec<String> {
    let stored = ratchet_catalog::servable().into_iter().map(|servable| storage(servable.row));
    let matching =
        stored.filter(|row| row.group == group && (resource == "*" || row.plural == resource));
    let mut names: BTreeSet<String> =
        matching.map(|row| storage_name(row.group, row.plural)).collect();
    // Ports are given together with the Services that get them.
    if names.contains("services") {
        names.insert(NODE_PORTS.to_owned());
    }
    names.into_iter().map(|name| format!("{ROOT}{name}/")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_groups_have_is_stored_under_one() {
        assert_eq!(key_prefixes("", "events"), ["/registry/events/"]);
        assert!(key_prefixes("events.k8s.io", "events").is_empty());
        assert_eq!(key_prefixes("coordination.k8s.io", "leases").len(), 1);
        let apps = key_prefixes("apps", "*");
        assert!(apps.contains(&"/registry/daemonsets.apps/".to_owned()) && apps.len() >= 4);
    }
}
