//! Resolution of plain YAML scalars by YAML 1.1, as Kubernetes' parser applies it.

use crate::Value;
use alloc::borrow::Cow;
use alloc::string::{String, ToString};

/// The value of a plain scalar: `yes` is true, `0777` is 511, `1_000` is 1000, `08` is 8.
pub(crate) fn plain(text: Cow<'_, str>) -> Value<'_> {
    let Some(first) = text.bytes().next() else { return Value::Null };
    let value = match first {
        b'0'..=b'9' | b'+' | b'-' | b'.' => number(&text),
        b'~' | b'n' | b'N' | b'y' | b'Y' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' => {
            keyword(&text)
        }
        _ => None,
    };
    value.unwrap_or(Value::Text(text))
}

fn keyword(text: &str) -> Option<Value<'static>> {
    Some(match text {
        "~" | "null" | "Null" | "NULL" => Value::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Value::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Value::Bool(false)
        }
        _ => return None,
    })
}

fn number(text: &str) -> Option<Value<'static>> {
    match text {
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Some(Value::Float(f64::INFINITY));
        }
        "-.inf" | "-.Inf" | "-.INF" => return Some(Value::Float(f64::NEG_INFINITY)),
        ".nan" | ".NaN" | ".NAN" => return Some(Value::Float(f64::NAN)),
        _ => {}
    }
    let bare: Cow<'_, str> = if text.contains('_') {
        Cow::Owned(text.chars().filter(|&letter| letter != '_').collect::<String>())
    } else {
        Cow::Borrowed(text)
    };
    integer(&bare).or_else(|| is_float(&bare).then(|| bare.parse().ok().map(float_value))?)
}

/// Kubernetes converts YAML to JSON first, and there `8.0` is `8`.
fn float_value(number: f64) -> Value<'static> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number % 1.0 == 0.0 && number.abs() <= EXACT {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "whole, and small enough to be exact"
        )]
        return Value::Int(number as i64);
    }
    Value::Float(number)
}

/// An integer in the bases that Go reads: `0x`, `0o`, `0b`, and a bare leading zero for octal.
fn integer(text: &str) -> Option<Value<'static>> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, digits.get(2..)?),
        [b'0', b'o' | b'O', ..] => (8, digits.get(2..)?),
        [b'0', b'b' | b'B', ..] => (2, digits.get(2..)?),
        [b'0', _, ..] => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let size = u64::from_str_radix(digits, radix).ok()?;
    match i64::try_from(size) {
        Ok(number) => Some(Value::Int(if negative { -number } else { number })),
        Err(_) if negative && size == 1 << 63 => Some(Value::Int(i64::MIN)),
        Err(_) if negative => None,
        // Larger than any field of the API takes; kept as a float for error messages.
        Err(_) => digits.parse().ok().map(Value::Float).filter(|_| radix == 10),
    }
}

fn is_float(text: &str) -> bool {
    let bare = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match bare.find(['e', 'E']) {
        Some(at) => (bare.get(..at).unwrap_or_default(), bare.get(at + 1..)),
        None => (bare, None),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mantissa_is_fine = match mantissa.split_once('.') {
        Some(("", fraction)) => !fraction.is_empty() && all_digits(fraction),
        Some((integer, fraction)) => all_digits(integer) && all_digits(fraction),
        None => !mantissa.is_empty() && all_digits(mantissa),
    };
    let exponent_is_fine = exponent.is_none_or(|text| {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        !digits.is_empty() && all_digits(digits)
    });
    mantissa_is_fine && exponent_is_fine
}

/// The JSON key for a member whose YAML key is not text; none where JSON has no such key.
pub(crate) fn key_name(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Int(number) => Some(number.to_string()),
        Value::Float(number) if number.is_finite() => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_mean_what_yaml_1_1_says() {
        for (text, want) in [
            ("", Value::Null),
            ("~", Value::Null),
            ("null", Value::Null),
            ("yes", Value::Bool(true)),
            ("On", Value::Bool(true)),
            ("y", Value::Bool(true)),
            ("n", Value::Bool(false)),
            ("off", Value::Bool(false)),
            ("12", Value::Int(12)),
            ("+12", Value::Int(12)),
            ("-12", Value::Int(-12)),
            ("0777", Value::Int(511)),
            ("0o17", Value::Int(15)),
            ("0x1F", Value::Int(31)),
            ("0b101", Value::Int(5)),
            ("1_000", Value::Int(1000)),
            ("0", Value::Int(0)),
            ("08", Value::Int(8)),
            ("1e3", Value::Int(1000)),
            ("1e300", Value::Float(1e300)),
            ("1.0", Value::Int(1)),
            (".5", Value::Float(0.5)),
            ("5.", Value::Int(5)),
            ("8.5", Value::Float(8.5)),
            ("-.inf", Value::Float(f64::NEG_INFINITY)),
            ("-9223372036854775808", Value::Int(i64::MIN)),
        ] {
            assert_eq!(plain(text.into()), want, "{text}");
        }
    }

    #[test]
    fn everything_else_is_text() {
        for text in [
            "yEs",
            "nul",
            "1.2.3.4",
            "1:30",
            "2001-01-01",
            "0x",
            "0o8",
            "1e",
            ".",
            "-",
            "+",
            "0xg",
            "::1",
            "10.0.0.0/8",
            "1.2.3",
            "Norway",
            "-1-1",
            "1 2",
        ] {
            assert_eq!(plain(text.into()), Value::Text(text.into()), "{text}");
        }
    }
}
