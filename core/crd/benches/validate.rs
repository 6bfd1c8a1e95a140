//! Compilation of a definition, and decoding and validation of an object of a hundred fields with ten rules.

#![allow(clippy::expect_used, reason = "a bench may fail like a test")]

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use ratchet_crd::{CustomResource, Environments};
use ratchet_engine::Verdict;
use ratchet_object::{Limits, Node, decode_json};
use std::fmt::Write;
use std::hint::black_box;

const RULES: [&str; 10] = [
    "self.number0 <= self.number1",
    "self.text0.startsWith('value')",
    "!has(self.text1) || size(self.text1) < 20",
    "self.items.all(item, item.port > 0)",
    "self.items.exists(item, item.name == 'item-3')",
    "self.text2.matches('^[a-z]+-[0-9]+$')",
    "self.labels.all(key, key.size() < 20)",
    "self.number2 * 2 < 1000 || self.number3 > 4",
    "self.text3 in ['value-3', 'value-4', 'value-5']",
    "self.items.map(item, item.port).sum() < 100000",
];

fn tree(text: &str) -> Node<'static> {
    let mut decoded = decode_json(text, Limits::DEFAULT).expect("JSON");
    decoded.documents.remove(0).into_owned()
}

fn definition() -> Node<'static> {
    let mut fields = String::new();
    for at in 0..40 {
        let _ = write!(
            fields,
            r#""text{at}":{{"type":"string","maxLength":64,"pattern":"^[a-z0-9-]+$"}},"#
        );
        let _ = write!(fields, r#""number{at}":{{"type":"integer","minimum":0,"maximum":1000}},"#);
    }
    let rules: Vec<String> =
        RULES.iter().map(|rule| format!(r#"{{"rule":{rule:?},"message":"no"}}"#)).collect();
    tree(&format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"widgets.example.com"}},
        "spec":{{"group":"example.com","scope":"Namespaced","names":{{"plural":"widgets","kind":"Widget"}},
        "versions":[{{"name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":{{"type":"object","properties":{{
        "spec":{{"type":"object","required":["text0"],"properties":{{{fields}
        "labels":{{"type":"object","additionalProperties":{{"type":"string"}}}},
        "items":{{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{{"type":"object","required":["name"],
        "properties":{{"name":{{"type":"string"}},"port":{{"type":"integer","default":80}}}}}}}}}},
        "x-kubernetes-validations":[{}]}}}}}}}}}}]}}}}"#,
        rules.join(",")
    ))
}

fn object() -> Node<'static> {
    let mut fields = String::new();
    for at in 0..40 {
        let _ = write!(fields, r#""text{at}":"value-{at}","number{at}":{at},"#);
    }
    let items: Vec<String> =
        (0..6).map(|at| format!(r#"{{"name":"item-{at}","port":{}}}"#, 8000 + at)).collect();
    tree(&format!(
        r#"{{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"name":"a","namespace":"shop","labels":{{"app":"x"}}}},
        "spec":{{{fields}"labels":{{"a":"b","c":"d"}},"items":[{}]}}}}"#,
        items.join(",")
    ))
}

fn validate(c: &mut Criterion) {
    let environments = Environments::of_release(36);
    let (definition, object) = (definition(), object());
    c.bench_function("compile", |b| {
        b.iter(|| CustomResource::compile(black_box(&definition), &environments));
    });
    let resource = CustomResource::compile(&definition, &environments);
    let strategy = resource.strategy("v1").expect("a version");
    c.bench_function("decode", |b| {
        b.iter_batched_ref(
            || object.clone(),
            |object| {
                let unknown = strategy.decode(object).expect("an object");
                strategy.apply_defaults(object);
                unknown
            },
            BatchSize::SmallInput,
        );
    });
    let validate = |object: &Node<'_>| {
        let mut verdict = Verdict::default();
        strategy.validate(object, &mut verdict);
        assert!(verdict.admits(), "{:?}", verdict.errors);
    };
    c.bench_function("validate", |b| b.iter(|| validate(black_box(&object))));
    let mut changed = object.clone();
    changed.map_mut("spec").set("number5", Node::int(6));
    c.bench_function("validate an update", |b| {
        b.iter(|| {
            let mut verdict = Verdict::default();
            strategy.validate_update(black_box(&changed), black_box(&object), &mut verdict);
            assert!(verdict.admits());
        });
    });
}

criterion_group!(benches, validate);
criterion_main!(benches);
