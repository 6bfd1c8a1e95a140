//! `AuditError`: why an audit ends without its report.

/// An error that ends an audit.
pub type AuditError = ratchet_formats::ReportError;
