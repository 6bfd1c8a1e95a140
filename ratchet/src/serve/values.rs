//! Parsers of flag values with Go's syntax and error messages.

use ratchet_net::Quoted;
use std::net::IpAddr;
use std::time::Duration;

/// A duration that may be negative, so that validation can report it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GoDuration(i64);

impl GoDuration {
    /// Whether the duration is below zero.
    pub(crate) fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// The duration; zero if negative.
    pub(crate) fn length(self) -> Duration {
        Duration::from_nanos(self.0.try_into().unwrap_or(0))
    }
}

/// A range of ports, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ports {
    /// The lowest port.
    pub(crate) first: u16,
    /// The highest port.
    pub(crate) last: u16,
}

/// The default node port range.
const USUAL_PORTS: Ports = Ports { first: 30000, last: 32767 };

/// Parses a boolean as `strconv.ParseBool` does.
pub(crate) fn boolean(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(false),
        _ => Err(format!("strconv.ParseBool: parsing {}: invalid syntax", Quoted(text))),
    }
}

/// Parses an integer as `strconv.ParseInt` does.
pub(crate) fn integer(text: &str) -> Result<i64, String> {
    number(text, "ParseInt")
}

fn number(text: &str, who: &str) -> Result<i64, String> {
    text.parse().map_err(|error: std::num::ParseIntError| {
        use std::num::IntErrorKind::{NegOverflow, PosOverflow};
        let why = match error.kind() {
            PosOverflow | NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        format!("strconv.{who}: parsing {}: {why}", Quoted(text))
    })
}

/// Parses an IP address.
pub(crate) fn address(text: &str) -> Result<IpAddr, String> {
    text.trim().parse().map_err(|_| format!("failed to parse IP: {}", Quoted(text)))
}

/// Parses `first-last`, `first+more` or one port; an empty text means the default range.
pub(crate) fn ports(text: &str) -> Result<Ports, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(USUAL_PORTS);
    }
    let port = |text: &str| number(text, "Atoi");
    let (first, last) = match (text.split_once('-'), text.split_once('+')) {
        (Some(_), Some(_)) => return Err(format!("unable to parse port range: {text}")),
        (Some((first, last)), None) => (port(first)?, port(last)?),
        (None, Some((first, more))) => {
            let (first, more) = (port(first)?, port(more)?);
            (first, first.saturating_add(more))
        }
        (None, None) => (port(text)?, port(text)?),
    };
    if first > 65535 || last > 65535 {
        return Err(format!("the port range cannot be greater than 65535: {text}"));
    }
    if last < first {
        return Err(format!("end port cannot be less than start port: {text}"));
    }
    match (u16::try_from(first), u16::try_from(last)) {
        (Ok(first), Ok(last)) if first > 0 => Ok(Ports { first, last }),
        _ => Err(format!("the port range must begin at 1 or above: {text}")),
    }
}

/// The units of a duration, in nanoseconds; the longer names first.
const UNITS: &[(&str, i128)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60 * 1_000_000_000),
    ("h", 3_600 * 1_000_000_000),
];

/// Parses a duration: `1m0s`, `90s`, `1.5h`, `-3ms`; only zero needs no unit.
pub(crate) fn duration(text: &str) -> Result<GoDuration, String> {
    let invalid = || format!("time: invalid duration {}", Quoted(text));
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(GoDuration(0));
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let (figures, after) = split(rest, |c| c.is_ascii_digit() || c == '.');
        let (unit, after) = split(after, |c| !c.is_ascii_digit() && c != '.');
        if figures.is_empty() {
            return Err(invalid());
        }
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {}", Quoted(text)));
        }
        let Some((_, scale)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            let (unit, text) = (Quoted(unit), Quoted(text));
            return Err(format!("time: unknown unit {unit} in duration {text}"));
        };
        total =
            scaled(figures, *scale).and_then(|more| total.checked_add(more)).ok_or_else(invalid)?;
        rest = after;
    }
    i64::try_from(sign * total).map(GoDuration).map_err(|_| invalid())
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !belongs(c)).unwrap_or(text.len()))
}

