//! Table of all controllers, and the `--controllers` flag read against it.

use crate::{
    Row, Selection, aggregation, certificates, endpoint_slice, endpoints, garbage, mirroring,
    namespace, node_ipam, policy_status, root_ca, service_account, service_account_token,
};

/// All controllers, in the order in which they start.
pub static CONTROLLERS: &[Row] = &[
    namespace::ROW,
    aggregation::ROW,
    service_account::ROW,
    policy_status::ROW,
    endpoint_slice::ROW,
    endpoints::ROW,
    mirroring::ROW,
    garbage::ROW,
    node_ipam::ROW,
    service_account_token::ROW,
    root_ca::ROW,
    certificates::SIGNING,
    certificates::APPROVING,
    certificates::CLEANING,
];

impl Selection {
    /// Parses `*,-namespace-controller`: `*` selects all that are on by default, a name selects, a
    /// name after `-` deselects; the first mention counts. An empty text selects nothing.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::parse_names(text, canonical_name)
    }
}

/// The name of the controller that has this name or alias.
fn canonical_name(name: &str) -> Option<&'static str> {
    let is_named = |row: &&Row| row.name == name || row.aliases.contains(&name);
    CONTROLLERS.iter().find(is_named).map(|row| row.name)
}
