//! Compilation and evaluation of a policy of two clauses, and of loops over lists.

#![allow(clippy::expect_used, reason = "a bench may fail like a test")]

use criterion::{Criterion, criterion_group, criterion_main};
use ratchet_cel::{Activation, Budget, Environment, PER_CALL_LIMIT, Type, Value};
use ratchet_object::{Limits, decode_json};
use std::hint::black_box;

const OBJECT: &str = r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"xylophone","labels":{"app":"x"}},
"spec":{"replicas":3,"template":{"spec":{"containers":[{"name":"a","image":"registry/a:1"},{"name":"b","image":"registry/b:2"}]}}}}"#;

const EXPRESSIONS: &[(&str, &str)] = &[
    ("two clauses", "object.spec.replicas <= 5 && object.metadata.name.startsWith('x')"),
    (
        "images",
        "object.spec.template.spec.containers.all(c, c.image.startsWith('registry/') && !c.image.endsWith(':latest'))",
    ),
    (
        "labels",
        "has(object.metadata.labels) && object.metadata.labels.all(k, k.matches('^[a-z]+$'))",
    ),
];

struct Object<'t>(Value<'t>);

impl<'t> Activation<'t> for Object<'t> {
    fn variable(&self, name: &str) -> Option<Value<'t>> {
        (name == "object").then(|| self.0.clone())
    }
}

fn expressions(c: &mut Criterion) {
    let decoded = decode_json(OBJECT, Limits::DEFAULT).expect("JSON");
    let tree = decoded.documents.first().expect("one document");
    let world = Object(Value::of(tree));
    let environment = Environment::kubernetes((1, 36)).with("object", Type::Dyn);
    for (name, text) in EXPRESSIONS {
        c.bench_function(&format!("compile/{name}"), |b| {
            b.iter(|| environment.compile(black_box(text)).expect("compiles"));
        });
        let program = environment.compile(text).expect("compiles");
        c.bench_function(&format!("evaluate/{name}"), |b| {
            b.iter(|| {
                let mut budget = Budget::new(PER_CALL_LIMIT);
                program.evaluate(black_box(&world), &mut budget).expect("a value")
            });
        });
    }
    c.bench_function("environment", |b| b.iter(|| Environment::kubernetes(black_box((1, 36)))));
}

criterion_group!(benches, expressions);
criterion_main!(benches);
