//! URLs as Go writes them: queries with sorted names, paths with as few percent signs as it uses.

use std::fmt::Write;

/// A query of these pairs: names sorted, values of one name in their order.
pub(super) fn query(pairs: &[(&str, &str)]) -> String {
    let mut sorted: Vec<_> = pairs.iter().collect();
    sorted.sort_by_key(|(name, _)| *name);
    let pairs = sorted.iter().map(|(name, value)| format!("{}={}", word(name), word(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// A name or a value in a query.
fn word(text: &str) -> String {
    escaped(text, |byte| matches!(byte, b'-' | b'_' | b'.' | b'~')).replace("%20", "+")
}

/// A path whose segments are already apart by slashes.
pub(super) fn path(text: &str) -> String {
    escaped(text, |byte| b"-_.~$&+,/:;=@".contains(&byte))
}

fn escaped(text: &str, is_plain: impl Fn(u8) -> bool) -> String {
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

/// A path without `.`, `..` and double slashes, which begins with one slash and keeps the one at its end.
pub(super) fn cleaned(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(kept.pop()),
            part => kept.push(part),
        }
    }
    let end = if path.ends_with('/') && !kept.is_empty() { "/" } else { "" };
    format!("/{}{end}", kept.join("/"))
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
        assert_eq!(cleaned("/a//b/../c/./"), "/a/c/");
        assert_eq!(cleaned("../../x"), "/x");
        assert_eq!(cleaned(""), "/");
        assert_eq!(cleaned("/"), "/");
    }
}
