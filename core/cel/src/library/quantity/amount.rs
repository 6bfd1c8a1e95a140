//! Quantities with suffixes (`500m`, `1.5Gi`, `2e3`), parsed and calculated as `resource.Quantity` does.
//!
//! Whether a quantity is small or large depends on how it was computed, not on its value: only a small one
//! is an integer.

use super::decimal::Decimal;
use core::cmp::Ordering;

const FORMAT: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX: &str = "unable to parse quantity's suffix";
const NUMERIC: &str = "unable to parse numeric part of quantity";
const NANO: i32 = -9;

/// A number with a decimal scale.
#[derive(Clone, Debug)]
pub(super) enum Amount {
    /// A number that fits an `i64`, times a power of ten.
    Small(i64, i32),
    /// Any other number.
    Large(Decimal),
}

/// Why a text is no quantity.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ParseError {
    Invalid(&'static str),
    /// It may be valid, but has too many digits to compute with.
    TooLong,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Ten(i32),
    Two(u32),
}

const UNITS: [(&str, Unit); 16] = [
    ("", Unit::Ten(0)),
    ("n", Unit::Ten(-9)),
    ("u", Unit::Ten(-6)),
    ("m", Unit::Ten(-3)),
    ("k", Unit::Ten(3)),
    ("M", Unit::Ten(6)),
    ("G", Unit::Ten(9)),
    ("T", Unit::Ten(12)),
    ("P", Unit::Ten(15)),
    ("E", Unit::Ten(18)),
    ("Ki", Unit::Two(10)),
    ("Mi", Unit::Two(20)),
    ("Gi", Unit::Two(30)),
    ("Ti", Unit::Two(40)),
    ("Pi", Unit::Two(50)),
    ("Ei", Unit::Two(60)),
];

fn unit(suffix: &str) -> Option<Unit> {
    if let Some((_, unit)) = UNITS.iter().find(|row| row.0 == suffix) {
        return Some(*unit);
    }
    let exponent: i64 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    // The API server truncates it, too.
    Some(Unit::Ten(exponent as i32))
}

/// The parts of a text: sign, digits before and behind the point, suffix.
struct Parts<'a> {
    negative: bool,
    has_digits: bool,
    whole: &'a str,
    part: &'a str,
    suffix: &'a str,
}

/// Splits a text into its parts. Missing digits are zeros.
fn parts(text: &str) -> Option<Parts<'_>> {
    let negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let has_digits =
        unsigned.trim_start_matches('.').starts_with(|first: char| first.is_ascii_digit());
    let rest = unsigned.trim_start_matches('0');
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = rest.split_at_checked(digits(rest))?;
    let (part, suffix) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at_checked(digits(rest))?,
        None => ("", rest),
    };
    let whole = if whole.is_empty() { "0" } else { whole };
    let exponent = suffix.trim_start_matches(|letter| "eEinumkKMGTP".contains(letter));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    exponent.bytes().all(|byte| byte.is_ascii_digit()).then_some(Parts {
        negative,
        has_digits,
        whole,
        part,
        suffix,
    })
}

impl Amount {
    pub(super) fn parse(text: &str) -> Result<Self, ParseError> {
        if text.is_empty() {
            return Err(ParseError::Invalid(FORMAT));
        }
        let parts = parts(text).ok_or(ParseError::Invalid(FORMAT))?;
        let unit = unit(parts.suffix).ok_or(ParseError::Invalid(SUFFIX))?;
        small(&parts, unit).map_or_else(|| large(&parts, unit), Ok)
    }

    pub(super) fn sign(&self) -> i64 {
        match self {
            Self::Small(value, _) => value.signum(),
            Self::Large(decimal) => decimal.sign(),
        }
    }

    /// The integer value. A fraction that happens to be integral (`1.0`) has none.
    pub(super) fn whole(&self) -> Option<i64> {
        match self {
            Self::Small(value, scale) => scale_up(*value, u32::try_from(*scale).ok()?),
            Self::Large(_) => None,
        }
    }

    pub(super) fn approximate(&self) -> f64 {
        let (base, exponent) = match self {
            Self::Small(value, scale) => (*value as f64, *scale),
            Self::Large(decimal) => (decimal.mantissa(), decimal.exponent),
        };
        if exponent == 0 { base } else { base * power_of_ten(exponent) }
    }

