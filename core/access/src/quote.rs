//! Quoting of strings as Go's `%q` does.

use alloc::string::String;
use core::fmt::Write;

/// The text in double quotes, with unprintable characters escaped.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_quoted(&mut out, text);
    out
}

/// The texts in quotes between brackets, separated by spaces.
pub fn quoted_list<T: AsRef<str>>(texts: &[T]) -> String {
    let mut out = String::from("[");
    for (at, text) in texts.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        push_quoted(&mut out, text.as_ref());
    }
    out.push(']');
    out
}

fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        push_letter(out, letter);
    }
    out.push('"');
}

fn push_letter(out: &mut String, letter: char) {
    const SHORT: [(char, &str); 9] = [
        ('"', "\\\""),
        ('\\', "\\\\"),
        ('\x07', "\\a"),
        ('\x08', "\\b"),
        ('\x0c', "\\f"),
        ('\n', "\\n"),
        ('\r', "\\r"),
        ('\t', "\\t"),
        ('\x0b', "\\v"),
    ];
    let code = u32::from(letter);
    // Writing to a String cannot fail.
    let _ = match SHORT.iter().find(|(short, _)| *short == letter) {
        Some((_, escape)) => out.write_str(escape),
        None if is_printable(letter) => out.write_char(letter),
        None if code < 0x80 => write!(out, "\\x{code:02x}"),
        None if code < 0x1_0000 => write!(out, "\\u{code:04x}"),
        None => write!(out, "\\U{code:08x}"),
    };
}

/// Whether Go would print the letter. Unassigned code points are treated as printable.
fn is_printable(letter: char) -> bool {
    let hidden = matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}'
        | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..='\u{10ffff}');
    letter == ' ' || !(hidden || letter.is_control() || letter.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_as_go_does() {
        let cases = [
            ("", r#""""#),
            ("a b", r#""a b""#),
            ("a\"\\\n\t\x01\x7f", r#""a\"\\\n\t\x01\x7f""#),
            ("é\u{200b}\u{a0}", "\"é\\u200b\\u00a0\""),
            ("\u{e0001}😀", "\"\\U000e0001😀\""),
        ];
        for (text, quotes) in cases {
            assert_eq!(quoted(text), quotes);
        }
        assert_eq!(quoted_list(&["a", ""]), r#"["a" ""]"#);
        assert_eq!(quoted_list::<&str>(&[]), "[]");
    }
}
