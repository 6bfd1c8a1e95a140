//! The settings of the controllers, as flags define them.

use crate::{Election, Selection, Signing, TokenIssuer};
use ratchet_allocation::NodeRanges;
use std::sync::Arc;

/// The settings of all controllers.
#[derive(Clone, Default)]
pub struct Settings {
    /// The controllers that run.
    pub selection: Selection,
    /// The ranges for pod CIDRs of nodes; `None` if they are not allocated here.
    pub node_ranges: Option<NodeRanges>,
    /// The CA certificates for pods, in PEM; empty if they are not published.
    pub root_ca: String,
    /// Issues tokens that do not expire; `None` disables token secrets.
    pub mint: Option<Arc<dyn TokenIssuer>>,
    /// Signs certificates of approved requests; `None` disables signing.
    pub signing: Option<Signing>,
    /// Leader election among several servers; `None` if there is only one.
    pub election: Option<Election>,
}
