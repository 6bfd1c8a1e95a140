//! CEL types, formatted as cel-go does.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::fmt;

/// A CEL type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// The type of `null`.
    Null,
    /// `true` and `false`.
    Bool,
    /// Signed 64-bit integers.
    Int,
    /// Unsigned 64-bit integers.
    Uint,
    /// Floating point numbers.
    Double,
    /// Unicode strings; positions are code points.
    String,
    /// Byte strings.
    Bytes,
    /// `google.protobuf.Duration`, in nanoseconds.
    Duration,
    /// `google.protobuf.Timestamp`, in the years 1 to 9999.
    Timestamp,
    /// `dyn`: the type is only known at evaluation.
    Dyn,
    /// The type of an expression whose error has been reported already.
    Error,
    /// Lists of one type.
    List(Arc<Self>),
    /// Maps from one type to another.
    Map(Arc<Self>, Arc<Self>),
    /// Optional values.
    Optional(Arc<Self>),
    /// An opaque type of a library, by name.
    Opaque(&'static str),
    /// A type with fields, by name: the environment knows the fields.
    Object(Arc<str>),
    /// The type of a type.
    TypeOf(Arc<Self>),
    /// The type of types, without a parameter.
    Meta,
    /// A type parameter of a signature.
    Param(char),
    /// A type variable of the checker.
    Var(u32),
}

impl Type {
    /// A list of `element`.
    pub fn list(element: Self) -> Self {
        Self::List(Arc::new(element))
    }

    /// A map from `key` to `value`.
    pub fn map(key: Self, value: Self) -> Self {
        Self::Map(Arc::new(key), Arc::new(value))
    }

    /// An optional `inner`.
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

/// The fields of an environment's object types.
pub trait Types: fmt::Debug + Send + Sync {
    /// The type of `field` of the type named `object`, if it has that field.
    fn field(&self, object: &str, field: &str) -> Option<Type>;
}

impl Type {
    /// Whether two types have the same name: what `type(x) == type(y)` compares.
    pub fn same_name(&self, other: &Self) -> bool {
        self.name() == other.name()
    }

    /// The type's own name without its parameters, as in evaluation errors.
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

    /// The full name, as the reference formats the type of an expression:
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
}
