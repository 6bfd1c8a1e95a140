//! Text in XML.

use ratchet_report::entity;

/// Text escaped for XML; characters that XML cannot represent become question marks.
pub fn xml_escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match (entity(c), c) {
            (Some(entity), _) => out.push_str(entity),
            (None, '\n') => out.push_str("&#10;"),
            (None, '\t') => out.push(' '),
            (None, '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}') => out.push('?'),
            (None, other) => out.push(other),
        }
    }
    out
}
