//! JSON pointers that may match every item of a list, and conversion of decoded trees to JSON.

use ratchet_object::{Node, Value};
use serde_json::{Value as Json, json};

/// The value at a pointer; `*` matches every item of a list, and absent values are null.
pub(crate) fn at(value: &Json, pointer: &str) -> Json {
    let Some(rest) = pointer.strip_prefix('/') else { return value.clone() };
    let (step, rest) = rest.find('/').map_or((rest, ""), |end| rest.split_at(end));
    match (step, value) {
        ("*", Json::Array(items)) => items.iter().map(|item| at(item, rest)).collect(),
        (_, Json::Array(items)) => step
            .parse()
            .ok()
            .and_then(|index: usize| items.get(index))
            .map_or(Json::Null, |item| at(item, rest)),
        (_, Json::Object(fields)) => {
            let key = step.replace("~1", "/").replace("~0", "~");
            fields.get(&key).map_or(Json::Null, |field| at(field, rest))
        }
        _ => Json::Null,
    }
}

/// Sets the value at a pointer; null removes it.
pub(crate) fn put(value: &mut Json, pointer: &str, new: Json) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let key = key.replace("~1", "/").replace("~0", "~");
    let parent = value.pointer_mut(parent).unwrap_or_else(|| panic!("nothing above {pointer}"));
    match parent {
        Json::Array(items) => items[key.parse::<usize>().unwrap()] = new,
        Json::Object(fields) if new.is_null() => _ = fields.remove(&key),
        other => other[key] = new,
    }
}

/// A decoded tree as JSON.
pub(crate) fn json_of(node: &Node<'_>) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(truth) => json!(truth),
        Value::Int(number) => json!(number),
        Value::Float(number) => json!(number),
        Value::Text(text) => json!(text),
        Value::List(items) => items.iter().map(json_of).collect(),
        Value::Map(entries) => {
            entries.iter().map(|entry| (entry.key.to_string(), json_of(&entry.node))).collect()
        }
    }
}
