//! The types of expressions, written as cel-go writes them.

use crate::Value;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::fmt;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Only `null`.
    Null,
    /// `true` and `false`.
    Bool,
    /// Signed whole numbers.
    Int,
    /// Unsigned whole numbers.
    Uint,
    /// Floating point numbers.
    Double,
    /// Text.
    String,
    /// Bytes.
    Bytes,
    /// Spans of time.
    Duration,
    /// Points in time.
    Timestamp,
    /// Anything: known only when evaluated.
    Dyn,
    /// What an expression has whose error has been reported already.
    Error,
    /// Lists of one type.
    List(Arc<Self>),
    /// Maps from one type to another.
    Map(Arc<Self>, Arc<Self>),
    /// Values that may be missing.
    Optional(Arc<Self>),
    /// A type of a library, by its name.
    Opaque(&'static str),
    /// A type with fields, by its name: the environment knows the fields.
    Object(Arc<str>),
    /// The type of a type.
    TypeOf(Arc<Self>),
    /// The type of types, of which nothing more is said.
    Meta,
    /// A type parameter of a signature.
    Param(char),
    /// A type that the checker has yet to find.
    Var(u32),
}

impl Type {
    /// Lists of `element`.
    pub fn list(element: Self) -> Self {
        Self::List(Arc::new(element))
    }

    /// Maps from `key` to `value`.
    pub fn map(key: Self, value: Self) -> Self {
        Self::Map(Arc::new(key), Arc::new(value))
    }

    /// `inner`, or nothing.
    pub fn optional(inner: Self) -> Self {
        Self::Optional(Arc::new(inner))
    }

    /// The type of `inner`.
    pub fn type_of(inner: Self) -> Self {
        Self::TypeOf(Arc::new(inner))
    }

    /// A type with fields.
    pub fn object(name: &str) -> Self {
        Self::Object(name.into())
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Duration => "duration",
            Self::Timestamp => "timestamp",
            Self::Dyn => "dyn",
            Self::Error => "!error!",
            Self::List(element) => return write!(f, "list({element})"),
            Self::Map(key, value) => return write!(f, "map({key}, {value})"),
            Self::Optional(inner) => return write!(f, "optional_type({inner})"),
            Self::Opaque(name) => name,
            Self::Object(name) => name,
            Self::TypeOf(inner) => return write!(f, "type({inner})"),
            Self::Meta => "type",
            Self::Param(name) => return write!(f, "{name}"),
            Self::Var(number) => return write!(f, "_var{number}"),
        };
        f.write_str(name)
    }
}

/// Which fields the types of an environment have.
pub trait Types: fmt::Debug + Send + Sync {
    /// The type of `field` of the type named `object`, if it has that field.
    fn field(&self, object: &str, field: &str) -> Option<Type>;
}

impl Type {
    /// Whether two types have one name: what `type(x) == type(y)` compares.
    pub fn same_name(&self, other: &Self) -> bool {
        self.name() == other.name()
    }

    /// The type's own name, without what it is a list or a map of, as errors of evaluation write it.
    pub fn name(&self) -> &str {
        match self {
            Self::Null => "null_type",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Duration => "google.protobuf.Duration",
            Self::Timestamp => "google.protobuf.Timestamp",
            Self::Dyn | Self::Param(_) | Self::Var(_) => "dyn",
            Self::Error => "!error!",
            Self::List(_) => "list",
            Self::Map(..) => "map",
            Self::Optional(_) => "optional_type",
            Self::Opaque(name) => name,
            Self::Object(name) => name,
            Self::TypeOf(_) | Self::Meta => "type",
        }
    }

    /// The whole name, as the reference writes the type that an expression has:
    /// `list(google.protobuf.Timestamp)`.
    pub fn full_name(&self) -> String {
        match self {
            Self::List(inner) | Self::Optional(inner) | Self::TypeOf(inner) => {
                format!("{}({})", self.name(), inner.full_name())
            }
            Self::Map(key, value) => format!("map({}, {})", key.full_name(), value.full_name()),
            other => other.name().to_string(),
        }
    }

    /// Whether a value can be an argument of this type while evaluating: of lists and maps the first
    /// items are looked at.
    pub(crate) fn admits(&self, value: &Value<'_>) -> bool {
        match (self, value) {
            (Self::Dyn | Self::Param(_) | Self::Var(_), _)
            | (Self::Null, Value::Null)
            | (Self::Bool, Value::Bool(_))
            | (Self::Int, Value::Int(_))
            | (Self::Uint, Value::Uint(_))
            | (Self::Double, Value::Double(_))
            | (Self::String, Value::Text(_))
            | (Self::Bytes, Value::Bytes(_))
            | (Self::Duration, Value::Duration(_))
            | (Self::Timestamp, Value::Timestamp(_))
            | (Self::Optional(_), Value::Optional(_))
            | (Self::TypeOf(_) | Self::Meta, Value::Type(_)) => true,
            (Self::List(item), Value::List(list)) => {
                list.get(0).is_none_or(|value| item.admits(&value))
            }
            (Self::Map(key, item), Value::Map(map)) => {
                map.entry(0).is_none_or(|(name, value)| key.admits(&name) && item.admits(&value))
            }
            (Self::Opaque(name), Value::Opaque(value)) => *name == value.type_name(),
            _ => false,
        }
    }
}
