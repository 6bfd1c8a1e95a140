//! Output formats of CEL values: plain text, JSON and YAML.

use super::CelOutput;
use ratchet_cel::{Activation, Budget, Environment, PER_CALL_LIMIT, Type, Value};
use ratchet_object::{Node, Value as Tree, to_yaml};

/// Formats a value in the requested output format.
pub(super) fn format_value(value: &Value<'_>, output: CelOutput, version: (u32, u32)) -> String {
    format_node(Writer { version }.node(value), output)
}

/// Formats a tree in the requested output format.
pub(super) fn format_node(node: Node<'static>, output: CelOutput) -> String {
    match output {
        CelOutput::Text => match node.value {
            Tree::Text(text) => text.into_owned(),
            _ => node.to_json(),
        },
        CelOutput::Json => node.to_json(),
        CelOutput::Yaml => to_yaml(&node).trim_end().to_owned(),
    }
}

struct Writer {
    version: (u32, u32),
}

impl Writer {
    fn node(&self, value: &Value<'_>) -> Node<'static> {
        match value {
            Value::Null => Node::new(Tree::Null),
            Value::Bool(truth) => Node::bool(*truth),
            Value::Int(number) => Node::int(*number),
            Value::Uint(number) => match i64::try_from(*number) {
                Ok(number) => Node::int(number),
                Err(_) => Node::string(number.to_string()),
            },
            Value::Double(number) if number.is_finite() => Node::new(Tree::Float(*number)),
            Value::Double(number) => Node::string(number.to_string()),
            Value::Text(text) => Node::string(text.as_str().to_owned()),
            Value::Bytes(bytes) => Node::string(String::from_utf8_lossy(bytes).into_owned()),
            Value::List(list) => Node::list(list.iter().map(|item| self.node(&item)).collect()),
            Value::Map(map) => {
                Node::map(map.iter().map(|(key, value)| (self.key(&key), self.node(&value))))
            }
            Value::Object(object) => {
                let fields = object.fields().iter();
                Node::map(fields.map(|(name, value)| (name.to_string(), self.node(value))))
            }
            Value::Optional(Some(inner)) => self.node(inner),
            Value::Optional(None) => Node::new(Tree::Null),
            Value::Type(ty) => Node::string(ty.to_string()),
            Value::Invalid(message) => Node::string(message.to_string()),
            Value::Duration(_) | Value::Timestamp(_) | Value::Opaque(_) => {
                Node::string(self.string_of(value))
            }
        }
    }

    fn key(&self, key: &Value<'_>) -> String {
        match self.node(key).value {
            Tree::Text(text) => text.into_owned(),
            other => Node::new(other).to_json(),
        }
    }

    /// The result of CEL's `string(value)`, or the type's name where there is no conversion.
    fn string_of(&self, value: &Value<'_>) -> String {
        let environment = Environment::kubernetes(self.version).with("value", Type::Dyn);
        let program = environment.compile("string(value)").ok();
        let mut budget = Budget::new(PER_CALL_LIMIT);
        let text =
            program.and_then(|program| program.evaluate(&SingleValue(value), &mut budget).ok());
        match text.as_ref().and_then(Value::as_text) {
            Some(text) => text.to_owned(),
            None => format!("<{}>", value.type_of()),
        }
    }
}

/// An evaluation context with the single variable `value`.
struct SingleValue<'v, 't>(&'v Value<'t>);

impl<'t> Activation<'t> for SingleValue<'_, 't> {
    fn variable(&self, name: &str) -> Option<Value<'t>> {
        (name == "value").then(|| self.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: Value<'_>) -> String {
        format_value(&value, CelOutput::Text, (1, 36))
    }

    #[test]
    fn strings_are_raw_and_the_rest_is_json() {
        assert_eq!(text(Value::text("a \"b\"")), "a \"b\"");
        let list = Value::list(vec![Value::Int(1), Value::text("x"), Value::Null]);
        assert_eq!(text(list.clone()), "[1,\"x\",null]");
        let map = Value::map(vec![(Value::Int(2), Value::Bool(true)), (Value::text("k"), list)]);
        assert_eq!(text(map.clone()), "{\"2\":true,\"k\":[1,\"x\",null]}");
        assert_eq!(format_value(&Value::text("a"), CelOutput::Json, (1, 36)), "\"a\"");
        assert_eq!(format_value(&map, CelOutput::Yaml, (1, 36)).lines().count(), 5);
        assert_eq!(text(Value::Uint(u64::MAX)), "18446744073709551615");
        assert_eq!(text(Value::Optional(None)), "null");
    }
}
