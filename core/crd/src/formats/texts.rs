//! Formats of names, times, colours and encodings.

use super::categories::{self, is_letter, is_symbol};
use ratchet_cel::strfmt;
use ratchet_net::dns;

/// Twelve bytes as hexadecimal digits.
pub(super) fn is_object_id(text: &str) -> bool {
    text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Base64 with padding; at least one group.
pub(super) fn is_base64(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let digits = text.strip_suffix("==").or(text.strip_suffix('=')).unwrap_or(text);
    !text.is_empty() && text.len().is_multiple_of(4) && digits.bytes().all(is_digit)
}

/// `2006-01-02`.
pub(super) fn is_date(text: &str) -> bool {
    strfmt::parse_date(text).is_some()
}

/// A date and a time with a zone, in any case.
pub(super) fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    is_date(date) && is_time(time)
}

/// `15:04:05.999z`, where any character may stand before the fraction.
fn is_time(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(8) else { return false };
    let shape = clock.bytes().enumerate().all(|(index, byte)| match index {
        2 | 5 => byte == b':',
        _ => byte.is_ascii_digit(),
    });
    let part = |range: core::ops::Range<usize>| clock.get(range).unwrap_or_default();
    if !shape || part(0..2) > "23" || part(3..5) > "59" || part(6..8) > "59" {
        return false;
    }
    let is_zone = |zone: &str| {
        zone == "z"
            || (zone.len() == 6
                && zone.starts_with(['+', '-'])
                && zone.bytes().skip(1).enumerate().all(|(index, byte)| match index {
                    2 => byte == b':',
                    _ => byte.is_ascii_digit(),
                }))
    };
    if is_zone(rest) {
        return true;
    }
    let mut letters = rest.chars();
    if letters.next().is_none_or(|letter| letter == '\n') {
        return false;
    }
    let digits = letters.as_str();
    let zone = digits.trim_start_matches(|letter: char| letter.is_ascii_digit());
    zone.len() < digits.len() && is_zone(zone)
}

/// `#fff` or `ffffff`.
pub(super) fn is_hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `rgb(1, 2, 3)`.
pub(super) fn is_rgb_color(text: &str) -> bool {
    let Some(inside) = text.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')')) else {
        return false;
    };
    let is_space = |letter: char| matches!(letter, '\t' | '\n' | '\u{c}' | '\r' | ' ');
    let mut count = 0;
    inside.split(',').all(|part| {
        count += 1;
        let part = part.trim_matches(is_space);
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let is_plain = part == "0" || !part.starts_with('0');
        is_number && is_plain && part.len() <= 3 && part.parse::<u16>().is_ok_and(|n| n <= 255)
    }) && count == 3
}

/// A host name: one label, or labels with a top-level domain of letters. Symbols and letters of all scripts count.
pub(super) fn is_hostname(text: &str) -> bool {
    if text.len() > 255 || text.split('.').any(|label| label.len() > 63) {
        return false;
    }
    let is_letter =
        |letter: char| letter.is_ascii_digit() || is_letter(letter) || is_symbol(letter);
    let mut labels = text.rsplit('.');
    let last = labels.next().unwrap_or_default();
    if !text.contains('.') {
        // One label: a letter, then at most one dash, which stands second.
        let mut letters = text.chars();
        let Some(first) = letters.next() else { return false };
        let rest = letters.as_str();
        let rest = rest.strip_prefix('-').unwrap_or(rest);
        return is_letter(first) && rest.chars().all(is_letter) && rest.chars().count() <= 62;
    }
    let is_top =
        last.chars().all(categories::is_letter) && (2..=63).contains(&last.chars().count());
    is_top
        && labels.all(|label| {
            let inner = |letter: char| is_letter(letter) || letter == '-';
            label.starts_with(is_letter)
                && label.ends_with(is_letter)
                && label.chars().all(inner)
                && label.chars().count() <= 63
        })
}

/// An absolute URL or path, as in the first line of a request.
pub(super) fn is_uri(text: &str) -> bool {
    ratchet_cel::library::check_url(text).is_ok()
}

/// A UUID with or without dashes, and of a version; the fourth and the fifth also have a variant.
pub(super) fn is_uuid(text: &str, version: Option<char>) -> bool {
    let mut rest = text;
    for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((group, after)) = rest.split_at_checked(length) else { return false };
        if !group.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        let first = group.chars().next().unwrap_or_default().to_ascii_lowercase();
        let fits = match (index, version) {
            (2, Some(version)) => first == version,
            (3, Some('4' | '5')) => matches!(first, '8' | '9' | 'a' | 'b'),
            _ => true,
        };
        if !fits {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

/// A lower case label of at most 63 bytes.
pub(super) fn is_short_name(text: &str) -> bool {
    let faults = dns::label(text);
    !faults.pattern && !faults.too_long
}

/// Lower case labels of any length with dots between them, at most 253 bytes.
pub(super) fn is_long_name(text: &str) -> bool {
    let faults = dns::subdomain(text);
    !faults.pattern && !faults.too_long
}
