//! Labels and label selectors as one line of text.

use crate::printed_object::{NONE, items, or};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::Node;

/// `a=1,b=2`, sorted; `<none>` if there are none.
pub(crate) fn labels(node: Option<&Node<'_>>) -> String {
    let entries = node.map(Node::entries).unwrap_or_default();
    let mut labels: Vec<String> =
        entries.iter().map(|entry| pair(&entry.key, &entry.node)).collect();
    labels.sort_unstable();
    or(&labels.join(","), NONE).to_owned()
}

fn pair(key: &str, value: &Node<'_>) -> String {
    format!("{key}={}", value.text().unwrap_or_default())
}

/// A label selector as a query; `<none>` if it is empty, `<error>` if it is invalid.
pub(crate) fn selector(node: Option<&Node<'_>>) -> String {
    match query(node) {
        Some(query) => or(&query, NONE).to_owned(),
        None => "<error>".to_owned(),
    }
}

/// A label selector as a query, sorted by key; `None` if it is invalid.
pub(crate) fn query(node: Option<&Node<'_>>) -> Option<String> {
    let Some(node) = node else { return Some(String::new()) };
    let labels = node.get("matchLabels").map(Node::entries).unwrap_or_default();
    let mut parts: Vec<(&str, String)> = Vec::new();
    for entry in labels {
        let value = entry.node.text().unwrap_or_default();
        (is_key(&entry.key) && is_value(value)).then_some(())?;
        parts.push((&entry.key, pair(&entry.key, &entry.node)));
    }
    for expression in items(node, &["matchExpressions"]) {
        parts.push((expression.text_at(&["key"]), requirement(expression)?));
    }
    parts.sort_by_key(|(key, _)| *key);
    let parts: Vec<String> = parts.into_iter().map(|(_, part)| part).collect();
    Some(parts.join(","))
}

fn requirement(expression: &Node<'_>) -> Option<String> {
    let key = expression.text_at(&["key"]);
    let mut values: Vec<&str> =
        items(expression, &["values"]).iter().filter_map(Node::text).collect();
    values.sort_unstable();
    let has_values = !values.is_empty();
    let (wants_values, text) = match expression.text_at(&["operator"]) {
        "In" => (true, format!("{key} in ({})", values.join(","))),
        "NotIn" => (true, format!("{key} notin ({})", values.join(","))),
        "Exists" => (false, key.to_owned()),
        "DoesNotExist" => (false, format!("!{key}")),
        _ => return None,
    };
    let is_valid = is_key(key) && values.iter().all(|value| is_value(value));
    (is_valid && wants_values == has_values).then_some(text)
}

/// A name with an optional DNS prefix and a slash.
fn is_key(key: &str) -> bool {
    let (prefix, name) = key.split_once('/').map_or((None, key), |(p, name)| (Some(p), name));
    !name.is_empty() && is_value(name) && prefix.is_none_or(is_domain)
}

fn is_value(value: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let ends = [value.bytes().next(), value.bytes().next_back()];
    value.len() <= 63
        && value.bytes().all(is_inner)
        && ends.iter().flatten().all(u8::is_ascii_alphanumeric)
}

fn is_domain(name: &str) -> bool {
    let is_label = |label: &str| {
        let is_inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        let is_bare = !label.starts_with('-') && !label.ends_with('-');
        !label.is_empty() && is_bare && label.bytes().all(is_inner)
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

/// A label selector as Go prints the struct, for the one column where Kubernetes does so.
pub(crate) fn debug(node: &Node<'_>) -> String {
    let labels = node.get("matchLabels").map(Node::entries).unwrap_or_default();
    let mut labels: Vec<(&str, &str)> =
        labels.iter().map(|entry| (&*entry.key, entry.node.text().unwrap_or_default())).collect();
    labels.sort_unstable();
    let labels: String = labels.iter().map(|(key, value)| format!("{key}: {value},")).collect();
    let expressions: String = items(node, &["matchExpressions"]).iter().map(debug_one).collect();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},\
         MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
}

fn debug_one(expression: &Node<'_>) -> String {
    let (key, operator) = (expression.text_at(&["key"]), expression.text_at(&["operator"]));
    let values = crate::printed_object::joined(items(expression, &["values"]), " ");
    format!("LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}},")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tree;

    fn formatted(text: &str) -> String {
        selector(Some(&tree(text)))
    }

    #[test]
    fn labels_are_sorted() {
        assert_eq!(labels(Some(&tree("{b: '2', a: '1'}"))), "a=1,b=2");
        assert_eq!(labels(Some(&tree("{}"))), "<none>");
        assert_eq!(labels(None), "<none>");
    }

    #[test]
    fn selectors_become_queries() {
        let all = "{matchLabels: {c: x, example.com/a: 'y'}, matchExpressions: [\
            {key: b, operator: In, values: [z, a]}, {key: d, operator: NotIn, values: [q]},\
            {key: e, operator: Exists}, {key: f, operator: DoesNotExist}]}";
        assert_eq!(formatted(all), "b in (a,z),c=x,d notin (q),e,example.com/a=y,!f");
        assert_eq!(formatted("{}"), "<none>");
        assert_eq!(selector(None), "<none>");
    }

    #[test]
    fn selectors_that_make_no_sense_are_errors() {
        for text in [
            "{matchLabels: {a: '-'}}",
            "{matchLabels: {'/a': x}}",
            "{matchLabels: {'A.b/a': x}}",
            "{matchExpressions: [{key: a, operator: Near}]}",
            "{matchExpressions: [{key: a, operator: In}]}",
            "{matchExpressions: [{key: a, operator: Exists, values: [b]}]}",
        ] {
            assert_eq!(formatted(text), "<error>", "{text}");
        }
    }

    #[test]
    fn the_struct_is_printed_as_go_does() {
        let node = tree(
            "{matchLabels: {b: 'y', a: x}, matchExpressions: [{key: k, operator: In, values: [v, w]}]}",
        );
        assert_eq!(
            debug(&node),
            "&LabelSelector{MatchLabels:map[string]string{a: x,b: y,},MatchExpressions:\
             []LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[v w],},},}"
        );
    }
}
