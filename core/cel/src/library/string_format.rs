//! `'%s: %d'.format([…])`: clauses, the types they take, and cel-go's errors for others.

use super::arguments::{list, text};
use super::{Context, standard_convert};
use crate::{EvalError, Value};
use alloc::string::{String, ToString};
use core::fmt::Write;
use ratchet_net::Quoted;

/// A formatting clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clause {
    /// `%s`
    Text,
    /// `%d`
    Decimal,
    /// `%f`, with so many digits behind the point
    Fixed(usize),
    /// `%e`, with this minimum width
    Scientific(usize),
    /// `%b`
    Binary,
    /// `%x` and `%X`
    Hex {
        /// Whether letters are upper case.
        upper: bool,
    },
    /// `%o`
    Octal,
}

impl Clause {
    /// The error for an argument of a type that the clause does not take.
    pub(crate) fn type_error(self, type_name: &str) -> String {
        let takes = match self {
            Self::Text => {
                "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
            }
            Self::Decimal => "decimal clause can only be used on integers",
            Self::Fixed(_) => "fixed-point clause can only be used on doubles",
            Self::Scientific(_) => "scientific clause can only be used on doubles",
            Self::Binary => "only integers and bools can be formatted as binary",
            Self::Hex { .. } => "only integers, byte buffers, and strings can be formatted as hex",
            Self::Octal => "octal clause can only be used on integers",
        };
        alloc::format!("{takes}, was given {type_name}")
    }
}

/// A part of a format string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'f> {
    /// Literal text.
    Plain(&'f str),
    /// A clause such as `%s` or `%.2f`, which takes an argument.
    Clause(Clause),
}

const DEFAULT_PRECISION: usize = 6;

/// Splits a format string; its first error is the last piece.
pub(crate) fn pieces(format: &str) -> impl Iterator<Item = Result<Piece<'_>, String>> {
    let mut rest = format;
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(after) = rest.strip_prefix('%') else {
            let (plain, after) = rest.split_at(rest.find('%').unwrap_or(rest.len()));
            rest = after;
            return Some(Ok(Piece::Plain(plain)));
        };
        if let Some(after) = after.strip_prefix('%') {
            rest = after;
            return Some(Ok(Piece::Plain("%")));
        }
        let clause = clause(after);
        rest = clause.as_ref().map_or("", |clause| clause.1);
        Some(clause.map(|clause| Piece::Clause(clause.0)))
    })
}

fn clause(text: &str) -> Result<(Clause, &str), String> {
    if text.is_empty() {
        return Err("unexpected end of string".into());
    }
    let (precision, rest) = precision(text).map_err(|error| {
        alloc::format!("could not parse formatting clause: error while parsing precision: {error}")
    })?;
    let clause = match rest.bytes().next().unwrap_or_default() {
        b's' => Clause::Text,
        b'd' => Clause::Decimal,
        b'f' => Clause::Fixed(precision),
        b'e' => Clause::Scientific(precision),
        b'b' => Clause::Binary,
        b'x' => Clause::Hex { upper: false },
        b'X' => Clause::Hex { upper: true },
        b'o' => Clause::Octal,
        other => {
            // The API server works on bytes here, and shows one as if it were a character.
            let character = char::from(other);
            return Err(alloc::format!(
                "could not parse formatting clause: unrecognized formatting clause \"{character}\""
            ));
        }
    };
    Ok((clause, rest.get(1..).unwrap_or_default()))
}

fn precision(text: &str) -> Result<(usize, &str), String> {
    let Some(after) = text.strip_prefix('.') else { return Ok((DEFAULT_PRECISION, text)) };
    let rest = after.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if rest.is_empty() {
        return Err("could not find end of precision specifier".into());
    }
    let digits = after.strip_suffix(rest).unwrap_or_default();
    let number: i64 = digits.parse().map_err(|_| {
        let error = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
        let quoted = Quoted(digits);
        alloc::format!(
            "error while converting precision to integer: strconv.Atoi: parsing {quoted}: {error}"
        )
    })?;
    Ok((usize::try_from(number).unwrap_or(usize::MAX), rest))
}

