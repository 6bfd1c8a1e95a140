//! From text to a tree of expressions: tokens, grammar, macros.

mod grammar;
mod literal;
mod macros;
mod primary;
mod scan;
mod token;
mod tree;

pub(crate) use grammar::parse;
pub(crate) use macros::CARRIED;
pub(crate) use tree::{Entry, Expr, Fold, Kind};

use alloc::string::String;

/// Something wrong in the text, at an offset counted in code points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// Where; `None` has no place in the text.
    pub(crate) at: Option<u32>,
    /// What.
    pub(crate) message: String,
}
