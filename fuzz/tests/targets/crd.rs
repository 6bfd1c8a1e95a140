//! Fuzz target `crd`: schemas are refused in words or compiled, and objects pruned, completed and validated by them.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

use ratchet_crd::{
    CustomResource, Environments, JsonPath, OpenApi, PublishedSchemas, validate_definition,
};
use ratchet_engine::{ApiConfig, Behavior, Change, Release, Verdict};
use ratchet_object::{Limits, Node, Object, decode, split_documents};
use std::sync::LazyLock;

const WORDS: &[&str] = &[
    "type: object",
    "type: array",
    "type: string",
    "type: integer",
    "type: number",
    "properties: {",
    "additionalProperties: ",
    "items: {",
    "required: [a]",
    "default: ",
    "nullable: true",
    "enum: [a, 1]",
    "format: date-time",
    "format: quantity",
    "pattern: '^a*$'",
    "maximum: 1",
    "multipleOf: 0.1",
    "maxLength: 1",
    "minItems: 1",
    "maxProperties: 1",
    "uniqueItems: true",
    "anyOf: [{",
    "oneOf: [{",
    "allOf: [{",
    "not: {",
    "x-kubernetes-preserve-unknown-fields: true",
    "x-kubernetes-embedded-resource: true",
    "x-kubernetes-int-or-string: true",
    "x-kubernetes-list-type: map",
    "x-kubernetes-list-type: set",
    "x-kubernetes-list-map-keys: [k]",
    "x-kubernetes-map-type: atomic",
    "x-kubernetes-validations: [{rule: 'self == oldSelf'}]",
    "rule: 'self.all(x, x > 1)'",
    "messageExpression: \"'a' + self\"",
    "fieldPath: .a",
    "optionalOldSelf: true",
    "metadata: {name: a}",
    "spec: {",
    "}",
    "]}",
    "\n---\n",
    ".spec",
    "[*]",
    "[-1]",
    "[0:2:1]",
    "..",
    "[?(@.a==\"b\")]",
    "['a','b']",
    "\\.",
    "é",
    "\u{0}",
];

#[test]
fn crd() {
    ratchet_fuzz::fuzz!("crd", WORDS, check);
}

static ENVIRONMENTS: LazyLock<Environments> = LazyLock::new(|| Environments::of_release(36));

/// A schema, an object and a path.
fn check(text: &str) {
    let mut documents = split_documents(text).map(|document| document.text);
    let schema = documents.next().and_then(tree);
    let object = documents.next().and_then(tree);
    let path = documents.next();
    let (Some(schema), Some(object)) = (schema, object) else { return };
    if let Some(path) = path.and_then(JsonPath::parse) {
        let text = || path.first(&object).map(|found| found.node().to_json());
        assert_eq!(text(), text());
    }
    let definition = definition(schema);
    let definition = Object::new(definition);
    let change = Change::create(&definition).unwrap();
    let mut verdict = Verdict::default();
    let config = ApiConfig::of(Release::REFERENCE, Behavior::Released);
    validate_definition(&change, &config, &mut verdict);
    for error in &verdict.errors {
        assert!(!error.message().to_string().is_empty());
    }
    let definition = definition.into_node();
    for open_api in [OpenApi::V2, OpenApi::V3] {
        assert!(PublishedSchemas::of(&definition, "v1", open_api).is_some());
    }
    // Also what was refused: nothing may panic on it.
    validate(&definition, object);
}

fn tree(text: &str) -> Option<Node<'static>> {
    let mut decoded = decode(text, Limits::DEFAULT).ok()?;
    decoded.documents.pop().map(Node::into_owned)
}

fn definition(schema: Node<'static>) -> Node<'static> {
    let text = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.x.io}, spec: {group: x.io, scope: Namespaced, names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}, conversion: {strategy: None}}}";
    let mut definition = tree(text).unwrap();
    let version = Node::map([
        ("name", Node::string("v1")),
        ("served", Node::new(ratchet_object::Value::Bool(true))),
        ("storage", Node::new(ratchet_object::Value::Bool(true))),
        ("schema", Node::map([("openAPIV3Schema", schema)])),
    ]);
    definition.map_mut("spec").set("versions", Node::list(vec![version]));
    definition
}

fn validate(definition: &Node<'_>, mut object: Node<'static>) {
    let resource = CustomResource::compile(definition, &ENVIRONMENTS);
    let strategy = resource.strategy("v1").unwrap();
    let old = object.clone();
    if strategy.decode(&mut object).is_err() {
        return;
    }
    let pruned = object.to_json();
    assert_eq!(strategy.decode(&mut object).unwrap(), [""; 0], "pruned twice");
    assert_eq!(object.to_json(), pruned, "pruned twice");
    strategy.apply_defaults(&mut object);
    let mut verdicts = [Verdict::default(), Verdict::default()];
    for verdict in &mut verdicts {
        strategy.validate(&object, verdict);
    }
    let [first, second] = verdicts;
    assert_eq!(first.errors.len(), second.errors.len());
    strategy.validate_update(&object, &old, &mut Verdict::default());
    strategy.validate_status_update(&object, &old, &mut Verdict::default());
    let _ = strategy.cells(&object, |_| None);
    let _ = strategy.read_scale(&object);
    let _ = resource.to_storage(&mut object);
}
