//! Values as Kubernetes shows them in errors.

use crate::Release;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::write_text;

/// A list of texts: JSON since 1.34, Go's own syntax before.
pub(crate) fn list(texts: &[&str], release: Release) -> String {
    if release.since(34) {
        let items: Vec<String> = texts.iter().map(|text| json(text)).collect();
        return alloc::format!("[{}]", items.join(","));
    }
    let items: Vec<String> = texts.iter().map(|text| Quoted(text).to_string()).collect();
    alloc::format!("[]string{{{}}}", items.join(", "))
}

/// A text of a type with a name of its own (`ServiceType`, say): JSON since 1.34, quoted before.
pub(crate) fn named(text: &str, release: Release) -> String {
    if release.since(34) { json(text) } else { Quoted(text).to_string() }
}

/// A list of structs with one text each, by their names in the API server's own code.
pub(crate) fn structs(name: &str, field: &str, texts: &[&str], release: Release) -> String {
    if release.since(34) {
        let item = |text: &&str| alloc::format!("{{\"{field}\":{}}}", json(text));
        return alloc::format!("[{}]", texts.iter().map(item).collect::<Vec<_>>().join(","));
    }
    let item = |text: &&str| alloc::format!("core.{name}{{{field}:{}}}", Quoted(text));
    alloc::format!("[]core.{name}{{{}}}", texts.iter().map(item).collect::<Vec<_>>().join(", "))
}

/// One text in JSON, escaped as Go's encoder does (it also escapes HTML).
pub(crate) fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    // Writing to a String cannot fail.
    let _ = write_text(&mut out, text);
    out
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