    fn decimal(&self) -> Decimal {
        match self {
            Self::Small(value, scale) => Decimal::of(*value, *scale),
            Self::Large(decimal) => decimal.clone(),
        }
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.decimal().compare(&other.decimal())
    }

    /// The sum; `None` if it has more digits than are computed with.
    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        if let (Self::Small(a, a_scale), Self::Small(b, b_scale)) = (self, other)
            && let Some((value, scale)) = small_sum((*a, *a_scale), (*b, *b_scale))
        {
            return Some(Self::Small(value, scale));
        }
        self.decimal().plus(&other.decimal()).map(Self::Large)
    }

    /// The difference; `None` as for a sum.
    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        let negated = match other {
            // The smallest number is its own negative, as in the API server.
            Self::Small(value, scale) => Self::Small(value.wrapping_neg(), *scale),
            Self::Large(decimal) => {
                let mut decimal = decimal.clone();
                decimal.negative = !decimal.negative;
                Self::Large(decimal)
            }
        };
        self.plus(&negated)
    }
}

fn small(parts: &Parts<'_>, unit: Unit) -> Option<Amount> {
    let length = parts.whole.len() + parts.part.len();
    let (scale, factor, room) = match unit {
        Unit::Ten(exponent) => (exponent, 1, 18),
        Unit::Two(_) if !parts.part.is_empty() => return None,
        Unit::Two(bits) => (0, 1_i64 << bits, 14 - i64::from(bits) * 3 / 10),
    };
    let scale = scale.wrapping_sub(i32::try_from(parts.part.len()).unwrap_or(i32::MAX));
    if i64::try_from(length).ok()? > room || scale < NANO {
        return None;
    }
    let digits = parts.whole.bytes().chain(parts.part.bytes());
    let value = digits.fold(0_i64, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    let value = value.checked_mul(factor)?;
    Some(Amount::Small(if parts.negative { -value } else { value }, scale))
}

fn large(parts: &Parts<'_>, unit: Unit) -> Result<Amount, ParseError> {
    if !parts.has_digits {
        return Err(ParseError::Invalid(NUMERIC));
    }
    let places = i32::try_from(parts.part.len()).map_err(|_| ParseError::TooLong)?;
    let exponent = match unit {
        Unit::Ten(exponent) => exponent.wrapping_sub(places),
        Unit::Two(_) => -places,
    };
    let mut decimal = Decimal::new(parts.negative, &[parts.whole, parts.part], exponent)
        .ok_or(ParseError::TooLong)?;
    if let Unit::Two(bits) = unit {
        decimal.times(1 << bits);
    }
    // A value that is not zero is at least the smallest quantity.
    if !decimal.is_zero() {
        decimal.round_up(NANO);
    }
    if let Unit::Two(_) = unit {
        cap(&mut decimal);
    }
    Ok(Amount::Large(decimal))
}

/// Quantities in binary units are capped; the others are not.
fn cap(decimal: &mut Decimal) {
    let negative = core::mem::replace(&mut decimal.negative, false);
    let most = Decimal::of(i64::MAX, 0);
    if decimal.compare(&most) == Ordering::Greater {
        *decimal = most;
    }
    decimal.negative = negative;
}

fn small_sum((a, a_scale): (i64, i32), (b, b_scale): (i64, i32)) -> Option<(i64, i32)> {
    if b == 0 {
        return Some((a, a_scale));
    }
    if a == 0 {
        return Some((b, b_scale));
    }
    let scale = a_scale.min(b_scale);
    let at_scale = |value, from: i32| scale_up(value, from.abs_diff(scale));
    Some((at_scale(a, a_scale)?.checked_add(at_scale(b, b_scale)?)?, scale))
}

/// A number times a power of ten.
fn scale_up(value: i64, power: u32) -> Option<i64> {
    if value == 0 {
        return Some(0);
    }
    value.checked_mul(10_i64.checked_pow(power)?)
}

/// A power of ten, with the small errors of the API server's computation.
fn power_of_ten(exponent: i32) -> f64 {
    let literal = |power: i32| alloc::format!("1e{power}").parse().unwrap_or(0.0_f64);
    match exponent {
        0..=308 => literal(exponent / 32 * 32) * literal(exponent % 32),
        -323..0 => literal(exponent / 32 * 32) / literal(-exponent % 32),
        309.. => f64::INFINITY,
        _ => 0.0,
    }
}
