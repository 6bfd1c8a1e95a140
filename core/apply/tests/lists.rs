//! Lists with keys, sets, atomic values and duplicates, in built-in and custom kinds.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod object_server;

use object_server::ObjectServer;

fn service(ports: &str) -> String {
    format!("{{apiVersion: v1, kind: Service, metadata: {{name: x}}, spec: {{ports: {ports}}}}}")
}

#[test]
fn defaults_of_keys_identify_items() {
    let mut server = ObjectServer::built_in("", "v1", "Service");
    server.apply("m1", &service("[{port: 80, name: a}]"), false).unwrap();
    assert_eq!(
        server.managers(),
        [
            r#"m1 Apply v1 00:00 {"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:name":{},"f:port":{}}}}}"#
        ]
    );
    server.apply("m2", &service("[{port: 80, protocol: UDP, name: b}]"), false).unwrap();
    server.apply("m3", &service("[{port: 80, protocol: TCP, targetPort: 8080}]"), true).unwrap();
    assert_eq!(
        server.value(&["spec", "ports"]),
        r#"[{"name":"a","port":80,"protocol":"TCP","targetPort":8080},{"name":"b","port":80,"protocol":"UDP","targetPort":80}]"#
    );
}

#[test]
fn items_stay_as_long_as_somebody_owns_a_part_of_them() {
    let mut server = ObjectServer::built_in("", "v1", "Service");
    server.apply("m1", &service("[{port: 80, name: a}, {port: 81, name: b}]"), false).unwrap();
    server.apply("m2", &service("[{port: 80, appProtocol: h}]"), false).unwrap();
    server.apply("m1", &service("[{port: 81, name: b}]"), false).unwrap();
    assert_eq!(
        server.value(&["spec", "ports"]),
        r#"[{"appProtocol":"h","port":80,"protocol":"TCP","targetPort":80},{"name":"b","port":81,"protocol":"TCP","targetPort":81}]"#
    );
    server.apply("m1", &service("[]"), false).unwrap();
    server.apply("m2", &service("[]"), false).unwrap();
    assert_eq!(server.value(&["spec", "ports"]), "null");
}

#[test]
fn what_is_atomic_is_owned_as_a_whole() {
    let mut server = ObjectServer::built_in("apps", "v1", "Deployment");
    let deployment = |rest: &str| {
        format!("{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: x}}, spec: {rest}}}")
    };
    server
        .apply(
            "m1",
            &deployment(
                "{selector: {matchLabels: {a: b}}, template: {spec: {containers: [{name: c, args: [x, z]}], imagePullSecrets: [{name: s}], nodeSelector: {k: v}}}}",
            ),
            false,
        )
        .unwrap();
    assert_eq!(
        server.managers(),
        [
            r#"m1 Apply apps/v1 00:00 {"f:spec":{"f:selector":{},"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:args":{},"f:name":{}}},"f:imagePullSecrets":{"k:{\"name\":\"s\"}":{}},"f:nodeSelector":{}}}}}"#
        ]
    );
    let error = server
        .apply("m2", &deployment("{template: {spec: {nodeSelector: {l: w}}}}"), false)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"Apply failed with 1 conflict: conflict with "m1": .spec.template.spec.nodeSelector"#
    );
}

#[test]
fn values_are_compared_as_they_are_written() {
    let pod = |cpu: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: x}}, spec: {{containers: [{{name: c, image: i, resources: {{limits: {{cpu: {cpu}}}}}}}]}}}}"
        )
    };
    let mut server = ObjectServer::built_in("", "v1", "Pod");
    server.apply("m1", &pod("1000m"), false).unwrap();
    assert_eq!(server.writes, 1);
    let limits = ["spec", "containers"];
    assert!(server.value(&limits).contains(r#""limits":{"cpu":"1"}"#));
    assert!(server.apply("m2", &pod("1000m"), false).is_err(), "what is stored is another text");
    server.apply("m2", &pod("'1'"), false).unwrap();
}

const SCHEMA: &str = "{type: object, properties: {spec: {type: object, properties: {
    set: {type: array, x-kubernetes-list-type: set, items: {type: string}},
    map: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, l],
        items: {type: object, properties: {k: {type: string}, l: {type: string, default: z}, v: {type: integer}}}},
    atomic: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}},
    port: {x-kubernetes-int-or-string: true},
    date: {type: string, format: date-time},
    free: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}},
    template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}}}";

