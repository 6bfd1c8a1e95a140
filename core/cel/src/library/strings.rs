//! cel-go's string extension, in the version of Kubernetes; positions are code points.

use super::arguments::{int, list, text};
use super::{Context, Cost, Library, Overload, string_format, tenths};
use crate::{EvalError, Value};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

fn out_of_range(index: i64) -> EvalError {
    EvalError::new(alloc::format!("index out of range: {index}"))
}

/// The byte offset of a code point; the end of the text is valid too.
fn byte_offset(text: &str, index: i64) -> Option<usize> {
    let index = usize::try_from(index).ok()?;
    let ends = core::iter::once(text.len());
    text.char_indices().map(|(at, _)| at).chain(ends).nth(index)
}

/// The number of code points before a byte offset.
fn count(text: &str, end: usize) -> i64 {
    let before = text.get(..end).unwrap_or_default().chars().count();
    i64::try_from(before).unwrap_or(i64::MAX)
}

fn char_at<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let (text, index) = (text(arguments, 0)?, int(arguments, 1)?);
    let at = byte_offset(text, index).ok_or_else(|| out_of_range(index))?;
    let letter = text.get(at..).and_then(|rest| rest.chars().next());
    Ok(letter.map(String::from).unwrap_or_default().into())
}

fn index_of<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let (text, part) = (text(arguments, 0)?, text(arguments, 1)?);
    let offset = if arguments.len() > 2 { int(arguments, 2)? } else { 0 };
    if part.is_empty() {
        return Ok(Value::Int(offset));
    }
    if offset < 0 {
        return Err(out_of_range(offset));
    }
    let position = byte_offset(text, offset).and_then(|start| {
        let at = start + text.get(start..)?.find(part)?;
        Some(count(text, at))
    });
    Ok(Value::Int(position.unwrap_or(-1)))
}

fn last_index_of<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let (text, part) = (text(arguments, 0)?, text(arguments, 1)?);
    let position = text.rfind(part).map_or(-1, |at| count(text, at));
    Ok(Value::Int(position))
}

fn last_index_of_before<'t>(
    _: &Context<'_>,
    arguments: &[Value<'t>],
) -> Result<Value<'t>, EvalError> {
    let (text, part, last) = (text(arguments, 0)?, text(arguments, 1)?, int(arguments, 2)?);
    if part.is_empty() {
        return Ok(Value::Int(last));
    }
    if last < 0 {
        return Err(out_of_range(last));
    }
    // An offset at the end or beyond it matches nothing; otherwise the match begins there or earlier.
    let position = byte_offset(text, last).filter(|start| *start < text.len()).and_then(|start| {
        let end = text.floor_char_boundary(start.saturating_add(part.len()));
        let at = text.get(..end)?.rfind(part)?;
        Some(count(text, at))
    });
    Ok(Value::Int(position.unwrap_or(-1)))
}

fn lower<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    Ok(text(arguments, 0)?.to_ascii_lowercase().into())
}

fn upper<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    Ok(text(arguments, 0)?.to_ascii_uppercase().into())
}

fn trim<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    Ok(text(arguments, 0)?.trim().to_string().into())
}

/// A limit as in Go: negative means none.
fn limit(arguments: &[Value<'_>], index: usize) -> Result<usize, EvalError> {
    if index >= arguments.len() {
        return Ok(usize::MAX);
    }
    Ok(usize::try_from(int(arguments, index)?).unwrap_or(usize::MAX))
}

fn replace<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let (text, old, new) = (text(arguments, 0)?, text(arguments, 1)?, text(arguments, 2)?);
    let limit = limit(arguments, 3)?;
    let times = text.matches(old).take(limit).count();
    context.room(text.len().saturating_add(times.saturating_mul(new.len())))?;
    Ok(text.replacen(old, new, times).into())
}

fn split<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let (text, separator) = (text(arguments, 0)?, text(arguments, 1)?);
    let limit = limit(arguments, 2)?;
    context.room(text.len().min(limit))?;
    let parts: Vec<Value<'t>> = if limit == 0 {
        Vec::new()
    } else if separator.is_empty() {
        letters(text, limit)
    } else {
        text.splitn(limit, separator).map(|part| part.to_string().into()).collect()
    };
    Ok(Value::list(parts))
}

/// Splits into characters; the last part is the rest.
fn letters<'t>(text: &str, limit: usize) -> Vec<Value<'t>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if parts.len() + 1 == limit {
            parts.push(rest.to_string().into());
            break;
        }
        parts.push(letter.to_string().into());
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
    }
    parts
}

fn substring<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let (text, start) = (text(arguments, 0)?, int(arguments, 1)?);
    let end = if arguments.len() > 2 { Some(int(arguments, 2)?) } else { None };
    if let Some(end) = end.filter(|end| start > *end) {
        return Err(EvalError::new(alloc::format!(
            "invalid substring range. start: {start}, end: {end}"
        )));
    }
    let from = byte_offset(text, start).ok_or_else(|| out_of_range(start))?;
    let to = match end {
        Some(end) => byte_offset(text, end).ok_or_else(|| out_of_range(end))?,
        None => text.len(),
    };
    Ok(text.get(from..to).unwrap_or_default().to_string().into())
}

