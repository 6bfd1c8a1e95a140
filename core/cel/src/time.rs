//! Timestamps and durations, parsed and formatted as Go does.

use alloc::format;
use alloc::string::String;
use core::cmp::Ordering;
use core::fmt;
use ratchet_object::calendar::{DAY, Date};

/// A point in time: seconds since 1970 and nanoseconds within the second.
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    pub seconds: i64,
    /// Nanoseconds after that, below 10^9.
    pub nanos: u32,
    /// The offset from UTC that it was written with, in seconds: only used to format it again.
    pub offset: i32,
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Self) -> bool {
        (self.seconds, self.nanos) == (other.seconds, other.nanos)
    }
}

impl Eq for Timestamp {}

impl PartialOrd for Timestamp {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timestamp {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.seconds, self.nanos).cmp(&(other.seconds, other.nanos))
    }
}

const FIRST_SECOND: i64 = -62_135_596_800;
const LAST_SECOND: i64 = 253_402_300_799;
const SECOND: i64 = 1_000_000_000;

impl Timestamp {
    /// Whether it is in the years 1 to 9999.
    pub fn in_range(&self) -> bool {
        (FIRST_SECOND..=LAST_SECOND).contains(&self.seconds)
    }

    /// Parses RFC 3339: `2006-01-02T15:04:05.999Z`.
    pub fn parse(text: &str) -> Option<Self> {
        let (day_text, rest) = (text.get(..10)?, text.get(10..)?.strip_prefix('T')?);
        let year = digits(day_text.get(..4)?)?;
        let month = digits(day_text.get(4..7)?.strip_prefix('-')?)?;
        let day = digits(day_text.get(7..)?.strip_prefix('-')?)?;
        let date = Date { year, month, day };
        if !date.is_valid() {
            return None;
        }
        let hour_length = if rest.get(1..2) == Some(":") { 1 } else { 2 };
        let hour = digits(rest.get(..hour_length)?)?;
        let rest = rest.get(hour_length..)?;
        let minute = digits(rest.get(..3)?.strip_prefix(':')?)?;
        let second = digits(rest.get(3..6)?.strip_prefix(':')?)?;
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let (nanos, rest) = fraction(rest.get(6..)?)?;
        let offset = zone(rest)?;
        let seconds = date.day_number() * DAY + hour * 3600 + minute * 60 + second;
        let offset_seconds = i32::try_from(offset).ok()?;
        Some(Self { seconds: seconds - offset, nanos, offset: offset_seconds })
    }

    /// The sum of this time and `nanos`; `None` outside the years 1 to 9999.
    pub(crate) fn plus(self, nanos: i64) -> Option<Self> {
        let sum = i128::from(self.seconds) * i128::from(SECOND)
            + i128::from(self.nanos)
            + i128::from(nanos);
        let seconds = i64::try_from(sum.div_euclid(i128::from(SECOND))).ok()?;
        let nanos = u32::try_from(sum.rem_euclid(i128::from(SECOND))).ok()?;
        Some(Self { seconds, nanos, offset: self.offset }).filter(Self::in_range)
    }

    /// The nanoseconds from another time to this one; `None` on overflow.
    pub(crate) fn since(self, other: Self) -> Option<i64> {
        let seconds = i128::from(self.seconds) - i128::from(other.seconds);
        let nanos = i128::from(self.nanos) - i128::from(other.nanos);
        i64::try_from(seconds * i128::from(SECOND) + nanos).ok()
    }
}

/// A number of ASCII digits only.
fn digits(text: &str) -> Option<i64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// The nanoseconds of a fraction such as `.123`, and the rest of the text.
fn fraction(text: &str) -> Option<(u32, &str)> {
    let Some(rest) = text.strip_prefix(['.', ',']) else { return Some((0, text)) };
    let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    if length == 0 {
        return None;
    }
    let mut nanos = 0_u32;
    for digit_index in 0..9 {
        let digit = rest.as_bytes().get(digit_index).filter(|_| digit_index < length);
        nanos = nanos * 10 + digit.map_or(0, |byte| u32::from(byte - b'0'));
    }
    Some((nanos, rest.get(length..)?))
}