pub(super) fn format<'t>(
    context: &Context<'_>,
    arguments: &[Value<'t>],
) -> Result<Value<'t>, EvalError> {
    let (format, values) = (text(arguments, 0)?, list(arguments, 1)?);
    context.room(format.len())?;
    let mut out = String::new();
    let mut index = 0;
    for piece in pieces(format) {
        // A missing argument is reported before a malformed clause.
        let missing = || EvalError::new(alloc::format!("index {index} out of range"));
        match piece {
            Ok(Piece::Plain(plain)) => out.push_str(plain),
            Ok(Piece::Clause(clause)) => {
                let value = values.get(index).ok_or_else(missing)?;
                let part = write(context, clause, &value).map_err(|error| {
                    EvalError::new(alloc::format!("error during formatting: {error}"))
                })?;
                context.room(part.len())?;
                out.push_str(&part);
                index += 1;
            }
            Err(error) => {
                values.get(index).ok_or_else(missing)?;
                return Err(EvalError::new(error));
            }
        }
    }
    Ok(out.into())
}

fn write(context: &Context<'_>, clause: Clause, value: &Value<'_>) -> Result<String, String> {
    let formatted = match (clause, value) {
        (Clause::Text, _) => return plain(context, value),
        (Clause::Decimal, Value::Int(_) | Value::Uint(_)) => return plain(context, value),
        (Clause::Fixed(precision), _) => double(value).map(|number| fixed(number, precision)),
        (Clause::Scientific(width), _) => double(value).map(|number| scientific(number, width)),
        (Clause::Binary, Value::Bool(truth)) => Some(u8::from(*truth).to_string()),
        (Clause::Binary, _) => signed(value).map(|(sign, size)| alloc::format!("{sign}{size:b}")),
        (Clause::Octal, _) => signed(value).map(|(sign, size)| alloc::format!("{sign}{size:o}")),
        (Clause::Hex { upper }, Value::Text(text)) => Some(hex(text.as_bytes(), upper)),
        (Clause::Hex { upper }, Value::Bytes(bytes)) => Some(hex(bytes, upper)),
        (Clause::Hex { upper: false }, _) => {
            signed(value).map(|(sign, size)| alloc::format!("{sign}{size:x}"))
        }
        (Clause::Hex { upper: true }, _) => {
            signed(value).map(|(sign, size)| alloc::format!("{sign}{size:X}"))
        }
        _ => None,
    };
    formatted.ok_or_else(|| clause.type_error(value.type_of().name()))
}

fn signed(value: &Value<'_>) -> Option<(&'static str, u64)> {
    match value {
        Value::Int(number) => Some((if *number < 0 { "-" } else { "" }, number.unsigned_abs())),
        Value::Uint(number) => Some(("", *number)),
        _ => None,
    }
}

fn hex(bytes: &[u8], upper: bool) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a text cannot fail.
        let _ = if upper { write!(out, "{byte:02X}") } else { write!(out, "{byte:02x}") };
    }
    out
}

fn double(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Double(number) => Some(*number),
        Value::Text(text) => match text.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

fn infinite(number: f64) -> Option<&'static str> {
    if number.is_nan() {
        Some("NaN")
    } else if number.is_infinite() {
        Some(if number < 0.0 { "-∞" } else { "∞" })
    } else {
        None
    }
}

/// More fraction digits than any double has.
const ALL_DIGITS: usize = 1100;

/// As in the locale en-US: commas between thousands. The number of trailing zeros is an 8-bit
/// counter, so that 256 means none.
fn fixed(number: f64, precision: usize) -> String {
    if let Some(name) = infinite(number) {
        return name.into();
    }
    // Zero has no sign.
    let number = if number == 0.0 { 0.0 } else { number };
    let digits = alloc::format!("{number:.*}", precision.min(ALL_DIGITS));
    let (whole, part) = digits.split_once('.').unwrap_or((&digits, ""));
    let part = part.trim_end_matches('0');
    let min_digits = precision % 256;
    let mut out = String::new();
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |whole| ("-", whole));
    out.push_str(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if !part.is_empty() || min_digits > 0 {
        let _ = write!(out, ".{part:0<min_digits$}");
    }
    out
}