fn join<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let parts = list(arguments, 0)?;
    let separator = if arguments.len() > 1 { text(arguments, 1)? } else { "" };
    let mut length = 0_usize;
    for part in parts.iter() {
        let Some(part) = part.as_text() else {
            let formatted = string_format::format_value(context, &part);
            return Err(EvalError::new(alloc::format!("join: invalid input: {formatted}")));
        };
        length = length.saturating_add(part.len()).saturating_add(separator.len());
    }
    context.room(length)?;
    let mut joined = String::with_capacity(length);
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            joined.push_str(separator);
        }
        joined.push_str(part.as_text().unwrap_or_default());
    }
    Ok(joined.into())
}

fn quote<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let text = text(arguments, 0)?;
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '\x07' => quoted.push_str("\\a"),
            '\x08' => quoted.push_str("\\b"),
            '\x0c' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\x0b' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    Ok(quoted.into())
}

/// The cost of traversing a string, or all items of a list.
pub(super) fn walk(value: &Value<'_>) -> u64 {
    match value {
        Value::Text(text) => text.len() as u64 / 10,
        Value::Bytes(bytes) => bytes.len() as u64 / 10,
        Value::List(list) => list.iter().map(|item| walk(&item)).sum(),
        Value::Map(map) => map.iter().map(|(key, value)| walk(&key) + walk(&value)).sum(),
        _ => 1,
    }
}

/// The cost of traversing the first argument, rounded down for strings.
pub(super) const WALK: Cost = Cost(|arguments, _| arguments.first().map_or(0, walk));
/// The cost of traversing the first argument and writing the result.
const TWICE: Cost = Cost(|arguments, _| tenths(arguments.first().map_or(0, Value::cost_size), 2));
/// The cost of traversing the result.
const RESULT: Cost = Cost(|_, result| tenths(result.map_or(1, Value::cost_size), 2));

/// cel-go's string extension.
pub(super) static STRINGS: Library = Library {
    name: "cel.lib.ext.strings",
    since: (1, 0),
    overloads: &[
        Overload {
            id: "string_char_at_int",
            signature: "string.charAt(int): string",
            call: char_at,
            cost: Cost::ONE,
        },
        Overload {
            id: "string_index_of_string",
            signature: "string.indexOf(string): int",
            call: index_of,
            cost: WALK,
        },
        Overload {
            id: "string_index_of_string_int",
            signature: "string.indexOf(string, int): int",
            call: index_of,
            cost: WALK,
        },
        Overload {
            id: "string_last_index_of_string",
            signature: "string.lastIndexOf(string): int",
            call: last_index_of,
            cost: WALK,
        },
        Overload {
            id: "string_last_index_of_string_int",
            signature: "string.lastIndexOf(string, int): int",
            call: last_index_of_before,
            cost: WALK,
        },
        Overload {
            id: "string_lower_ascii",
            signature: "string.lowerAscii(): string",
            call: lower,
            cost: Cost::SCAN,
        },
        Overload {
            id: "string_upper_ascii",
            signature: "string.upperAscii(): string",
            call: upper,
            cost: Cost::SCAN,
        },
        Overload {
            id: "string_trim",
            signature: "string.trim(): string",
            call: trim,
            cost: Cost::SCAN,
        },
        Overload {
            id: "string_replace_string_string",
            signature: "string.replace(string, string): string",
            call: replace,
            cost: TWICE,
        },
        Overload {
            id: "string_replace_string_string_int",
            signature: "string.replace(string, string, int): string",
            call: replace,
            cost: TWICE,
        },
        Overload {
            id: "string_split_string",
            signature: "string.split(string): list(string)",
            call: split,
            cost: TWICE,
        },
        Overload {
            id: "string_split_string_int",
            signature: "string.split(string, int): list(string)",
            call: split,
            cost: TWICE,
        },
        Overload {
            id: "string_substring_int",
            signature: "string.substring(int): string",
            call: substring,
            cost: Cost::SCAN,
        },
        Overload {
            id: "string_substring_int_int",
            signature: "string.substring(int, int): string",
            call: substring,
            cost: Cost::SCAN,
        },
        Overload {
            id: "list_join",
            signature: "list(string).join(): string",
            call: join,
            cost: RESULT,
        },
        Overload {
            id: "list_join_string",
            signature: "list(string).join(string): string",
            call: join,
            cost: RESULT,
        },
    ],
    constants: &[],
    types: &[],
};

/// The functions of a later version of the extension.
pub(super) static STRINGS_2: Library = Library {
    name: "cel.lib.ext.strings",
    since: (1, 29),
    overloads: &[
        Overload {
            id: "string_format",
            signature: "string.format(list(dyn)): string",
            call: string_format::format,
            cost: Cost::SCAN,
        },
        Overload {
            id: "strings_quote",
            signature: "fn strings.quote(string): string",
            call: quote,
            cost: Cost::SCAN,
        },
    ],
    constants: &[],
    types: &[],
};
