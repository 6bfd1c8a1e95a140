//! Tests of OpenAPI documents, parsed back and checked for what clients look for.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::{CustomSchemas, Published};
use crate::resources::{Names, RESOURCES, Resource, SCALE, STATUS};
use ratchet_object::{Limits, Node, decode};

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
    serde_json::from_str(&v3_text(group, version, Some(&rules))).expect("JSON")
}

fn v3_text(group: &str, version: &str, rules: Option<super::MergeRules<'_>>) -> String {
    let rows = RESOURCES.iter().filter(|row| (row.group, row.version) == (group, version));
    super::v3(&rows.map(Published::built_in).collect::<Vec<_>>(), rules)
}

fn v2_text(rules: Option<super::MergeRules<'_>>) -> String {
    let parts =
        super::v2_parts(&RESOURCES.iter().map(Published::built_in).collect::<Vec<_>>(), rules);
    let frame = super::v2_frame();
    [&*frame.start, &*parts.paths, frame.between, &*parts.definitions, &*frame.end].concat()
}

fn v2() -> Value {
    serde_json::from_str(&v2_text(Some(&rules))).expect("JSON")
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

#[test]
fn version_2_has_the_words_that_tests_of_kubectl_look_for() {
    let text = v2().to_string();
    for words in
        ["list of returned", "List of services", "Watch for changes to the described resources"]
    {
        assert!(text.contains(words), "{words}");
    }
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
            let is_named = gvk["kind"].is_string() && gvk["group"].is_string();
            assert_eq!(is_named, !path.ends_with('/'), "{method} {path}");
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

/// As many as the release has by default.
#[test]
fn version_2_has_the_paths_of_discovery_and_of_old_watches() {
    let document = v2();
    let paths = document["paths"].as_object().expect("paths");
    assert_eq!(paths.len(), 408);
    let id = |path: &str| paths[path]["get"]["operationId"].as_str().expect(path).to_string();
    assert_eq!(id("/api/"), "getCoreAPIVersions");
    assert_eq!(id("/apis/rbac.authorization.k8s.io/"), "getRbacAuthorizationAPIGroup");
    assert_eq!(id("/apis/apps/v1/"), "getAppsV1APIResources");
    assert_eq!(id("/version/"), "getCodeVersion");
    assert_eq!(id("/api/v1/watch/pods"), "watchCoreV1PodListForAllNamespaces");
    let pods = "/api/v1/watch/namespaces/{namespace}/pods";
    assert_eq!(id(pods), "watchCoreV1NamespacedPodList");
    assert_eq!(paths[pods]["get"]["x-kubernetes-action"], "watchlist");
    assert_eq!(id(&(pods.to_string() + "/{name}")), "watchCoreV1NamespacedPod");
    assert_eq!(id("/api/v1/watch/nodes/{name}"), "watchCoreV1Node");
    let proxy = &paths["/api/v1/nodes/{name}/proxy"];
    assert_eq!(proxy["head"]["operationId"], "connectCoreV1HeadNodeProxy");
    assert_eq!(proxy["options"]["operationId"], "connectCoreV1OptionsNodeProxy");
}

#[test]
fn variable_parts_of_paths_are_declared() {
    for document in every_v3() {
        for (path, item) in document["paths"].as_object().expect("paths") {
            let declared = item["parameters"].as_array().map_or(&[][..], Vec::as_slice);
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
    let document = v3_text("apps", "v1", None);
    assert!(!document.contains("strategic-merge-patch"));
    assert!(document.contains("application/merge-patch+json"));
    assert!(!v2_text(None).contains("strategic-merge-patch"));
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
    let document = super::v3(&[Published::built_in(&widgets)], Some(&rules));
    assert!(!document.contains("strategic-merge-patch"));
    let document: Value = serde_json::from_str(&document).expect("JSON");
    assert_references_resolve(&document);
    let schema = &document["components"]["schemas"]["com.example.shop.v1.Widget"];
    assert_eq!(schema["x-kubernetes-group-version-kind"][0]["group"], "shop.example.com");
}

#[test]
fn the_index() {
    assert_eq!(super::v3_path("", "v1"), "api/v1");
    assert_eq!(super::v3_path("apps", "v1"), "apis/apps/v1");
    let index = super::v3_index([("api/v1", "AB"), ("apis/apps/v1", "CD")].into_iter());
    let expected = concat!(
        r#"{"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=AB"},"#,
        r#""apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=CD"}}}"#
    );
    assert_eq!(index, expected);
}

fn tree(text: &str) -> Node<'static> {
    decode(text, Limits::DEFAULT).expect("YAML").documents.remove(0).into_owned()
}

/// A resource that is defined at run time, with its schemas.
fn gadgets() -> (Resource<'static>, CustomSchemas) {
    let row = Resource {
        group: "cert-shop.example.com",
        version: "v1beta1",
        kind: "Gadget",
        plural: "gadgets",
        singular: "gadget",
        namespaced: true,
        verbs: crate::CUSTOM_VERBS,
        short_names: Names::Defined(&[]),
        categories: Names::Defined(&[]),
        subresources: const { &[STATUS, SCALE] },
        storage: None,
    };
    let object = tree(
        "{type: object, description: a gadget, properties: {metadata: {$ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'},
         size: {type: integer, minimum: 1.5, maxLength: 3, enum: [1, 2]}, tags: {type: array, items: {type: string}, x-kubernetes-list-type: set},
         more: {type: object, additionalProperties: {type: string}}, any: {additionalProperties: true}}, required: [size]}",
    );
    let list = tree("{type: object, required: [items]}");
    (row, CustomSchemas { object, list_id: "com.example.cert-shop.v1beta1.Gadgetry".into(), list })
}

#[test]
fn defined_resources_have_the_operations_of_the_api_server() {
    let (row, mut schemas) = gadgets();
    schemas.object = tree("{type: object}");
    let document =
        super::v3(&[Published { resource: &row, schemas: Some(&schemas) }], Some(&rules));
    let document: Value = serde_json::from_str(&document).expect("JSON");
    assert_references_resolve(&document);
    assert_eq!(document["info"]["title"], "Kubernetes CRD Swagger");
    let mut found: Vec<(String, String)> = operations(&document)
        .into_iter()
        .map(|(_, _, operation)| {
            let text = |name: &str| operation[name].as_str().unwrap_or_default().to_string();
            (text("operationId"), text("description"))
        })
        .collect();
    found.sort();
    let found: Vec<_> = found.iter().map(|(id, about)| (id.as_str(), about.as_str())).collect();
    let expected = [
        ("createCertShopExampleComV1beta1NamespacedGadget", "create a Gadget"),
        (
            "deleteCertShopExampleComV1beta1CollectionNamespacedGadget",
            "delete collection of Gadget",
        ),
        ("deleteCertShopExampleComV1beta1NamespacedGadget", "delete a Gadget"),
        ("listCertShopExampleComV1beta1GadgetForAllNamespaces", "list objects of kind Gadget"),
        ("listCertShopExampleComV1beta1NamespacedGadget", "list objects of kind Gadget"),
        ("patchCertShopExampleComV1beta1NamespacedGadget", "partially update the specified Gadget"),
        (
            "patchCertShopExampleComV1beta1NamespacedGadgetScale",
            "partially update scale of the specified Gadget",
        ),
        (
            "patchCertShopExampleComV1beta1NamespacedGadgetStatus",
            "partially update status of the specified Gadget",
        ),
        ("readCertShopExampleComV1beta1NamespacedGadget", "read the specified Gadget"),
        (
            "readCertShopExampleComV1beta1NamespacedGadgetScale",
            "read scale of the specified Gadget",
        ),
        (
            "readCertShopExampleComV1beta1NamespacedGadgetStatus",
            "read status of the specified Gadget",
        ),
        ("replaceCertShopExampleComV1beta1NamespacedGadget", "replace the specified Gadget"),
        (
            "replaceCertShopExampleComV1beta1NamespacedGadgetScale",
            "replace scale of the specified Gadget",
        ),
        (
            "replaceCertShopExampleComV1beta1NamespacedGadgetStatus",
            "replace status of the specified Gadget",
        ),
    ];
    assert_eq!(found, expected);
    let object = "/apis/cert-shop.example.com/v1beta1/namespaces/{namespace}/gadgets/{name}";
    let scale = &document["paths"][alloc::format!("{object}/scale")]["get"];
    assert_eq!(scale["x-kubernetes-group-version-kind"]["kind"], "Gadget");
    assert_eq!(scale["tags"][0], "certShopExampleCom_v1beta1");
    let reference = "#/components/schemas/io.k8s.api.autoscaling.v1.Scale";
    let content = &scale["responses"]["200"]["content"];
    assert_eq!(content["application/yaml"]["schema"]["$ref"], reference);
    let patch = &document["paths"][object]["patch"];
    let types: Vec<_> =
        patch["requestBody"]["content"].as_object().expect("types").keys().collect();
    assert_eq!(types.len(), 3);
    assert!(patch["responses"]["201"].is_null());
}

#[test]
fn parts_of_version_2_fit_together() {
    let (row, schemas) = gadgets();
    let built_in: Vec<_> = RESOURCES.iter().map(Published::built_in).collect();
    let (built_in, custom) = (
        super::v2_parts(&built_in, None),
        super::v2_parts(&[Published { resource: &row, schemas: Some(&schemas) }], None),
    );
    let frame = super::v2_frame();
    let text = [
        &*frame.start,
        &*built_in.paths,
        ",",
        &*custom.paths,
        frame.between,
        &*built_in.definitions,
        ",",
        &*custom.definitions,
        &*frame.end,
    ];
    let document: Value = serde_json::from_str(&text.concat()).expect("JSON");
    assert_references_resolve(&document);
    let gadget = &document["definitions"]["com.example.cert-shop.v1beta1.Gadget"];
    assert_eq!(gadget["properties"]["size"]["minimum"], 1.5);
    assert!(document["definitions"]["com.example.cert-shop.v1beta1.Gadgetry"].is_object());
}
