//! `AdmissionScope`: the part of a request that policies need, also for a request that is no `ResourceRequest`.

use crate::app::App;
use crate::app::resource_request::ResourceRequest;
use crate::registry::ServedResource;
use crate::request::ResourcePath;
use crate::request::audit_record::AuditRecord;
use crate::request::warnings::Warnings;
use ratchet_access::User;
use std::sync::Arc;

/// Resource, path and user of a request, and where warnings and annotations go.
pub(crate) struct AdmissionScope<'a> {
    pub(crate) app: &'a Arc<App>,
    pub(crate) resource: &'a ServedResource,
    pub(crate) path: &'a ResourcePath,
    pub(crate) user: &'a User,
    pub(crate) warnings: &'a Warnings,
    pub(crate) audit: &'a AuditRecord,
}

impl<'a> AdmissionScope<'a> {
    /// The scope of a request for a resource.
    pub(super) fn of(request: &'a ResourceRequest<'_>) -> Self {
        let ResourceRequest { app, resource, path, user, warnings, audit, .. } = request;
        Self { app, resource, path, user, warnings, audit }
    }
}
