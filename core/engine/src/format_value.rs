//! Formatting of values in error messages, as Kubernetes does it in each release.

use crate::Release;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::{At, Node, Value, write_text};

/// A list of strings: JSON since 1.34, Go syntax before.
pub fn list(texts: &[&str], release: Release) -> String {
    if release.since(34) {
        let items: Vec<String> = texts.iter().map(|text| json(text)).collect();
        return alloc::format!("[{}]", items.join(","));
    }
    let items: Vec<String> = texts.iter().map(|text| Quoted(text).to_string()).collect();
    alloc::format!("[]string{{{}}}", items.join(", "))
}

/// A string of a named Go type (`ServiceType`, say): JSON since 1.34, quoted before.
pub fn typed_string(text: &str, release: Release) -> String {
    if release.since(34) { json(text) } else { Quoted(text).to_string() }
}

/// A list of structs with one string field each, by their Go names in the API server.
pub(crate) fn structs(name: &str, field: &str, texts: &[&str], release: Release) -> String {
    if release.since(34) {
        let item = |text: &&str| alloc::format!("{{\"{field}\":{}}}", json(text));
        return alloc::format!("[{}]", texts.iter().map(item).collect::<Vec<_>>().join(","));
    }
    let item = |text: &&str| alloc::format!("core.{name}{{{field}:{}}}", Quoted(text));
    alloc::format!("[]core.{name}{{{}}}", texts.iter().map(item).collect::<Vec<_>>().join(", "))
}

/// A JSON string, escaped as Go's encoder does (it also escapes HTML).
pub(crate) fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    // Writing to a String cannot fail.
    let _ = write_text(&mut out, text);
    out
}

/// A tree as Go's encoder writes a map: members sorted by name. Absence is `null`.
pub fn tree(node: Option<&Node<'_>>) -> String {
    let mut out = String::new();
    write_tree(node, &mut out);
    out
}

fn write_tree(node: Option<&Node<'_>>, out: &mut String) {
    match node.map(|node| &node.value) {
        Some(Value::Map(entries)) => {
            let mut sorted: Vec<_> = entries.iter().collect();
            sorted.sort_unstable_by(|one, other| one.key.cmp(&other.key));
            members(sorted.into_iter().map(|entry| (entry.key.as_ref(), &entry.node)), out);
        }
        Some(Value::List(items)) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_tree(Some(item), out);
            }
            out.push(']');
        }
        Some(_) => out.push_str(&node.map(Node::to_json).unwrap_or_default()),
        None => out.push_str("null"),
    }
}

fn members<'n>(all: impl Iterator<Item = (&'n str, &'n Node<'n>)>, out: &mut String) {
    out.push('{');
    for (index, (name, node)) in all.enumerate() {
        if index > 0 {
            out.push(',');
        }
        let _ = write_text(out, name);
        out.push(':');
        write_tree(Some(node), out);
    }
    out.push('}');
}

/// An owner reference, its fields in the order of the API type.
pub(crate) fn owner(at: &At<'_>) -> String {
    let text = |name: &'static str| json(at.field(name).text_or_empty());
    let mut out = alloc::format!(
        "{{\"apiVersion\":{},\"kind\":{},\"name\":{},\"uid\":{}",
        text("apiVersion"),
        text("kind"),
        text("name"),
        text("uid")
    );
    for name in ["controller", "blockOwnerDeletion"] {
        if let Some(truth) = at.field(name).truth() {
            out.push_str(&alloc::format!(",\"{name}\":{truth}"));
        }
    }
    out.push('}');
    out
}

/// A label selector, its fields in the order of the API type.
pub(crate) fn selector(at: &At<'_>) -> String {
    if !at.is_set() {
        return "null".into();
    }
    let mut parts: Vec<String> = Vec::new();
    let labels = at.field("matchLabels");
    if labels.entries().len() > 0 {
        parts.push(alloc::format!("\"matchLabels\":{}", tree(labels.node())));
    }
    let expressions = at.field("matchExpressions");
    if !expressions.is_empty() {
        let item = |at: At<'_>| {
            let text = |name: &'static str| json(at.field(name).text_or_empty());
            let mut out =
                alloc::format!("{{\"key\":{},\"operator\":{}", text("key"), text("operator"));
            if !at.field("values").is_empty() {
                out.push_str(&alloc::format!(",\"values\":{}", tree(at.field("values").node())));
            }
            out.push('}');
            out
        };
        let items: Vec<String> = expressions.items().map(item).collect();
        parts.push(alloc::format!("\"matchExpressions\":[{}]", items.join(",")));
    }
    alloc::format!("{{{}}}", parts.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_look_as_the_release_shows_them() {
        assert_eq!(list(&["a", "<\""], Release::REFERENCE), r#"["a","\u003c\""]"#);
        let older = Release::new(33).unwrap();
        assert_eq!(list(&["a", "b"], older), r#"[]string{"a", "b"}"#);
        assert_eq!(
            structs("PodIP", "IP", &["1.2.3.4"], Release::REFERENCE),
            r#"[{"IP":"1.2.3.4"}]"#
        );
        assert_eq!(
            structs("PodIP", "IP", &["1.2.3.4"], older),
            r#"[]core.PodIP{core.PodIP{IP:"1.2.3.4"}}"#
        );
    }
}