/// The offset of a zone from UTC, in seconds.
fn zone(text: &str) -> Option<i64> {
    if text == "Z" {
        return Some(0);
    }
    let sign = match text.bytes().next()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours = digits(text.get(1..3)?)?;
    let minutes = digits(text.get(3..)?.strip_prefix(':').filter(|text| text.len() == 2)?)?;
    (hours <= 24 && minutes <= 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// A time in calendar fields.
pub(crate) struct Civil {
    pub(crate) date: Date,
    /// 0 is Sunday.
    pub(crate) weekday: i64,
    /// The second of the day.
    pub(crate) second: i64,
}

impl Civil {
    /// The fields of a time in UTC.
    pub(crate) fn of(seconds: i64) -> Self {
        let days = seconds.div_euclid(DAY);
        let weekday = (days + 4).rem_euclid(7);
        Self { date: Date::of_day(days), weekday, second: seconds.rem_euclid(DAY) }
    }

    /// The day of the year, from 0.
    pub(crate) fn day_of_year(&self) -> i64 {
        self.date.day_number() - Date { month: 1, day: 1, ..self.date }.day_number()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = Civil::of(self.seconds.saturating_add(i64::from(self.offset)));
        let Civil { date: Date { year, month, day }, second, .. } = civil;
        write!(f, "{year:04}-{month:02}-{day:02}T")?;
        write!(f, "{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)?;
        if self.nanos > 0 {
            let nanos = format!("{:09}", self.nanos);
            write!(f, ".{}", nanos.trim_end_matches('0'))?;
        }
        if self.offset == 0 {
            return f.write_str("Z");
        }
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.unsigned_abs() / 60;
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

/// Formats a duration in seconds: `5400s`.
pub(crate) fn duration_text(nanos: i64) -> String {
    let seconds = (nanos / SECOND) as f64 + (nanos % SECOND) as f64 / 1e9;
    format!("{seconds}s")
}

/// Units of durations, in nanoseconds.
const UNITS: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Parses a duration in Go's syntax: `1h30m`, `-1.5s`; in nanoseconds.
pub(crate) fn parse_duration(text: &str) -> Option<i64> {
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total = 0_u64;
    while !rest.is_empty() {
        let (nanos, after) = parse_span(rest)?;
        total = total.checked_add(nanos).filter(|total| *total <= 1 << 63)?;
        rest = after;
    }
    if negative { 0_i64.checked_sub_unsigned(total) } else { i64::try_from(total).ok() }
}

/// One number with its unit, and the rest of the text.
fn parse_span(text: &str) -> Option<(u64, &str)> {
    let length = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let whole_length = length(text);
    let (whole, rest) = text.split_at_checked(whole_length)?;
    let (part, rest) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at_checked(length(rest))?,
        None => ("", rest),
    };
    if whole.is_empty() && part.is_empty() {
        return None;
    }
    let name_length = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
    let (name, rest) = rest.split_at_checked(name_length)?;
    let (_, unit) = UNITS.iter().find(|(symbol, _)| *symbol == name)?;
    let number: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let nanos = number.checked_mul(*unit)?;
    let (mut value, mut scale) = (0_u64, 1.0_f64);
    for digit in part.bytes() {
        // Digits beyond the precision are ignored.
        let Some(next) = value.checked_mul(10).filter(|value| *value < 1 << 62) else { break };
        value = next + u64::from(digit - b'0');
        scale *= 10.0;
    }
    let more = (value as f64 * (*unit as f64 / scale)) as u64;
    Some((nanos.checked_add(more)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn timestamps_are_read_and_written() {
        let cases = [
            ("2020-01-02T03:04:05Z", Some("2020-01-02T03:04:05Z")),
            ("2020-01-02T03:04:05.678000Z", Some("2020-01-02T03:04:05.678Z")),
            ("2020-02-29T23:59:59+05:30", Some("2020-02-29T23:59:59+05:30")),
            ("0001-01-01T00:00:00Z", Some("0001-01-01T00:00:00Z")),
            ("9999-12-31T23:59:59.999999999Z", Some("9999-12-31T23:59:59.999999999Z")),
            ("2021-02-29T00:00:00Z", None),
            ("2020-01-02 03:04:05Z", None),
            ("2020-01-02T03:04:60Z", None),
            ("2020-01-02T03:04:05", None),
            ("x", None),
        ];
        for (text, expected) in cases {
            let formatted = Timestamp::parse(text).map(|time| time.to_string());
            assert_eq!(formatted.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn durations_are_read() {
        let cases = [
            ("1h30m", Some(5_400_000_000_000)),
            ("-1.5s", Some(-1_500_000_000)),
            ("0", Some(0)),
            ("1\u{b5}s", Some(1_000)),
            (".5ms", Some(500_000)),
            ("9223372036854775807ns", Some(i64::MAX)),
            ("9223372036854775808ns", None),
            ("-9223372036854775808ns", Some(i64::MIN)),
            ("1", None),
            ("", None),
            ("1d", None),
            (".s", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_duration(text), expected, "{text}");
        }
        assert_eq!(duration_text(5_400_000_000_000), "5400s");
        assert_eq!(duration_text(1_500_000_000), "1.5s");
    }

    #[test]
    fn days_of_the_year_count_from_zero() {
        let day = |year, month, day| Civil::of(Date { year, month, day }.day_number() * DAY);
        assert_eq!(day(2024, 12, 31).day_of_year(), 365);
        assert_eq!((day(2026, 1, 1).day_of_year(), day(2026, 1, 1).weekday), (0, 4));
    }
}
