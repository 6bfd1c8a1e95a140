//! Tests of strategic merge patch: what kubectl sends, and what the API server makes of it.

use super::{PatchError, merge_patch, strategic_merge};
use crate::schema::{TypeRow, kind, type_of};
use crate::{Limits, Node, Value, decode};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use proptest::prelude::*;

fn parse(text: &str) -> Node<'static> {
    decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
}

fn type_named(group: &str, version: &str, name: &str) -> &'static TypeRow {
    type_of(kind(group, version, name).unwrap().ty)
}

fn apply(ty: &'static TypeRow, original: &str, patch: &str) -> Result<String, PatchError> {
    strategic_merge(parse(original), &parse(patch), ty).map(|node| node.to_json())
}

/// Patches a pod; specs are given and returned without their object.
fn pod(spec: &str, patch: &str) -> String {
    let ty = type_named("", "v1", "Pod");
    match apply(ty, &format!("{{spec: {spec}}}"), &format!("{{spec: {patch}}}")) {
        Ok(text) => text.strip_prefix("{\"spec\":").unwrap().strip_suffix('}').unwrap().into(),
        Err(error) => format!("{}: {error}", error.code()),
    }
}

fn meta(metadata: &str, patch: &str) -> String {
    let ty = type_named("", "v1", "ConfigMap");
    match apply(ty, &format!("{{metadata: {metadata}}}"), &format!("{{metadata: {patch}}}")) {
        Ok(text) => text.strip_prefix("{\"metadata\":").unwrap().strip_suffix('}').unwrap().into(),
        Err(error) => format!("{}: {error}", error.code()),
    }
}

