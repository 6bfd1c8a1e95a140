//! JSON merge patch, RFC 7386: the patch overrides, `null` deletes.

use super::PatchError;
use super::members::Members;
use super::size::bounded;
use crate::{Node, Value};
use alloc::format;

/// Applies a merge patch.
///
/// A patch that is `null` or not an object is refused with the API server's messages.
pub fn merge_patch(original: Node<'static>, patch: &Node<'_>) -> Result<Node<'static>, PatchError> {
    match patch.value {
        Value::Map(_) => {}
        Value::Null => return Err(PatchError::BadRequest("Invalid JSON Patch".into())),
        _ => {
            return Err(PatchError::BadRequest(format!(
                "error decoding patch: json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                patch.type_name()
            )));
        }
    }
    let mut patched = original;
    merge(&mut patched, patch.clone().into_owned());
    bounded(patched)
}

fn merge(target: &mut Node<'static>, mut patch: Node<'static>) {
    if !matches!(target.value, Value::Map(_)) {
        // A value that replaces one of another type loses its nulls, in lists too.
        prune(&mut patch);
        *target = patch;
        return;
    }
    if !matches!(patch.value, Value::Map(_)) {
        *target = patch;
        return;
    }
    let mut members = Members::of(target);
    for mut entry in Members::of(&mut patch).into_entries() {
        if entry.node.is_null() {
            members.remove(&entry.key);
            continue;
        }
        match members.get_mut(&entry.key) {
            Some(existing) => merge(existing, entry.node),
            None => {
                prune(&mut entry.node);
                members.set(entry.key, entry.node);
            }
        }
    }
    members.into_map(target);
}

/// Removes the members that are `null`, at every depth; a `null` in a list stays.
fn prune(node: &mut Node<'static>) {
    match &mut node.value {
        Value::Map(entries) => {
            entries.retain(|entry| !entry.node.is_null());
            entries.iter_mut().for_each(|entry| prune(&mut entry.node));
        }
        Value::List(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode};
    use alloc::string::{String, ToString};
    use alloc::vec;
    use proptest::prelude::*;

    fn parse(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    fn patched(original: &str, patch: &str) -> String {
        merge_patch(parse(original), &parse(patch)).unwrap().to_json()
    }

    #[test]
    fn the_examples_of_the_rfc() {
        for (original, patch, result) in [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, r#"{}"#),
            (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
            (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
            (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
            (r#"{}"#, r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
        ] {
            assert_eq!(patched(original, patch), result, "{original} {patch}");
        }
    }

    #[test]
    fn nulls_in_lists_are_the_librarys() {
        // New lists lose the nulls of their maps; a list that replaces a map keeps them.
        assert_eq!(patched("{}", r#"{"a":[null,{"b":null}]}"#), r#"{"a":[null,{}]}"#);
        assert_eq!(patched(r#"{"a":1}"#, r#"{"a":[{"b":null}]}"#), r#"{"a":[{}]}"#);
        assert_eq!(patched(r#"{"a":{}}"#, r#"{"a":[{"b":null}]}"#), r#"{"a":[{"b":null}]}"#);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let refused = |patch: &str| merge_patch(parse("{}"), &parse(patch)).unwrap_err();
        assert_eq!(
            refused("[]").message(),
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"
        );
        assert_eq!(refused("null"), PatchError::BadRequest("Invalid JSON Patch".into()));
    }

    pub(crate) fn any_tree() -> impl Strategy<Value = Node<'static>> {
        let leaf = prop_oneof![
            Just(Node::new(Value::Null)),
            any::<bool>().prop_map(Node::bool),
            (0..4_i64).prop_map(Node::int),
            "[a-c]{0,2}".prop_map(Node::string),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Node::list),
                prop::collection::btree_map("[a-d]", inner, 0..4).prop_map(Node::map),
            ]
        })
    }

    fn any_map() -> impl Strategy<Value = Node<'static>> {
        prop::collection::btree_map("[a-d]", any_tree(), 0..4).prop_map(Node::map)
    }

    proptest! {
        #[test]
        fn an_empty_patch_changes_nothing(original in any_map()) {
            let same = merge_patch(original.clone(), &Node::empty_map()).unwrap();
            prop_assert_eq!(same, original);
        }

        #[test]
        fn a_patch_applied_twice_is_a_patch_applied_once(original in any_map(), patch in any_map()) {
            let once = merge_patch(original, &patch).unwrap();
            // A list that replaced a map keeps its nulls the first time only.
            let twice = merge_patch(once.clone(), &patch).unwrap();
            let thrice = merge_patch(twice.clone(), &patch).unwrap();
            prop_assert_eq!(twice, thrice);
        }

        #[test]
        fn what_the_patch_says_holds_afterwards(original in any_map(), patch in any_map()) {
            let patched = merge_patch(original.clone(), &patch).unwrap();
            for entry in patch.entries() {
                match &entry.node.value {
                    Value::Null => prop_assert!(patched.get(&entry.key).is_none()),
                    Value::List(_) | Value::Map(_) => {
                        let is_map = matches!(entry.node.value, Value::Map(_));
                        let existing = patched.get(&entry.key).unwrap();
                        prop_assert_eq!(matches!(existing.value, Value::Map(_)), is_map);
                    }
                    _ => prop_assert_eq!(patched.get(&entry.key), Some(&entry.node)),
                }
            }
            for entry in original.entries().iter().filter(|entry| patch.get(&entry.key).is_none()) {
                prop_assert_eq!(patched.get(&entry.key), Some(&entry.node));
            }
        }
    }

    #[test]
    fn large_maps_merge_quickly() {
        let names = |count: i64| (0..count).map(|at| (at.to_string(), Node::int(at)));
        let original = Node::map(names(60_000));
        let patch = Node::map(names(60_000).map(|(name, _)| (name, Node::int(1))));
        let patched = merge_patch(original, &patch).unwrap();
        assert!(patched.entries().iter().all(|entry| entry.node == Node::int(1)));
    }

    #[test]
    fn too_large_a_result_is_refused() {
        let list = || Node::list(vec![Node::int(1); 70_000]);
        let error = merge_patch(Node::map([("a", list())]), &Node::map([("b", list())]));
        assert!(matches!(error, Err(PatchError::TooLarge(_))));
    }
}
