//! Times as Go's `time.Parse` reads them, for the sake of its error messages.

use alloc::format;
use alloc::string::String;
use core::fmt::Write;

/// RFC 3339 with seconds: `metav1.Time`.
pub const RFC3339: &str = "2006-01-02T15:04:05Z07:00";

/// RFC 3339 with microseconds: `metav1.MicroTime`.
pub const RFC3339_MICRO: &str = "2006-01-02T15:04:05.000000Z07:00";

/// Why a text is no time in one of the layouts above; `None` if it is one.
pub fn parse_error(text: &str, layout: &str) -> Option<String> {
    let fault = parse(text, layout).err()?;
    let text = quote(text);
    Some(match fault {
        Fault::Element(rest, element) => {
            let (layout, rest, element) = (quote(layout), quote(rest), quote(element));
            format!("parsing time {text} as {layout}: cannot parse {rest} as {element}")
        }
        Fault::Range(what) => format!("parsing time {text}: {what} out of range"),
        Fault::Extra(rest) => format!("parsing time {text}: extra text: {}", quote(rest)),
    })
}

enum Fault<'t> {
    /// What is left of the text is not this element of the layout.
    Element(&'t str, &'static str),
    Range(&'static str),
    Extra(&'t str),
}

/// An element of two digits, with the literal before it and what it may be.
struct Digits {
    before: &'static str,
    element: &'static str,
    range: core::ops::Range<u32>,
    name: &'static str,
}

const fn digits(
    before: &'static str,
    element: &'static str,
    range: core::ops::Range<u32>,
    name: &'static str,
) -> Digits {
    Digits { before, element, range, name }
}

const ELEMENTS: [Digits; 5] = [
    digits("-", "01", 1..13, "month"),
    digits("-", "02", 0..100, "day"), // checked with month and year
    digits("T", "15", 0..24, "hour"),
    digits(":", "04", 0..60, "minute"),
    digits(":", "05", 0..60, "second"),
];

fn parse<'t>(text: &'t str, layout: &str) -> Result<(), Fault<'t>> {
    let year = text.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
    let year: u32 = year.and_then(|year| year.parse().ok()).ok_or(Fault::Element(text, "2006"))?;
    let mut rest = text.get(4..).unwrap_or_default();
    let (mut month, mut day) = (0, 0);
    for Digits { before, element, range, name } in &ELEMENTS {
        let after = rest.strip_prefix(before).ok_or(Fault::Element(rest, before))?;
        // An hour may have one digit.
        let length = if *element == "15" && !starts_with_digits(after, 2) { 1 } else { 2 };
        if !starts_with_digits(after, length) {
            return Err(Fault::Element(after, element));
        }
        let (number, after) = after.split_at_checked(length).unwrap_or((after, ""));
        let number = number.parse().unwrap_or_default();
        if !range.contains(&number) {
            return Err(Fault::Range(name));
        }
        match *element {
            "01" => month = number,
            "02" => day = number,
            _ => {}
        }
        rest = after;
    }
    rest = fraction(rest, layout)?;
    rest = zone(rest)?;
    if !rest.is_empty() {
        return Err(Fault::Extra(rest));
    }
    if day < 1 || day > days_in(year, month) {
        return Err(Fault::Range("day"));
    }
    Ok(())
}

fn fraction<'t>(rest: &'t str, layout: &str) -> Result<&'t str, Fault<'t>> {
    let after = rest.strip_prefix(['.', ',']);
    if layout == RFC3339_MICRO {
        let after = after.filter(|after| starts_with_digits(after, 6));
        return after.and_then(|after| after.get(6..)).ok_or(Fault::Element(rest, ".000000"));
    }
    // A fraction may stand there without being in the layout.
    Ok(match after.filter(|after| starts_with_digits(after, 1)) {
        Some(after) => after.trim_start_matches(|letter: char| letter.is_ascii_digit()),
        None => rest,
    })
}

fn zone(rest: &str) -> Result<&str, Fault<'_>> {
    if let Some(after) = rest.strip_prefix('Z') {
        return Ok(after);
    }
    let bad = Fault::Element(rest, "Z07:00");
    let Some((zone, after)) = rest.split_at_checked(6) else { return Err(bad) };
    let Some((hour, minute)) = zone.get(1..).and_then(|zone| zone.split_once(':')) else {
        return Err(bad);
    };
    if !starts_with_digits(hour, 2) || !starts_with_digits(minute, 2) || hour.len() != 2 {
        return Err(bad);
    }
    if hour.parse::<u32>().unwrap_or_default() > 24 {
        return Err(Fault::Range("time zone offset hour"));
    }
    if minute.parse::<u32>().unwrap_or_default() > 60 {
        return Err(Fault::Range("time zone offset minute"));
    }
    if zone.starts_with(['+', '-']) { Ok(after) } else { Err(bad) }
}

fn starts_with_digits(text: &str, count: usize) -> bool {
    text.bytes().take(count).filter(u8::is_ascii_digit).count() == count
}

fn days_in(year: u32, month: u32) -> u32 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Quotes a text as the package `time` does: bytes that are not printable ASCII are escaped.
fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_fit() {
        for text in [
            "2026-01-02T03:04:05Z",
            "2024-02-29T3:04:05.123+02:00",
            "2026-01-02T03:04:05,5-24:60",
            "2024-12-31T23:59:59-24:60",
        ] {
            assert_eq!(parse_error(text, RFC3339), None, "{text}");
        }
        assert_eq!(parse_error("2026-01-02T03:04:05.000001Z", RFC3339_MICRO), None);
    }

    #[test]
    fn what_is_wrong_is_told_as_in_go() {
        for (text, error) in [
            ("banana", r#"cannot parse "banana" as "2006""#),
            ("", r#"cannot parse "" as "2006""#),
            ("2024", r#"cannot parse "" as "-""#),
            ("2026/01", r#"cannot parse "/01" as "-""#),
            ("2026-1-02", r#"cannot parse "1-02" as "01""#),
            ("2026-01-02 03", r#"cannot parse " 03" as "T""#),
            ("2026-01-02T03:04:05", r#"cannot parse "" as "Z07:00""#),
            ("2026-01-02T03:04:05+0200", r#"cannot parse "+0200" as "Z07:00""#),
        ] {
            let message = parse_error(text, RFC3339).unwrap();
            let start = format!("parsing time {} as {RFC3339:?}: ", quote(text));
            assert_eq!(message.strip_prefix(&start), Some(error), "{text}");
        }
        for (text, error) in [
            ("2026-13-02T03:04:05Z", ": month out of range"),
            ("2026-02-29T03:04:05Z", ": day out of range"),
            ("2026-01-02T24:04:05Z", ": hour out of range"),
            ("2024-01-01T00:00:00+25:00", ": time zone offset hour out of range"),
            ("2024-01-01T00:00:00Zx", r#": extra text: "x""#),
            ("2026-01-02T03:04:05Zé", r#": extra text: "\xc3\xa9""#),
        ] {
            let message = parse_error(text, RFC3339).unwrap();
            let start = format!("parsing time {}", quote(text));
            assert_eq!(message.strip_prefix(&start), Some(error), "{text}");
        }
        assert_eq!(
            parse_error("2026-01-02T03:04:05Z", RFC3339_MICRO).unwrap(),
            r#"parsing time "2026-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000""#
        );
    }
}
