//! Tests of small discovery documents, compared byte for byte.

use super::*;
use crate::resources::{RESOURCES, lookup};

fn some() -> Vec<&'static Resource<'static>> {
    let rows = [
        ("", "v1", "namespaces"),
        ("", "v1", "serviceaccounts"),
        ("apps", "v1", "deployments"),
        ("autoscaling", "v2", "horizontalpodautoscalers"),
        ("autoscaling", "v1", "horizontalpodautoscalers"),
    ];
    rows.into_iter().filter_map(|(group, version, plural)| lookup(group, version, plural)).collect()
}

#[test]
fn versions_of_core() {
    let expected = concat!(
        r#"{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":"#,
        r#"[{"clientCIDR":"0.0.0.0/0","serverAddress":"10.0.0.1:6443"}]}"#,
        "\n"
    );
    assert_eq!(api_versions("10.0.0.1:6443"), expected);
}

#[test]
fn the_list_of_groups() {
    let expected = concat!(
        r#"{"kind":"APIGroupList","apiVersion":"v1","groups":["#,
        r#"{"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],"#,
        r#""preferredVersion":{"groupVersion":"apps/v1","version":"v1"}},"#,
        r#"{"name":"autoscaling","versions":[{"groupVersion":"autoscaling/v2","version":"v2"},"#,
        r#"{"groupVersion":"autoscaling/v1","version":"v1"}],"#,
        r#""preferredVersion":{"groupVersion":"autoscaling/v2","version":"v2"}}]}"#,
        "\n"
    );
    assert_eq!(api_group_list(&some()), expected);
}

#[test]
fn one_group() {
    let expected = concat!(
        r#"{"kind":"APIGroup","apiVersion":"v1","name":"apps","#,
        r#""versions":[{"groupVersion":"apps/v1","version":"v1"}],"#,
        r#""preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}"#,
        "\n"
    );
    assert_eq!(api_group(&some(), "apps").as_deref(), Some(expected));
    assert_eq!(api_group(&some(), "batch"), None);
    assert_eq!(api_group(&some(), ""), None);
}

#[test]
fn resources_of_core() {
    let expected = concat!(
        r#"{"kind":"APIResourceList","groupVersion":"v1","resources":["#,
        r#"{"name":"namespaces","singularName":"namespace","namespaced":false,"#,
        r#""kind":"Namespace","#,
        r#""verbs":["create","delete","get","list","patch","update","watch"],"#,
        r#""shortNames":["ns"],"storageVersionHash":"Q3oi5N2YM8M="},"#,
        r#"{"name":"namespaces/finalize","singularName":"","namespaced":false,"#,
        r#""kind":"Namespace","verbs":["update"]},"#,
        r#"{"name":"namespaces/status","singularName":"","namespaced":false,"#,
        r#""kind":"Namespace","verbs":["get","patch","update"]},"#,
        r#"{"name":"serviceaccounts","singularName":"serviceaccount","namespaced":true,"#,
        r#""kind":"ServiceAccount","verbs":["create","delete","deletecollection","get","list","#,
        r#""patch","update","watch"],"shortNames":["sa"],"storageVersionHash":"pbx9ZvyFpBE="},"#,
        r#"{"name":"serviceaccounts/token","singularName":"","namespaced":true,"#,
        r#""group":"authentication.k8s.io","version":"v1","kind":"TokenRequest","#,
        r#""verbs":["create"]}]}"#,
        "\n"
    );
    assert_eq!(api_resource_list(&some(), "", "v1").as_deref(), Some(expected));
    assert_eq!(api_resource_list(&some(), "", "v2"), None);
}

#[test]
fn resources_of_a_group_have_a_version() {
    let document = api_resource_list(&some(), "apps", "v1").unwrap();
    let start =
        r#"{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1","resources":["#;
    assert!(document.starts_with(start), "{document}");
}

#[test]
fn all_in_one_for_core() {
    let expected = concat!(
        r#"{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"#,
        r#""items":[{"metadata":{},"versions":[{"version":"v1","resources":["#,
        r#"{"resource":"namespaces","#,
        r#""responseKind":{"group":"","version":"","kind":"Namespace"},"scope":"Cluster","#,
        r#""singularResource":"namespace","#,
        r#""verbs":["create","delete","get","list","patch","update","watch"],"#,
        r#""shortNames":["ns"],"subresources":[{"subresource":"finalize","#,
        r#""responseKind":{"group":"","version":"","kind":"Namespace"},"verbs":["update"]},"#,
        r#"{"subresource":"status","#,
        r#""responseKind":{"group":"","version":"","kind":"Namespace"},"#,
        r#""verbs":["get","patch","update"]}]}],"freshness":"Current"}]}]}"#,
        "\n"
    );
    let namespaces = lookup("", "v1", "namespaces").unwrap();
    assert_eq!(aggregated(&[namespaces], Root::Core), expected);
}

#[test]
fn all_in_one_for_groups() {
    let document = aggregated(&some(), Root::Groups);
    let value: serde_json::Value = serde_json::from_str(&document).unwrap();
    assert_eq!(value["items"][0]["metadata"]["name"], "apps");
    let deployments = &value["items"][0]["versions"][0]["resources"][0];
    assert_eq!(deployments["scope"], "Namespaced");
    assert_eq!(deployments["subresources"][0]["subresource"], "scale");
    let scale = serde_json::json!({"group": "autoscaling", "version": "v1", "kind": "Scale"});
    assert_eq!(deployments["subresources"][0]["responseKind"], scale);
    let versions = value["items"][1]["versions"].as_array().unwrap();
    let versions: Vec<_> = versions.iter().map(|version| &version["version"]).collect();
    assert_eq!(versions, ["v2", "v1"]);
}

#[test]
fn everything_is_json() {
    let all: Vec<_> = RESOURCES.iter().collect();
    for document in [
        api_group_list(&all),
        api_resource_list(&all, "", "v1").unwrap(),
        aggregated(&all, Root::Core),
        aggregated(&all, Root::Groups),
    ] {
        serde_json::from_str::<serde_json::Value>(&document).unwrap();
    }
}

#[test]
fn hashes() {
    let hash =
        |group, version, kind| storage_version_hash(GroupVersionKind { group, version, kind });
    assert_eq!(hash("", "v1", "Pod"), "xPOwRZ+Yhw8=");
    assert_eq!(hash("autoscaling", "v2", "HorizontalPodAutoscaler"), "qwQve8ut294=");
    let tag = etag("");
    assert!(tag.starts_with("\"CF83E1357EEFB8BD") && tag.ends_with("927DA3E\""), "{tag}");
    assert_eq!(tag.len(), 130);
}
