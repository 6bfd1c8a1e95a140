//! Parsing errors of CronJob schedules: five fields or a descriptor such as `@daily`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Bounds of one field, and the names that it accepts for numbers.
struct Bounds {
    least: u64,
    most: u64,
    names: &'static [&'static str],
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

static FIELDS: [Bounds; 5] = [
    Bounds { least: 0, most: 59, names: &[] },
    Bounds { least: 0, most: 23, names: &[] },
    Bounds { least: 1, most: 31, names: &[] },
    Bounds { least: 1, most: 12, names: &MONTHS },
    Bounds { least: 0, most: 6, names: &DAYS },
];

const DESCRIPTORS: [&str; 7] =
    ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/// The parse error of a schedule, if any; the first one only, as the API reports it.
pub(crate) fn fault(schedule: &str) -> Option<String> {
    if schedule.is_empty() {
        return Some("empty spec string".into());
    }
    let mut rest = schedule;
    if rest.starts_with("TZ=") || rest.starts_with("CRON_TZ=") {
        // Whether the zone exists cannot be checked here.
        rest = match rest.split_once(' ') {
            Some((_, rest)) => rest.trim(),
            None => {
                return Some(
                    "invalid schedule format: runtime error: slice bounds out of range [:-1]"
                        .into(),
                );
            }
        };
    }
    if rest.starts_with('@') {
        return descriptor_fault(rest);
    }
    let fields: Vec<&str> = rest.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Some(format!(
            "expected exactly 5 fields, found {}: [{}]",
            fields.len(),
            fields.join(" ")
        ));
    }
    fields.iter().zip(&FIELDS).find_map(|(field, bounds)| {
        field
            .split(',')
            .filter(|range| !range.is_empty())
            .find_map(|range| check(range, bounds).err())
    })
}

fn descriptor_fault(descriptor: &str) -> Option<String> {
    if DESCRIPTORS.contains(&descriptor) {
        return None;
    }
    let Some(duration) = descriptor.strip_prefix("@every ") else {
        return Some(format!("unrecognized descriptor: {descriptor}"));
    };
    let fault = duration_fault(duration)?;
    Some(format!("failed to parse duration {descriptor}: {fault}"))
}

const UNITS: [&str; 8] = ["ns", "us", "µs", "μs", "ms", "s", "m", "h"];

/// The parse error of a Go duration, a sequence of numbers with units.
fn duration_fault(text: &str) -> Option<String> {
    let invalid = || Some(format!("time: invalid duration {}", ratchet_net::Quoted(text)));
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return None;
    }
    if rest.is_empty() {
        return invalid();
    }
    while !rest.is_empty() {
        let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
        let number = rest.len() - rest.trim_start_matches(is_number).len();
        let (digits, after) = rest.split_at_checked(number)?;
        if !digits.contains(|digit: char| digit.is_ascii_digit()) || digits.matches('.').count() > 1
        {
            return invalid();
        }
        let end = after.find(is_number).unwrap_or(after.len());
        let (unit, next) = after.split_at_checked(end)?;
        if unit.is_empty() {
            return Some(format!("time: missing unit in duration {}", ratchet_net::Quoted(text)));
        }
        if !UNITS.contains(&unit) {
            let (unit, text) = (ratchet_net::Quoted(unit), ratchet_net::Quoted(text));
            return Some(format!("time: unknown unit {unit} in duration {text}"));
        }
        rest = next;
    }
    None
}

fn check(range: &str, bounds: &Bounds) -> Result<(), String> {
    let mut by_step = range.split('/');
    let ends = by_step.next().unwrap_or_default();
    let step = by_step.next();
    let mut by_dash = ends.split('-');
    let low = by_dash.next().unwrap_or_default();
    let high = by_dash.next();
    let (start, mut end) = if low == "*" || low == "?" {
        (bounds.least, bounds.most)
    } else {
        let start = number(low, bounds.names)?;
        if by_dash.next().is_some() {
            number(high.unwrap_or_default(), bounds.names).ok();
            return Err(format!("too many hyphens: {range}"));
        }
        let end = match high {
            Some(high) => number(high, bounds.names)?,
            None => start,
        };
        (start, end)
    };
    let mut every = 1;
    if let Some(step) = step {
        if by_step.next().is_some() {
            return Err(format!("too many slashes: {range}"));
        }
        every = number(step, &[])?;
        if high.is_none() {
            end = bounds.most;
        }
    }
    if start < bounds.least {
        return Err(format!(
            "beginning of range ({start}) below minimum ({}): {range}",
            bounds.least
        ));
    }
    if end > bounds.most {
        return Err(format!("end of range ({end}) above maximum ({}): {range}", bounds.most));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {range}"));
    }
    if every == 0 {
        return Err(format!("step of range should be a positive number: {range}"));
    }
    Ok(())
}

fn number(text: &str, names: &[&str]) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    if let Some(index) = names.iter().position(|name| *name == lower) {
        // Months count from one, days from zero.
        return Ok(index as u64 + u64::from(names.len() == MONTHS.len()));
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        let text = ratchet_net::Quoted(text);
        let formatted = format!("{text}");
        let bare = formatted.trim_matches('"');
        return Err(format!(
            "failed to parse int from {bare}: strconv.Atoi: parsing {text}: invalid syntax"
        ));
    }
    match text.parse::<i64>() {
        Ok(number) => u64::try_from(number)
            .map_err(|_| format!("negative number ({number}) not allowed: {text}")),
        Err(_) => Err(format!(
            "failed to parse int from {text}: strconv.Atoi: parsing \"{text}\": value out of range"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_schedules_have_no_fault() {
        for schedule in [
            "0 0 * * *",
            "*/5 1-3 1,15 jan-DEC mon",
            "@hourly",
            "@every 1h30m",
            "? * * * ?",
            "5/10 * * * *",
            "TZ=UTC 0 0 * * *",
        ] {
            assert_eq!(fault(schedule), None, "{schedule}");
        }
    }

    #[test]
    fn bad_schedules_are_told_in_the_words_of_the_api() {
        let pairs = [
            ("", "empty spec string"),
            ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
            ("60 * * * *", "end of range (60) above maximum (59): 60"),
            ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
            ("5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"),
            ("*/0 * * * *", "step of range should be a positive number: */0"),
            (
                "a * * * *",
                "failed to parse int from a: strconv.Atoi: parsing \"a\": invalid syntax",
            ),
            ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
            ("1/2/3 * * * *", "too many slashes: 1/2/3"),
            ("@never", "unrecognized descriptor: @never"),
            ("@every 5", "failed to parse duration @every 5: time: missing unit in duration \"5\""),
        ];
        for (schedule, message) in pairs {
            assert_eq!(fault(schedule).as_deref(), Some(message), "{schedule}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_judged(text in "[-*/,0-9a-z@ ]{0,20}") {
            let _ = fault(&text);
        }
    }
}