/// Six fraction digits, whatever the precision: it is used as the width.
fn scientific(number: f64, width: usize) -> String {
    let width = width % (1 << 16);
    let number = if number == 0.0 { 0.0 } else { number };
    let formatted = infinite(number).map_or_else(
        || {
            let digits = alloc::format!("{number:.6e}");
            let (mantissa, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
            let exponent: i32 = exponent.parse().unwrap_or_default();
            let sign = if exponent < 0 { "⁻" } else { "" };
            let raised: String =
                alloc::format!("{:02}", exponent.unsigned_abs()).chars().map(superscript).collect();
            alloc::format!("{mantissa}×10{sign}{raised}")
        },
        ToString::to_string,
    );
    alloc::format!("{formatted:>width$}")
}

fn superscript(digit: char) -> char {
    match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        _ => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or_default()).unwrap_or(digit),
    }
}

/// The text of a value for `%s`.
fn plain(context: &Context<'_>, value: &Value<'_>) -> Result<String, String> {
    match value {
        Value::List(_) | Value::Map(_) => nested(context, value),
        Value::Null => Ok("null".into()),
        Value::Optional(_) | Value::Opaque(_) | Value::Object(_) => {
            Err(Clause::Text.type_error(value.type_of().name()))
        }
        Value::Type(ty) => Ok(ty.name().to_string()),
        _ => {
            let text = standard_convert::to_string(context, core::slice::from_ref(value));
            text.map(|text| text.as_text().unwrap_or_default().to_string()).map_err(|error| {
                alloc::format!("could not convert argument {} to string", Quoted(&error.message))
            })
        }
    }
}

/// A value inside a list or a map is formatted as a literal.
fn nested(context: &Context<'_>, value: &Value<'_>) -> Result<String, String> {
    match value {
        Value::Text(text) => Ok(Quoted(text).to_string()),
        Value::Bytes(_) => Ok(alloc::format!("b{}", Quoted(&plain(context, value)?))),
        Value::Double(number) if number.is_nan() => Ok("\"NaN\"".into()),
        Value::Double(number) if number.is_infinite() => {
            Ok(if *number < 0.0 { "\"-Inf\"" } else { "\"+Inf\"" }.into())
        }
        Value::Double(number) => Ok(alloc::format!("{number:.6}")),
        Value::Timestamp(_) => Ok(alloc::format!("timestamp({})", Quoted(&plain(context, value)?))),
        Value::Duration(_) => Ok(alloc::format!("duration({})", Quoted(&plain(context, value)?))),
        Value::List(items) => {
            let mut out = String::from("[");
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                out.push_str(&nested(context, &item)?);
            }
            out.push(']');
            Ok(out)
        }
        Value::Map(_) => map(context, value),
        Value::Optional(_) | Value::Opaque(_) | Value::Object(_) => {
            Err(alloc::format!("no formatting function for {}", value.type_of().name()))
        }
        _ => plain(context, value),
    }
}

fn map(context: &Context<'_>, value: &Value<'_>) -> Result<String, String> {
    let mut pairs = alloc::vec::Vec::new();
    for (key, value) in value.as_map().into_iter().flat_map(crate::Map::iter) {
        if !matches!(key, Value::Text(_) | Value::Bool(_) | Value::Int(_) | Value::Uint(_)) {
            let type_name = key.type_of();
            let type_name = type_name.name();
            return Err(alloc::format!("no formatting function for map key of type {type_name}"));
        }
        pairs.push((nested(context, &key)?, nested(context, &value)?));
    }
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    let mut out = String::from("{");
    for (index, (key, value)) in pairs.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        let _ = write!(out, "{key}:{value}");
    }
    out.push('}');
    Ok(out)
}

/// A value in an error message.
pub(super) fn format_value(context: &Context<'_>, value: &Value<'_>) -> String {
    plain(context, value).unwrap_or_else(|_| value.type_of().name().to_string())
}
