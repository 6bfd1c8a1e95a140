//! The types of expressions, written as cel-go writes them.

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
        match (self, other) {
            (Self::List(_), Self::List(_))
            | (Self::Map(..), Self::Map(..))
            | (Self::Optional(_), Self::Optional(_))
            | (Self::TypeOf(_), Self::TypeOf(_)) => true,
            _ => self == other,
        }
    }
}
