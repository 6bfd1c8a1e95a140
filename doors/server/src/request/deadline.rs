//! The deadline of a request: the server's own, or an earlier one that the client asks for with `timeout`.

use crate::status::StatusError;
use ratchet_net::Quoted;
use std::time::{Duration, Instant};

/// When a request that began at `started` must be answered: `limit` is the server's, zero means none, and `requested` is the
/// parameter `timeout`.
pub(crate) fn deadline(
    started: Instant,
    limit: Duration,
    requested: &str,
) -> Result<Option<Instant>, StatusError> {
    let requested = match requested {
        "" => Duration::ZERO,
        text => parse_duration(text).map_err(|why| {
            let why = format!("invalid timeout specified in the request URL - {why}");
            StatusError::bad_request(why)
        })?,
    };
    let limit = match (limit.is_zero(), requested.is_zero()) {
        (true, true) => return Ok(None),
        (true, false) => requested,
        (false, true) => limit,
        (false, false) => limit.min(requested),
    };
    Ok(started.checked_add(limit))
}

/// The units of Go's durations, in nanoseconds.
const UNITS: &[(&str, f64)] = &[
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("μs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3600e9),
];

/// Parses a duration as Go's `time.ParseDuration`; what is negative is none.
fn parse_duration(text: &str) -> Result<Duration, String> {
    let invalid = || format!("time: invalid duration {}", Quoted(text));
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned == "0" {
        return Ok(Duration::ZERO);
    }
    if unsigned.is_empty() {
        return Err(invalid());
    }
    let (mut rest, mut nanoseconds) = (unsigned, 0.0_f64);
    while !rest.is_empty() {
        let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
        let number_end = rest.find(|letter| !is_number(letter)).unwrap_or(rest.len());
        let (number, behind) = rest.split_at(number_end);
        let unit_end = behind.find(is_number).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(unit_end);
        let number: f64 = match number {
            "" | "." => return Err(invalid()),
            number => number.parse().map_err(|_| invalid())?,
        };
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {}", Quoted(text)));
        }
        let row = UNITS.iter().find(|(name, _)| *name == unit);
        let (_, factor) = row.ok_or_else(|| {
            format!("time: unknown unit {} in duration {}", Quoted(unit), Quoted(text))
        })?;
        nanoseconds += number * factor;
        rest = behind;
    }
    if nanoseconds >= 9.3e18 {
        return Err(invalid());
    }
    let is_negative = text.starts_with('-');
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded above")]
    let nanoseconds = if is_negative { 0 } else { nanoseconds as u64 };
    Ok(Duration::from_nanos(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earlier_deadline_counts() {
        let started = Instant::now();
        let seconds = |limit, requested| {
            let deadline = deadline(started, Duration::from_secs(limit), requested);
            deadline.unwrap().map(|deadline| (deadline - started).as_millis())
        };
        assert_eq!(seconds(60, ""), Some(60_000));
        assert_eq!(seconds(60, "5s"), Some(5_000));
        assert_eq!(seconds(60, "1m30.5s"), Some(60_000));
        assert_eq!(seconds(60, "0"), Some(60_000));
        assert_eq!(seconds(60, "-5s"), Some(60_000));
        assert_eq!(seconds(0, "1500ms"), Some(1_500));
        assert_eq!(seconds(0, ""), None);
    }

    #[test]
    fn durations_are_those_of_go() {
        for (text, why) in [
            ("x", "time: invalid duration \"x\""),
            ("5", "time: missing unit in duration \"5\""),
            ("5x", "time: unknown unit \"x\" in duration \"5x\""),
            (".s", "time: invalid duration \".s\""),
            ("9999999h", "time: invalid duration \"9999999h\""),
        ] {
            assert_eq!(parse_duration(text), Err(why.to_owned()));
        }
    }
}
