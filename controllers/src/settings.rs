//! What controllers are told when they start.

use crate::{Election, Mint, Selection, Signing};
use ratchet_allocation::NodeRanges;
use std::sync::Arc;

/// What flags decide.
#[derive(Clone, Default)]
pub struct Settings {
    /// Which controllers run.
    pub selection: Selection,
    /// From what nodes get networks for their pods; none if they get none here.
    pub node_ranges: Option<NodeRanges>,
    /// The certificates by which pods know the server, in PEM; empty if nobody publishes them.
    pub root_ca: String,
    /// Who makes tokens that do not end; none if nobody does.
    pub mint: Option<Arc<dyn Mint>>,
    /// Who signs certificates for approved requests; none if nobody does.
    pub signing: Option<Signing>,
    /// How it is decided which of several servers runs the controllers; none if there is one.
    pub election: Option<Election>,
}
