//! Summary of an audit: nodes counted by the effect of enforcement, and the exit status that follows.

use crate::Weight;
use crate::judge::{AuditedNode, Outcome};

/// Counts of nodes by the effect of enforcement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Nodes that were audited.
    pub nodes: u64,
    /// Nodes that would pass.
    pub pass: u64,
    /// Nodes whose connections would fail.
    pub fail: u64,
    /// Nodes about which not enough is known.
    pub unknown: u64,
    /// Nodes that pass, with a warning.
    pub warned: u64,
}

impl Summary {
    pub(crate) fn of(audited: &[AuditedNode]) -> Self {
        let mut summary = Self::default();
        for one in audited {
            summary.nodes += 1;
            match one.outcome {
                Outcome::Passes => summary.pass += 1,
                Outcome::WouldFail => summary.fail += 1,
                Outcome::Unknown => summary.unknown += 1,
            }
            let is_warned = one.findings.iter().any(|finding| finding.rule.weight == Weight::Warns);
            summary.warned += u64::from(is_warned && one.outcome == Outcome::Passes);
        }
        summary
    }

    /// Exit status: 0 if all nodes pass, 1 if some would fail, 2 if some are unknown or there are none.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self { nodes: 0, .. } => 2,
            Self { unknown: 1.., .. } => 2,
            Self { fail: 1.., .. } => 1,
            _ => 0,
        }
    }
}
