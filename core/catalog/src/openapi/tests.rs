//! Tests of OpenAPI documents, parsed back and checked for what clients look for.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use crate::resources::{Names, RESOURCES, Resource};

/// A few of the rules, enough to see that they are written.
fn rules(type_id: &str, field: &str) -> Option<(&'static str, &'static str)> {
    match (type_id, field) {
        ("io.k8s.api.core.v1.PodSpec", "containers") => Some(("merge", "name")),
        ("io.k8s.api.core.v1.PodSpec", "volumes") => Some(("merge,retainKeys", "name")),
        ("io.k8s.api.apps.v1.DeploymentSpec", "strategy") => Some(("retainKeys", "")),
        _ => None,
    }
}

fn all() -> Vec<&'static Resource<'static>> {
    RESOURCES.iter().collect()
}

fn v3(group: &str, version: &str) -> Value {
    let document = super::v3(&all(), group, version, Some(&rules)).expect("a served version");
    serde_json::from_str(&document).expect("JSON")
}

fn v2() -> Value {
    serde_json::from_str(&super::v2(&all(), Some(&rules))).expect("JSON")
}

fn every_v3() -> Vec<Value> {
    crate::discovery::group_versions(&all())
        .into_iter()
        .map(|(group, version)| v3(group, version))
        .collect()
}

/// All references in a document.
fn references(value: &Value, references_found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(to) if name == "$ref" => references_found.push(to.clone()),
                    // A property may be called $ref; it is an object.
                    other => references(other, references_found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, references_found)),
        _ => (),
    }
}

fn assert_references_resolve(document: &Value) {
    let mut references_found = Vec::new();
    references(document, &mut references_found);
    assert!(!references_found.is_empty());
    for to in references_found {
        let pointer = to.strip_prefix('#').expect("within the document");
        assert!(document.pointer(pointer).is_some(), "{to}");
    }
}

/// All operations of a document with their path and method.
fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let mut operations_found = Vec::new();
    for (path, item) in paths {
        for (method, operation) in item.as_object().expect("an item") {
            if method != "parameters" {
                operations_found.push((path.as_str(), method.as_str(), operation));
            }
        }
    }
    operations_found
}

#[test]
fn every_reference_of_version_3_resolves() {
    every_v3().iter().for_each(assert_references_resolve);
}

#[test]
fn every_reference_of_version_2_resolves() {
    assert_references_resolve(&v2());
}

/// kubectl takes any PATCH of the kind it finds, that of a subresource too.
#[test]
fn every_patch_of_a_kind_says_that_fields_are_validated() {
    let mut patches = 0;
    for document in every_v3() {
        for (path, method, operation) in operations(&document) {
            if method != "patch" || operation["x-kubernetes-action"] == "connect" {
                continue;
            }
            let parameters = operation["parameters"].as_array().expect(path);
            let names: Vec<_> = parameters.iter().map(|parameter| &parameter["name"]).collect();
            assert_eq!(names, ["dryRun", "fieldManager", "fieldValidation", "force"], "{path}");
            assert!(parameters.iter().all(|parameter| parameter["in"] == "query"), "{path}");
            for ty in super::patch_types(true) {
                assert!(!operation["requestBody"]["content"][ty].is_null(), "{path} {ty}");
            }
            patches += 1;
        }
    }
    assert!(patches > 80, "{patches}");
}

#[test]
fn every_patch_of_version_2_says_so_too() {
    let document = v2();
    for (path, method, operation) in operations(&document) {
        if method != "patch" || operation["x-kubernetes-action"] == "connect" {
            continue;
        }
        let parameters = operation["parameters"].to_string();
        assert!(parameters.contains("#/parameters/fieldValidation"), "{path}");
        let consumes = operation["consumes"].to_string();
        assert!(consumes.contains("strategic-merge-patch+json"), "{path}");
    }
    assert_eq!(document["parameters"]["fieldValidation"]["in"], "query");
}

