//! Timestamps as RFC 3339 text, and as seconds and nanoseconds since 1970.

use crate::calendar::{DAY, Date};
use alloc::format;
use alloc::string::String;

/// A point in time, like `google.protobuf.Timestamp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timestamp {
    /// Seconds since 1970.
    pub(super) seconds: i64,
    /// Nanoseconds since that second began.
    pub(super) nanos: u32,
}

/// The seconds of the years 1 to 9999; the first one is Go's zero time.
const YEARS: core::ops::Range<i64> = -62_135_596_800..253_402_300_800;

impl Timestamp {
    /// RFC 3339 with seconds, in UTC; none if the year does not have four digits.
    pub(crate) fn to_rfc3339(self) -> Option<String> {
        Some(format!("{}Z", self.second()?))
    }

    /// RFC 3339 with microseconds, in UTC.
    pub(crate) fn to_rfc3339_micros(self) -> Option<String> {
        Some(format!("{}.{:06}Z", self.second()?, self.nanos / 1000))
    }

    fn second(self) -> Option<String> {
        if !YEARS.contains(&self.seconds) {
            return None;
        }
        let Date { year, month, day } = Date::of_second(self.seconds);
        let second = self.seconds.rem_euclid(DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"))
    }

    /// Whether a text has the form in which [`Timestamp::to_rfc3339`] writes, which most texts have already. The day may
    /// be one that no month has.
    pub(crate) fn is_second_of_utc(text: &str) -> bool {
        const FORM: &[u8] = b"0000-00-00T00:00:00Z";
        let is_alike = |(byte, form): (&u8, &u8)| match form {
            b'0' => byte.is_ascii_digit(),
            form => byte == form,
        };
        text.len() == FORM.len() && text.as_bytes().iter().zip(FORM).all(is_alike)
    }

    /// Parses RFC 3339 with any offset and any fraction of a second.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (day, time) = text.split_once(['T', 't'])?;
        let [year, month, day] = numbers(day, '-', [4, 2, 2])?;
        let (time, offset) = split_offset(time)?;
        let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
        let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
        let date = Date { year, month, day };
        let fits = date.is_valid() && hour < 24 && minute < 60 && second < 60;
        let seconds = date.day_number() * DAY + hour * 3600 + minute * 60 + second - offset;
        let nanos = parse_fraction(fraction)?;
        (fits && YEARS.contains(&seconds)).then_some(Self { seconds, nanos })
    }
}

/// The text before the offset, and the offset in seconds.
fn split_offset(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let at = time.rfind(['+', '-'])?;
    let (time, offset) = time.split_at_checked(at)?;
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let [hours, minutes] = numbers(offset.get(1..)?, ':', [2, 2])?;
    (hours < 24 && minutes < 60).then_some((time, sign * (hours * 3600 + minutes * 60)))
}

/// Numbers of fixed widths, separated by `between`.
fn numbers<const N: usize>(text: &str, between: char, digits: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(between);
    let mut all = [0; N];
    for (number, digits) in all.iter_mut().zip(digits) {
        let part = parts.next().filter(|part| part.len() == digits && is_digits(part))?;
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(all)
}

fn parse_fraction(digits: &str) -> Option<u32> {
    if digits.is_empty() || !is_digits(digits) {
        return None;
    }
    format!("{digits:0<9}").get(..9)?.parse().ok()
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_moments() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_785_542_399, "2026-07-31T23:59:59Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
            (-62_135_596_800, "0001-01-01T00:00:00Z"),
        ] {
            let timestamp = Timestamp { seconds, nanos: 0 };
            assert_eq!(timestamp.to_rfc3339().as_deref(), Some(text));
            assert_eq!(Timestamp::parse(text), Some(timestamp));
        }
        assert_eq!(Timestamp { seconds: 253_402_300_800, nanos: 0 }.to_rfc3339(), None);
        assert_eq!(Timestamp { seconds: i64::MIN, nanos: 0 }.to_rfc3339_micros(), None);
    }

    #[test]
    fn what_has_the_form_of_a_written_second_is_written_alike() {
        for (text, is_alike) in [
            ("2026-11-18T02:30:00Z", true),
            ("2026-02-31T02:30:61Z", true),
            ("0000-00-00T00:00:00Z", true),
            ("2026-11-18T02:30:00.5Z", false),
            ("2026-11-18t02:30:00z", false),
            ("2026-11-18T02:30:00+00:00", false),
            ("", false),
        ] {
            assert_eq!(Timestamp::is_second_of_utc(text), is_alike, "{text}");
            if let Some(written) = Timestamp::parse(text).and_then(Timestamp::to_rfc3339) {
                assert_eq!(written == text, is_alike, "{text}");
            }
        }
    }

    #[test]
    fn offsets_and_fractions() {
        let parse =
            |text| Timestamp::parse(text).map(|timestamp| (timestamp.seconds, timestamp.nanos));
        assert_eq!(parse("1970-01-01T02:00:00+02:00"), Some((0, 0)));
        assert_eq!(parse("1969-12-31T19:30:00.25-04:30"), Some((0, 250_000_000)));
        assert_eq!(parse("1970-01-01T00:00:00.1234567891Z"), Some((0, 123_456_789)));
        for text in [
            "",
            "1970-01-01",
            "1970-01-01T00:00:00",
            "1970-01-01 00:00:00Z",
            "1970-13-01T00:00:00Z",
            "1970-02-29T00:00:00Z",
            "1970-01-01T24:00:00Z",
            "1970-1-01T00:00:00Z",
            "1970-01-01T00:00:00.Z",
            "1970-01-01T00:00:00+0200",
            "+970-01-01T00:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(seconds in YEARS, micros in 0u32..1_000_000) {
            let timestamp = Timestamp { seconds, nanos: micros * 1000 };
            prop_assert_eq!(Timestamp::parse(&timestamp.to_rfc3339_micros().unwrap()), Some(timestamp));
        }

        #[test]
        fn nothing_panics(text in "\\PC*", date in "[0-9TtZz:.+-]{0,40}") {
            let _ = (Timestamp::parse(&text), Timestamp::parse(&date));
        }
    }
}
