//! Styles of texts in YAML: plain where no parser takes the text for something else, else quoted or literal.

use crate::Value;
use crate::yaml_scalar::plain;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use core::fmt::Write;

/// The style of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
}

/// The style of a value.
pub(crate) fn style(text: &str) -> Style {
    let has = |wanted: fn(char) -> bool| text.contains(wanted);
    let is_special = has(|letter| !is_printable(letter) && !is_break(letter))
        || has(|letter| is_break(letter) && letter != '\n')
        || text.contains(" \n");
    if is_special {
        return Style::DoubleQuoted;
    }
    if text.contains('\n') {
        return if text.ends_with(' ') { Style::DoubleQuoted } else { Style::Literal };
    }
    if !matches!(plain(Cow::Borrowed(text)), Value::Text(_))
        || text == "<<"
        || is_timestamp(text)
        || is_sexagesimal(text)
    {
        return Style::DoubleQuoted;
    }
    if is_plain(text) { Style::Plain } else { Style::SingleQuoted }
}

/// The style of a key, which stands in one line.
pub(crate) fn key_style(text: &str) -> Style {
    match style(text) {
        Style::Literal => Style::DoubleQuoted,
        style => style,
    }
}

/// The first line of a literal text: whether it is indented itself, and what becomes of the breaks at its end.
pub(crate) fn literal_header(text: &str) -> String {
    let indentation = if text.starts_with([' ', '\n']) { "2" } else { "" };
    let chomping = match text.strip_suffix('\n') {
        None => "-",
        Some(rest) if rest.is_empty() || rest.ends_with('\n') => "+",
        Some(_) => "",
    };
    format!("|{indentation}{chomping}\n")
}

/// Writes a text between double quotes.
pub(crate) fn write_quoted(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        let escape = match letter {
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\r' => 'r',
            '\u{1b}' => 'e',
            '"' => '"',
            '\\' => '\\',
            '\u{85}' => 'N',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            letter if is_printable(letter) => {
                out.push(letter);
                continue;
            }
            letter => {
                let number = u32::from(letter);
                // Writing to a String cannot fail.
                let _ = match number {
                    ..=0xff => write!(out, "\\x{number:02X}"),
                    0x100..=0xffff => write!(out, "\\u{number:04X}"),
                    _ => write!(out, "\\U{number:08X}"),
                };
                continue;
            }
        };
        out.push('\\');
        out.push(escape);
    }
    out.push('"');
}

/// Whether the encoder of the API server writes a character as it is.
fn is_printable(letter: char) -> bool {
    matches!(letter, '\n' | ' '..='~' | '\u{a0}'..='\u{ffff}')
        && !matches!(letter, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn is_break(letter: char) -> bool {
    matches!(letter, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a text of one line can stand without quotes.
fn is_plain(text: &str) -> bool {
    let is_blank_at =
        |at: usize| text.get(at..).is_none_or(|rest| rest.is_empty() || rest.starts_with(' '));
    let starts_plain = match text.chars().next() {
        None => false,
        Some('?' | ':' | '-') => !is_blank_at(1),
        Some(first) => !"#,[]{}&*!|>'\"%@`".contains(first),
    };
    starts_plain
        && !text.starts_with("---")
        && !text.starts_with("...")
        && !text.starts_with(' ')
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
}

/// Whether Go's YAML parser takes a text for a date, or for a date and a time.
fn is_timestamp(text: &str) -> bool {
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (text.get(..at), text.get(at + 1..)),
        None => (Some(text), None),
    };
    let is_number = |text: &str, lengths: core::ops::RangeInclusive<usize>| {
        lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut date = date.unwrap_or_default().split('-');
    let mut part = |lengths| date.next().is_some_and(|text| is_number(text, lengths));
    if !(part(4..=4) && part(1..=2) && part(1..=2)) || date.next().is_some() {
        return false;
    }
    let Some(time) = time else { return true };
    let clock = time.trim_end_matches('Z');
    let clock = clock.find(['+', '-']).and_then(|at| clock.get(..at)).unwrap_or(clock);
    let clock = clock.split_once('.').map_or(clock, |(whole, _)| whole);
    let mut parts = clock.trim_end().split(':');
    let mut part = |lengths| parts.next().is_some_and(|text| is_number(text, lengths));
    part(1..=2) && part(1..=2) && part(1..=2)
}

/// Whether a text is a number to the base 60, as YAML 1.1 has them: `1:30`.
fn is_sexagesimal(text: &str) -> bool {
    let bare = text.strip_prefix(['+', '-']).unwrap_or(text);
    let Some((first, rest)) = bare.split_once(':') else { return false };
    let rest = rest.split_once('.').map_or(rest, |(whole, _)| whole);
    first.starts_with(|letter: char| letter.is_ascii_digit())
        && first.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
        && rest
            .split(':')
            .all(|part| matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_the_styles_of_the_reference() {
        for text in [
            "a", "f:spec", ".", "a b", "a#b", "-a", "?a", ":a", "a:b", "é", "a,b", "1.2.3", "v1",
            "x=y", "~a", "10.0.0.1",
        ] {
            assert_eq!(style(text), Style::Plain, "{text}");
        }
        for text in
            ["a: b", "a:", "- a", "-", "#a", "*", "@a", " a", "a ", "a #b", "'a'", "---", "..."]
        {
            assert_eq!(style(text), Style::SingleQuoted, "{text}");
        }
        for text in [
            "",
            "1",
            "true",
            "no",
            "~",
            "1e3",
            "0x1",
            "2026-01-02",
            "2026-01-02T03:04:05Z",
            "2026-01-02 03:04:05.5 +1",
            "1:30",
            "\t",
            "a\r",
            "\u{85}",
            "\u{1f600}",
            "a \nb",
            "a\nb ",
            "<<",
        ] {
            assert_eq!(style(text), Style::DoubleQuoted, "{text}");
        }
        assert_eq!(style("a\nb"), Style::Literal);
        assert_eq!(key_style("a\nb"), Style::DoubleQuoted);
    }

    #[test]
    fn literal_texts_say_what_becomes_of_their_ends() {
        assert_eq!(literal_header("a\nb"), "|-\n");
        assert_eq!(literal_header("a\n"), "|\n");
        assert_eq!(literal_header("a\n\n"), "|+\n");
        assert_eq!(literal_header(" a\n"), "|2\n");
        assert_eq!(literal_header("\n"), "|2+\n");
    }
}
