//! Quantities such as `500m` and `1Gi`: parsed, calculated with, and formatted as the API server formats them.

use crate::{At, Node, Value};
use alloc::format;
use alloc::string::{String, ToString};
use core::cmp::Ordering;
use core::fmt;

/// The finest unit: nothing is smaller than a nano.
const NANOS: i128 = 1_000_000_000;
/// A thousandth, in nanos.
const MILLI: i128 = 1_000_000;

/// A quantity with the format it was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    nanos: i128,
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Decimal,
    Exponent,
    Binary,
}

/// The suffixes of powers of ten.
const DECIMAL: [(&str, i32); 10] = [
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];

/// The suffixes of powers of 1024, in their order.
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

impl Quantity {
    /// Parses a quantity; none if it is invalid or too large to count.
    pub fn parse(text: &str) -> Option<Self> {
        let parts = Parts::split(text)?;
        Some(parts.quantity(parts.nanos(parts.fraction)?))
    }

    /// Parses a quantity as [`Self::parse`] does, but takes the largest one for those that are too large to count:
    /// validation still compares them.
    pub fn saturating(text: &str) -> Option<Self> {
        /// More places than a fraction of the largest unit needs down to a nano.
        const PLACES: usize = 18;
        let parts = Parts::split(text)?;
        let nanos = parts.nanos(parts.fraction).or_else(|| {
            let fraction = parts.fraction.get(..parts.fraction.len().min(PLACES))?;
            parts.nanos(fraction)
        });
        Some(parts.quantity(nanos.unwrap_or(i128::MAX)))
    }

    /// The quantity of a field for validation, see [`Self::saturating`]; none if the field has none.
    pub fn at(at: &At<'_>) -> Option<Self> {
        Self::in_node(at.node()?, Self::saturating)
    }

    /// The quantity of a field as the API server writes it, also where it is too large to count; empty if there is none.
    pub fn text_at(at: &At<'_>) -> String {
        let Some(node) = at.node() else { return String::new() };
        let text = match Self::of(node) {
            Some(quantity) => Some(quantity.to_string()),
            None => large_number(node).and_then(|text| Parts::split(&text)?.large_text()),
        };
        text.or_else(|| Some(Self::at(at)?.to_string())).unwrap_or_default()
    }

    /// Whether the API takes the quantity of a field for a whole number: what is too large to count it counts in
    /// thousandths, and keeps the last 64 bits.
    pub fn is_whole_at(at: &At<'_>) -> bool {
        let Some(node) = at.node() else { return true };
        match Self::of(node) {
            Some(quantity) => quantity.is_whole(),
            None => large_number(node)
                .and_then(|text| Parts::split(&text)?.last_bits())
                .is_none_or(|thousandths| thousandths % 1000 == 0),
        }
    }

    /// The same quantity rounded up (away from zero) to thousandths.
    #[must_use]
    pub fn in_millis(self) -> Self {
        Self { nanos: div_away(self.nanos, MILLI).saturating_mul(MILLI), ..self }
    }

    /// The quantity in a field, which may be a string or a number.
    pub fn of(node: &Node<'_>) -> Option<Self> {
        Self::in_node(node, Self::parse)
    }

    fn in_node(node: &Node<'_>, parse: fn(&str) -> Option<Self>) -> Option<Self> {
        match &node.value {
            // As in the API server, surrounding spaces do not count.
            Value::Text(text) => parse(text.trim()),
            Value::Int(_) | Value::Float(_) => parse(&node.to_string()),
            _ => None,
        }
    }

    /// A quantity of `number` whole units.
    pub fn whole(number: i64) -> Self {
        Self { nanos: i128::from(number).saturating_mul(NANOS), format: Format::Decimal }
    }

    /// The number of whole units, rounded away from zero.
    pub fn in_wholes(self) -> i128 {
        div_away(self.nanos, NANOS)
    }

    /// The number of thousandths, rounded away from zero.
    pub fn thousandths(self) -> i128 {
        div_away(self.nanos, MILLI)
    }

