//! What an apply and an update of a pod with a hundred containers cost.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench may panic; criterion's macros make functions"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use ratchet_apply::{ApplyOptions, BuiltInKind, FieldManager, ResetFields, set_managed_fields};
use ratchet_object::{GroupVersionKind, Limits, Node, canonicalize, decode_json, defaults, schema};
use std::hint::black_box;

const NOW: &str = "2026-01-02T03:04:05Z";

fn pod(image: &str) -> Node<'static> {
    let container = |n: usize| {
        format!(
            r#"{{"name":"c{n}","image":"{image}","env":[{{"name":"A","value":"1"}},{{"name":"B","value":"2"}}],"ports":[{{"containerPort":80{n:02}}}],"resources":{{"limits":{{"cpu":"1","memory":"1Gi"}}}}}}"#
        )
    };
    let containers: Vec<String> = (0..100).map(container).collect();
    let text = format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"x","labels":{{"a":"b"}}}},"spec":{{"containers":[{}]}}}}"#,
        containers.join(",")
    );
    decode_json(&text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
}

fn complete(mut object: Node<'static>) -> Node<'static> {
    defaults::apply("", "v1", "Pod", &mut object);
    canonicalize(&mut object, schema::kind("", "v1", "Pod").unwrap().ty);
    object
}

fn benches(criterion: &mut Criterion) {
    let converter = BuiltInKind { group: "", kind: "Pod", convert: &|_, _| unreachable!() };
    let manager = FieldManager {
        kind: GroupVersionKind { group: "", version: "v1", kind: "Pod" },
        subresource: "",
        converter: &converter,
        reset_fields: ResetFields::of("", "pods", ""),
    };
    let (config, changed) = (pod("i:1"), pod("i:2"));
    let options = |manager| ApplyOptions { manager, force: true, now: NOW };
    let applied = manager.apply(None, &config, options("m1")).unwrap();
    let mut live = complete(applied.object);
    set_managed_fields(&mut live, applied.managed_fields);

    criterion.bench_function("create a pod of 100 containers by apply", |bench| {
        bench.iter(|| manager.apply(None, black_box(&config), options("m1")).unwrap());
    });
    criterion.bench_function("apply the same again", |bench| {
        bench.iter(|| manager.apply(Some(&live), black_box(&config), options("m1")).unwrap());
    });
    criterion.bench_function("apply 100 other images as another manager", |bench| {
        bench.iter(|| manager.apply(Some(&live), black_box(&changed), options("m2")).unwrap());
    });
    let new = complete(changed.clone());
    criterion.bench_function("replace it", |bench| {
        bench.iter(|| manager.update(Some(&live), black_box(&new), "u1", NOW));
    });
}

criterion_group!(apply, benches);
criterion_main!(apply);
