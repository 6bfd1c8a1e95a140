//! A small object to evaluate against, and the format of values in the tables.

#![allow(clippy::expect_used, reason = "a helper of a test may fail like a test")]
#![allow(dead_code, reason = "each test uses its own part of this")]

use ratchet_cel::{Activation, Environment, Type, Types, Value};
use ratchet_object::{Decoded, Limits, decode_json};
use std::sync::{Arc, LazyLock};

/// The object that the tables refer to.
pub(crate) const OBJECT: &str = r#"{"i":5,"s":"abc","d":1.5,"b":true,"n":null,"l":[1,2,3],"m":{"a":1,"b":"x"},
"ls":["x","y"],"e":[],"big":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#;

/// The object, decoded.
pub(crate) fn decoded() -> Decoded<'static> {
    decode_json(OBJECT, Limits::DEFAULT).expect("JSON")
}

/// Variables with an object.
pub(crate) struct Object<'t>(pub(crate) Value<'t>);

impl<'t> Activation<'t> for Object<'t> {
    fn variable(&self, name: &str) -> Option<Value<'t>> {
        match name {
            "object" => Some(self.0.clone()),
            "params" => Some(Value::Null),
            _ => None,
        }
    }
}

/// A few of the fields that policies see.
#[derive(Debug)]
pub(crate) struct Fields;

const GROUP_VERSION_KIND: &str = "kubernetes.GroupVersionKind";

impl Types for Fields {
    fn field(&self, object: &str, field: &str) -> Option<Type> {
        match (object, field) {
            ("kubernetes.AdmissionRequest", "kind") => Some(Type::object(GROUP_VERSION_KIND)),
            ("kubernetes.AdmissionRequest", "name" | "namespace")
            | (GROUP_VERSION_KIND, "kind") => Some(Type::String),
            ("kubernetes.Namespace", "metadata") => Some(Type::object("kubernetes.Metadata")),
            ("kubernetes.Metadata", "labels") => Some(Type::map(Type::String, Type::String)),
            _ => None,
        }
    }
}

/// The environment of the tables.
pub(crate) fn environment() -> Environment {
    static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(build_environment);
    ENVIRONMENT.clone()
}

fn build_environment() -> Environment {
    Environment::kubernetes((1, 36))
        .with("object", Type::Dyn)
        .with("oldObject", Type::Dyn)
        .with("params", Type::Dyn)
        .with("request", Type::object("kubernetes.AdmissionRequest"))
        .with("namespaceObject", Type::object("kubernetes.Namespace"))
        .with("authorizer", Type::Opaque("kubernetes.authorization.Authorizer"))
        .with_types(Arc::new(Fields))
}

/// A value in the format of the tables.
pub(crate) fn format_value(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => format!("{number}u"),
        Value::Double(number) if number.is_infinite() => {
            format!("double:{}Inf", if *number > 0.0 { '+' } else { '-' })
        }
        Value::Double(number) => format!("double:{number}"),
        Value::Text(text) => format!("{:?}", text.as_str()),
        Value::Bytes(bytes) => format!("b{:?}", String::from_utf8_lossy(bytes)),
        Value::Duration(nanos) => format!("duration:{nanos}"),
        Value::Timestamp(time) => format!("timestamp:{}.{:09}", time.seconds, time.nanos),
        Value::List(list) => {
            let items: Vec<String> = list.iter().map(|item| format_value(&item)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Map(map) => {
            let mut entries: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{}: {}", format_value(&key), format_value(&value)))
                .collect();
            entries.sort();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Optional(None) => "optional.none".into(),
        Value::Optional(Some(value)) => format!("optional({})", format_value(value)),
        Value::Type(ty) => format!("type:{}", ty.full_name()),
        Value::Opaque(value) => value.type_name().into(),
        Value::Object(object) => object.type_name().into(),
        Value::Invalid(message) => message.to_string(),
    }
}