fn thing(spec: &str) -> String {
    format!("{{apiVersion: example.com/v1, kind: Thing, metadata: {{name: x}}, spec: {{{spec}}}}}")
}

#[test]
fn custom_kinds_merge_as_their_schemas_say() {
    let mut server = ObjectServer::custom(SCHEMA);
    server
        .apply(
            "m1",
            &thing("set: [a, b], map: [{k: a, v: 1}], atomic: {a: b}, port: 80, free: {a: x, b: {c: 1}, d: [1]}"),
            false,
        )
        .unwrap();
    assert_eq!(
        server.managers(),
        [
            r#"m1 Apply example.com/v1 00:00 {"f:spec":{"f:atomic":{},"f:free":{"f:a":{},"f:b":{".":{},"f:c":{}},"f:d":{}},"f:map":{"k:{\"k\":\"a\",\"l\":\"z\"}":{".":{},"f:k":{},"f:v":{}}},"f:port":{},"f:set":{"v:\"a\"":{},"v:\"b\"":{}}}}"#
        ]
    );
    server.apply("m2", &thing("set: [c, a], map: [{k: a, l: w}], free: {e: 1}"), false).unwrap();
    assert_eq!(
        server.value(&["spec"]),
        r#"{"atomic":{"a":"b"},"free":{"a":"x","b":{"c":1},"d":[1],"e":1},"map":[{"k":"a","v":1},{"k":"a","l":"w"}],"port":80,"set":["c","a","b"]}"#
    );
    server.apply("m1", &thing("set: [b]"), false).unwrap();
    assert_eq!(
        server.value(&["spec"]),
        r#"{"free":{"e":1},"map":[{"k":"a","l":"w"}],"set":["c","a","b"]}"#
    );
}

#[test]
fn embedded_objects_have_metadata_of_their_own() {
    let mut server = ObjectServer::custom(SCHEMA);
    let template = "template: {apiVersion: v1, kind: Pod, metadata: {name: t, finalizers: [f], managedFields: [{manager: m}]}, spec: {}}";
    server.apply("m1", &thing(template), false).unwrap();
    assert_eq!(
        server.managers(),
        [
            r#"m1 Apply example.com/v1 00:00 {"f:spec":{"f:template":{"f:apiVersion":{},"f:kind":{},"f:metadata":{"f:finalizers":{"v:\"f\"":{}},"f:managedFields":{},"f:name":{}},"f:spec":{}}}}"#
        ]
    );
}

#[test]
fn duplicates_may_be_stored_but_not_applied() {
    let mut server = ObjectServer::custom(SCHEMA);
    server.put("u1", &thing("set: [a, a, b], map: [{k: a, l: z, v: 1}, {k: a, v: 2}]"));
    assert_eq!(
        server.managers(),
        [
            r#"u1 Update example.com/v1 00:00 {"f:spec":{".":{},"f:map":{".":{},"k:{\"k\":\"a\",\"l\":\"z\"}":{}},"f:set":{".":{},"v:\"a\"":{},"v:\"b\"":{}}}}"#
        ]
    );
    server.apply("m1", &thing("set: [c]"), false).unwrap();
    assert_eq!(server.value(&["spec", "set"]), r#"["a","a","b","c"]"#);
    server.apply("m1", &thing("set: [c], map: [{k: a, v: 3}]"), true).unwrap();
    assert_eq!(server.value(&["spec", "map"]), r#"[{"k":"a","v":3}]"#);
    let error = server.apply("m1", &thing("set: [c, c, c]"), false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to create typed patch object (/x; example.com/v1, Kind=Thing): errors:\n  .spec.set: duplicate entries for key [=\"c\"]\n  .spec.set: duplicate entries for key [=\"c\"]"
    );
}
