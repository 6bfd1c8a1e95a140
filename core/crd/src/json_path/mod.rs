//! `JsonPath`: the paths of printer columns and selectable fields, in the dialect of client-go.

mod evaluate;
mod parse;
#[cfg(test)]
mod tests;

pub use evaluate::Found;

use alloc::string::String;
use alloc::vec::Vec;

/// A parsed path, such as `.status.conditions[?(@.type=="Ready")].status`.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPath {
    steps: Vec<Step>,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// `.name`
    Field(String),
    /// `[1]`, `[1:3]`, `[::2]`
    Slice(Slice),
    /// `.*`
    Wildcard,
    /// `..`
    Recursive,
    /// `[?(@.a=="b")]`
    Filter { left: Vec<Self>, operator: Operator, right: Vec<Self> },
    /// `[1,'a']`
    Union(Vec<Vec<Self>>),
    /// A string.
    Text(String),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A boolean.
    Bool(bool),
}

/// Bounds of a slice, and its step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Slice {
    start: Option<i64>,
    end: Option<i64>,
    /// Whether the end follows from the start, as that of a single index.
    is_index: bool,
    step: Option<i64>,
}

/// A comparison in a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Exists,
    Less,
    Greater,
    Equal,
    NotEqual,
    LessEqual,
    GreaterEqual,
    /// One that does not exist: evaluating it fails.
    Unknown,
}
