//! String formats of OpenAPI whose values expressions see as durations, timestamps and bytes (Go's `strfmt`).

use crate::Timestamp;
use crate::time;
use alloc::string::String;
use alloc::vec::Vec;

/// Units with their spellings: the last one also stands for longer words that begin with it.
const UNITS: &[(&[&str], i64)] = &[
    (&["ns", "nano"], 1),
    (&["us", "\u{b5}s", "micro"], 1_000),
    (&["ms", "milli"], 1_000_000),
    (&["s", "sec"], 1_000_000_000),
    (&["m", "min"], 60_000_000_000),
    (&["h", "hr", "hour"], 3_600_000_000_000),
    (&["d", "day"], 86_400_000_000_000),
    (&["w", "wk", "week"], 604_800_000_000_000),
];

/// Parses a duration, in nanoseconds: Go's syntax, or numbers with units in words somewhere in the text.
pub fn parse_duration(text: &str) -> Option<i64> {
    if let Some(nanos) = time::parse_duration(text) {
        return Some(nanos);
    }
    let (mut total, mut is_duration) = (0_i64, false);
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        rest = rest.get(start..)?;
        let length = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let (digits, after) = rest.split_at_checked(length)?;
        rest = after;
        let word = after.trim_start_matches(is_space);
        let is_letter = |letter: char| letter.is_ascii_alphabetic() || letter == '\u{b5}';
        let length = word.find(|letter| !is_letter(letter)).unwrap_or(word.len());
        if length == 0 {
            continue;
        }
        let (unit, after) = word.split_at_checked(length)?;
        rest = after;
        let factor: i64 = digits.parse().ok()?;
        let unit = unit.to_lowercase();
        for (spellings, nanos) in UNITS {
            for (index, spelling) in spellings.iter().enumerate() {
                let is_last = index + 1 == spellings.len();
                if (is_last && unit.starts_with(spelling)) || unit == *spelling {
                    is_duration = true;
                    total = total.wrapping_add(factor.wrapping_mul(*nanos));
                }
            }
        }
    }
    is_duration.then_some(total)
}

/// What `\s` matches in Go.
fn is_space(letter: char) -> bool {
    matches!(letter, '\t' | '\n' | '\u{c}' | '\r' | ' ')
}

/// Parses a date: `2006-01-02`.
pub fn parse_date(text: &str) -> Option<Timestamp> {
    // A date has no room for a time.
    if text.len() != 10 {
        return None;
    }
    let mut time = String::from(text);
    time.push_str("T00:00:00Z");
    Timestamp::parse(&time)
}

/// Parses a time with or without a zone; without one it is in UTC, and nothing is the beginning of 1970.
pub fn parse_date_time(text: &str) -> Option<Timestamp> {
    if text.is_empty() {
        return Some(Timestamp { seconds: 0, nanos: 0, offset: 0 });
    }
    Timestamp::parse(text).or_else(|| {
        let mut time = String::from(text);
        time.push('Z');
        Timestamp::parse(&time)
    })
}

/// Decodes base64 with the alphabet of URLs, and padding; line breaks are skipped.
pub fn decode_bytes(text: &str) -> Option<Vec<u8>> {
    let letters: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
    if !letters.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(letters.len() / 4 * 3);
    let groups = letters.len() / 4;
    for (index, group) in letters.chunks(4).enumerate() {
        let padding = group.iter().rev().take_while(|byte| **byte == b'=').count();
        if padding > 2 || (padding > 0 && index + 1 < groups) {
            return None;
        }
        let mut bits = 0_u32;
        for byte in group.iter().take(4 - padding) {
            bits = bits << 6 | sextet(*byte)?;
        }
        bits <<= 6 * u32::try_from(padding).ok()?;
        let [_, first, second, third] = bits.to_be_bytes();
        bytes.extend([first, second, third].iter().take(3 - padding));
    }
    Some(bytes)
}

fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn durations_may_be_in_words() {
        let cases = [
            ("1h30m", Some(5_400_000_000_000)),
            ("22 ns", Some(22)),
            ("1 day 2 hours", Some(93_600_000_000_000)),
            ("in 3 weeks", Some(1_814_400_000_000_000)),
            ("2 MINUTES", Some(120_000_000_000)),
            ("1d", Some(86_400_000_000_000)),
            ("7", None),
            ("7 moons", None),
            ("", None),
            ("99999999999999999999 s", None),
        ];
        for (text, nanos) in cases {
            assert_eq!(parse_duration(text), nanos, "{text}");
        }
    }

    #[test]
    fn dates_and_times() {
        let date = parse_date("2024-02-29").expect("a date");
        assert_eq!(date.to_string(), "2024-02-29T00:00:00Z");
        assert!(parse_date("2023-02-29").is_none() && parse_date("2024-02-29T").is_none());
        let time = parse_date_time("2024-02-29T01:02:03").expect("a time");
        assert_eq!(time.to_string(), "2024-02-29T01:02:03Z");
        assert!(parse_date_time("2024-02-29T01:02:03+01:00").is_some());
        assert!(parse_date_time("").is_some() && parse_date_time("now").is_none());
    }

    #[test]
    fn bytes_have_the_alphabet_of_urls() {
        assert_eq!(decode_bytes("YWI="), Some(b"ab".to_vec()));
        assert_eq!(decode_bytes(""), Some(Vec::new()));
        assert_eq!(decode_bytes("_-A="), Some([0xff, 0xe0].to_vec()));
        for text in ["YWI", "+/A=", "Y===", "YQ==YQ==", "%%%%"] {
            assert_eq!(decode_bytes(text), None, "{text}");
        }
    }
}
