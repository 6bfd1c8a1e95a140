//! JSON, merge and strategic merge patches, as far as the recordings need them.

use serde_json::{Map, Value};

/// JSON merge patch.
pub(super) fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(members) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let object = target.as_object_mut().unwrap();
    for (name, value) in members {
        if value.is_null() {
            object.remove(name);
        } else {
            merge(object.entry(name.clone()).or_insert(Value::Null), value);
        }
    }
}

/// Lists that a strategic merge patch merges, and their merge keys.
const MERGED: [(&str, &str); 7] = [
    ("containers", "name"),
    ("initContainers", "name"),
    ("ephemeralContainers", "name"),
    ("hostAliases", "ip"),
    ("ports", "containerPort"),
    ("podIPs", "ip"),
    ("hostIPs", "ip"),
];

/// Lists of scalars that a strategic merge patch adds to.
const ADDED: [&str; 2] = ["podCIDRs", "finalizers"];

/// Strategic merge patch.
pub(super) fn strategic(target: &mut Value, patch: &Value, field: &str) {
    match (target, patch) {
        (Value::Object(object), Value::Object(members)) => {
            for (name, value) in members {
                if value.is_null() {
                    object.remove(name);
                } else if !name.starts_with('$') {
                    strategic(object.entry(name.clone()).or_insert(Value::Null), value, name);
                }
            }
        }
        // Items of the patch come first and in its order, the others after them.
        (Value::Array(items), Value::Array(additions)) => {
            let key = MERGED.iter().find(|(list, _)| *list == field).map(|(_, key)| *key);
            let is_same = |item: &Value, addition: &Value| match key {
                Some(key) => item[key] == addition[key],
                None => item == addition,
            };
            if key.is_none() && !ADDED.contains(&field) {
                *items = additions.clone();
                return;
            }
            let mut merged = Vec::new();
            for addition in additions {
                let position = items.iter().position(|item| is_same(item, addition));
                let mut item = position.map_or(Value::Null, |position| items.remove(position));
                strategic(&mut item, addition, "");
                merged.push(item);
            }
            merged.append(items);
            *items = merged;
        }
        (target, patch) => *target = patch.clone(),
    }
}

/// JSON patch.
pub(super) fn json_patch(mut target: Value, operations: &Value) -> Option<Value> {
    for operation in operations.as_array()? {
        let path = operation["path"].as_str()?;
        match operation["op"].as_str()? {
            "add" => insert(&mut target, path, operation["value"].clone())?,
            "replace" => set(&mut target, path, operation["value"].clone()),
            "remove" => remove(&mut target, path)?,
            "copy" => {
                let value = target.pointer(operation["from"].as_str()?)?.clone();
                insert(&mut target, path, value)?;
            }
            "move" => {
                let from = operation["from"].as_str()?;
                let value = target.pointer(from)?.clone();
                remove(&mut target, from)?;
                insert(&mut target, path, value)?;
            }
            "test" => {
                if target.pointer(path) != Some(&operation["value"]) {
                    return None;
                }
            }
            _ => return None,
        }
    }
    Some(target)
}

fn split(pointer: &str) -> (String, String) {
    let (parent, last) = pointer.rsplit_once('/').unwrap_or(("", pointer));
    (parent.to_owned(), last.replace("~1", "/").replace("~0", "~"))
}

fn insert(target: &mut Value, pointer: &str, value: Value) -> Option<()> {
    let (parent, last) = split(pointer);
    match target.pointer_mut(&parent)? {
        Value::Array(items) if last == "-" => items.push(value),
        Value::Array(items) => items.insert(last.parse().ok()?, value),
        Value::Object(object) => {
            object.insert(last, value);
        }
        _ => return None,
    }
    Some(())
}

fn remove(target: &mut Value, pointer: &str) -> Option<()> {
    let (parent, last) = split(pointer);
    match target.pointer_mut(&parent)? {
        Value::Array(items) => {
            items.remove(last.parse().ok()?);
        }
        Value::Object(object) => {
            object.remove(&last);
        }
        _ => return None,
    }
    Some(())
}

/// Sets the value at a JSON pointer, creating the objects on the way; `null` removes.
pub(super) fn set(target: &mut Value, pointer: &str, value: Value) {
    if value.is_null() {
        remove(target, pointer);
        return;
    }
    let mut at = target;
    for segment in pointer.split('/').skip(1) {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        at = match at {
            Value::Array(items) => {
                let index: usize = segment.parse().unwrap_or(items.len());
                if index >= items.len() {
                    items.push(Value::Null);
                }
                let last = items.len() - 1;
                &mut items[index.min(last)]
            }
            other => {
                if !other.is_object() {
                    *other = Value::Object(Map::new());
                }
                other.as_object_mut().unwrap().entry(segment).or_insert(Value::Null)
            }
        };
    }
    *at = value;
}
