//! CEL values; trees are borrowed, never copied.

use crate::{List, Map, Table, Timestamp, Type};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;
use ratchet_object::Node;

/// The assumed depth of a value in a tree, which is not walked to measure it.
pub(crate) const TREE_LEVELS: u32 = 300;

/// The nesting limit of values: a tree, and as much around it as one expression can build. Chained expressions
/// could build more, and values are compared, formatted and dropped by recursive functions.
pub(crate) const MAX_VALUE_LEVELS: u32 = TREE_LEVELS + 128;

/// A CEL value. Cloning one is cheap, whatever it holds.
#[derive(Clone, Debug)]
pub enum Value<'t> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// A floating point number.
    Double(f64),
    /// A string.
    Text(Text<'t>),
    /// A byte string.
    Bytes(Arc<[u8]>),
    /// A duration, in nanoseconds.
    Duration(i64),
    /// A point in time.
    Timestamp(Timestamp),
    /// A list, borrowed from a tree or built by the expression.
    List(List<'t>),
    /// A map, borrowed from a tree or built by the expression.
    Map(Map<'t>),
    /// `optional.of(value)` or `optional.none()`.
    Optional(Option<Arc<Self>>),
    /// A type, itself a value.
    Type(Type),
    /// A value of a library's own type.
    Opaque(Arc<dyn Opaque>),
    /// A message that the expression constructed: `Object{…}` or `JSONPatch{…}`.
    Object(Arc<ObjectVal<'t>>),
    /// Data that does not fit its declared type: using it is an error with this message.
    Invalid(Arc<str>),
}

/// A value of a library's own type, opaque to the evaluator.
pub trait Opaque: Any + fmt::Debug + Send + Sync {
    /// The type's name, as `type()` prints it.
    fn type_name(&self) -> &'static str;
    /// Whether two values are equal, as by `==`.
    fn equal(&self, other: &dyn Opaque) -> bool;
    /// Whether `==` is defined for this value and another.
    fn meets(&self, other: &dyn Opaque) -> bool {
        self.type_name() == other.type_name()
    }
    /// The value itself, for downcasts by its library.
    fn as_any(&self) -> &dyn Any;
    /// The size for cost estimation.
    fn cost_size(&self) -> u64 {
        1
    }
    /// The field `name`, for the few opaque values that have fields.
    fn field(&self, name: &str) -> Option<Value<'static>> {
        let _ = name;
        None
    }
}

/// A message that an expression constructed.
#[derive(Clone, Debug)]
pub struct ObjectVal<'t> {
    type_name: Arc<str>,
    /// In the order of the literal; names are distinct.
    fields: Vec<(Arc<str>, Value<'t>)>,
    levels: u32,
}

impl<'t> ObjectVal<'t> {
    /// A message with these fields, whose names are distinct.
    pub(crate) fn of(type_name: Arc<str>, fields: Vec<(Arc<str>, Value<'t>)>) -> Self {
        let levels = fields.iter().map(|(_, value)| value.levels()).max().unwrap_or_default() + 1;
        Self { type_name, fields, levels }
    }

    /// The name of its type: `Object.spec.containers`.
    pub fn type_name(&self) -> &str {
        &self.type_name
    }

    /// Its fields, in the order of the literal.
    pub fn fields(&self) -> &[(Arc<str>, Value<'t>)] {
        &self.fields
    }

    /// The value of a field that is set.
    pub fn field(&self, name: &str) -> Option<&Value<'t>> {
        self.fields.iter().find(|(own, _)| &**own == name).map(|(_, value)| value)
    }

    /// Whether it is an operation of a JSON patch.
    pub fn is_json_patch(&self) -> bool {
        &*self.type_name == "JSONPatch"
    }

    pub(crate) fn levels(&self) -> u32 {
        self.levels
    }
}

/// A string, borrowed from a tree or shared.
#[derive(Clone)]
pub enum Text<'t> {
    /// Borrowed from a tree.
    Borrowed(&'t str),
    /// Owned and shared.
    Shared(Arc<str>),
}

impl Text<'_> {
    /// The string.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl core::ops::Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl<'t> Value<'t> {
    /// The value of a tree node.
    pub fn of(node: &'t Node<'t>) -> Self {
        use ratchet_object::Value as Tree;
        match &node.value {
            Tree::Null => Self::Null,
            Tree::Bool(truth) => Self::Bool(*truth),
            Tree::Int(number) => Self::Int(*number),
            Tree::Float(number) => Self::Double(*number),
            Tree::Text(text) => Self::Text(Text::Borrowed(text)),
            Tree::List(items) => Self::List(List::Tree(items)),
            Tree::Map(entries) => Self::Map(Map::Tree(entries)),
        }
    }

    /// The nesting depth of its values, itself included.
    pub(crate) fn levels(&self) -> u32 {
        match self {
            Self::List(list) => list.levels(),
            Self::Map(map) => map.levels(),
            Self::Optional(Some(value)) => value.levels() + 1,
            Self::Object(object) => object.levels(),
            _ => 0,
        }
    }

    /// A shared string.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(Text::Shared(text.into()))
    }

    /// An owned list.
    pub fn list(values: Vec<Self>) -> Self {
        Self::List(List::Shared(Arc::new(values.into_iter().collect())))
    }

    /// An owned map; of equal keys the last one wins.
    pub fn map(entries: Vec<(Self, Self)>) -> Self {
        let mut table = Table::default();
        for (key, value) in entries {
            table.set(key, value);
        }
        Self::Map(Map::Shared(Arc::new(table)))
    }

    /// Shared bytes.
    pub fn bytes(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes.into())
    }

    /// An optional with a value.
    pub fn some(value: Self) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    /// A value of a library's own type.
    pub fn opaque(value: impl Opaque) -> Self {
        Self::Opaque(Arc::new(value))
    }

    /// The string, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is an int.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The list, if it is one.
    pub fn as_list(&self) -> Option<&List<'t>> {
        match self {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    /// The map, if it is one.
    pub fn as_map(&self) -> Option<&Map<'t>> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The message, if it is one.
    pub fn as_object(&self) -> Option<&ObjectVal<'t>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The opaque value, if it is a `T`.
    pub fn as_opaque<T: Opaque>(&self) -> Option<&T> {
        match self {
            Self::Opaque(value) => value.as_any().downcast_ref(),
            _ => None,
        }
    }

    /// Its runtime type: elements of lists and maps are `dyn`.
    pub fn type_of(&self) -> Type {
        match self {
            Self::Null => Type::Null,
            Self::Bool(_) => Type::Bool,
            Self::Int(_) => Type::Int,
            Self::Uint(_) => Type::Uint,
            Self::Double(_) => Type::Double,
            Self::Text(_) => Type::String,
            Self::Bytes(_) => Type::Bytes,
            Self::Duration(_) => Type::Duration,
            Self::Timestamp(_) => Type::Timestamp,
            Self::List(_) => Type::list(Type::Dyn),
            Self::Map(_) => Type::map(Type::Dyn, Type::Dyn),
            Self::Optional(_) => Type::optional(Type::Dyn),
            Self::Type(_) => Type::Meta,
            Self::Opaque(value) => Type::Opaque(value.type_name()),
            Self::Object(object) => Type::object(object.type_name()),
            Self::Invalid(_) => Type::Error,
        }
    }

    /// The size for cost estimation: code points, bytes, items; 1 for all else.
    pub fn cost_size(&self) -> u64 {
        let size = match self {
            Self::Text(text) => text.chars().count(),
            Self::Bytes(bytes) => bytes.len(),
            Self::List(list) => list.len(),
            Self::Map(map) => map.len(),
            Self::Optional(Some(value)) => return value.cost_size(),
            Self::Opaque(value) => return value.cost_size(),
            _ => 1,
        };
        u64::try_from(size).unwrap_or(u64::MAX)
    }
}

impl From<bool> for Value<'_> {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        Self::Uint(number)
    }
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Self::Double(number)
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Text::Shared(text.into()))
    }
}

impl<'t> From<&'t str> for Value<'t> {
    fn from(text: &'t str) -> Self {
        Self::Text(Text::Borrowed(text))
    }
}

impl From<Box<str>> for Value<'_> {
    fn from(text: Box<str>) -> Self {
        Self::Text(Text::Shared(text.into()))
    }
}
