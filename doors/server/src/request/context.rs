//! `RequestContext`: the state of one request in the handler chain.

use super::{Output, Params, RequestInfo, ResourcePath};
use crate::registry::{Registry, ServedResource};
use crate::request::audit_record::AuditRecord;
use crate::request::warnings::Warnings;
use crate::status::StatusError;
use http::HeaderName;
use http::request::Parts;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
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
    /// Whether the client is in this process.
    pub(crate) is_internal: bool,
    /// The resource of the target, as soon as somebody has looked for it.
    pub(crate) resource: OnceLock<Option<Arc<ServedResource>>>,
}

impl RequestContext<'_> {
    /// The format of an error.
    pub(crate) fn error_output(&self) -> Output {
        Output::of_errors(&self.parts.headers, self.params.get("pretty"))
    }

    /// The resource of a path, if it is served.
    pub(crate) fn resource(
        &self,
        registry: &Registry,
        path: &ResourcePath,
    ) -> Option<&Arc<ServedResource>> {
        let find = || registry.find(&path.group, &path.version, &path.resource);
        self.resource.get_or_init(find).as_ref()
    }

    /// Stores a failure `Status` for the audit log, if there is one.
    pub(crate) fn record_error(&self, error: &StatusError) {
        if self.is_audited {
            self.audit.set_failure(error.to_json());
        }
    }
}
