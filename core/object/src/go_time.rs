//! What Go's `time.Parse` has against a text that should be a time.

use alloc::format;
use alloc::string::String;
use ratchet_net::Quoted;

/// `time.RFC3339`, the layout of a `metav1.Time`.
const RFC3339: &str = "2006-01-02T15:04:05Z07:00";
/// The layout of a `metav1.MicroTime`.
const RFC3339_MICRO: &str = "2006-01-02T15:04:05.000000Z07:00";

/// What stands where in a layout.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    Literal,
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    Micros,
    Zone,
}

use Element::{Day, Hour, Literal, Micros, Minute, Month, Second, Year, Zone};

static DATE: &[(Element, &str)] = &[
    (Year, "2006"),
    (Literal, "-"),
    (Month, "01"),
    (Literal, "-"),
    (Day, "02"),
    (Literal, "T"),
    (Hour, "15"),
    (Literal, ":"),
    (Minute, "04"),
    (Literal, ":"),
    (Second, "05"),
];

/// Why a number is none, or is out of its range.
enum Fault {
    Syntax,
    Range(&'static str),
}

/// The error for a text that is no `metav1.Time`.
pub(crate) fn time_error(text: &str) -> Option<String> {
    parse(text, RFC3339, &[(Zone, "Z07:00")]).err()
}

/// The error for a text that is no `metav1.MicroTime`.
pub(crate) fn micro_time_error(text: &str) -> Option<String> {
    parse(text, RFC3339_MICRO, &[(Micros, ".000000"), (Zone, "Z07:00")]).err()
}

fn parse(text: &str, layout: &str, end: &[(Element, &str)]) -> Result<(), String> {
    let about = format!("parsing time {}", Quoted(text));
    let mut rest = text.as_bytes();
    let (mut year, mut month, mut day) = (0, 0, 0);
    let has_fraction = end.len() > 1;
    for (element, pattern) in DATE.iter().chain(end) {
        let before = rest;
        let read = match element {
            Literal => literal(&mut rest, pattern),
            Year => four_digits(&mut rest).map(|number| year = number),
            Month => number(&mut rest, true, 1..=12, "month").map(|number| month = number),
            // Whether the month has such a day is known only at the end.
            Day => number(&mut rest, true, 0..=99, "").map(|number| day = number),
            Hour => number(&mut rest, false, 0..=23, "hour").map(drop),
            Minute => number(&mut rest, true, 0..=59, "minute").map(drop),
            Second => number(&mut rest, true, 0..=59, "second").map(|_| {
                if !has_fraction {
                    skip_fraction(&mut rest);
                }
            }),
            Micros => micros(&mut rest),
            Zone => zone(&mut rest),
        };
        let left = String::from_utf8_lossy(if *element == Literal { rest } else { before });
        read.map_err(|fault| match fault {
            Fault::Syntax => format!(
                "{about} as {}: cannot parse {} as {}",
                Quoted(layout),
                Quoted(&left),
                Quoted(pattern)
            ),
            Fault::Range(what) => format!("{about}: {what} out of range"),
        })?;
    }
    if !rest.is_empty() {
        let rest = String::from_utf8_lossy(rest);
        return Err(format!("{about}: extra text: {}", Quoted(&rest)));
    }
    if day < 1 || day > days_in(month, year) {
        return Err(format!("{about}: day out of range"));
    }
    Ok(())
}

fn literal(rest: &mut &[u8], pattern: &str) -> Result<(), Fault> {
    *rest = rest.strip_prefix(pattern.as_bytes()).ok_or(Fault::Syntax)?;
    Ok(())
}

fn digit(rest: &[u8], index: usize) -> Option<u32> {
    rest.get(index).filter(|byte| byte.is_ascii_digit()).map(|byte| u32::from(byte - b'0'))
}

fn four_digits(rest: &mut &[u8]) -> Result<u32, Fault> {
    let mut number = 0;
    for index in 0..4 {
        number = number * 10 + digit(rest, index).ok_or(Fault::Syntax)?;
    }
    *rest = rest.get(4..).unwrap_or_default();
    Ok(number)
}

/// A number of two digits, or of one where that is allowed.
fn number(
    rest: &mut &[u8],
    is_fixed: bool,
    range: core::ops::RangeInclusive<u32>,
    what: &'static str,
) -> Result<u32, Fault> {
    let first = digit(rest, 0).ok_or(Fault::Syntax)?;
    let (number, length) = match digit(rest, 1) {
        Some(second) => (first * 10 + second, 2),
        None if is_fixed => return Err(Fault::Syntax),
        None => (first, 1),
    };
    *rest = rest.get(length..).unwrap_or_default();
    if range.contains(&number) { Ok(number) } else { Err(Fault::Range(what)) }
}

/// A fraction may follow the seconds, though the layout has none.
fn skip_fraction(rest: &mut &[u8]) {
    if matches!(rest.first(), Some(b'.' | b',')) && digit(rest, 1).is_some() {
        let digits = rest.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
        *rest = rest.get(digits + 1..).unwrap_or_default();
    }
}

fn micros(rest: &mut &[u8]) -> Result<(), Fault> {
    let is_number = matches!(rest.first(), Some(b'.' | b','))
        && (1..=6).all(|index| digit(rest, index).is_some());
    if !is_number {
        return Err(Fault::Syntax);
    }
    *rest = rest.get(7..).unwrap_or_default();
    Ok(())
}

fn zone(rest: &mut &[u8]) -> Result<(), Fault> {
    if let Some(behind) = rest.strip_prefix(b"Z") {
        *rest = behind;
        return Ok(());
    }
    let Some((zone, behind)) = rest.split_at_checked(6) else { return Err(Fault::Syntax) };
    let [sign, hour @ .., _, _, _] = zone else { return Err(Fault::Syntax) };
    let minute = zone.get(4..).unwrap_or_default();
    if zone.get(3) != Some(&b':') {
        return Err(Fault::Syntax);
    }
    let two = |digits: &[u8]| Some(digit(digits, 0)? * 10 + digit(digits, 1)?);
    let (hour, minute) = (two(hour).ok_or(Fault::Syntax)?, two(minute).ok_or(Fault::Syntax)?);
    *rest = behind;
    if hour > 24 {
        return Err(Fault::Range("time zone offset hour"));
    }
    if minute > 60 {
        return Err(Fault::Range("time zone offset minute"));
    }
    if matches!(sign, b'+' | b'-') { Ok(()) } else { Err(Fault::Syntax) }
}

fn days_in(month: u32, year: u32) -> u32 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for good in [
            "2024-02-29T01:02:03Z",
            "2024-02-29T01:02:03.5Z",
            "2024-02-29T1:02:03,25+01:00",
            "2024-12-31T23:59:59-24:60",
        ] {
            assert_eq!(time_error(good), None, "{good}");
        }
        let layout = r#" as "2006-01-02T15:04:05Z07:00": cannot parse "#;
        for (bad, why) in [
            ("", format!(r#"{layout}"" as "2006""#)),
            ("x", format!(r#"{layout}"x" as "2006""#)),
            ("2024", format!(r#"{layout}"" as "-""#)),
            ("2024-1-01T00:00:00Z", format!(r#"{layout}"1-01T00:00:00Z" as "01""#)),
            ("2024-01-01 00:00:00Z", format!(r#"{layout}" 00:00:00Z" as "T""#)),
            ("2024-01-01T00:00:00", format!(r#"{layout}"" as "Z07:00""#)),
            ("2024-13-01T00:00:00Z", ": month out of range".into()),
            ("2023-02-29T00:00:00Z", ": day out of range".into()),
            ("2024-01-01T24:00:00Z", ": hour out of range".into()),
            ("2024-01-01T00:00:00Zx", r#": extra text: "x""#.into()),
            ("2024-01-01T00:00:00+25:00", ": time zone offset hour out of range".into()),
        ] {
            let text = format!("parsing time {}{why}", Quoted(bad));
            assert_eq!(time_error(bad), Some(text), "{bad}");
        }
    }

    #[test]
    fn times_with_microseconds() {
        assert_eq!(micro_time_error("2024-01-01T00:00:00.123456Z"), None);
        assert_eq!(
            micro_time_error("2024-01-01T00:00:00Z").unwrap(),
            r#"parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000""#
        );
    }
}
