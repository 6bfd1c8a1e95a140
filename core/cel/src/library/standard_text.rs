//! Sizes, membership, and substring tests.

use super::Context;
use super::standard_compare::unknown;
use crate::{EvalError, Value};

type EvalResult<'t> = Result<Value<'t>, EvalError>;

pub(super) fn size<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    let size = match arguments {
        [Value::Text(text)] => text.chars().count(),
        [Value::Bytes(bytes)] => bytes.len(),
        [Value::List(list)] => list.len(),
        [Value::Map(map)] => map.len(),
        [other] => return Err(unknown(other, "size")),
        _ => return Err(EvalError::no_such_overload()),
    };
    Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX)))
}

pub(super) fn is_in<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    match arguments {
        [item, Value::List(list)] => {
            for other in list.iter() {
                if context.equal(&other, item)? {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }
        [key, Value::Map(map)] => Ok(Value::Bool(map.get(key).is_some())),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn test_strings<'t>(arguments: &[Value<'t>], predicate: fn(&str, &str) -> bool) -> EvalResult<'t> {
    match arguments {
        [Value::Text(text), Value::Text(part)] => Ok(Value::Bool(predicate(text, part))),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn contains<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    test_strings(arguments, |text, part| text.contains(part))
}

pub(super) fn ends_with<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    test_strings(arguments, |text, part| text.ends_with(part))
}

pub(super) fn starts_with<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    test_strings(arguments, |text, part| text.starts_with(part))
}

pub(super) fn matches<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    match arguments {
        [Value::Text(text), Value::Text(pattern)] => {
            let regex = context.regex(pattern).map_err(EvalError::new)?;
            Ok(Value::Bool(regex.is_match(text)))
        }
        [Value::Text(_), _] => Err(EvalError::no_such_overload()),
        [other, _] => Err(unknown(other, "matches")),
        _ => Err(EvalError::no_such_overload()),
    }
}
