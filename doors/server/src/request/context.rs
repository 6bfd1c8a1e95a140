//! `RequestContext`: the state of one request in the handler chain.

use super::{Params, RequestInfo};
use crate::request::audit_record::AuditRecord;
use crate::request::warnings::Warnings;
use crate::status::StatusError;
use http::HeaderName;
use http::request::Parts;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

/// The header that identifies a request in the audit log.
pub(crate) const AUDIT_ID: HeaderName = HeaderName::from_static("audit-id");

/// The state of one request in the handler chain.
pub(crate) struct RequestContext<'a> {
    /// Method, URL and headers.
    pub(crate) parts: &'a Parts,
    /// Verb and target.
    pub(crate) info: Arc<RequestInfo>,
    /// Query parameters.
    pub(crate) params: Params,
    /// Warnings for the client, sent as `Warning` headers.
    pub(crate) warnings: Warnings,
    /// Whether there is an audit log.
    pub(crate) is_audited: bool,
    /// Facts for the audit log.
    pub(crate) audit: AuditRecord,
    /// The `Audit-ID` of the request.
    pub(crate) audit_id: String,
    /// When the request arrived.
    pub(crate) started: Instant,
    /// When the time of the request is over.
    pub(crate) deadline: Option<Instant>,
    /// The client's address.
    pub(crate) address: IpAddr,
}

impl RequestContext<'_> {
    /// Stores a failure `Status` for the audit log, if there is one.
    pub(crate) fn record_error(&self, error: &StatusError) {
        if self.is_audited {
            self.audit.set_failure(error.to_json());
        }
    }
}
