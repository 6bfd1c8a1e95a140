//! Lists of tens of thousands of items are validated item by item: comparing each with each would not end.

use crate::{ApiConfig, Behavior, Change, Facts, MOST_LISTED, Release, Verdict, judge};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Node, Object};

const MANY: usize = 20_000;

fn list(count: usize, item: impl Fn(usize) -> Node<'static>) -> Node<'static> {
    Node::list((0..count).map(item).collect())
}

fn named(letter: char, number: usize) -> Node<'static> {
    Node::string(format!("{letter}{number}"))
}

fn number(number: usize) -> Node<'static> {
    Node::int(i64::try_from(number).unwrap())
}

fn object(kind: &'static str, version: &'static str, spec: Node<'static>) -> Node<'static> {
    Node::map([
        ("apiVersion", Node::string(version)),
        ("kind", Node::string(kind)),
        ("metadata", Node::map([("name", Node::string("x")), ("namespace", Node::string("ns"))])),
        ("spec", spec),
    ])
}

/// A pod with many of everything; `last` is the number in the name of the last item of each list.
fn pod(last: usize) -> Node<'static> {
    let number_of = |index: usize| if index == MANY - 1 { last } else { index };
    let port = |index: usize| {
        let name = named('p', number_of(index));
        Node::map([
            ("name", name),
            ("containerPort", Node::int(80)),
            ("hostPort", number(index + 1)),
        ])
    };
    let mount = |index: usize| {
        let path = Node::string(format!("/{}", number_of(index)));
        Node::map([("name", named('v', index)), ("mountPath", path)])
    };
    let volume = |index: usize| {
        Node::map([("name", named('v', number_of(index))), ("emptyDir", Node::empty_map())])
    };
    let gate = |index: usize| Node::map([("name", named('g', number_of(index)))]);
    let constraint = |index: usize| {
        Node::map([
            ("maxSkew", Node::int(1)),
            ("topologyKey", named('k', number_of(index))),
            ("whenUnsatisfiable", Node::string("DoNotSchedule")),
            ("labelSelector", Node::empty_map()),
        ])
    };
    let container = |index: usize| {
        let name = named('c', number_of(index));
        let mut container = Node::map([("name", name), ("image", Node::string("i"))]);
        if index == 0 {
            container.set("ports", list(MANY, port));
            container.set("volumeMounts", list(MANY, mount));
        }
        container
    };
    let spec = Node::map([
        ("containers", list(MANY, container)),
        ("volumes", list(MANY, volume)),
        ("schedulingGates", list(MANY, gate)),
        ("topologySpreadConstraints", list(MANY, constraint)),
        ("tolerations", list(MANY, toleration)),
    ]);
    object("Pod", "v1", spec)
}

fn toleration(index: usize) -> Node<'static> {
    Node::map([("key", named('t', index)), ("operator", Node::string("Exists"))])
}

fn verdict(old: Option<&Object<'static>>, new: &Object<'static>) -> Verdict {
    let change = match old {
        None => Change::create(new),
        Some(old) => Change::update(old, new),
    };
    let config = ApiConfig::of(Release::REFERENCE, Behavior::Released);
    judge(&change.unwrap(), &Facts::default(), &config)
}

fn errors(verdict: &Verdict) -> Vec<String> {
    verdict.errors.iter().map(|error| format!("{}: {}", error.field, error.message())).collect()
}

fn created(new: Node<'static>) -> Vec<String> {
    errors(&verdict(None, &Object::new(new)))
}

#[test]
fn duplicates_are_found_among_many() {
    assert_eq!(created(pod(MANY - 1)), [""; 0]);
    let mut expected: Vec<String> = [
        ("volumes[19999].name", "v0"),
        ("containers[0].ports[19999].name", "p0"),
        ("containers[19999].name", "c0"),
        ("schedulingGates[19999]", "g0"),
        ("topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}", "{k0, DoNotSchedule}"),
    ]
    .iter()
    .map(|(field, text)| format!("spec.{field}: Duplicate value: \"{text}\""))
    .collect();
    let unique = "spec.containers[0].volumeMounts[19999]";
    expected.insert(2, format!("{unique}.name: Not found: \"v19999\""));
    expected.insert(3, format!("{unique}.mountPath: Invalid value: \"/0\": must be unique"));
    assert_eq!(created(pod(0)), expected);
}

#[test]
fn what_many_items_were_is_compared_whatever_their_order() {
    let old = Object::new(pod(MANY - 1));
    let updated = |tolerations: Node<'static>, gates: usize| {
        let mut new = pod(MANY - 1);
        new.map_mut("spec").set("tolerations", tolerations);
        let gate = |index: usize| Node::map([("name", named('g', gates - index - 1))]);
        new.map_mut("spec").set("schedulingGates", list(gates, gate));
        errors(&verdict(Some(&old), &Object::new(new)))
    };
    assert_eq!(updated(list(MANY + 1, |index| toleration(MANY - index)), MANY), [""; 0]);
    assert_eq!(
        updated(list(MANY, |index| toleration(index + 1)), MANY + 1),
        [
            "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds",
            "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g20000'",
        ]
    );
}

#[test]
fn ports_of_a_service_are_compared() {
    const PORTS: usize = 2 * MANY;
    let service = |last: usize| {
        let port = |index: usize| {
            let name = named('p', if index == PORTS - 1 { last } else { index });
            Node::map([("name", name), ("port", number(index + 1))])
        };
        object("Service", "v1", Node::map([("ports", list(PORTS, port))]))
    };
    assert_eq!(created(service(PORTS - 1)), [""; 0]);
    assert_eq!(created(service(0)), ["spec.ports[39999].name: Duplicate value: \"p0\""]);
}

/// To the API, each of these terms duplicates all of them, and those before it once more.
#[test]
fn errors_that_are_not_listed_are_counted_without_being_made() {
    let mut class = object("StorageClass", "storage.k8s.io/v1", Node::empty_map());
    class.set("provisioner", Node::string("example.com/p"));
    class.set("allowedTopologies", list(MANY, |_| Node::empty_map()));
    let verdict = verdict(None, &Object::new(class));
    assert_eq!(verdict.errors.len(), MOST_LISTED);
    assert_eq!(verdict.unlisted, MANY * MANY + MANY * (MANY - 1) / 2 - MOST_LISTED);
}