    /// The same quantity rounded away from zero to whole units.
    #[must_use]
    pub fn rounded(self) -> Self {
        Self { nanos: self.in_wholes().saturating_mul(NANOS), ..self }
    }

    /// The difference, in this format, or in the other's if this is zero.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        self.plus(Self { nanos: other.nanos.saturating_neg(), ..other })
    }

    /// Compares the two quantities by value, not by format.
    pub fn compare(self, other: Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }

    /// Whether it is zero.
    pub fn is_zero(self) -> bool {
        self.nanos == 0
    }

    /// Whether it is below zero.
    pub fn is_negative(self) -> bool {
        self.nanos < 0
    }

    /// Whether it is above zero.
    pub fn is_positive(self) -> bool {
        self.nanos > 0
    }

    /// Whether it is a whole number.
    pub fn is_whole(self) -> bool {
        self.nanos % NANOS == 0
    }

    /// Whether it is no whole number after rounding up to thousandths, as the API computes it.
    pub fn has_fraction(self) -> bool {
        let millis = self.nanos / MILLI + i128::from(self.nanos % MILLI > 0);
        millis % 1000 != 0
    }

    /// The sum, in this format, or in the other's if this is zero.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let format = if self.nanos == 0 { other.format } else { self.format };
        Self { nanos: self.nanos.saturating_add(other.nanos), format }
    }

    /// Whether this is the larger quantity.
    pub fn exceeds(self, other: Self) -> bool {
        self.nanos > other.nanos
    }
}

/// The text of a quantity in a field, which may be a string or a number.
fn large_number(node: &Node<'_>) -> Option<String> {
    match &node.value {
        Value::Text(text) => Some(text.trim().into()),
        Value::Int(_) | Value::Float(_) => Some(node.to_string()),
        _ => None,
    }
}

/// The text of a quantity in its parts.
struct Parts<'t> {
    is_negative: bool,
    whole: &'t str,
    fraction: &'t str,
    format: Format,
    factor: i128,
    power: i32,
}

impl<'t> Parts<'t> {
    /// Splits a text; none if it is no quantity.
    fn split(text: &'t str) -> Option<Self> {
        let (is_negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, suffix) = text.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
            return None;
        }
        let (format, factor, power) = suffix_meaning(suffix)?;
        Some(Self { is_negative, whole, fraction, format, factor, power })
    }

    /// The amount without its sign, with this fraction; none if it is too large to count.
    fn nanos(&self, fraction: &str) -> Option<i128> {
        let digits =
            self.whole.bytes().chain(fraction.bytes()).try_fold(0_i128, |sum, digit| {
                sum.checked_mul(10)?.checked_add(i128::from(digit - b'0'))
            })?;
        let power = self.power.checked_sub(i32::try_from(fraction.len()).ok()?)?.checked_add(9)?;
        scaled(digits.checked_mul(self.factor)?, power)
    }

    /// The text of an amount of many digits; none for a power of two, or with a fraction.
    fn large_text(&self) -> Option<String> {
        let digits = format!("{}{}", self.whole, self.fraction);
        let digits = digits.trim_start_matches('0');
        let number = digits.trim_end_matches('0');
        let zeros = i32::try_from(digits.len() - number.len()).ok()?;
        let places = i32::try_from(self.fraction.len()).ok()?;
        let power = self.power.checked_sub(places)?.checked_add(zeros)?;
        let (most, is_exponent) = match self.format {
            Format::Decimal => (18, false),
            Format::Exponent => (i32::MAX, true),
            Format::Binary if self.factor == 1 => (18, false),
            Format::Binary => return None,
        };
        if number.is_empty() || power < 0 {
            return None;
        }
        let unit = (power - power % 3).min(most);
        let rest = "0".repeat(usize::try_from(power - unit).ok()?);
        let suffix = match (is_exponent, DECIMAL.iter().find(|(_, of)| *of == unit)) {
            (true, _) if unit == 0 => String::new(),
            (true, _) => format!("e{unit}"),
            (false, found) => found?.0.into(),
        };
        let sign = if self.is_negative { "-" } else { "" };
        Some(format!("{sign}{number}{rest}{suffix}"))
    }

    /// The last 64 bits of the thousandths of an amount without a fraction.
    fn last_bits(&self) -> Option<i64> {
        let power = self.power.checked_sub(i32::try_from(self.fraction.len()).ok()?)?;
        let digits =
            self.whole.bytes().chain(self.fraction.bytes()).fold(0_u64, |sum, digit| {
                sum.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'))
            });
        let factor = 10_u64.wrapping_pow(u32::try_from(power.checked_add(3)?).ok()?);
        let bits = digits.wrapping_mul(factor).cast_signed();
        Some(if self.is_negative { bits.wrapping_neg() } else { bits })
    }

    /// The quantity of this amount.
    fn quantity(&self, nanos: i128) -> Quantity {
        let format = match self.format {
            Format::Binary if nanos < NANOS && !self.is_negative => Format::Decimal,
            other => other,
        };
        Quantity { nanos: if self.is_negative { -nanos } else { nanos }, format }
    }
}

