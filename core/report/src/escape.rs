//! Text of strangers as HTML and as JSON in a script element: never markup, never script.

use alloc::string::String;
use core::fmt::Write;

/// The entity of a character that is markup in HTML and in XML.
///
/// ```
/// assert_eq!(ratchet_report::entity('<'), Some("&lt;"));
/// assert_eq!(ratchet_report::entity('a'), None);
/// ```
pub fn entity(c: char) -> Option<&'static str> {
    match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        _ => None,
    }
}

/// Appends text with markup escaped, and with characters made visible that hide or reorder what stands beside them.
pub(crate) fn push_html(out: &mut String, text: &str) {
    for c in text.chars() {
        match (entity(c), c) {
            (Some(entity), _) => out.push_str(entity),
            (None, '\'') => out.push_str("&#39;"),
            (None, c) if is_deceptive(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            (None, c) => out.push(c),
        }
    }
}

/// Text escaped for HTML.
pub(crate) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_html(&mut out, text);
    out
}

/// Whether a character controls the reader's device or the order of text instead of being seen.
fn is_deceptive(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// Appends a JSON string that cannot end a script element or a line of script.
pub(crate) fn push_json(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if matches!(c, '<' | '>' | '&') || (is_deceptive(c) && c <= '\u{ffff}') => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "</script><!--<script>\u{2028}\u{202e}&\"'\u{0}\n";

    #[test]
    fn html_is_text_and_hides_nothing() {
        assert_eq!(
            html(HOSTILE),
            "&lt;/script&gt;&lt;!--&lt;script&gt;\\u{2028}\\u{202e}&amp;&quot;&#39;\\u{0}\\u{a}"
        );
        assert_eq!(html("شبكة-東京"), "شبكة-東京");
    }

    #[test]
    fn json_cannot_leave_its_element() {
        let mut out = String::new();
        push_json(&mut out, HOSTILE);
        assert!(!out.contains(['<', '>', '&', '\u{2028}', '\n', '\0']), "{out}");
        assert_eq!(out.matches("\\u003c").count(), 3);
        assert!(out.contains("\\\"'"));
    }
}
