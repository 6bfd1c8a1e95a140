//! Several versions of a kind, scale subresources, and the annotation of client-side apply.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod object_server;

use object_server::{ObjectServer, tree};
use ratchet_apply::{
    ApplyError, ApplyOptions, CustomKind, FieldManager, ManagedFieldsEntry, ReplicasPath,
    ScaleHandler, TypeRef, set_managed_fields,
};
use ratchet_object::{GroupVersionKind, Node};

const V1: &str = "{type: object, properties: {spec: {type: object, properties: {old: {type: string}, ref: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: string}, b: {type: string}}}}}}}";
const V2: &str = "{type: object, properties: {spec: {type: object, properties: {new: {type: string}, ref: {type: object, properties: {a: {type: string}, b: {type: string}}}}}}}";

/// A kind whose field has another name in the other version.
fn convert(object: &Node<'_>, api_version: &str) -> Result<Node<'static>, String> {
    let mut object = tree(&object.to_json());
    let names = if api_version == "example.com/v2" { ["old", "new"] } else { ["new", "old"] };
    if let Some(spec) = object.get_mut("spec") {
        if spec.text_at(&[names[0]]) == "unconvertible" {
            return Err("no such value".to_owned());
        }
        if let Some(value) = spec.remove(names[0]) {
            spec.set(names[1], value);
        }
    }
    object.set("apiVersion", Node::string(api_version.to_owned()));
    Ok(object)
}

struct Versions {
    object: Option<Node<'static>>,
    seconds: u32,
}

impl Versions {
    fn new() -> Self {
        Self { object: None, seconds: 0 }
    }

    fn with<T>(
        &mut self,
        version: &str,
        run: impl FnOnce(&FieldManager<'_>, Option<Node<'static>>, &str) -> T,
    ) -> T {
        self.seconds += 1;
        let (v1, v2) = (tree(V1), tree(V2));
        let versions =
            [("example.com/v1", TypeRef::custom(&v1)), ("example.com/v2", TypeRef::custom(&v2))];
        let converter = CustomKind { versions: &versions, convert: &convert };
        let kind = GroupVersionKind { group: "example.com", version, kind: "Thing" };
        let manager =
            FieldManager { kind, subresource: "", converter: &converter, reset_fields: None };
        let api_version = format!("example.com/{version}");
        let live = self.object.clone().map(|live| match live.text_at(&["apiVersion"]) {
            same if same == api_version => live,
            _ => convert(&live, &api_version).unwrap(),
        });
        run(&manager, live, &format!("2026-01-02T03:04:{:02}Z", self.seconds))
    }

    fn apply(
        &mut self,
        name: &str,
        version: &str,
        spec: &str,
        force: bool,
    ) -> Result<(), ApplyError> {
        let config = format!(
            "{{apiVersion: example.com/{version}, kind: Thing, metadata: {{name: x}}, spec: {spec}}}"
        );
        let config = tree(&config);
        let applied = self.with(version, |manager, live, now| {
            manager.apply(live.as_ref(), &config, ApplyOptions { manager: name, force, now })
        })?;
        let mut object = applied.object;
        set_managed_fields(&mut object, applied.managed_fields);
        self.object = Some(object);
        Ok(())
    }

    fn put(&mut self, name: &str, version: &str, spec: &str) {
        let object = format!(
            "{{apiVersion: example.com/{version}, kind: Thing, metadata: {{name: x}}, spec: {spec}}}"
        );
        let mut object = tree(&object);
        let entries = self
            .with(version, |manager, live, now| manager.update(live.as_ref(), &object, name, now));
        set_managed_fields(&mut object, entries);
        self.object = Some(object);
    }

    fn managers(&self) -> Vec<String> {
        let object = self.object.as_ref().unwrap();
        let entries = object.find(&["metadata", "managedFields"]).map(Node::items);
        let line = |entry: &Node<'_>| {
            let fields = entry.get("fieldsV1").map(Node::to_json).unwrap();
            format!("{} {} {fields}", entry.text_at(&["manager"]), entry.text_at(&["apiVersion"]))
        };
        entries.unwrap_or_default().iter().map(line).collect()
    }

    fn spec(&self) -> String {
        self.object.as_ref().unwrap().get("spec").map_or_else(String::new, Node::to_json)
    }
}