/// Whether a suffix denotes something, also where the amount is too large to count.
pub(crate) fn is_suffix(suffix: &str) -> bool {
    let power = suffix.strip_prefix(['e', 'E']);
    suffix_meaning(suffix).is_some() || power.is_some_and(|power| power.parse::<i64>().is_ok())
}

/// The format, the factor, and the power of ten that a suffix denotes.
fn suffix_meaning(suffix: &str) -> Option<(Format, i128, i32)> {
    if let Some((_, power)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
        return Some((Format::Decimal, 1, *power));
    }
    if let Some(power_index) = BINARY.iter().position(|name| *name == suffix) {
        let factor = 1024_i128.checked_pow(u32::try_from(power_index).ok()?)?;
        return Some((Format::Binary, factor, 0));
    }
    let power = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    Some((Format::Exponent, 1, power))
}

/// A number times a power of ten; fractions are rounded away from zero.
fn scaled(number: i128, power: i32) -> Option<i128> {
    match 10_i128.checked_pow(power.unsigned_abs()) {
        Some(factor) if power >= 0 => number.checked_mul(factor),
        Some(factor) => Some(div_away(number, factor)),
        None if number == 0 => Some(0),
        None if power < 0 => Some(number.signum()),
        None => None,
    }
}

fn div_away(number: i128, by: i128) -> i128 {
    let whole = number / by;
    if number % by == 0 { whole } else { whole + number.signum() }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_small = self.nanos.abs() < 1024 * NANOS;
        match self.format {
            _ if self.nanos == 0 => f.write_str("0"),
            Format::Binary if !is_small && self.nanos % NANOS == 0 => {
                let (number, steps) = reduced(self.nanos / NANOS, 1024, BINARY.len() - 1);
                write!(f, "{number}{}", BINARY.get(steps).unwrap_or(&""))
            }
            Format::Exponent => {
                let (number, steps) = reduced(self.nanos, 1000, usize::MAX);
                match i64::try_from(steps).unwrap_or(i64::MAX).saturating_mul(3).saturating_sub(9) {
                    0 => write!(f, "{number}"),
                    power => write!(f, "{number}e{power}"),
                }
            }
            Format::Binary | Format::Decimal => {
                let (number, steps) = reduced(self.nanos, 1000, DECIMAL.len() - 1);
                write!(f, "{number}{}", DECIMAL.get(steps).map_or("", |(name, _)| name))
            }
        }
    }
}

