//! The regex library: `find`, `findAll`.

use super::arguments::{int, text};
use super::pattern::Regex;
use super::{Context, Cost, Library, Overload, size_of, tenths};
use crate::{EvalError, Value};
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

fn compiled(context: &Context<'_>, pattern: &str) -> Result<Arc<Regex>, EvalError> {
    context.regex(pattern).map_err(|error| EvalError::new(alloc::format!("Illegal regex: {error}")))
}

fn find<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let regex = compiled(context, text(arguments, 1)?)?;
    Ok(regex.find(text(arguments, 0)?).unwrap_or_default().to_string().into())
}

fn find_all<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let limit = if arguments.len() > 2 { int(arguments, 2)? } else { -1 };
    let regex = compiled(context, text(arguments, 1)?)?;
    // A negative limit means none.
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let text = text(arguments, 0)?;
    context.room(text.len().min(limit))?;
    let matches = regex.find_all(text).take(limit);
    Ok(Value::list(matches.map(|part| part.to_string().into()).collect::<Vec<_>>()))
}

/// The cost of a search: the length of the text times that of the pattern.
pub(crate) fn search_cost(text_size: u64, pattern_size: u64) -> u64 {
    let steps = tenths(text_size.saturating_add(1), 1);
    steps.saturating_mul(pattern_size.div_ceil(4))
}

const SEARCH: Cost = Cost(|arguments, _| search_cost(size_of(arguments, 0), size_of(arguments, 1)));

/// Kubernetes' regex library.
pub(super) static REGEX: Library = Library {
    name: "kubernetes.regex",
    since: (1, 0),
    overloads: &[
        Overload {
            id: "string_find_string",
            signature: "string.find(string): string",
            call: find,
            cost: SEARCH,
        },
        Overload {
            id: "string_find_all_string",
            signature: "string.findAll(string): list(string)",
            call: find_all,
            cost: SEARCH,
        },
        Overload {
            id: "string_find_all_string_int",
            signature: "string.findAll(string, int): list(string)",
            call: find_all,
            cost: SEARCH,
        },
    ],
    constants: &[],
    types: &[],
};