#[test]
fn conflicts_are_named_in_the_version_of_the_owner() {
    let mut server = Versions::new();
    server.apply("m1", "v1", "{old: a}", false).unwrap();
    let error = server.apply("m2", "v2", "{new: b}", false).unwrap_err();
    assert_eq!(error.to_string(), r#"Apply failed with 1 conflict: conflict with "m1": .spec.old"#);
    server.apply("m2", "v2", "{new: a}", false).unwrap();
    server.apply("m2", "v2", "{new: b}", true).unwrap();
    assert_eq!(server.managers(), [r#"m2 example.com/v2 {"f:spec":{"f:new":{}}}"#]);
}

#[test]
fn a_manager_that_moves_to_another_version_gives_up_in_its_terms() {
    let mut server = Versions::new();
    server.apply("m1", "v1", "{old: a, ref: {a: '1'}}", false).unwrap();
    server.apply("m1", "v2", "{new: a}", false).unwrap();
    assert_eq!(server.managers(), [r#"m1 example.com/v2 {"f:spec":{"f:new":{}}}"#]);
    assert_eq!(server.spec(), r#"{"new":"a"}"#);
    server.apply("m2", "v1", "{ref: {b: '2'}}", false).unwrap();
    server.apply("m1", "v1", "{}", false).unwrap();
    assert_eq!(server.spec(), r#"{"ref":{"b":"2"}}"#);
}

#[test]
fn what_another_owns_in_another_version_is_not_removed() {
    let mut server = Versions::new();
    server.apply("m1", "v1", "{old: a, ref: {a: '1'}}", false).unwrap();
    server.apply("m2", "v2", "{new: a, ref: {a: '1'}}", false).unwrap();
    server.apply("m1", "v1", "{ref: {a: '1'}}", false).unwrap();
    assert_eq!(server.spec(), r#"{"old":"a","ref":{"a":"1"}}"#);
    assert_eq!(
        server.managers(),
        [
            r#"m2 example.com/v2 {"f:spec":{"f:new":{},"f:ref":{"f:a":{}}}}"#,
            r#"m1 example.com/v1 {"f:spec":{"f:ref":{}}}"#,
        ]
    );
}

#[test]
fn an_update_takes_fields_from_owners_in_other_versions() {
    let mut server = Versions::new();
    server.apply("m1", "v1", "{old: a, ref: {a: '1'}}", false).unwrap();
    server.put("u1", "v2", "{new: b, ref: {a: '1'}}");
    assert_eq!(
        server.managers(),
        [
            r#"m1 example.com/v1 {"f:spec":{"f:ref":{}}}"#,
            r#"u1 example.com/v2 {"f:spec":{"f:new":{}}}"#,
        ]
    );
}

#[test]
fn what_cannot_be_converted_fails_an_apply_and_clears_the_entries_of_an_update() {
    let mut server = Versions::new();
    server.apply("m1", "v1", "{old: a}", false).unwrap();
    let error = server.apply("m2", "v2", "{new: unconvertible}", true).unwrap_err();
    assert_eq!(
        (error.code(), error.to_string().as_str()),
        (500, "failed to convert new object: no such value")
    );
    server.put("u1", "v2", "{new: unconvertible}");
    assert!(server.managers().is_empty());
}

#[test]
fn a_type_that_became_atomic_is_owned_as_a_whole() {
    let mut server = Versions::new();
    server.apply("m1", "v1", "{ref: {a: '1'}}", false).unwrap();
    let object = server.object.as_mut().unwrap();
    let sent = tree(
        "[{manager: m1, operation: Apply, apiVersion: example.com/v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:ref: {f:a: {}}}}}]",
    );
    object.map_mut("metadata").set("managedFields", sent);
    server.put("u1", "v1", "{old: b, ref: {a: '1'}}");
    assert_eq!(
        server.managers(),
        [
            r#"m1 example.com/v1 {"f:spec":{"f:ref":{}}}"#,
            r#"u1 example.com/v1 {"f:spec":{"f:old":{}}}"#,
        ]
    );
}

const REPLICAS: &[&str] = &["spec", "replicas"];

fn lines(entries: &[ManagedFieldsEntry]) -> Vec<String> {
    let line = |entry: &ManagedFieldsEntry| {
        let (time, fields) = (entry.time.is_some(), entry.fields_v1.to_json());
        format!("{} {} {} {time} {fields}", entry.manager, entry.api_version, entry.subresource)
    };
    entries.iter().map(line).collect()
}

fn with_entries(entries: &[ManagedFieldsEntry]) -> Node<'static> {
    let mut scale = tree("{metadata: {}}");
    set_managed_fields(&mut scale, entries.to_vec());
    scale
}

#[test]
fn owners_of_replicas_are_those_of_the_scale() {
    let parent = tree(
        "{metadata: {managedFields: [
            {manager: m1, operation: Apply, apiVersion: apps/v1, time: '2026-01-02T03:04:05Z', fieldsType: FieldsV1, fieldsV1: {f:spec: {f:replicas: {}, f:selector: {}}}},
            {manager: m2, operation: Update, apiVersion: apps/v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:template: {}}}},
            {manager: m3, operation: Update, apiVersion: apps/v0, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:replicas: {}}}}]}}",
    );
    let mappings = [ReplicasPath { api_version: "apps/v1", path: Some(REPLICAS) }];
    let handler = ScaleHandler { parent: &parent, api_version: "apps/v1", mappings: &mappings };
    let mut scale = handler.to_subresource().unwrap();
    assert_eq!(lines(&scale), [r#"m1 autoscaling/v1  true {"f:spec":{"f:replicas":{}}}"#]);
    // The entry of m1 is still there: nothing has changed.
    assert_eq!(
        lines(&handler.to_parent(&with_entries(&scale)).unwrap()),
        [
            r#"m1 apps/v1  true {"f:spec":{"f:replicas":{},"f:selector":{}}}"#,
            r#"m2 apps/v1  false {"f:spec":{"f:template":{}}}"#,
        ]
    );
    // Another one has the replicas now, through the subresource.
    scale[0].manager = "s1".to_owned();
    scale[0].subresource = "scale".to_owned();
    assert_eq!(
        lines(&handler.to_parent(&with_entries(&scale)).unwrap()),
        [
            r#"s1 apps/v1 scale false {"f:spec":{"f:replicas":{}}}"#,
            r#"m1 apps/v1  true {"f:spec":{"f:selector":{}}}"#,
            r#"m2 apps/v1  false {"f:spec":{"f:template":{}}}"#,
        ]
    );
}

#[test]
fn versions_that_cannot_be_scaled_keep_their_entries() {
    let parent = tree(
        "{metadata: {managedFields: [{manager: m1, operation: Update, apiVersion: example.com/v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:replicas: {}}}}]}}",
    );
    let mappings = [
        ReplicasPath { api_version: "example.com/v1", path: None },
        ReplicasPath { api_version: "example.com/v2", path: Some(REPLICAS) },
    ];
    let handler =
        ScaleHandler { parent: &parent, api_version: "example.com/v2", mappings: &mappings };
    assert!(handler.to_subresource().unwrap().is_empty());
    let entries = handler.to_parent(&with_entries(&[])).unwrap();
    assert_eq!(lines(&entries), [r#"m1 example.com/v1  false {"f:spec":{"f:replicas":{}}}"#]);
}

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

fn annotated(applied: &str, data: &str) -> String {
    let applied = applied.replace('"', "\\\"");
    format!(
        "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: x, annotations: {{{ANNOTATION}: \"{applied}\"}}}}, data: {data}}}"
    )
}

fn plain(data: &str) -> String {
    format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: x}}, data: {data}}}")
}

