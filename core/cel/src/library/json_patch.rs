//! The JSON patch library: `jsonpatch.escapeKey`.

use super::arguments::text;
use super::{Context, Cost, Library, Overload};
use crate::{EvalError, Value};

fn escape_key<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let key = text(arguments, 0)?;
    context.room(key.len().saturating_mul(2))?;
    Ok(key.replace('~', "~0").replace('/', "~1").into())
}

/// Kubernetes' library of JSON patches, which only mutations have.
pub(crate) static JSON_PATCH: Library = Library {
    name: "kubernetes.jsonpatch",
    since: (1, 0),
    overloads: &[Overload {
        id: "string_jsonpatch_escapeKey_string",
        signature: "fn jsonpatch.escapeKey(string): string",
        call: escape_key,
        cost: Cost::SCAN,
    }],
    constants: &[],
    types: &[],
};