/// Divides a number by `by` as often as it divides evenly, at most `most` times, and counts the divisions.
fn reduced(mut number: i128, by: i128, most: usize) -> (i128, usize) {
    let mut steps = 0;
    while number != 0 && number % by == 0 && steps < most {
        number /= by;
        steps += 1;
    }
    (number, steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical_text(text: &str) -> Option<String> {
        Quantity::parse(text).map(|quantity| quantity.to_string())
    }

    #[test]
    fn amounts_have_one_spelling() {
        for (text, canonical) in [
            ("0", "0"),
            ("0.5", "500m"),
            ("1000m", "1"),
            ("1500m", "1500m"),
            ("1024Ki", "1Mi"),
            ("1.5Gi", "1536Mi"),
            ("0.5Ki", "512"),
            ("0.1Ki", "102400m"),
            ("1e3", "1e3"),
            ("1E", "1E"),
            ("12e-1", "1200e-3"),
            ("-5k", "-5k"),
            ("+.5", "500m"),
            ("5.", "5"),
            ("1n", "1n"),
            ("0.1n", "1n"),
        ] {
            assert_eq!(canonical_text(text).as_deref(), Some(canonical), "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_is_none() {
        for text in ["", "-", ".", "1..2", "Ki", "1ki", "1e", "x", "1 ", "1e400", "1é"] {
            assert_eq!(canonical_text(text), None, "{text}");
        }
    }

    #[test]
    fn amounts_that_are_too_large_to_count_saturate() {
        let one = Quantity::parse("1").unwrap();
        for text in ["1e400", "1e30", "1234567890123456789012345678901234567890", "9E30"] {
            assert_eq!(Quantity::parse(text), None, "{text}");
            assert!(Quantity::saturating(text).unwrap().exceeds(one), "{text}");
        }
        let long = "0.1000000000000000000000000000000000000000000001";
        assert!(one.exceeds(Quantity::saturating(long).unwrap()));
        assert!(Quantity::saturating("-1e400").unwrap().is_negative());
        assert_eq!(Quantity::saturating("1x"), None);
    }

    #[test]
    fn amounts_that_are_too_large_to_count_have_one_spelling() {
        let digits = "1".repeat(300);
        for (text, canonical) in [
            (digits.as_str(), digits.as_str()),
            ("1e100", "10e99"),
            ("-1e102", "-1e102"),
            ("9223372036854775808E", "9223372036854775808E"),
            (
                "12345678901234567890123456789012345678900000",
                "12345678901234567890123456789012345678900k",
            ),
        ] {
            let node = Node::string(text);
            assert_eq!(Quantity::of(&node), None, "{text}");
            assert_eq!(Quantity::text_at(&At::root(&node)), canonical, "{text}");
        }
        for (text, is_whole) in
            [("1".repeat(44), true), ("2".repeat(300), false), ("1e100".into(), true)]
        {
            let node = Node::string(text);
            assert_eq!(Quantity::is_whole_at(&At::root(&node)), is_whole, "{node}");
        }
        let small = Node::string("1000m");
        assert_eq!(Quantity::text_at(&At::root(&small)), "1");
    }

    #[test]
    fn fractions_are_seen_after_rounding_to_thousandths() {
        let quantity = |text| Quantity::parse(text).unwrap();
        assert!(quantity("500m").has_fraction() && quantity("1u").has_fraction());
        assert!(!quantity("1Gi").has_fraction() && !quantity("999999u").has_fraction());
        assert!(quantity("2").is_whole() && !quantity("1n").is_whole());
        assert!(quantity("1n").is_positive() && !quantity("0").is_positive());
    }

    #[test]
    fn amounts_are_rounded_up_and_added() {
        let milli = |text| Quantity::parse(text).unwrap().in_millis().to_string();
        assert_eq!(milli("0.0001"), "1m");
        assert_eq!(milli("1.2345"), "1235m");
        assert_eq!(milli("-1u"), "-1m");
        assert_eq!(milli("2Gi"), "2Gi");
        let (one, half) = (Quantity::parse("1Gi").unwrap(), Quantity::parse("512Mi").unwrap());
        assert_eq!(one.plus(half).to_string(), "1536Mi");
        assert!(one.exceeds(half) && !half.exceeds(one));
        assert_eq!(one.minus(half).to_string(), "512Mi");
        assert_eq!(half.compare(one), Ordering::Less);
        assert_eq!(Quantity::parse("1200m").map(Quantity::in_wholes), Some(2));
        assert_eq!(Quantity::of(&Node::int(2)), Some(Quantity::whole(2)));
        assert_eq!(Quantity::of(&Node::bool(true)), None);
        let nothing = Quantity::parse("0").unwrap();
        assert_eq!(nothing.plus(one).to_string(), "1Gi");
    }
}
