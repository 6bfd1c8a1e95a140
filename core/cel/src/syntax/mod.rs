//! Parsing of expressions: tokens, grammar, macros.

mod grammar;
mod literal;
mod macros;
mod primary;
mod scan;
mod token;
mod tree;

pub(crate) use grammar::parse;
pub(crate) use macros::ACCUMULATOR;
pub(crate) use token::RESERVED;
pub(crate) use tree::{Comprehension, Entry, Expr, Kind, StructField};

use alloc::string::String;

/// An error in the text of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceError {
    /// The offset in code points; `None` if it has no position.
    pub(crate) at: Option<u32>,
    /// cel-go's message.
    pub(crate) message: String,
}
