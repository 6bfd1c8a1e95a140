//! Fuzz target `shape`: whatever an object holds, violations of its schema are found, named and located.

use ratchet_fuzz::{Choices, tree};
use ratchet_object::{
    Entry, Limits, Node, Object, Value, ViolationKind, decode, schema, schema_violations,
};

const WORDS: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
    "spec",
    "status",
    "v1",
    "apps/v1",
    "batch/v1",
    "Pod",
    "Service",
    "Deployment",
    "Secret",
    "ConfigMap",
    "List",
    "name",
    "labels",
    "annotations",
    "containers",
    "template",
    "ports",
    "port",
    "replicas",
    "data",
    "items",
    "type",
    "limits",
    "resources",
    "volumes",
    "creationTimestamp",
    "ownerReferences",
    "1Gi",
    "500m",
    "2147483648",
    "2.0",
    "-0.5",
    "http",
    "x",
];

#[test]
fn shape() {
    ratchet_fuzz::fuzz!("shape", WORDS, check);
}

fn check(text: &str) {
    let limits = Limits { nodes: 5_000, ..Limits::DEFAULT };
    let Ok(decoded) = decode(text, limits) else { return };
    let mut choices = Choices::hashed(text.as_bytes());
    for mut node in decoded.documents {
        check_object(text, &Object::new(node.clone()));
        for _ in 0..3 {
            tree::graft(&mut node, &mut choices);
            check_object(text, &Object::new(node.clone()));
        }
    }
}

fn check_object(text: &str, object: &Object<'_>) {
    let found = schema_violations(object);
    assert_eq!(found, schema_violations(object));
    assert!(found.len() < tree::count(object.node()));
    for violation in &found {
        tree::assert_span(text, violation.span);
        if let ViolationKind::WrongType(message) = &violation.kind {
            let words = [
                "json: cannot unmarshal ",
                "quantities must match ",
                "unable to parse ",
                "illegal base64 data at input byte ",
                "parsing time ",
            ];
            assert!(words.iter().any(|word| message.starts_with(word)), "{message}");
            assert!(!violation.path.is_empty());
        }
    }
    let (group, version) =
        object.api_version().rsplit_once('/').unwrap_or(("", object.api_version()));
    let is_known = schema::kind(group, version, object.kind_name()).is_some();
    assert!(is_known || found.is_empty());

    // Null fits everywhere, so only names are left to be unknown.
    let mut hollow = object.node().clone();
    if let Value::Map(entries) = &mut hollow.value {
        entries.iter_mut().filter(|entry| !says_type(entry)).for_each(|entry| {
            entry.node.value = Value::Null;
        });
    }
    let unknown = schema_violations(&Object::new(hollow));
    let mut kinds = unknown.iter().map(|violation| &violation.kind);
    assert!(kinds.all(|kind| *kind == ViolationKind::Unknown), "{unknown:?}");

    // What a schema does not know can be anything.
    let mut more = object.node().clone();
    if let Value::Map(entries) = &mut more.value {
        let node = Node { value: Value::List(Vec::new()), span: object.node().span };
        let key_span = node.span;
        entries.push(Entry { key: "no such field".into(), key_span, node });
        let more = schema_violations(&Object::new(more));
        assert_eq!(more.len(), found.len() + usize::from(is_known));
    }
}

fn says_type(entry: &Entry<'_>) -> bool {
    matches!(&*entry.key, "apiVersion" | "kind")
}
