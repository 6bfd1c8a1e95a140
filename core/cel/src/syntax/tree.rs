//! The tree of an expression, with macros expanded.

use crate::Value;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    /// Its number, which the checker files types under.
    pub(crate) id: usize,
    /// Where it stands, in code points.
    pub(crate) at: u32,
    /// What it is.
    pub(crate) kind: Kind,
}

/// What an expression can be.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A constant.
    Literal(Value<'static>),
    /// A name.
    Ident(String),
    /// A field, or the question whether there is one.
    Select { operand: Box<Expr>, field: String, test: bool },
    /// A call; operators are calls too.
    Call { target: Option<Box<Expr>>, function: String, arguments: Vec<Expr> },
    /// `[a, ?b]`.
    List(Vec<(Expr, bool)>),
    /// `{k: v, ?k: v}`.
    Map(Vec<Entry>),
    /// `Name{field: value}`.
    Struct { name: String, values: Vec<Expr> },
    /// A loop.
    Fold(Box<Fold>),
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The key.
    pub(crate) key: Expr,
    /// The value.
    pub(crate) value: Expr,
    /// Whether the value is an optional that is left out if it is missing.
    pub(crate) optional: bool,
}

/// A loop over a list or a map: what macros become.
#[derive(Clone, Debug)]
pub(crate) struct Fold {
    /// What is gone through.
    pub(crate) range: Expr,
    /// The item, or the key, or (with a second name) the index.
    pub(crate) item: String,
    /// The value, in loops with two names.
    pub(crate) second: Option<String>,
    /// What is carried from round to round.
    pub(crate) accumulator: String,
    /// What is carried into the first round.
    pub(crate) start: Expr,
    /// Whether to go on.
    pub(crate) condition: Expr,
    /// What is carried out of a round.
    pub(crate) step: Expr,
    /// What the loop comes to.
    pub(crate) result: Expr,
}

impl Expr {
    /// The name `a.b.c`, if the expression is one.
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
