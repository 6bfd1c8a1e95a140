//! Values as the texts that `string()` makes of them.

use crate::{Fault, Timestamp, Type, Value};
use alloc::string::{String, ToString};

/// The text of a value that has one.
pub(crate) fn text_of(value: &Value<'_>) -> Result<String, Fault> {
    match value {
        Value::Bool(truth) => Ok(truth.to_string()),
        Value::Int(number) => Ok(number.to_string()),
        Value::Uint(number) => Ok(number.to_string()),
        Value::Double(number) => Ok(double(*number)),
        Value::Text(text) => Ok(text.to_string()),
        Value::Bytes(bytes) => str::from_utf8(bytes)
            .map(ToString::to_string)
            .map_err(|_| Fault::new("invalid UTF-8 in bytes, cannot convert to string")),
        Value::Duration(nanos) => Ok(duration(*nanos)),
        Value::Timestamp(time) => Ok(timestamp(*time)),
        Value::Type(ty) => Ok(name(ty)),
        _ => Err(Fault::no_such_overload()),
    }
}

/// The name of a value's type, without its parameters.
pub(crate) fn type_name(value: &Value<'_>) -> String {
    name(&value.type_of())
}

/// The name of a type, without its parameters.
fn name(ty: &Type) -> String {
    match ty {
        Type::Null => "null_type".into(),
        Type::Duration => "google.protobuf.Duration".into(),
        Type::Timestamp => "google.protobuf.Timestamp".into(),
        Type::List(_) => "list".into(),
        Type::Map(..) => "map".into(),
        Type::Optional(_) => "optional_type".into(),
        Type::TypeOf(_) => "type".into(),
        _ => ty.to_string(),
    }
}

/// The shortest digits that mean the number, with an exponent where it is small or large.
pub(crate) fn double(number: f64) -> String {
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-Inf" } else { "+Inf" }.into();
    }
    let written = alloc::format!("{number:e}");
    let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let many = digits.bytes().filter(u8::is_ascii_digit).count();
    let most = i32::try_from(many.max(21)).unwrap_or(21);
    if number == 0.0 || (-4..most).contains(&exponent) {
        return number.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    alloc::format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// Seconds, as a floating point number has them.
pub(crate) fn duration(nanos: i64) -> String {
    let seconds = (nanos / 1_000_000_000) as f64 + (nanos % 1_000_000_000) as f64 / 1e9;
    alloc::format!("{seconds}s")
}

/// RFC 3339 in UTC, with as many digits of the second as needed.
pub(crate) fn timestamp(time: Timestamp) -> String {
    let (days, rest) = (time.seconds.div_euclid(86_400), time.seconds.rem_euclid(86_400));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    let nanos = alloc::format!("{:09}", time.nanos);
    let nanos = nanos.trim_end_matches('0');
    let dot = if nanos.is_empty() { "" } else { "." };
    alloc::format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{dot}{nanos}Z")
}

/// The date of a day counted from 1970-01-01. Years begin with March here, so that leap days end them.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}
