//! New objects of one structure have the same fields, whatever else they say, and whether they are canonical or not.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use ratchet_apply::{BuiltInKind, FieldManager};
use ratchet_object::{GroupVersionKind, Limits, Node, Value, canonicalize, decode, schema};

/// One of few values, so that two objects are often alike.
fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = Node<'static>> {
    prop::sample::select(texts)
        .prop_map(|text| decode(text, Limits::DEFAULT).unwrap().documents.remove(0))
}

/// A map with some of these members.
fn map(
    members: Vec<(&'static str, BoxedStrategy<Node<'static>>)>,
) -> impl Strategy<Value = Node<'static>> {
    let member = |(name, value)| prop::option::weighted(0.7, (Just(name), value));
    let members: Vec<_> = members.into_iter().map(member).collect();
    members.prop_map(|members| Node::map(members.into_iter().flatten()))
}

fn list(item: impl Strategy<Value = Node<'static>>) -> impl Strategy<Value = Node<'static>> {
    prop::collection::vec(item, 0..3).prop_map(Node::list)
}

fn pod() -> impl Strategy<Value = Node<'static>> {
    let text = || one_of(&["''", "a", "b"]).boxed();
    let texts = || list(one_of(&["a", "b"])).boxed();
    let number = || one_of(&["0", "1", "2"]).boxed();
    let port = map(vec![
        ("containerPort", number()),
        ("hostPort", number()),
        ("protocol", one_of(&["TCP", "UDP"]).boxed()),
    ]);
    let container = map(vec![
        ("name", text()),
        ("image", text()),
        ("args", texts()),
        ("stdin", one_of(&["true", "false", "null"]).boxed()),
        ("ports", list(port).boxed()),
    ]);
    let metadata = map(vec![
        ("labels", one_of(&["null", "{}", "{a: ''}", "{a: b}", "{b: b}"]).boxed()),
        ("finalizers", texts()),
    ]);
    let spec = map(vec![
        ("containers", list(container).boxed()),
        ("hostNetwork", one_of(&["true", "false"]).boxed()),
        ("nodeName", text()),
        ("priority", number()),
    ]);
    let few = prop_oneof![
        (Just(Node::empty_map()), spec.boxed()),
        (metadata.boxed(), Just(Node::empty_map())),
    ];
    few.prop_map(|(metadata, spec)| Node::map([("metadata", metadata), ("spec", spec)]))
}

/// Changes some of the values, as the numbers say, in the order of the values.
fn change(node: &mut Node<'static>, numbers: &mut impl Iterator<Item = u8>) {
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(|item| change(item, numbers)),
        Value::Map(entries) => {
            entries.iter_mut().for_each(|entry| change(&mut entry.node, numbers));
        }
        value => match (value, numbers.next()) {
            (Value::Text(text), Some(0)) => *text = "".into(),
            (Value::Text(text), Some(1)) => *text = "a".into(),
            (Value::Text(text), Some(2)) => *text = "TCP".into(),
            (Value::Int(int), Some(number @ 0..3)) => *int = number.into(),
            (Value::Bool(truth), Some(number @ 0..3)) => *truth = number == 0,
            _ => {}
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn of_one_structure_the_fields_are_the_same(
        one in pod(),
        changes in prop::collection::vec(0_u8..20, 64),
    ) {
        let convert = |_: &Node<'_>, _: &str| Err(String::new());
        let converter = BuiltInKind { group: "", kind: "Pod", convert: &convert };
        let kind = GroupVersionKind { group: "", version: "v1", kind: "Pod" };
        let fields =
            FieldManager { kind, subresource: "", converter: &converter, reset_fields: None };
        let ty = schema::kind("", "v1", "Pod").unwrap().ty;
        let owned = |pod: &Node<'static>| {
            let mut pod = pod.clone();
            canonicalize(&mut pod, ty);
            fields.update(None, &pod, "m", "")
        };
        let mut other = one.clone();
        change(&mut other, &mut changes.into_iter());
        if fields.structure(&one) == fields.structure(&other) {
            prop_assert_eq!(owned(&one), owned(&other), "{} {}", one, other);
        }
    }
}
