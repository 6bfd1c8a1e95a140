//! Decoding of string, bytes and number literals.

use alloc::string::String;
use alloc::vec::Vec;

const BROKEN: &str = "unable to unescape string";

/// The text of a string literal.
pub(super) fn text(quoted: &str) -> Result<String, &'static str> {
    String::from_utf8(unquote(quoted, false)?).map_err(|_| BROKEN)
}

/// The bytes of a bytes literal (with its prefix).
pub(super) fn bytes(quoted: &str) -> Result<Vec<u8>, &'static str> {
    unquote(quoted.get(1..).unwrap_or_default(), true)
}

fn unquote(quoted: &str, bytes: bool) -> Result<Vec<u8>, &'static str> {
    let normal = quoted.replace("\r\n", "\n").replace('\r', "\n");
    let raw = normal.starts_with(['r', 'R']);
    let body = normal.get(usize::from(raw)..).unwrap_or_default();
    let width = if body.len() >= 6 && (body.starts_with("'''") || body.starts_with("\"\"\"")) {
        3
    } else {
        1
    };
    let inner = body.get(width..body.len().saturating_sub(width)).ok_or(BROKEN)?;
    if raw || !inner.contains('\\') {
        return Ok(inner.as_bytes().to_vec());
    }
    let mut out = Vec::with_capacity(inner.len());
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            push(&mut out, letter);
            continue;
        }
        let kind = letters.next().ok_or(BROKEN)?;
        match kind {
            'a' => out.push(7),
            'b' => out.push(8),
            'f' => out.push(12),
            'n' => out.push(b'\n'),
            'r' => out.push(b'\r'),
            't' => out.push(b'\t'),
            'v' => out.push(11),
            '\\' | '\'' | '"' | '`' | '?' => push(&mut out, kind),
            'x' | 'X' => code(&mut out, number(&mut letters, 0, 2, 16)?, bytes)?,
            'u' | 'U' if bytes => return Err(BROKEN),
            'u' => code(&mut out, number(&mut letters, 0, 4, 16)?, false)?,
            'U' => code(&mut out, number(&mut letters, 0, 8, 16)?, false)?,
            '0'..='3' => {
                let start = kind.to_digit(8).unwrap_or_default();
                code(&mut out, number(&mut letters, start, 2, 8)?, bytes)?;
            }
            _ => return Err(BROKEN),
        }
    }
    Ok(out)
}

fn push(out: &mut Vec<u8>, letter: char) {
    out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
}

fn number(
    letters: &mut core::str::Chars<'_>,
    start: u32,
    count: usize,
    radix: u32,
) -> Result<u32, &'static str> {
    let mut value = start;
    for _ in 0..count {
        let digit = letters.next().and_then(|letter| letter.to_digit(radix)).ok_or(BROKEN)?;
        value = value.wrapping_mul(radix).wrapping_add(digit);
    }
    Ok(value)
}

fn code(out: &mut Vec<u8>, value: u32, bytes: bool) -> Result<(), &'static str> {
    if bytes {
        out.push(u8::try_from(value).map_err(|_| BROKEN)?);
    } else {
        push(out, char::from_u32(value).ok_or("invalid unicode code point")?);
    }
    Ok(())
}

/// The value of an integer literal without its sign.
pub(super) fn int(text: &str, negative: bool) -> Option<i64> {
    let magnitude = uint(text)?;
    if negative { 0_i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
}

/// The value of an unsigned integer literal, without its `u`.
pub(super) fn uint(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The value of a floating point literal.
pub(super) fn double(text: &str, negative: bool) -> Option<f64> {
    let number: f64 = text.parse().ok()?;
    number.is_finite().then_some(if negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_texts() {
        let cases = [
            (r"'a'", Ok("a")),
            (r#""\u00e9\n\x41\101""#, Ok("é\nAA")),
            (r"r'\n'", Ok(r"\n")),
            ("'''a'b'''", Ok("a'b")),
            ("'a\r\nb'", Ok("a\nb")),
            (r"'\ud800'", Err("invalid unicode code point")),
        ];
        for (quoted, expected) in cases {
            assert_eq!(text(quoted).as_deref(), expected.as_deref(), "{quoted}");
        }
        assert_eq!(bytes(r"b'\xff\303é'"), Ok(alloc::vec![255, 195, 195, 169]));
        assert_eq!(bytes(r"b'\u0041'"), Err(BROKEN));
    }

    #[test]
    fn numbers() {
        assert_eq!(int("9223372036854775808", true), Some(i64::MIN));
        assert_eq!(int("9223372036854775808", false), None);
        assert_eq!(int("0xff", false), Some(255));
        assert_eq!(uint("18446744073709551615"), Some(u64::MAX));
        assert_eq!(uint("18446744073709551616"), None);
        assert_eq!(double("1e999", false), None);
        assert_eq!(double("1.5", true), Some(-1.5));
    }
}
