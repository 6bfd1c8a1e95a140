//! The messages that mutations construct: `Object{…}` with the path of its fields as the type's name, and `JSONPatch{…}`.

use crate::{EvalError, List, Map, ObjectVal, Type, Value};
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The type of a whole object; `Object.spec` is that of its field `spec`.
const OBJECT: &str = "Object";
/// The type of one operation of a JSON patch.
const JSON_PATCH: &str = "JSONPatch";
/// The fields of `JSONPatch` that are strings; `value` can be anything.
const TEXT_FIELDS: [&str; 3] = ["op", "path", "from"];

/// Whether a name is that of a message.
pub(crate) fn is_message(name: &str) -> bool {
    name == JSON_PATCH
        || name.strip_prefix(OBJECT).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The type of a field: objects have every field, and none has a type of its own.
pub(crate) fn field(message: &str, field: &str) -> Option<Type> {
    if message != JSON_PATCH || field == "value" {
        return Some(Type::Dyn);
    }
    TEXT_FIELDS.contains(&field).then_some(Type::String)
}

impl<'t> ObjectVal<'t> {
    /// A message with these fields; a field of `JSONPatch` must have its type.
    pub(crate) fn new(
        type_name: Arc<str>,
        fields: Vec<(Arc<str>, Value<'t>)>,
    ) -> Result<Self, EvalError> {
        let object = Self::of(type_name, fields);
        if object.is_json_patch() {
            object.check_fields()?;
        }
        Ok(object)
    }

    fn check_fields(&self) -> Result<(), EvalError> {
        for (name, value) in self.fields() {
            let is_text = TEXT_FIELDS.contains(&&**name);
            if !is_text && &**name != "value" {
                return Err(EvalError::new(format!("unexpected JSONPatchType field: {name}")));
            }
            if is_text && value.as_text().is_none() {
                let found = native_type(value);
                return Err(EvalError::new(format!(
                    "unexpected type {found} for JSONPatchType '{name}' field"
                )));
            }
        }
        Ok(())
    }
}

/// The Go type of the native value behind a CEL value, as errors print it.
fn native_type(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "structpb.NullValue",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Uint(_) => "uint64",
        Value::Double(_) => "float64",
        Value::Text(_) => "string",
        Value::Bytes(_) => "[]uint8",
        Value::Duration(_) => "time.Duration",
        Value::Timestamp(_) => "time.Time",
        Value::List(List::Tree(_)) => "[]interface {}",
        Value::List(_) => "[]ref.Val",
        Value::Map(Map::Tree(_)) | Value::Object(_) => "map[string]interface {}",
        Value::Map(_) => "map[ref.Val]ref.Val",
        Value::Optional(_) => "*types.Optional",
        Value::Type(_) => "string",
        Value::Opaque(opaque) => opaque.type_name(),
        Value::Invalid(_) => "error",
    }
}
