//! `Quantity`, a resource quantity such as `500m`, `1Gi` or `2e3`, exact to a billionth, in the API's canonical form.

use alloc::string::String;
use core::cmp::Ordering;
use ratchet_object::{At, Value};

/// An amount in billionths, and the suffix style it was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quantity {
    nano: i128,
    style: Style,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Decimal,
    Binary,
    Exponent,
}

const ONE: i128 = 1_000_000_000;
const DECIMAL: [(&str, u32); 6] = [("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
const BINARY: [(&str, u32); 6] =
    [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)];
const SMALL: [(&str, i128); 3] = [("n", 1), ("u", 1_000), ("m", 1_000_000)];

impl Quantity {
    /// The quantity at a field; decoding already refused anything else.
    pub(crate) fn at(at: &At<'_>) -> Option<Self> {
        match &at.node()?.value {
            Value::Int(number) => {
                Some(Self { nano: i128::from(*number) * ONE, style: Style::Decimal })
            }
            Value::Float(number) => Self::parse(&alloc::format!("{number}")),
            Value::Text(text) => Self::parse(text),
            _ => None,
        }
    }

    pub(crate) const fn zero() -> Self {
        Self { nano: 0, style: Style::Decimal }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (is_negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, text.get(1..)?),
            b'+' => (false, text.get(1..)?),
            _ => (false, text),
        };
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
        let (number, suffix) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && part.is_empty()) || part.contains('.') {
            return None;
        }
        let (unit, style) = unit(suffix)?;
        let nano = scaled(whole, part, unit);
        Some(Self { nano: if is_negative { nano.saturating_neg() } else { nano }, style })
    }

    /// The order relative to zero.
    pub(crate) fn sign(&self) -> Ordering {
        self.nano.cmp(&0)
    }

    /// Whether it is a whole number.
    pub(crate) fn is_whole(&self) -> bool {
        self.nano % ONE == 0
    }

    /// Whether it is no whole number after rounding up to thousandths, as the API computes it.
    pub(crate) fn is_fractional(&self) -> bool {
        const MILLI: i128 = ONE / 1000;
        let milli = self.nano / MILLI + i128::from(self.nano % MILLI > 0);
        milli % 1000 != 0
    }

    /// The canonical form of the API: no fraction, the largest suffix.
    pub(crate) fn canonical(&self) -> String {
        let whole = self.nano / ONE;
        if self.style == Style::Binary && self.is_whole() && whole.unsigned_abs() >= 1024 {
            let (mut rest, mut suffix) = (whole, "");
            for (name, _) in BINARY {
                if rest % 1024 != 0 {
                    break;
                }
                rest /= 1024;
                suffix = name;
            }
            return alloc::format!("{rest}{suffix}");
        }
        if self.nano == 0 {
            return "0".into();
        }
        let (mut rest, mut power) = (self.nano, -9_i32);
        while rest % 1000 == 0 && power < 18 {
            rest /= 1000;
            power += 3;
        }
        if self.style == Style::Exponent && power != 0 {
            return alloc::format!("{rest}e{power}");
        }
        let suffix = match power {
            -9 => "n",
            -6 => "u",
            -3 => "m",
            0 => "",
            3 => "k",
            6 => "M",
            9 => "G",
            12 => "T",
            15 => "P",
            _ => "E",
        };
        alloc::format!("{rest}{suffix}")
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.nano.partial_cmp(&other.nano)
    }
}

/// The value of a suffix in billionths, and its style.
fn unit(suffix: &str) -> Option<(i128, Style)> {
    if suffix.is_empty() {
        return Some((ONE, Style::Decimal));
    }
    if let Some((_, nano)) = SMALL.iter().find(|row| row.0 == suffix) {
        return Some((*nano, Style::Decimal));
    }
    if let Some((_, power)) = DECIMAL.iter().find(|row| row.0 == suffix) {
        return Some((ONE.saturating_mul(10_i128.saturating_pow(*power)), Style::Decimal));
    }
    if let Some((_, bits)) = BINARY.iter().find(|row| row.0 == suffix) {
        return Some((ONE.saturating_mul(1_i128 << bits), Style::Binary));
    }
    let power: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    let unit = match u32::try_from(power) {
        Ok(power) => ONE.saturating_mul(10_i128.saturating_pow(power.min(28))),
        Err(_) => ONE / 10_i128.saturating_pow(power.unsigned_abs().min(10)),
    };
    Some((unit, Style::Exponent))
}

/// `whole.part` times `unit`, the fraction rounded up as the API does.
fn scaled(whole: &str, part: &str, unit: i128) -> i128 {
    let digits = |text: &str| {
        text.bytes().fold(0_i128, |sum, digit| {
            sum.saturating_mul(10).saturating_add(i128::from(digit.saturating_sub(b'0')))
        })
    };
    let part = part.get(..part.len().min(18)).unwrap_or_default();
    let scale = 10_i128.saturating_pow(u32::try_from(part.len()).unwrap_or_default());
    let fraction = digits(part).saturating_mul(unit);
    let rounded = (fraction / scale).saturating_add(i128::from(fraction % scale != 0));
    digits(whole).saturating_mul(unit).saturating_add(rounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_written_as_the_api_writes_them() {
        let pairs = [
            ("1000m", "1"),
            ("0.5", "500m"),
            ("1.5Gi", "1536Mi"),
            ("1024Mi", "1Gi"),
            ("100Ki", "100Ki"),
            ("512", "512"),
            ("1000", "1k"),
            ("-1", "-1"),
            ("0", "0"),
            ("1e3", "1e3"),
            ("1Ei", "1Ei"),
        ];
        for (text, formatted) in pairs {
            assert_eq!(Quantity::parse(text).unwrap().canonical(), formatted, "{text}");
        }
    }

    #[test]
    fn quantities_compare_by_amount() {
        let read = |text| Quantity::parse(text).unwrap();
        assert!(read("1Gi") > read("1G"));
        assert!(read("999m") < read("1"));
        assert_eq!(read("1k").partial_cmp(&read("1000")), Some(Ordering::Equal));
    }

    #[test]
    fn what_is_no_quantity_is_none() {
        for text in ["", "x", "1x", "1.2.3", "-", ".", "1 Gi", "1ex"] {
            assert_eq!(Quantity::parse(text), None, "{text}");
        }
    }
}
