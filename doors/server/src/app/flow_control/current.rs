//! `Current`: the configuration that is in force, with the queues of its levels.

use super::flow::RequestFlow;
use super::level::Level;
use ratchet_flow_control::Configuration;
use std::sync::Arc;

/// The configuration that is in force.
pub(super) struct Current {
    /// The revisions of both caches. One number would not do: a commit to both is visible in one of them first.
    pub(super) revisions: Option<[u64; 2]>,
    pub(super) configuration: Configuration,
    /// The schemas, in the order of the configuration.
    pub(super) flows: Vec<Arc<RequestFlow>>,
    /// The levels, in the order of the configuration.
    pub(super) levels: Vec<Arc<Level>>,
    /// Levels that are no longer configured and still have requests.
    pub(super) quiescing: Vec<Arc<Level>>,
}

impl Default for Current {
    /// Nothing was read yet.
    fn default() -> Self {
        Self {
            revisions: None,
            configuration: Configuration::new([], []),
            flows: Vec::new(),
            levels: Vec::new(),
            quiescing: Vec::new(),
        }
    }
}
