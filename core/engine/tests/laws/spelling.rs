//! Equivalent encodings of an object: YAML instead of JSON, members in another order.

use serde_json::Value as Json;

/// The object as block YAML.
pub(crate) fn yaml(value: &Json) -> String {
    let mut out = String::new();
    write(value, 0, &mut out);
    out
}

/// The same object with the members of every map in the opposite order.
pub(crate) fn reversed(value: &Json) -> Json {
    match value {
        Json::Array(items) => items.iter().map(reversed).collect(),
        Json::Object(members) => {
            let backwards = members.iter().rev();
            Json::Object(backwards.map(|(key, value)| (key.clone(), reversed(value))).collect())
        }
        other => other.clone(),
    }
}

fn write(value: &Json, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Json::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                out.push_str(&format!("{indent}{}:", scalar(&Json::String(key.clone()))));
                write_below(value, depth, out);
            }
        }
        Json::Array(items) if !items.is_empty() => {
            for item in items {
                out.push_str(&format!("{indent}-"));
                write_below(item, depth, out);
            }
        }
        other => out.push_str(&format!("{indent}{}\n", scalar(other))),
    }
}

fn write_below(value: &Json, depth: usize, out: &mut String) {
    let is_block = match value {
        Json::Object(members) => !members.is_empty(),
        Json::Array(items) => !items.is_empty(),
        _ => false,
    };
    if is_block {
        out.push('\n');
        write(value, depth + 1, out);
    } else {
        out.push_str(&format!(" {}\n", scalar(value)));
    }
}

/// A YAML scalar: plain where YAML reads it as a string, quoted otherwise.
fn scalar(value: &Json) -> String {
    let is_plain = |text: &str| {
        text.len() > 3
            && text.bytes().all(|byte| byte.is_ascii_alphabetic())
            && !["true", "false", "null"].contains(&text.to_lowercase().as_str())
    };
    match value {
        Json::String(text) if is_plain(text) => text.clone(),
        Json::String(text) if !text.contains(['\'', '\n']) => format!("'{text}'"),
        other => other.to_string(),
    }
}
