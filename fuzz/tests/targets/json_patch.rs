//! Fuzz target `json_patch`: JSON patches and merge patches apply or are refused, alike each time, and never blow a
//! tree up.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

use ratchet_fuzz::{Choices, tree};
use ratchet_object::patch::{PatchError, json_patch, json_patch_warnings, merge_patch};
use ratchet_object::{Limits, Node, Value, decode};

const WORDS: &[&str] = &[
    "op", "path", "from", "value", "add", "remove", "replace", "move", "copy", "test", "/", "/a",
    "/a/0", "/a/-", "/a/-1", "/a/b", "/b", "~0", "~1", "", "a", "b", "0", "-1", "+1", "[", "]",
    "{", "}", ",", ":",
];

#[test]
fn json_patch_anything() {
    ratchet_fuzz::fuzz!("json_patch", WORDS, check);
}

fn check(text: &str) {
    let limits = Limits { nodes: 2_000, ..Limits::DEFAULT };
    let Ok(decoded) = decode(text, limits) else { return };
    let mut documents = decoded.documents.into_iter().map(Node::into_owned);
    let Some(original) = documents.next() else { return };
    let mut choices = Choices::hashed(text.as_bytes());
    let mut patches: Vec<Node<'_>> = documents.collect();
    patches.push(made(&mut choices));
    for patch in &patches {
        check_json(&original, patch);
        check_merge(&original, patch);
    }
}

/// A list of operations, most of which say something.
fn made(choices: &mut Choices<'_>) -> Node<'static> {
    let operation = |choices: &mut Choices<'_>| {
        let word = |choices: &mut Choices<'_>, from, to| {
            let at: usize = from + choices.below(to - from);
            Node::string(WORDS.get(at).copied().unwrap_or_default())
        };
        let value = tree::made(choices, WORDS);
        let value = decode(&value, Limits::DEFAULT).map(|decoded| decoded.documents);
        let value = value.ok().and_then(|mut documents| documents.pop());
        Node::map([
            ("op", word(choices, 4, 10)),
            ("path", word(choices, 10, 20)),
            ("from", word(choices, 10, 20)),
            ("value", value.map_or_else(|| Node::int(1), Node::into_owned)),
        ])
    };
    Node::list((0..choices.below(6)).map(|_| operation(choices)).collect())
}

fn check_json(original: &Node<'static>, patch: &Node<'static>) {
    let result = json_patch(original.clone(), patch);
    assert_eq!(result, json_patch(original.clone(), patch), "alike each time");
    assert!(json_patch_warnings(patch).len() <= 100);
    check_result(&result);
    let Ok(patched) = result else { return };
    // What came out passes a test for itself, and can be put back.
    if matches!(patched.value, Value::Map(_) | Value::List(_)) {
        let operation = |op: &'static str, value: &Node<'static>| {
            Node::map([
                ("op", Node::string(op)),
                ("path", Node::string("")),
                ("value", value.clone()),
            ])
        };
        let test = Node::list(vec![operation("test", &patched)]);
        assert_eq!(json_patch(patched.clone(), &test).as_ref(), Ok(&patched));
        if matches!(original.value, Value::Map(_) | Value::List(_)) {
            let back = Node::list(vec![operation("replace", original)]);
            assert_eq!(json_patch(patched, &back).as_ref(), Ok(original));
        }
    }
}

fn check_merge(original: &Node<'static>, patch: &Node<'static>) {
    let result = merge_patch(original.clone(), patch);
    assert_eq!(result, merge_patch(original.clone(), patch), "alike each time");
    assert_eq!(result.is_ok(), matches!(patch.value, Value::Map(_)));
    check_result(&result);
    if let Ok(patched) = result {
        let twice = merge_patch(patched, patch).unwrap();
        assert_eq!(merge_patch(twice.clone(), patch), Ok(twice));
    }
}

fn check_result(result: &Result<Node<'static>, PatchError>) {
    match result {
        Ok(node) => {
            assert!(tree::count(node) <= Limits::DEFAULT.nodes);
            tree::assert_depth(node, Limits::DEFAULT.depth);
        }
        Err(why) => assert!(!why.message().is_empty() && why.code() != 500, "{why:?}"),
    }
}
