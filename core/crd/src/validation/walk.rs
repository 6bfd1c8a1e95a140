//! `Walk`: what the walk through a schema carries along.

use super::cost::TotalCost;
use super::options::Options;
use crate::errors::ErrorList;
use crate::structural::Structural;
use alloc::sync::Arc;
use ratchet_cel::decl::DeclType;

/// Errors of schemas, and errors of rules, which come behind them.
#[derive(Debug, Default)]
pub(super) struct SchemaErrors {
    pub(super) schema: ErrorList,
    pub(super) rules: ErrorList,
}

/// A walk through a schema.
pub(super) struct Walk<'w> {
    pub(super) options: &'w Options,
    /// Whether rules may cost as much as they do.
    pub(super) suppress_costs: bool,
    pub(super) errors: &'w mut SchemaErrors,
    pub(super) total: &'w mut TotalCost,
}

/// What rules at a node need to know.
pub(super) struct Cel<'s> {
    pub(super) structural: &'s Structural,
    pub(super) decl: Arc<DeclType>,
    /// How many values of this node there can be; `None` if nothing bounds it.
    pub(super) cardinality: Option<u64>,
}
