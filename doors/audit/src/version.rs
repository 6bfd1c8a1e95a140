//! The version of the JSON report.

/// The version of the JSON report: it changes when a member is renamed or removed.
pub const VERSION: &str = "ratchet.audit/v1";
