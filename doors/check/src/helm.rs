//! Detection of Helm templates that are not rendered yet, which are skipped.

use ratchet_object::{Node, Object};

/// Template syntax that does not occur in manifests.
const MARKS: [&str; 9] = [
    "{{-",
    "{{ .",
    "{{.",
    "{{ include ",
    "{{ template ",
    "{{ if ",
    "{{ range ",
    "{{ with ",
    "{{ end",
];

/// Whether a text that cannot be decoded is a template: it has template syntax outside its comments.
pub(crate) fn is_unrendered(text: &str) -> bool {
    let code = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    code.into_iter().any(has_mark)
}

/// Whether an object that can be decoded is a template: one of its names has template syntax. In other values the
/// syntax may be intended, as in a dashboard or an alert.
pub(crate) fn is_template(object: &Object<'_>) -> bool {
    let keys = object.node().entries().iter().map(|entry| entry.key.as_ref());
    let names = [object.kind_name(), object.api_version(), object.name(), object.namespace()];
    keys.chain(names).any(has_mark)
        || object.node().get("metadata").is_some_and(|metadata: &Node<'_>| {
            metadata.entries().iter().any(|entry| has_mark(&entry.key))
        })
}

fn has_mark(text: &str) -> bool {
    text.contains("{{") && MARKS.iter().any(|mark| text.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    #[test]
    fn templates_are_told_from_manifests_that_mention_braces() {
        let is = |text: &str| {
            is_template(&Object::new(decode(text, Limits::DEFAULT).unwrap().documents.remove(0)))
        };
        assert!(is("metadata:\n  name: \"{{ .Values.name }}\"\n"));
        assert!(is("metadata:\n  namespace: \"{{- .Release.Namespace }}\"\n"));
        assert!(!is("data: {message: '{{ .Values.name }} is down'}\n"));
        assert!(!is("# {{ .Values.name }}\nmetadata: {name: a}\n"));
        assert!(is_unrendered("metadata:\n{{- include \"labels\" . }}\n"));
        assert!(!is_unrendered("# {{ .Values.name }}\na: [b\n") && !is_unrendered("a: {{b: c}"));
    }
}
