//! Fuzz target `strategic`: strategic merge patches of any kind apply or are refused, alike each time.

use ratchet_fuzz::{Choices, documents, grafted, tree};
use ratchet_object::patch::{merge_patch, strategic_merge};
use ratchet_object::schema::{self, TypeRow};
use ratchet_object::{Limits, Node, Object, Value};

const WORDS: &[&str] = &[
    "metadata",
    "labels",
    "finalizers",
    "ownerReferences",
    "uid",
    "spec",
    "status",
    "containers",
    "name",
    "image",
    "env",
    "ports",
    "containerPort",
    "volumes",
    "emptyDir",
    "conditions",
    "type",
    "$patch",
    "delete",
    "replace",
    "merge",
    "$retainKeys",
    "$setElementOrder/containers",
    "$setElementOrder/finalizers",
    "$deleteFromPrimitiveList/finalizers",
    "$setElementOrder",
    "template",
    "strategy",
    "a",
    "b",
    "0",
    "null",
    "[]",
    "{}",
    "\n---\n",
    "data",
];

#[test]
fn strategic() {
    ratchet_fuzz::fuzz!("strategic", WORDS, check);
}

fn check(text: &str) {
    let mut choices = Choices::hashed(text.as_bytes());
    let Some(mut documents) = documents(text) else { return };
    let Some(original) = documents.first().cloned() else { return };
    if !matches!(original.value, Value::Map(_)) {
        return;
    }
    let ty = type_of(&original, &mut choices);
    documents.push(grafted(&original, &mut choices));
    for patch in &documents {
        check_patch(&original, patch, ty);
    }
}

fn type_of(original: &Node<'static>, choices: &mut Choices<'_>) -> &'static TypeRow {
    let object = Object::new(original.clone());
    let (group, version) =
        object.api_version().rsplit_once('/').unwrap_or(("", object.api_version()));
    let row = schema::kind(group, version, object.kind_name());
    let row = row.or_else(|| choices.pick(schema::KINDS));
    schema::type_of(row.map_or(0, |row| row.ty))
}

fn check_patch(original: &Node<'static>, patch: &Node<'static>, ty: &'static TypeRow) {
    let result = strategic_merge(original.clone(), patch, ty);
    assert_eq!(result, strategic_merge(original.clone(), patch, ty), "alike each time");
    let patched = match result {
        Err(why) => {
            assert!(!why.message().is_empty() && !why.to_string().is_empty());
            return;
        }
        Ok(patched) => patched,
    };
    assert!(tree::count(&patched) <= Limits::DEFAULT.nodes);
    tree::assert_depth(&patched, Limits::DEFAULT.depth);
    if patch.to_json().contains('$') {
        return;
    }
    // New items keep their nulls the first time; from then on nothing changes.
    if let Ok(twice) = strategic_merge(patched.clone(), patch, ty)
        && let Ok(thrice) = strategic_merge(twice.clone(), patch, ty)
    {
        assert_eq!(thrice, twice);
    }
    if !has_list(patch) {
        let merged = if patch.is_null() {
            Ok(original.clone())
        } else {
            merge_patch(original.clone(), patch)
        };
        assert_eq!(merged, Ok(patched), "without lists it is a merge patch");
    }
}

fn has_list(node: &Node<'_>) -> bool {
    matches!(node.value, Value::List(_)) || node.entries().iter().any(|entry| has_list(&entry.node))
}
