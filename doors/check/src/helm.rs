//! Templates that Helm has not rendered yet are not manifests.

use ratchet_object::{Node, Value};

/// What only a template of Helm says.
const MARKS: [&str; 5] = ["{{ .Values", "{{ .Release", "{{ .Chart", "{{ include ", "{{ template "];

/// Whether a text that cannot be decoded has the braces of a template.
pub(crate) fn has_braces(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), b"{{").is_some()
}

/// Whether a document that can be decoded still has something to be rendered in it: as a value, for
/// a comment may well speak of templates.
pub(crate) fn is_template(node: &Node<'_>) -> bool {
    let speaks = |text: &str| {
        text.contains("{{") && {
            let tight = text.replace("{{-", "{{").replace("{{ ", "{{").replace("{{", "{{ ");
            MARKS.iter().any(|mark| tight.contains(mark))
        }
    };
    match &node.value {
        Value::Text(text) => speaks(text),
        Value::List(items) => items.iter().any(is_template),
        Value::Map(entries) => {
            entries.iter().any(|entry| speaks(&entry.key) || is_template(&entry.node))
        }
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    #[test]
    fn templates_are_told_from_manifests_that_mention_braces() {
        let is =
            |text: &str| is_template(&decode(text, Limits::DEFAULT).unwrap().documents.remove(0));
        assert!(is("metadata:\n  name: \"{{ .Values.name }}\"\n"));
        assert!(is("metadata:\n  name: \"{{-.Values.name }}\"\n"));
        assert!(!is("message: '{{ $labels.instance }} is down'\n"));
        assert!(!is("# {{ .Values.name }}\nmetadata: {name: a}\n"));
        assert!(has_braces("name: {{ .Values.name }}") && !has_braces("a: {b: {c: d}}"));
    }
}