const LAST: &str =
    r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":"1","b":"1"}}"#;

#[test]
fn kubectl_takes_over_what_it_applied_before_and_nobody_changed() {
    let mut server = ObjectServer::built_in("", "v1", "ConfigMap");
    server.put("kubectl-client-side-apply", &annotated(LAST, "{a: '1', b: '1'}"));
    assert!(server.apply("m1", &plain("{a: '2'}"), false).is_err(), "only kubectl does");
    server.apply("kubectl", &plain("{a: '2', b: '1'}"), false).unwrap();
    assert_eq!(server.value(&["data"]), r#"{"a":"2","b":"1"}"#);
    assert_eq!(
        server.value(&["metadata", "annotations", ANNOTATION]),
        r#""{\"apiVersion\":\"v1\",\"data\":{\"a\":\"2\",\"b\":\"1\"},\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"x\"}}\n""#
    );
}

#[test]
fn what_changed_since_is_still_a_conflict() {
    let mut server = ObjectServer::built_in("", "v1", "ConfigMap");
    server.put("kubectl-client-side-apply", &annotated(LAST, "{a: '1', b: '1'}"));
    server.patch("u1", "{data: {b: '7'}}");
    let error = server.apply("kubectl", &plain("{a: '2', b: '2'}"), false).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"Apply failed with 1 conflict: conflict with "u1" using v1: .data.b"#
    );
    // Another version, or no JSON, allows nothing.
    for applied in [&LAST.replace("v1", "v9"), "banana"] {
        let mut server = ObjectServer::built_in("", "v1", "ConfigMap");
        server.put("kubectl-client-side-apply", &annotated(applied, "{a: '1', b: '1'}"));
        assert!(server.apply("kubectl", &plain("{a: '2'}"), false).is_err(), "{applied}");
    }
}

#[test]
fn an_annotation_that_would_be_too_long_goes() {
    let mut server = ObjectServer::built_in("", "v1", "ConfigMap");
    server.put("kubectl-client-side-apply", &annotated(LAST, "{a: '1', b: '1'}"));
    let long = "x".repeat(300_000);
    server.apply("kubectl", &plain(&format!("{{a: {long}}}")), false).unwrap();
    assert_eq!(server.value(&["metadata", "annotations"]), "null");
}
