//! Static cost estimates: what an expression costs at worst, by the sizes that a declaration allows.

mod calls;
mod coster;
mod library;
mod lists;
mod range;

pub use range::{CostEstimate, SizeEstimate};

use crate::check::Checked;
use crate::decl::DeclType;
use crate::syntax::Expr;
use coster::Coster;

/// The estimated cost of a checked expression whose variables are of the type `root`.
pub(crate) fn estimate(expr: &Expr, checked: &Checked, root: &DeclType) -> CostEstimate {
    Coster::new(checked, root).cost(expr)
}

#[cfg(test)]
mod tests;
