//! Schemas and values that were made to cost much: what they cost is counted, and has a limit.

use super::{Origin, Validator, validate};
use crate::errors::ErrorList;
use crate::path::Path;
use crate::structural::Structural;
use crate::testing::{schema, texts, tree};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::Node;

/// More steps than any object needs that somebody wrote on purpose.
const ORDINARY: u64 = 1 << 20;

fn errors(schema: &Structural, value: &Node<'_>) -> Vec<String> {
    let mut errors = ErrorList::default();
    validate(schema, value, &Path::NIL, Origin::Request, None, &mut errors);
    texts(errors)
}

fn steps(schema: &Structural, value: &Node<'_>) -> u64 {
    let mut validator = Validator::new(Origin::Request);
    validator.value(schema, value, &Path::EMPTY, None);
    validator.effort.spent()
}

fn texts_of(count: usize, text: impl Fn(usize) -> String) -> Node<'static> {
    Node::list((0..count).map(|number| Node::string(text(number))).collect())
}

/// A list whose items are one of many values.
fn enumeration(count: usize, length: usize) -> Structural {
    let values = texts_of(count, |number| format!("{number:0length$}"));
    let mut items = tree("{type: string}");
    items.set("enum", values);
    let mut list = tree("{type: array}");
    list.set("items", items);
    Structural::from_node(&list)
}

#[test]
fn ordinary_objects_take_few_steps() {
    let spec: String = (0..100)
        .map(|number| format!("f{number}: {{type: string, maxLength: 64, pattern: '^[a-z]+$'}}, "))
        .collect();
    let schema = schema(&format!("{{type: object, properties: {{{spec}}}}}"));
    let value: String = (0..100).map(|number| format!("f{number}: abcdefgh, ")).collect();
    let value = tree(&format!("{{{value}}}"));
    assert!(errors(&schema, &value).is_empty());
    assert!(steps(&schema, &value) < ORDINARY);
}

#[test]
fn a_large_enumeration_and_a_long_list_are_not_multiplied_without_end() {
    let schema = enumeration(2000, 6);
    // The last value is found last.
    let few = texts_of(10, |_| "001999".into());
    assert!(errors(&schema, &few).is_empty());
    assert!(steps(&schema, &few) < ORDINARY);
    let many = texts_of(4000, |_| "001999".into());
    assert_eq!(errors(&schema, &many).len(), 1);
    assert!(errors(&schema, &many)[0].contains("Forbidden: the object takes too much work"));
}

#[test]
fn texts_of_errors_do_not_multiply_the_schema_by_the_value() {
    let schema = enumeration(1000, 1000);
    let wrong = texts_of(2000, |number| format!("x{number}"));
    let found = errors(&schema, &wrong);
    assert!(!found.is_empty() && found.len() < 10, "{}", found.len());
    assert!(found.iter().map(String::len).sum::<usize>() < 32 << 20);
    // Without room for a single one it is refused as well.
    let schema = enumeration(10_000, 1000);
    let found = errors(&schema, &texts_of(2, |number| format!("x{number}")));
    assert_eq!(found, ["<nil>: Forbidden: there are too many errors to list"]);
}

#[test]
fn alternatives_are_counted() {
    let alternatives: String =
        (0..2000).map(|number| format!("{{minimum: {number}, maximum: {number}}}, ")).collect();
    for junctor in ["anyOf", "oneOf", "allOf"] {
        let items = format!("{{type: integer, {junctor}: [{alternatives}]}}");
        let schema = schema(&format!("{{type: array, items: {items}}}"));
        let list = |count| Node::list((0..count).map(|_| Node::int(-1)).collect());
        assert!(steps(&schema, &list(10)) < ORDINARY, "{junctor}");
        let found = errors(&schema, &list(1000));
        assert_eq!(found.len(), 1, "{junctor}");
        assert!(found[0].contains("too much work"), "{junctor}: {}", found[0]);
    }
}

#[test]
fn required_members_are_counted() {
    let names: String = (0..20_000).map(|number| format!("r{number}, ")).collect();
    let schema = schema(&format!("{{type: array, items: {{type: object, required: [{names}]}}}}"));
    let list = |count| Node::list((0..count).map(|_| Node::empty_map()).collect());
    assert_eq!(errors(&schema, &list(1)).len(), 20_000);
    assert!(errors(&schema, &list(1000))[0].contains("too much work"));
}

#[test]
fn wrong_items_without_number_are_listed_up_to_a_size() {
    let schema = schema("{type: array, items: {type: string}}");
    let wrong = Node::list((0..200_000).map(Node::int).collect());
    let found = errors(&schema, &wrong);
    assert!(!found.is_empty() && found.len() < 100_000, "{}", found.len());
}

#[test]
fn searches_are_charged_by_pattern_and_text() {
    for (pattern, text) in [("(a*)*$", "a"), ("(a|a)*b", "a"), ("(x+x+)+y", "x"), ("^(a+)+$", "a")]
    {
        let schema = schema(&format!("{{type: string, pattern: '{pattern}'}}"));
        let cost = |length: usize| steps(&schema, &Node::string(text.repeat(length)));
        let (short, long) = (cost(1000), cost(20_000));
        assert!(long <= short * 21, "{pattern}: {short} and {long} are not in proportion");
        assert!(short < ORDINARY, "{pattern}");
    }
    // A large pattern and a large text are too much together.
    let words: Vec<String> = (0..2000).map(|number| format!("a.*{number}")).collect();
    let mut node = tree("{type: string}");
    node.set("pattern", Node::string(words.join("|")));
    let schema = Structural::from_node(&node);
    assert!(errors(&schema, &Node::string("ab1999")).is_empty());
    let found = errors(&schema, &Node::string("a".repeat(1 << 20)));
    assert!(found[0].contains("too much work"), "{}", &found[0][..200]);
}

#[test]
fn alternatives_within_alternatives_are_counted_once_each() {
    let mut nested = String::from("{minimum: 5}");
    for _ in 0..40 {
        nested = format!("{{anyOf: [{nested}, {{minimum: 7}}]}}");
    }
    let schema = schema(&format!("{{type: integer, allOf: [{nested}]}}"));
    assert!(steps(&schema, &Node::int(1)) < ORDINARY);
}
