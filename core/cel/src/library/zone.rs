//! Time zones: UTC and fixed offsets.

use crate::EvalError;
use alloc::format;

/// The offset of a zone from UTC at a time, in seconds.
pub(super) fn offset(name: &str, _seconds: i64) -> Result<i64, EvalError> {
    if let Some((hours, minutes)) = name.split_once(':') {
        let sign = if name.starts_with('-') { -1 } else { 1 };
        let minutes = number(minutes)?.saturating_mul(sign);
        return Ok(number(hours)?.saturating_mul(60).saturating_add(minutes).saturating_mul(60));
    }
    if UTC.contains(&name) {
        return Ok(0);
    }
    let fixed = name.strip_prefix("Etc/GMT").and_then(|hours| hours.parse::<i64>().ok());
    match fixed {
        // In these names the sign is inverted.
        Some(hours) if (-14..=12).contains(&hours) => Ok(-hours * 3600),
        _ => Err(EvalError::new(format!("unknown time zone {name}"))),
    }
}

/// Names of zones that are UTC.
const UTC: &[&str] = &[
    "",
    "UTC",
    "Etc/UTC",
    "Etc/UCT",
    "UCT",
    "GMT",
    "GMT0",
    "GMT+0",
    "GMT-0",
    "Etc/GMT",
    "Etc/GMT0",
    "Greenwich",
    "Etc/Greenwich",
    "Universal",
    "Etc/Universal",
    "Zulu",
    "Etc/Zulu",
    "Local",
];

fn number(text: &str) -> Result<i64, EvalError> {
    text.parse::<i64>()
        .map_err(|_| EvalError::new(format!("strconv.Atoi: parsing {text:?}: invalid syntax")))
}