#[test]
fn operations_name_their_kind_and_have_names_of_their_own() {
    let mut names = Vec::new();
    for document in every_v3() {
        for (path, method, operation) in operations(&document) {
            let gvk = &operation["x-kubernetes-group-version-kind"];
            assert!(gvk["kind"].is_string() && gvk["group"].is_string(), "{method} {path}");
            names.push(operation["operationId"].as_str().expect("a name").to_string());
        }
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(names.binary_search(&"patchAppsV1NamespacedDeploymentScale".to_string()).is_ok());
    assert!(names.binary_search(&"listCoreV1PodForAllNamespaces".to_string()).is_ok());
    let list = "listRbacAuthorizationV1ClusterRole".to_string();
    assert!(names.binary_search(&list).is_ok());
}

#[test]
fn variable_parts_of_paths_are_declared() {
    for document in every_v3() {
        for (path, item) in document["paths"].as_object().expect("paths") {
            let declared = item["parameters"].as_array().expect(path);
            let declared = declared.iter().filter(|parameter| parameter["in"] == "path");
            assert_eq!(declared.count(), path.matches('{').count(), "{path}");
        }
    }
}

#[test]
fn schemas_of_kinds_name_them() {
    let document = v3("", "v1");
    let schemas = &document["components"]["schemas"];
    let pod = &schemas["io.k8s.api.core.v1.Pod"];
    let gvk = serde_json::json!([{"group": "", "version": "v1", "kind": "Pod"}]);
    assert_eq!(pod["x-kubernetes-group-version-kind"], gvk);
    let spec = serde_json::json!([{"$ref": "#/components/schemas/io.k8s.api.core.v1.PodSpec"}]);
    assert_eq!(pod["properties"]["spec"]["allOf"], spec);
    let list = &schemas["io.k8s.api.core.v1.PodList"];
    assert_eq!(list["x-kubernetes-group-version-kind"][0]["kind"], "PodList");
    assert_eq!(list["required"], serde_json::json!(["items"]));
    let name = &schemas["io.k8s.api.core.v1.LocalObjectReference"]["required"];
    assert!(name.is_null(), "{name}");
}

#[test]
fn merge_rules_are_written() {
    let document = v3("apps", "v1");
    let schemas = &document["components"]["schemas"];
    let pod = &schemas["io.k8s.api.core.v1.PodSpec"]["properties"];
    assert_eq!(pod["containers"]["x-kubernetes-patch-merge-key"], "name");
    assert_eq!(pod["containers"]["x-kubernetes-patch-strategy"], "merge");
    assert_eq!(pod["volumes"]["x-kubernetes-patch-strategy"], "merge,retainKeys");
    let strategy = &schemas["io.k8s.api.apps.v1.DeploymentSpec"]["properties"]["strategy"];
    assert_eq!(strategy["x-kubernetes-patch-strategy"], "retainKeys");
    assert!(strategy["x-kubernetes-patch-merge-key"].is_null());
    assert!(pod["nodeName"]["x-kubernetes-patch-strategy"].is_null());
}

#[test]
fn without_merge_rules_strategic_merge_is_not_offered() {
    let document = super::v3(&all(), "apps", "v1", None).expect("apps");
    assert!(!document.contains("strategic-merge-patch"));
    assert!(document.contains("application/merge-patch+json"));
    assert!(!super::v2(&all(), None).contains("strategic-merge-patch"));
}

#[test]
fn a_kind_without_a_schema_has_a_document_too() {
    let widgets = Resource {
        group: "shop.example.com",
        version: "v1",
        kind: "Widget",
        plural: "widgets",
        singular: "widget",
        namespaced: true,
        verbs: &["get", "list", "patch"],
        short_names: Names::Table(&[]),
        categories: Names::Table(&[]),
        subresources: &[],
        storage: None,
    };
    let document = super::v3(&[&widgets], "shop.example.com", "v1", Some(&rules)).expect("widgets");
    assert!(!document.contains("strategic-merge-patch"));
    let document: Value = serde_json::from_str(&document).expect("JSON");
    assert_references_resolve(&document);
    let schema = &document["components"]["schemas"]["com.example.shop.v1.Widget"];
    assert_eq!(schema["x-kubernetes-group-version-kind"][0]["group"], "shop.example.com");
}

#[test]
fn the_index() {
    assert_eq!(super::v3(&all(), "apps", "v2", None), None);
    assert_eq!(super::v3_path("", "v1"), "api/v1");
    assert_eq!(super::v3_path("apps", "v1"), "apis/apps/v1");
    let index = super::v3_index([("api/v1", "AB"), ("apis/apps/v1", "CD")].into_iter());
    let expected = concat!(
        r#"{"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=AB"},"#,
        r#""apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=CD"}}}"#
    );
    assert_eq!(index, expected);
}
