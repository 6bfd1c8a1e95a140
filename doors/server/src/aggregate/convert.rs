//! Discovery documents of extension servers in the form of this server's own.

use ratchet_object::Node;
use std::collections::HashMap;

/// The members of a resource that have a `responseKind`, which older clients cannot do without.
fn complete(resource: &mut Node<'static>) {
    fn add_kind(node: &mut Node<'static>) {
        if node.get("responseKind").is_none_or(Node::is_null) {
            node.set("responseKind", kind("", "", ""));
        }
    }
    add_kind(resource);
    if let Some(items) = resource.get_mut("subresources").and_then(Node::items_mut) {
        items.iter_mut().for_each(add_kind);
    }
}

fn kind(group: &str, version: &str, kind: &str) -> Node<'static> {
    Node::map([
        ("group", Node::string(group.to_owned())),
        ("version", Node::string(version.to_owned())),
        ("kind", Node::string(kind.to_owned())),
    ])
}

/// The part of an aggregated document about one version.
pub(super) fn version_of(
    list: &Node<'static>,
    group: &str,
    version: &str,
) -> Option<Node<'static>> {
    let groups = list.get("items").map(Node::items).unwrap_or_default();
    let own = groups.iter().filter(|one| one.text_at(&["metadata", "name"]) == group);
    let mut versions = own.filter_map(|one| one.get("versions")).flat_map(Node::items);
    let mut found = versions.find(|one| one.text_at(&["version"]) == version)?.clone();
    if let Some(resources) = found.get_mut("resources").and_then(Node::items_mut) {
        resources.iter_mut().for_each(complete);
    }
    Some(found)
}

/// A version with the resources of an APIResourceList.
pub(super) fn from_resource_list(
    list: &Node<'static>,
    version: &str,
) -> Result<Node<'static>, String> {
    let all = list.get("resources").map(Node::items).unwrap_or_default();
    let mut resources: Vec<(String, Node<'static>, Vec<Node<'static>>)> = Vec::new();
    for one in all.iter().filter(|one| !one.text_at(&["name"]).contains('/')) {
        let mut resource = Node::map([
            ("resource", Node::string(one.text_at(&["name"]).to_owned())),
            ("responseKind", response_kind(one)),
            ("scope", Node::string(scope(one))),
            ("singularResource", Node::string(one.text_at(&["singularName"]).to_owned())),
            ("verbs", one.get("verbs").cloned().unwrap_or_else(|| Node::list(Vec::new()))),
        ]);
        for name in ["shortNames", "categories"] {
            if let Some(list) = one.get(name).filter(|list| !list.items().is_empty()) {
                resource.set(name, list.clone());
            }
        }
        resources.push((one.text_at(&["name"]).to_owned(), resource, Vec::new()));
    }
    let places = resources.iter().enumerate().rev();
    let mut places: HashMap<String, usize> =
        places.map(|(place, (name, ..))| (name.clone(), place)).collect();
    for one in all {
        let Some((parent, name)) = one.text_at(&["name"]).split_once('/') else { continue };
        let place = *places.entry(parent.to_owned()).or_insert_with(|| {
            let resource = Node::map([
                ("resource", Node::string(parent.to_owned())),
                ("responseKind", kind("", "", "")),
                ("scope", Node::string(scope(one))),
                ("singularResource", Node::string("")),
                ("verbs", Node::list(Vec::new())),
            ]);
            resources.push((parent.to_owned(), resource, Vec::new()));
            resources.len() - 1
        });
        let Some((_, resource, parts)) = resources.get_mut(place) else { continue };
        if resource.text_at(&["scope"]) != scope(one) {
            let (of_parent, own) = (resource.text_at(&["scope"]), scope(one));
            return Err(format!(
                "Error: Parent {parent} (scope: {of_parent}) and subresource {name} (scope: {own}) scope do not match"
            ));
        }
        parts.push(Node::map([
            ("subresource", Node::string(name.to_owned())),
            ("responseKind", response_kind(one)),
            ("verbs", one.get("verbs").cloned().unwrap_or_else(|| Node::list(Vec::new()))),
        ]));
    }
    let resources = resources.into_iter().map(|(_, mut resource, parts)| {
        if !parts.is_empty() {
            resource.set("subresources", Node::list(parts));
        }
        resource
    });
    Ok(Node::map([
        ("version", Node::string(version.to_owned())),
        ("resources", Node::list(resources.collect())),
    ]))
}

fn scope(resource: &Node<'_>) -> &'static str {
    match resource.get("namespaced").and_then(Node::as_bool) {
        Some(true) => "Namespaced",
        _ => "Cluster",
    }
}

fn response_kind(resource: &Node<'_>) -> Node<'static> {
    let text = |name| resource.text_at(&[name]);
    kind(text("group"), text("version"), text("kind"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    #[test]
    fn a_resource_list_is_told_as_aggregated_discovery_tells_it() {
        let list = node(
            r#"{"resources":[
                {"name":"flunders","singularName":"flunder","namespaced":true,"kind":"Flunder","verbs":["get","list"],"shortNames":["fl"]},
                {"name":"flunders/status","singularName":"","namespaced":true,"kind":"Flunder","verbs":["get"]},
                {"name":"alone/part","singularName":"","namespaced":false,"kind":"","verbs":["create"]}]}"#,
        );
        let none = r#""responseKind":{"group":"","version":"","kind":""}"#;
        let flunder = r#""responseKind":{"group":"","version":"","kind":"Flunder"}"#;
        let wanted = format!(
            r#"{{"version":"v1","resources":[{{"resource":"flunders",{flunder},"scope":"Namespaced","singularResource":"flunder","verbs":["get","list"],"shortNames":["fl"],"subresources":[{{"subresource":"status",{flunder},"verbs":["get"]}}]}},{{"resource":"alone",{none},"scope":"Cluster","singularResource":"","verbs":[],"subresources":[{{"subresource":"part",{none},"verbs":["create"]}}]}}]}}"#
        );
        assert_eq!(from_resource_list(&list, "v1").unwrap().to_json(), wanted);
        let odd = node(
            r#"{"resources":[{"name":"a","namespaced":true},{"name":"a/b","namespaced":false}]}"#,
        );
        let error = from_resource_list(&odd, "v1").unwrap_err();
        assert!(error.starts_with("Error: Parent a (scope: Namespaced)"), "{error}");
    }

    #[test]
    fn one_version_is_taken_from_many() {
        let list = node(
            r#"{"items":[{"metadata":{"name":"b"},"versions":[{"version":"v1"}]},
                {"metadata":{"name":"a"},"versions":[{"version":"v2"},{"version":"v1","resources":[{"resource":"x","subresources":[{"subresource":"y"}]}]}]}]}"#,
        );
        let none = r#""responseKind":{"group":"","version":"","kind":""}"#;
        let wanted = format!(
            r#"{{"version":"v1","resources":[{{"resource":"x","subresources":[{{"subresource":"y",{none}}}],{none}}}]}}"#
        );
        assert_eq!(version_of(&list, "a", "v1").unwrap().to_json(), wanted);
        assert!(version_of(&list, "a", "v3").is_none() && version_of(&list, "c", "v1").is_none());
    }
}