#[test]
fn maps_merge_and_null_takes_away() {
    assert_eq!(
        meta("{labels: {a: '1', b: '2'}}", "{labels: {a: null, c: '3'}}"),
        r#"{"labels":{"b":"2","c":"3"}}"#
    );
    assert_eq!(meta("{}", "{labels: {a: null, c: '3'}}"), r#"{"labels":{"c":"3"}}"#);
    assert_eq!(
        meta("{labels: {a: x}}", "{labels: {$patch: replace, b: w}}"),
        r#"{"labels":{"b":"w"}}"#
    );
    assert_eq!(meta("{labels: {a: x}}", "{labels: {$patch: delete}}"), r#"{"labels":{}}"#);
    assert_eq!(meta("{}", "{labels: {$patch: delete}}"), "{}");
    assert_eq!(
        meta("{labels: {a: x}}", "{unknown: {a: [1]}}"),
        r#"{"labels":{"a":"x"},"unknown":{"a":[1]}}"#
    );
    assert_eq!(
        meta("{labels: {a: x}}", "{labels: {$patch: merge}}"),
        "500: unknown patch type: merge in map: map[$patch:merge]"
    );
    assert_eq!(
        meta("{labels: {a: x}}", "{labels: {$patch: 1}}"),
        "500: unknown patch type: %!s(int64=1) in map: map[$patch:1]"
    );
}

#[test]
fn items_are_found_by_their_key() {
    let one = "{containers: [{name: a, image: x}, {name: b, image: w}]}";
    assert_eq!(
        pod(one, "{containers: [{name: b, image: z}]}"),
        r#"{"containers":[{"name":"a","image":"x"},{"name":"b","image":"z"}]}"#
    );
    // New items precede those that the patch does not name.
    assert_eq!(
        pod("{containers: [{name: c}]}", "{containers: [{name: d}]}"),
        r#"{"containers":[{"name":"d"},{"name":"c"}]}"#
    );
    assert_eq!(
        pod(one, "{containers: [{name: a, $patch: delete}]}"),
        r#"{"containers":[{"name":"b","image":"w"}]}"#
    );
    assert_eq!(
        pod(one, "{containers: [{$patch: replace}, {name: c}]}"),
        r#"{"containers":[{"name":"c"}]}"#
    );
    assert_eq!(pod(one, "{containers: [{$patch: replace}]}"), r#"{"containers":[]}"#);
    assert_eq!(
        pod(one, "{containers: [{name: a, image: null, command: [q]}]}"),
        r#"{"containers":[{"name":"a","command":["q"]},{"name":"b","image":"w"}]}"#
    );
}

#[test]
fn items_that_cannot_be_merged() {
    let one = "{containers: [{name: a}]}";
    for (patch, error) in [
        (
            "{containers: [{image: z}]}",
            "500: map: map[image:z] does not contain declared merge key: name",
        ),
        (
            "{containers: [{$patch: delete}]}",
            "500: map: map[$patch:delete] does not contain declared merge key: name",
        ),
        (
            "{containers: [{name: a, $patch: merge}]}",
            "500: merging lists cannot yet be specified in the patch",
        ),
        (
            "{containers: [{name: a, $patch: x}]}",
            "500: unknown patch type: x in map: map[$patch:x name:a]",
        ),
        ("{containers: [a]}", "500: list element types are not identical: [[map[name:a]] [a]]"),
    ] {
        assert_eq!(pod(one, patch), error);
    }
    assert_eq!(
        pod("{containers: []}", "{containers: [[a]]}"),
        "422: lists of lists are not supported"
    );
    assert_eq!(
        meta("{finalizers: []}", "{finalizers: [{a: b}]}"),
        "500: cannot merge lists without merge key for string"
    );
}

#[test]
fn keys_may_be_numbers() {
    let ty = type_named("", "v1", "Service");
    let patched = apply(
        ty,
        "{spec: {ports: [{port: 80, name: a}, {port: 81, name: b}]}}",
        "{spec: {ports: [{port: 81, name: c}, {port: 80, $patch: delete}]}}",
    );
    assert_eq!(patched.unwrap(), r#"{"spec":{"ports":[{"port":81,"name":"c"}]}}"#);
}

#[test]
fn lists_without_a_strategy_are_replaced() {
    assert_eq!(
        pod("{tolerations: [{key: a}, {key: b}]}", "{tolerations: [{key: c, $patch: x}]}"),
        r#"{"tolerations":[{"key":"c","$patch":"x"}]}"#
    );
    assert_eq!(
        pod("{containers: [{name: a, args: [x, w]}]}", "{containers: [{name: a, args: [z]}]}"),
        r#"{"containers":[{"name":"a","args":["z"]}]}"#
    );
}

#[test]
fn maps_that_are_replaced() {
    let ty = type_named("policy", "v1", "PodDisruptionBudget");
    let patched = apply(
        ty,
        "{spec: {selector: {matchLabels: {a: b}}}}",
        "{spec: {selector: {matchExpressions: []}}}",
    );
    assert_eq!(patched.unwrap(), r#"{"spec":{"selector":{"matchExpressions":[]}}}"#);
}

#[test]
fn lists_of_scalars() {
    assert_eq!(
        meta("{finalizers: [a, b]}", "{finalizers: [c, b]}"),
        r#"{"finalizers":["c","a","b"]}"#
    );
    assert_eq!(
        meta("{finalizers: [a, b, c]}", "{$deleteFromPrimitiveList/finalizers: [b, x]}"),
        r#"{"finalizers":["a","c"]}"#
    );
    assert_eq!(meta("{}", "{$deleteFromPrimitiveList/finalizers: [b]}"), "{}");
    assert_eq!(
        meta("{finalizers: [a]}", "{$deleteFromPrimitiveListX: [b]}"),
        "400: invalid patch format of primitive list"
    );
    assert_eq!(
        meta("{finalizers: [a]}", "{finalizers: [1]}"),
        "500: list element types are not identical: [[a] [1]]"
    );
    assert_eq!(meta("{finalizers: [a]}", "{finalizers: [null]}").split(':').next(), Some("500"));
}

#[test]
fn orders() {
    let one = "{containers: [{name: a}, {name: b}, {name: x}]}";
    let order = "$setElementOrder/containers";
    assert_eq!(
        pod(
            one,
            &format!(
                "{{{order}: [{{name: b}}, {{name: c}}, {{name: a}}], containers: [{{name: c}}]}}"
            )
        ),
        r#"{"containers":[{"name":"b"},{"name":"c"},{"name":"a"},{"name":"x"}]}"#
    );
    assert_eq!(
        pod(one, &format!("{{{order}: [{{name: b}}, {{name: a}}]}}")),
        r#"{"containers":[{"name":"b"},{"name":"a"},{"name":"x"}]}"#
    );
    assert_eq!(
        pod(
            "{}",
            &format!(
                "{{{order}: [{{name: b}}, {{name: a}}], containers: [{{name: b}}, {{name: a}}, {{name: z, $patch: delete}}]}}"
            )
        ),
        r#"{"containers":[{"name":"b"},{"name":"a"}]}"#
    );
    assert_eq!(
        pod(one, &format!("{{{order}: [{{name: b}}], containers: [{{name: a, $patch: delete}}]}}")),
        r#"{"containers":[{"name":"b"},{"name":"x"}]}"#
    );
    assert_eq!(
        meta("{finalizers: [a, b]}", "{$setElementOrder/finalizers: [b, c, a], finalizers: [c]}"),
        r#"{"finalizers":["b","c","a"]}"#
    );
    for (patch, error) in [
        (format!("{{{order}: x}}"), "500: expected a []interface {}, but received a string"),
        (
            format!("{{{order}X: []}}"),
            "500: unable to find api field in struct PodSpec for the json field \"containersX\"",
        ),
        ("{$setElementOrder: []}".into(), "400: invalid patch format of setElementOrder list"),
        (
            "{$setElementOrder/nodeName: []}".into(),
            "500: expected slice or array type, but got: struct",
        ),
        (
            format!("{{{order}: [{{name: a}}], containers: [{{name: c}}]}}"),
            "500: The order in patch list:\n[map[name:c]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
        ),
        (
            format!("{{{order}: [{{}}]}}"),
            "500: map: map[] does not contain declared merge key: name",
        ),
    ] {
        assert_eq!(pod(one, &patch), error);
    }
    assert_eq!(pod("{}", &format!("{{{order}: [{{name: a}}]}}")), "{}");
    // A new item takes the index of a deleted one, behind those that only the server has.
    assert_eq!(
        pod(
            one,
            &format!(
                "{{{order}: [{{name: b}}, {{name: c}}], containers: [{{name: c}}, {{name: a, $patch: delete}}]}}"
            )
        ),
        r#"{"containers":[{"name":"b"},{"name":"x"},{"name":"c"}]}"#
    );
}

#[test]
fn retained_keys() {
    let ty = type_named("apps", "v1", "Deployment");
    let patched = apply(
        ty,
        "{spec: {strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1}}}}",
        "{spec: {strategy: {$retainKeys: [type], type: Recreate}}}",
    );
    assert_eq!(patched.unwrap(), r#"{"spec":{"strategy":{"type":"Recreate"}}}"#);
    assert_eq!(
        pod(
            "{volumes: [{name: v, emptyDir: {}}]}",
            "{volumes: [{$retainKeys: [name, hostPath], name: v, hostPath: {path: /x}, emptyDir: null}]}"
        ),
        r#"{"volumes":[{"name":"v","hostPath":{"path":"/x"}}]}"#
    );
    let wrong = "400: invalid patch format of retainKeys";
    assert_eq!(pod("{volumes: [{name: v}]}", "{volumes: [{$retainKeys: [a], name: v}]}"), wrong);
    assert_eq!(pod("{volumes: [{name: v}]}", "{volumes: [{$retainKeys: x, name: v}]}"), wrong);
}

#[test]
fn what_the_schema_does_not_describe() {
    let ty = type_named("apps", "v1", "ControllerRevision");
    let error = apply(ty, "{data: {a: {b: 1}}}", "{data: {a: {b: 2}}}").unwrap_err();
    assert_eq!(
        error,
        PatchError::Internal(
            "unable to find api field in struct RawExtension for the json field \"a\"".into()
        )
    );
    let ty = type_named("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    let schema = |inner: &str| {
        format!("{{spec: {{versions: [], names: {{}}, conversion: {{webhook: {inner}}}}}}}")
    };
    assert!(apply(ty, &schema("{}"), &schema("{a: 1}")).is_ok());
}

#[test]
fn what_is_no_object_is_refused() {
    let ty = type_named("", "v1", "Pod");
    let error = apply(ty, "{a: b}", "[]").unwrap_err();
    assert_eq!(
        error.message(),
        "json: cannot unmarshal array into Go value of type map[string]interface {}"
    );
    assert_eq!(apply(ty, "{\"a\":\"b\"}", "null").unwrap(), r#"{"a":"b"}"#);
}

/// A pod with some containers, each with some environment.
fn any_pod() -> impl Strategy<Value = Node<'static>> {
    let env = prop::collection::btree_map("[a-d]", 0..3_u8, 0..4).prop_map(|values| {
        let row = |(name, value): (String, u8)| {
            Node::map([("name", Node::string(name)), ("value", Node::string(value.to_string()))])
        };
        Node::list(values.into_iter().map(row).collect())
    });
    let containers = prop::collection::btree_map("[a-e]", (env, 0..3_u8), 1..4).prop_map(|rows| {
        let row = |(name, (env, image)): (String, (Node<'static>, u8))| {
            Node::map([
                ("name", Node::string(name)),
                ("image", Node::string(image.to_string())),
                ("env", env),
            ])
        };
        rows.into_iter().map(row).collect::<Vec<_>>()
    });
    let labels = prop::collection::btree_map("[a-d]", "[x-z]", 0..4).prop_map(|labels| {
        Node::map(labels.into_iter().map(|(name, value)| (name, Node::string(value))))
    });
    (containers.prop_shuffle(), labels).prop_map(|(containers, labels)| {
        Node::map([
            ("metadata", Node::map([("labels", labels)])),
            ("spec", Node::map([("containers", Node::list(containers))])),
        ])
    })
}

/// The patch that kubectl makes from two states: order, additions and changes, deletions.
fn two_way(old: &[Node<'static>], new: &[Node<'static>]) -> Node<'static> {
    let name = |item: &Node<'static>| item.get("name").cloned().unwrap();
    let order = new.iter().map(|item| Node::map([("name", name(item))])).collect();
    let mut changes: Vec<_> = new
        .iter()
        .map(|item| {
            let before = old.iter().find(|other| name(other) == name(item));
            let env = match before {
                None => item.get("env").unwrap().clone(),
                Some(before) => two_way_env(before.get("env").unwrap(), item.get("env").unwrap()),
            };
            let mut change = item.clone();
            change.set("env", env);
            change
        })
        .collect();
    for deleted in old.iter().filter(|item| new.iter().all(|other| name(other) != name(item))) {
        changes.push(Node::map([("name", name(deleted)), ("$patch", Node::string("delete"))]));
    }
    Node::map([
        ("$setElementOrder/containers", Node::list(order)),
        ("containers", Node::list(changes)),
    ])
}

fn two_way_env(old: &Node<'static>, new: &Node<'static>) -> Node<'static> {
    let mut rows = new.items().to_vec();
    for deleted in old.items() {
        if new.items().iter().all(|row| row.get("name") != deleted.get("name")) {
            let name = deleted.get("name").unwrap().clone();
            rows.push(Node::map([("$patch", Node::string("delete")), ("name", name)]));
        }
    }
    Node::list(rows)
}

proptest! {
    #[test]
    fn a_plain_patch_applied_twice_is_a_patch_applied_once(old in any_pod(), patch in any_pod()) {
        let ty = type_named("", "v1", "Pod");
        let once = strategic_merge(old, &patch, ty).unwrap();
        let twice = strategic_merge(once.clone(), &patch, ty).unwrap();
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn an_object_is_a_patch_that_leaves_it_alone(old in any_pod()) {
        let ty = type_named("", "v1", "Pod");
        prop_assert_eq!(strategic_merge(old.clone(), &old, ty).unwrap(), old.clone());
        prop_assert_eq!(strategic_merge(old.clone(), &Node::empty_map(), ty).unwrap(), old);
    }

    #[test]
    fn two_way_patches_lead_from_one_to_the_other(old in any_pod(), new in any_pod()) {
        let ty = type_named("", "v1", "Pod");
        let containers = |pod: &Node<'static>| pod.find(&["spec", "containers"]).unwrap().items().to_vec();
        let patch = Node::map([("spec", two_way(&containers(&old), &containers(&new)))]);
        let patched = strategic_merge(old, &patch, ty).unwrap();
        prop_assert_eq!(containers(&patched), containers(&new));
    }

    #[test]
    fn without_lists_it_is_a_merge_patch(old in any_pod(), new in any_pod()) {
        let ty = type_named("", "v1", "Pod");
        let mut patch = Node::map([("metadata", new.get("metadata").unwrap().clone())]);
        patch.map_mut("metadata").map_mut("labels").set("a", Node::new(Value::Null));
        let strategic = strategic_merge(old.clone(), &patch, ty).unwrap();
        prop_assert_eq!(strategic, merge_patch(old, &patch).unwrap());
    }
}
