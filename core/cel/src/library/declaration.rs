//! Declaration of an overload in an environment.

use super::overload::Overload;
use super::signature::Signature;
use alloc::sync::Arc;

/// A declared overload of a function.
#[derive(Clone, Debug)]
pub(crate) struct OverloadDecl {
    pub(crate) row: &'static Overload,
    pub(crate) signature: Arc<Signature>,
    /// Whether it belongs to the CEL standard library.
    pub(crate) standard: bool,
    /// Whether the reference prices it only where the types leave a single candidate.
    pub(crate) priced_alone: bool,
}
