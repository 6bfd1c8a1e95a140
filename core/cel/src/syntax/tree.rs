//! The expression tree, with macros expanded.

use crate::Value;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    /// Its id, by which the checker stores types.
    pub(crate) id: usize,
    /// Its offset, in code points.
    pub(crate) at: u32,
    /// Its kind, with its operands.
    pub(crate) kind: Kind,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A constant.
    Literal(Value<'static>),
    /// A name.
    Ident(String),
    /// A field selection, or a presence test.
    Select { operand: Box<Expr>, field: String, test: bool },
    /// A call; operators are calls too.
    Call { target: Option<Box<Expr>>, function: String, arguments: Vec<Expr> },
    /// `[a, ?b]`.
    List(Vec<(Expr, bool)>),
    /// `{k: v, ?k: v}`.
    Map(Vec<Entry>),
    /// `Name{field: value, ?field: value}`.
    Struct { name: String, fields: Vec<StructField> },
    /// A loop that a macro such as `all` or `map` expands to.
    Comprehension(Box<Comprehension>),
}

/// A map entry.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Expr,
    pub(crate) value: Expr,
    /// Whether the value is an optional, whose entry is omitted if it is absent.
    pub(crate) optional: bool,
}

/// A field that the literal of a message sets.
#[derive(Clone, Debug)]
pub(crate) struct StructField {
    pub(crate) name: String,
    pub(crate) value: Expr,
    /// Whether the value is an optional, whose field is omitted if it is absent.
    pub(crate) optional: bool,
    /// The offset of its colon, where errors about the field are reported.
    pub(crate) at: u32,
}

/// A comprehension over a list or a map, which macros expand to.
#[derive(Clone, Debug)]
pub(crate) struct Comprehension {
    /// The list or map.
    pub(crate) range: Expr,
    /// The variable of the item or the key, or (with a second variable) the index.
    pub(crate) item: String,
    /// The variable of the value, in comprehensions with two variables.
    pub(crate) second: Option<String>,
    /// The accumulator variable.
    pub(crate) accumulator: String,
    /// The initial accumulator.
    pub(crate) start: Expr,
    /// The loop condition.
    pub(crate) condition: Expr,
    /// The next accumulator.
    pub(crate) step: Expr,
    /// The value of the comprehension.
    pub(crate) result: Expr,
}

impl Expr {
    /// The qualified name `a.b.c`, if the expression is one.
    pub(crate) fn qualified_name(&self) -> Option<String> {
        match &self.kind {
            Kind::Ident(name) => Some(name.clone()),
            Kind::Select { operand, field, test: false } => {
                let mut name = operand.qualified_name()?;
                name.push('.');
                name.push_str(field);
                Some(name)
            }
            _ => None,
        }
    }
}
