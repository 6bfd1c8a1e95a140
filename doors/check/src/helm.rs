//! Templates that Helm has not rendered yet are not manifests.

/// What only a template says.
const MARKS: [&str; 7] =
    ["{{ .Values", "{{ .Release", "{{ .Chart", "{{- ", "{{ include ", "{{ template ", "{{.Values"];

/// Whether the text is a template that has not been rendered.
pub(crate) fn is_template(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), b"{{").is_some()
        && MARKS.iter().any(|mark| text.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_told_from_manifests_that_mention_braces() {
        assert!(is_template("metadata:\n  name: {{ .Values.name }}\n"));
        assert!(is_template("{{- if true }}\na: b\n{{- end }}\n"));
        assert!(!is_template("message: '{{ $labels.instance }} is down'\n"));
        assert!(!is_template("a: {b: {c: d}}\n"));
    }
}
