//! URL encoding as in Go's `net/url`: sorted queries, minimally escaped paths.

use std::fmt::Write;

/// Encodes a query: sorted by name, the values of one name in order.
pub(super) fn query(pairs: &[(&str, &str)]) -> String {
    let mut sorted: Vec<_> = pairs.iter().collect();
    sorted.sort_by_key(|(name, _)| *name);
    let pairs = sorted
        .iter()
        .map(|(name, value)| format!("{}={}", query_component(name), query_component(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// Escapes a name or value of a query.
fn query_component(text: &str) -> String {
    escape(text, |byte| matches!(byte, b'-' | b'_' | b'.' | b'~')).replace("%20", "+")
}

/// Escapes a path.
pub(super) fn path(text: &str) -> String {
    escape(text, |byte| b"-_.~$&+,/:;=@".contains(&byte))
}

fn escape(text: &str, is_plain: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || is_plain(byte) {
            out.push(byte.into());
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Removes `.`, `..` and double slashes from a path; keeps a trailing slash.
pub(super) fn clean_path(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(segments.pop()),
            part => segments.push(part),
        }
    }
    let end = if path.ends_with('/') && !segments.is_empty() { "/" } else { "" };
    format!("/{}{end}", segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_sorted_and_escaped() {
        let pairs = [("output", "1"), ("command", "a b"), ("command", "é/&"), ("error", "1")];
        assert_eq!(query(&pairs), "command=a+b&command=%C3%A9%2F%26&error=1&output=1");
    }

    #[test]
    fn paths_keep_what_go_keeps() {
        assert_eq!(path("/a b/c:d@e;f=%"), "/a%20b/c:d@e;f=%25");
        assert_eq!(clean_path("/a//b/../c/./"), "/a/c/");
        assert_eq!(clean_path("../../x"), "/x");
        assert_eq!(clean_path(""), "/");
        assert_eq!(clean_path("/"), "/");
    }
}
