//! Objects from request to storage and back.

use super::CustomResource;
use crate::rules::Environments;
use crate::testing::tree;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_engine::Verdict;

fn resource(versions: &str) -> CustomResource {
    let text = alloc::format!(
        "{{metadata: {{name: widgets.example.com}}, spec: {{group: example.com, scope: Namespaced, names: {{plural: widgets, kind: Widget}}, versions: [{versions}]}}}}"
    );
    CustomResource::compile(&tree(&text), &Environments::of_release(36))
}

fn texts(verdict: &Verdict) -> Vec<String> {
    verdict
        .errors
        .iter()
        .map(|error| alloc::format!("{}: {}", error.field, error.message()))
        .collect()
}

const HEAD: &str = "apiVersion: example.com/v1, kind: Widget, metadata: {name: a}";

#[test]
fn requests_are_pruned_completed_and_validated() {
    let resource = resource(
        "{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string, maxLength: 2}, b: {type: string, default: d}}}}}}}",
    );
    let strategy = resource.strategy("v1").unwrap();
    let mut object = tree(&alloc::format!("{{{HEAD}, spec: {{a: abc, zz: 1}}, other: 2}}"));
    assert_eq!(strategy.decode(&mut object).unwrap(), ["other", "spec.zz"]);
    strategy.apply_defaults(&mut object);
    strategy.prepare_for_create(&mut object);
    assert_eq!(object.get("spec").unwrap().to_json(), r#"{"a":"abc","b":"d"}"#);
    let mut verdict = Verdict::default();
    strategy.validate(&object, &mut verdict);
    assert_eq!(texts(&verdict), ["spec.a: Too long: may not be more than 2 bytes"]);
    let mut verdict = Verdict::default();
    strategy.validate_update(&object, &object.clone(), &mut verdict);
    assert!(texts(&verdict).is_empty());
}

#[test]
fn objects_of_another_kind_are_refused_at_once() {
    let resource = resource("{name: v1, storage: true, schema: {openAPIV3Schema: {type: object}}}");
    let mut verdict = Verdict::default();
    let object = tree("{apiVersion: example.com/v2, kind: Gadget, metadata: {name: a}}");
    resource.strategy("v1").unwrap().validate(&object, &mut verdict);
    assert_eq!(
        texts(&verdict),
        [
            "kind: Invalid value: \"Gadget\": must be Widget",
            "apiVersion: Invalid value: \"example.com/v2\": must be example.com/v1"
        ]
    );
}

#[test]
fn rules_wait_for_a_sound_object() {
    let resource = resource(
        "{name: v1, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}, 'n': {type: integer, x-kubernetes-validations: [{rule: self > 5}]}}}}}}}",
    );
    let strategy = resource.strategy("v1").unwrap();
    let validate = |spec: &str| {
        let mut verdict = Verdict::default();
        strategy.validate(&tree(&alloc::format!("{{{HEAD}, spec: {spec}}}")), &mut verdict);
        texts(&verdict)
    };
    assert_eq!(validate("{'n': 3}"), ["spec.n: Invalid value: 3: failed rule: self > 5"]);
    assert_eq!(
        validate("{'n': 3, a: 1}"),
        [
            "spec.a: Invalid value: \"integer\": spec.a in body must be of type string: \"integer\"",
            "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"
        ]
    );
}

#[test]
fn versions_prune_by_their_own_schemas() {
    let spec = |fields: &str| {
        alloc::format!(
            "schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{{fields}}}}}}}}}}}"
        )
    };
    let resource = resource(&alloc::format!(
        "{{name: v1, storage: true, {}}}, {{name: v2, {}}}",
        spec("a: {type: string}, d: {type: string, default: one}"),
        spec("a: {type: string}, b: {type: string}, e: {type: string, default: two}")
    ));
    let mut object = tree(
        "{apiVersion: example.com/v2, kind: Widget, metadata: {name: a, generation: 1}, spec: {a: x, b: z}}",
    );
    resource.to_storage(&mut object).unwrap();
    assert_eq!(
        object.to_json(),
        r#"{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","generation":1},"spec":{"a":"x"}}"#
    );
    resource.from_storage(&mut object, "v2").unwrap();
    assert_eq!(
        object.to_json(),
        r#"{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a","generation":1},"spec":{"a":"x"}}"#
    );
    let mut first =
        tree("{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {}}");
    resource.from_storage(&mut first, "v1").unwrap();
    assert_eq!(first.get("spec").unwrap().to_json(), r#"{"d":"one"}"#);
    assert!(
        resource
            .from_storage(&mut tree("{apiVersion: example.com/v9, kind: Widget}"), "v1")
            .is_err()
    );
}

#[test]
fn the_status_has_its_own_door() {
    let resource = resource(
        "{name: v1, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}}}, status: {type: object, properties: {r: {type: integer}}}}}}}",
    );
    let strategy = resource.strategy("v1").unwrap();
    let old = tree(
        "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, generation: 3}, spec: {a: x}, status: {r: 1}}",
    );
    let mut new = tree(
        "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, labels: {l: m}}, spec: {a: z}, status: {r: q}}",
    );
    let mut main = new.clone();
    strategy.prepare_for_update(&mut main, &old);
    assert_eq!(main.find(&["status", "r"]).unwrap().to_json(), "1");
    assert_eq!(main.metadata().generation(), Some(4));
    strategy.prepare_for_status_update(&mut new, &old);
    assert_eq!((new.text_at(&["spec", "a"]), new.metadata().labels().len()), ("x", 0));
    let mut verdict = Verdict::default();
    strategy.validate_status_update(&new, &old, &mut verdict);
    assert_eq!(
        texts(&verdict),
        ["status.r: Invalid value: \"string\": r in body must be of type integer: \"string\""]
    );
}

#[test]
fn scales_are_read_checked_and_written() {
    let resource = resource(
        "{name: v1, storage: true, subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}",
    );
    let strategy = resource.strategy("v1").unwrap();
    let mut object = tree(&alloc::format!(
        "{{{HEAD}, spec: {{replicas: 2}}, status: {{replicas: 1, selector: a=b}}}}"
    ));
    let scale = strategy.read_scale(&object).unwrap().unwrap();
    assert_eq!(
        scale.to_json(),
        r#"{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a"},"spec":{"replicas":2},"status":{"replicas":1,"selector":"a=b"}}"#
    );
    strategy.write_scale(&mut object, &tree("{spec: {replicas: 7}}"));
    assert_eq!(object.find(&["spec", "replicas"]).unwrap().to_json(), "7");
    let empty = tree(&alloc::format!("{{{HEAD}}}"));
    assert_eq!(
        strategy.read_scale(&empty).unwrap().unwrap_err().to_string(),
        "the spec replicas field \".spec.replicas\" does not exist"
    );
    let validate = |text: &str| {
        let mut verdict = Verdict::default();
        strategy.validate(&tree(&alloc::format!("{{{HEAD}, {text}}}")), &mut verdict);
        texts(&verdict)
    };
    assert_eq!(
        validate("spec: {replicas: -1}"),
        [".spec.replicas: Invalid value: -1: should be a non-negative integer"]
    );
    assert_eq!(
        validate("spec: {replicas: 3000000000}"),
        [".spec.replicas: Invalid value: 3000000000: should be less than or equal to 2147483647"]
    );
    assert_eq!(
        validate("spec: {replicas: many}"),
        [
            ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: many is of the type string, expected int64"
        ]
    );
    assert_eq!(
        validate("spec: 3"),
        [
            ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: 3 is of the type int64, expected map[string]interface{}"
        ]
    );
}

#[test]
fn tables_and_selectable_fields() {
    let resource = resource(
        "{name: v1, storage: true, selectableFields: [{jsonPath: .spec.on}, {jsonPath: .spec.none}], additionalPrinterColumns: [{name: S, type: string, jsonPath: .spec.s}, {name: I, type: integer, jsonPath: .spec.i}, {name: D, type: date, jsonPath: .spec.d}, {name: E, type: string, jsonPath: '.spec.l[*].x'}], schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}",
    );
    let strategy = resource.strategy("v1").unwrap();
    let names: Vec<String> = strategy.columns().into_iter().map(|column| column.name).collect();
    assert_eq!(names, ["Name", "S", "I", "D", "E"]);
    let object = tree(&alloc::format!(
        "{{{HEAD}, spec: {{s: {{a: 1}}, i: 2.7, d: now, 'on': true, l: [{{x: p}}]}}}}"
    ));
    let cells: Vec<String> =
        strategy.cells(&object, |_| Some("5s".into())).iter().map(ToString::to_string).collect();
    assert_eq!(cells, ["\"a\"", "\"{\\\"a\\\":1}\"", "2", "\"5s\"", "\"p\""]);
    let fields: Vec<(&str, String)> = strategy.selectable_fields(&object).collect();
    assert_eq!(fields, [("spec.on", "true".to_string()), ("spec.none", String::new())]);
    assert!(strategy.is_selectable("spec.on") && !strategy.is_selectable("spec.s"));
}

#[test]
fn finalizers_want_a_domain() {
    let resource = resource("{name: v1, storage: true, schema: {openAPIV3Schema: {type: object}}}");
    let mut verdict = Verdict::default();
    let object = tree(
        "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, finalizers: [hold, example.com/x, orphan]}}",
    );
    resource.strategy("v1").unwrap().validate(&object, &mut verdict);
    let warnings: Vec<&str> =
        verdict.warnings.iter().map(|warning| warning.text.as_str()).collect();
    assert_eq!(
        warnings,
        [
            "metadata.finalizers: \"hold\": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"
        ]
    );
}
