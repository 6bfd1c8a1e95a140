//! RFC 3339 timestamps, and durations between them in human-readable form.

use crate::printed_object::UNKNOWN;
use alloc::format;
use alloc::string::String;
use ratchet_object::calendar::{DAY, Date};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const YEAR: i64 = 365 * DAY;

/// Go's longest duration: nanoseconds in 64 bits.
const LONGEST: i64 = i64::MAX / 1_000_000_000;

/// Go's zero time, as it is written.
pub(crate) const NEVER: &str = "0001-01-01T00:00:00Z";

/// Go's zero time, which means unset.
const ZERO: i64 = -62_135_596_800;

/// The Unix time of a timestamp in seconds; `None` if it is invalid, or Go's zero time. Fractions
/// of a second are dropped.
pub(crate) fn seconds(text: &str) -> Option<i64> {
    let (date, rest) = text.split_once('T')?;
    let (time, offset) = rest.split_at_checked(8)?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_date || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let local =
        Date { year, month, day }.day_number() * DAY + hour * HOUR + minute * MINUTE + second;
    Some(local - zone(offset)?).filter(|seconds| *seconds != ZERO)
}

/// Offset of a zone from UTC in seconds, after an optional fraction.
fn zone(text: &str) -> Option<i64> {
    let text = match text.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => text,
    };
    if text == "Z" {
        return Some(0);
    }
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+')?),
    };
    let [hours, minutes] = numbers(text, ':', [2, 2])?;
    Some(sign * (hours * HOUR + minutes * MINUTE))
}

/// `N` numbers of exactly these widths, separated by `between`.
fn numbers<const N: usize>(text: &str, between: char, widths: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(between);
    let mut numbers = [0; N];
    for (number, width) in numbers.iter_mut().zip(widths) {
        let part = parts.next()?;
        if part.len() != width || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

/// The age of what happened at a timestamp, for the date columns of definitions; `None` if it is no timestamp.
#[must_use]
pub fn age_of(text: &str, now: i64) -> Option<String> {
    match (text, seconds(text)) {
        (_, Some(then)) => Some(span(now.saturating_sub(then))),
        ("" | "null" | NEVER, None) => Some(UNKNOWN.into()),
        (_, None) => None,
    }
}

/// The duration since then; `<unknown>` if the time is not known.
pub(crate) fn since(then: Option<i64>, now: i64) -> String {
    then.map_or_else(|| UNKNOWN.into(), |then| span(now.saturating_sub(then)))
}

/// A duration with two or three figures. Clocks may differ by a second.
pub(crate) fn span(seconds: i64) -> String {
    let seconds = seconds.min(LONGEST);
    match seconds {
        ..-1 => "<invalid>".into(),
        -1 => "0s".into(),
        _ if seconds < 2 * MINUTE => format!("{seconds}s"),
        _ if seconds < 10 * MINUTE => pair(seconds, (MINUTE, 'm'), (1, 's')),
        _ if seconds < 3 * HOUR => format!("{}m", seconds / MINUTE),
        _ if seconds < 8 * HOUR => pair(seconds, (HOUR, 'h'), (MINUTE, 'm')),
        _ if seconds < 2 * DAY => format!("{}h", seconds / HOUR),
        _ if seconds < 8 * DAY => pair(seconds, (DAY, 'd'), (HOUR, 'h')),
        _ if seconds < 2 * YEAR => format!("{}d", seconds / DAY),
        _ if seconds < 8 * YEAR => pair(seconds, (YEAR, 'y'), (DAY, 'd')),
        _ => format!("{}y", seconds / YEAR),
    }
}

/// A duration in two units, the smaller one only if it is not zero.
fn pair(seconds: i64, (large, l): (i64, char), (small, s): (i64, char)) -> String {
    match seconds % large / small {
        0 => format!("{}{l}", seconds / large),
        rest => format!("{}{l}{rest}{s}", seconds / large),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn points_in_time_are_read() {
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(seconds("2026-01-01T00:00:00Z"), Some(1_767_225_600));
        assert_eq!(seconds("2024-02-29T12:30:45.123456Z"), Some(1_709_209_845));
        assert_eq!(seconds("2024-02-29T12:30:45+02:00"), Some(1_709_202_645));
        assert_eq!(seconds("2024-02-29T12:30:45.5-00:30"), Some(1_709_211_645));
        assert_eq!(seconds("1969-12-31T23:59:59Z"), Some(-1));
    }

    #[test]
    fn what_is_no_point_in_time_is_not_read() {
        for text in [
            "",
            "0001-01-01T00:00:00Z",
            "2024-02-29",
            "2024-02-29T12:30:45",
            "2024-13-01T00:00:00Z",
            "2024-1-01T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:00:00z",
            "2024-01-01T00:00:00+0200",
            "2024-01-01-01T00:00:00Z",
            "2024-01-01T0ä:00:00Z",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn dates_of_definitions_have_an_age() {
        assert_eq!(age_of("1970-01-01T00:00:00Z", 5).as_deref(), Some("5s"));
        assert_eq!(age_of("1970-01-01T00:01:00Z", 5).as_deref(), Some("<invalid>"));
        assert_eq!(age_of("", 5).as_deref(), Some("<unknown>"));
        assert_eq!(age_of("0001-01-01T00:00:00Z", 5).as_deref(), Some("<unknown>"));
        assert_eq!(age_of("yesterday", 5), None);
    }

    #[test]
    fn spans_have_two_or_three_figures() {
        for (seconds, text) in [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (2 * MINUTE, "2m"),
            (5 * MINUTE + 29, "5m29s"),
            (10 * MINUTE + 29, "10m"),
            (3 * HOUR - 1, "179m"),
            (3 * HOUR, "3h"),
            (7 * HOUR + 59 * MINUTE, "7h59m"),
            (8 * HOUR + 59 * MINUTE, "8h"),
            (2 * DAY - 1, "47h"),
            (2 * DAY, "2d"),
            (3 * DAY + 5 * HOUR, "3d5h"),
            (8 * DAY + 5 * HOUR, "8d"),
            (2 * YEAR - 1, "729d"),
            (2 * YEAR, "2y"),
            (2 * YEAR + 3 * DAY, "2y3d"),
            (8 * YEAR + 3 * DAY, "8y"),
            (i64::MAX, "292y"),
        ] {
            assert_eq!(span(seconds), text);
        }
        assert_eq!(since(None, 5), "<unknown>");
        assert_eq!(since(Some(i64::MIN), i64::MAX), "292y");
    }

    proptest! {
        #[test]
        fn no_text_upsets_the_reader(text in "\\PC{0,40}") {
            let _ = seconds(&text);
        }
    }
}
