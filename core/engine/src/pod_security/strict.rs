//! Strict decoding of configuration objects: unknown fields and wrong types are errors.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::{At, Node, Value};

/// `apiVersion` and `kind`, which are required.
pub(super) fn type_of(root: At<'_>) -> Result<(&str, &str), String> {
    let (version, kind) = (root.field("apiVersion"), root.field("kind"));
    for (at, name) in [(kind, "Kind"), (version, "apiVersion")] {
        if at.text_or_empty().is_empty() {
            let mut content = String::new();
            root.node().into_iter().for_each(|node| write_json(node, &mut content));
            return Err(format!("Object '{name}' is missing in '{content}'"));
        }
    }
    Ok((version.text_or_empty(), kind.text_or_empty()))
}

/// Errors of strict decoding: the first wrong type, and all unknown fields.
#[derive(Default)]
pub(super) struct StrictDecoder {
    type_error: Option<String>,
    unknown: Vec<String>,
}

impl StrictDecoder {
    pub(super) fn object(&mut self, at: At<'_>, kind: &str, known: &[&str]) {
        if at.is_set() && !matches!(at.node().map(|node| &node.value), Some(Value::Map(_))) {
            self.add_type_error(at, kind, &format!("v1.{kind}"));
        }
        let mut unknown: Vec<&str> =
            at.entries().map(|(key, _)| key).filter(|key| !known.contains(key)).collect();
        // Kubernetes converts YAML to JSON first, which sorts the members.
        unknown.sort_unstable();
        let fields = unknown.into_iter().map(|name| at.path().field(name).to_string());
        self.unknown.extend(fields.map(|path| format!("unknown field \"{path}\"")));
    }

    pub(super) fn text<'a>(&mut self, at: At<'a>, kind: &str) -> &'a str {
        at.text().unwrap_or_else(|| {
            self.add_type_error(at, kind, "string");
            ""
        })
    }

    pub(super) fn texts(&mut self, at: At<'_>, kind: &str) -> Vec<String> {
        if at.is_set() && !matches!(at.node().map(|node| &node.value), Some(Value::List(_))) {
            self.add_type_error(at, kind, "[]string");
        }
        at.items().map(|item| self.text(item.with_path(*at.path()), kind).into()).collect()
    }

    fn add_type_error(&mut self, at: At<'_>, kind: &str, expected: &str) {
        let found = at.node().map_or("null", Node::type_name);
        let path = at.path();
        self.type_error.get_or_insert_with(|| {
            format!(
                "json: cannot unmarshal {found} into Go struct field {kind}.{path} of type {expected}"
            )
        });
    }

    pub(super) fn finish(self) -> Result<(), String> {
        match (self.type_error, self.unknown.as_slice()) {
            (Some(type_error), _) => Err(type_error),
            (None, []) => Ok(()),
            (None, unknown) => Err(format!("strict decoding error: {}", unknown.join(", "))),
        }
    }
}

/// Writes compact JSON with sorted members, as error messages quote it.
fn write_json(node: &Node<'_>, out: &mut String) {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Int(number) => out.push_str(&number.to_string()),
        Value::Float(number) => out.push_str(&number.to_string()),
        Value::Text(text) => out.push_str(&ratchet_net::Quoted(text).to_string()),
        Value::List(items) => {
            let write = |item: &Node<'_>, out: &mut String| write_json(item, out);
            write_all(['[', ']'], items.iter(), out, write);
        }
        Value::Map(entries) => {
            let mut sorted: Vec<_> = entries.iter().collect();
            sorted.sort_by(|a, b| a.key.cmp(&b.key));
            write_all(['{', '}'], sorted.into_iter(), out, |entry, out| {
                out.push_str(&format!("{}:", ratchet_net::Quoted(&entry.key)));
                write_json(&entry.node, out);
            });
        }
    }
}

fn write_all<T>(
    [open, close]: [char; 2],
    items: impl Iterator<Item = T>,
    out: &mut String,
    write: impl Fn(T, &mut String),
) {
    out.push(open);
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(close);
}