/// A decimal number of units in nanoseconds, truncated.
fn scaled(figures: &str, scale: i128) -> Option<i128> {
    let (whole, part) = figures.split_once('.').unwrap_or((figures, ""));
    if part.contains('.') || (whole.is_empty() && part.is_empty()) {
        return None;
    }
    let parse = |text: &str| if text.is_empty() { Some(0) } else { text.parse::<i128>().ok() };
    // Further digits are below a nanosecond of an hour.
    let part = part.get(..part.len().min(15))?;
    let below = 10_i128.checked_pow(part.len().try_into().ok()?)?;
    let whole = parse(whole)?.checked_mul(scale)?;
    whole.checked_add(parse(part)?.checked_mul(scale)?.checked_div(below)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_are_read_as_go_reads_them() {
        let parse = |text: &str| duration(text).map(|span| span.0);
        const SECOND: i64 = 1_000_000_000;
        for (text, nanoseconds) in [
            ("0", 0),
            ("-0", 0),
            ("1m0s", 60 * SECOND),
            ("90s", 90 * SECOND),
            ("1h", 3600 * SECOND),
            ("1h0m0s", 3600 * SECOND),
            ("1.5h", 5400 * SECOND),
            (".5s", SECOND / 2),
            ("1.s", SECOND),
            ("300ms", 300_000_000),
            ("1µs", 1_000),
            ("+5s", 5 * SECOND),
            ("-1m30s", -90 * SECOND),
        ] {
            assert_eq!(parse(text), Ok(nanoseconds), "{text}");
        }
        for (text, why) in [
            ("", "time: invalid duration \"\""),
            ("-", "time: invalid duration \"-\""),
            ("s", "time: invalid duration \"s\""),
            (".s", "time: invalid duration \".s\""),
            ("1..5s", "time: invalid duration \"1..5s\""),
            ("5", "time: missing unit in duration \"5\""),
            ("1m5", "time: missing unit in duration \"1m5\""),
            ("5 s", "time: unknown unit \" s\" in duration \"5 s\""),
            ("1d", "time: unknown unit \"d\" in duration \"1d\""),
            ("9999999h", "time: invalid duration \"9999999h\""),
        ] {
            assert_eq!(parse(text), Err(why.into()), "{text}");
        }
    }

    #[test]
    fn ports_are_a_range_a_length_or_one() {
        let parse = |text: &str| ports(text).map(|ports| (ports.first, ports.last));
        for (text, range) in [
            ("30000-32767", (30000, 32767)),
            ("30000+10", (30000, 30010)),
            ("80", (80, 80)),
            ("", (30000, 32767)),
            (" 1-65535 ", (1, 65535)),
        ] {
            assert_eq!(parse(text), Ok(range), "{text}");
        }
        for (text, why) in [
            ("a-b", "strconv.Atoi: parsing \"a\": invalid syntax"),
            ("2-1", "end port cannot be less than start port: 2-1"),
            ("1-65536", "the port range cannot be greater than 65535: 1-65536"),
            ("1-2+3", "unable to parse port range: 1-2+3"),
            ("0-5", "the port range must begin at 1 or above: 0-5"),
        ] {
            assert_eq!(parse(text), Err(why.into()), "{text}");
        }
    }

    #[test]
    fn small_values() {
        assert_eq!((boolean("T"), boolean("0")), (Ok(true), Ok(false)));
        let why = "strconv.ParseBool: parsing \"yes\": invalid syntax";
        assert_eq!(boolean("yes"), Err(why.into()));
        assert_eq!(integer("-5"), Ok(-5));
        let why = "strconv.ParseInt: parsing \"99999999999999999999\": value out of range";
        assert_eq!(integer("99999999999999999999"), Err(why.into()));
        assert_eq!(address(" ::1 ").map(|ip| ip.to_string()), Ok("::1".into()));
        assert_eq!(address("127.0.0.01"), Err("failed to parse IP: \"127.0.0.01\"".into()));
    }

    proptest! {
        #[test]
        fn no_text_breaks_a_reader(text in "[-+0-9.hmsuµn ]{0,24}|\\PC{0,12}") {
            let _ = (duration(&text), ports(&text), integer(&text), boolean(&text), address(&text));
        }

        #[test]
        fn whole_seconds_come_back(seconds in 0_u32..10_000_000) {
            let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
            let text = format!("{hours}h{minutes}m{}s", seconds % 60);
            let span = duration(&text).unwrap();
            prop_assert_eq!(span.length(), Duration::from_secs(seconds.into()));
        }
    }
}
