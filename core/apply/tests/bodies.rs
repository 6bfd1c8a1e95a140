//! Bodies that cannot be applied, in the words of the reference.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod object_server;

use object_server::ObjectServer;

fn error(group: &'static str, kind: &'static str, body: &str) -> (u16, String) {
    let mut server = ObjectServer::built_in(group, "v1", kind);
    let error = server.apply("m1", body, false).unwrap_err();
    (error.code(), error.to_string())
}

#[test]
fn another_kind_or_entries_in_the_body() {
    let invalid = |text: &str| (400, format!("invalid object type: {text}"));
    for (body, kind) in [
        ("null", "/, Kind="),
        ("{}", "/, Kind="),
        ("{apiVersion: v1}", "/v1, Kind="),
        ("{apiVersion: v1, kind: 7}", "/v1, Kind="),
        ("{apiVersion: v1, kind: Secret}", "/v1, Kind=Secret"),
        ("{kind: ConfigMap}", "/, Kind=ConfigMap"),
        ("{apiVersion: v2, kind: ConfigMap}", "/v2, Kind=ConfigMap"),
        ("{apiVersion: apps/v1, kind: ConfigMap}", "apps/v1, Kind=ConfigMap"),
        ("{apiVersion: a/b/c, kind: ConfigMap}", "/, Kind="),
    ] {
        assert_eq!(error("", "ConfigMap", body), invalid(kind), "{body}");
    }
    for entries in ["[]", "[{}]", "[{manager: m}]"] {
        let body = format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{managedFields: {entries}}}, banana: 1}}"
        );
        let nil = (400, "metadata.managedFields must be nil".to_owned());
        assert_eq!(error("", "ConfigMap", &body), nil, "{entries}");
    }
    let mut server = ObjectServer::built_in("", "v1", "ConfigMap");
    let body =
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, managedFields: null}, data: {a: b}}";
    server.apply("m1", body, false).unwrap();
    assert_eq!(server.managers(), [r#"m1 Apply v1 00:00 {"f:data":{"f:a":{}}}"#]);
}

#[test]
fn values_that_do_not_fit_the_schema() {
    for (body, problem) in [
        ("banana: 1", ".banana: field not declared in schema"),
        ("data: x", ".data: expected map, got &{x}"),
        ("data: [a, 1]", ".data: expected map, got &{[a 1]}"),
        ("data: {a: 1}", ".data.a: expected string, got &value.valueUnstructured{Value:1}"),
        ("data: {a: true}", ".data.a: expected string, got &value.valueUnstructured{Value:true}"),
        (
            "data: {a: [b]}",
            r#".data.a: expected string, got &value.valueUnstructured{Value:[]interface {}{"b"}}"#,
        ),
        (
            "data: {a: {b: [1.5, null], a: 1000000}}",
            r#".data.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":1000000, "b":[]interface {}{1.5, interface {}(nil)}}}"#,
        ),
        ("immutable: 1", ".immutable: expected boolean, got &{1}"),
        ("immutable: {b: 1, a: x}", ".immutable: expected boolean, got &{map[a:x b:1]}"),
        (
            "metadata: {name: x, finalizers: [null]}",
            ".metadata.finalizers: element 0: associative list without keys has an element that's an explicit null",
        ),
        (
            "metadata: {name: x, finalizers: [a, {}]}",
            ".metadata.finalizers: element 1: associative list without keys has an element that's a map type",
        ),
        (
            "metadata: {name: x, finalizers: [[]]}",
            ".metadata.finalizers: element 0: not supported: associative list with lists as elements",
        ),
    ] {
        let body = if body.starts_with("metadata") {
            format!("{{apiVersion: v1, kind: ConfigMap, {body}}}")
        } else {
            format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: x}}, {body}}}")
        };
        let message =
            format!("failed to create typed patch object (/x; /v1, Kind=ConfigMap): {problem}");
        assert_eq!(error("", "ConfigMap", &body), (500, message));
    }
}

#[test]
fn lists_that_do_not_fit_the_schema() {
    for (spec, problem) in [
        ("{replicas: x}", ".spec.replicas: expected numeric (int or float), got string"),
        (
            "{replicas: {}}",
            ".spec.replicas: expected numeric (int or float), got map[string]interface {}",
        ),
        (
            "{template: {spec: {containers: {name: c}}}}",
            ".spec.template.spec.containers: expected list, got &{map[name:c]}",
        ),
        (
            "{template: {spec: {containers: [null]}}}",
            ".spec.template.spec.containers: element 0: associative list with keys may not have a null element",
        ),
        (
            "{template: {spec: {containers: [c]}}}",
            ".spec.template.spec.containers: element 0: associative list with keys may not have non-map elements",
        ),
        (
            "{template: {spec: {tolerations: [{banana: 1}]}}}",
            ".spec.template.spec.tolerations[0].banana: field not declared in schema",
        ),
        (
            "{template: {spec: {containers: [{name: c, ports: [{containerPort: 80}, {containerPort: 80, protocol: TCP}]}]}}}",
            r#".spec.template.spec.containers[name="c"].ports: duplicate entries for key [containerPort=80,protocol="TCP"]"#,
        ),
    ] {
        let body = format!(
            "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: x, namespace: ns}}, spec: {spec}}}"
        );
        let message = format!(
            "failed to create typed patch object (ns/x; apps/v1, Kind=Deployment): {problem}"
        );
        assert_eq!(error("apps", "Deployment", &body), (500, message));
    }
    let secrets =
        "{apiVersion: v1, kind: ServiceAccount, metadata: {name: x}, secrets: [{namespace: ns}]}";
    assert_eq!(
        error("", "ServiceAccount", secrets).1,
        r#"failed to create typed patch object (/x; /v1, Kind=ServiceAccount): .secrets: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)"#
    );
}

#[test]
fn an_item_without_its_key_has_the_default_of_the_key() {
    let mut server = ObjectServer::built_in("apps", "v1", "Deployment");
    let body = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {template: {spec: {containers: [{image: i}]}}}}";
    server.apply("m1", body, false).unwrap();
    assert_eq!(
        server.managers(),
        [
            r#"m1 Apply apps/v1 00:00 {"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"\"}":{".":{},"f:image":{}}}}}}}"#
        ]
    );
}

#[test]
fn values_that_fit_the_schema_but_not_the_type() {
    let lease = "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: x}, spec: {renewTime: '2026-01-01T00:00:00Z'}}";
    assert_eq!(
        error("coordination.k8s.io", "Lease", lease),
        (
            500,
            r#"failed to convert new object (/x; coordination.k8s.io/v1, Kind=Lease) to proper version: unable to convert unstructured object to coordination.k8s.io/v1, Kind=Lease: parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000""#
                .to_owned()
        )
    );
    let replicas =
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {replicas: 1.5}}";
    assert_eq!(
        error("apps", "Deployment", replicas).1,
        "failed to convert new object (/x; apps/v1, Kind=Deployment) to proper version: unable to convert unstructured object to apps/v1, Kind=Deployment: cannot convert float64 to int32"
    );
}
