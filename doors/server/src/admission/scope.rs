//! `AdmissionScope`: the part of a request that policies and webhooks need, also for a request that is no
//! `ResourceRequest`.

use crate::app::App;
use crate::app::resource_request::ResourceRequest;
use crate::registry::ServedResource;
use crate::request::ResourcePath;
use crate::request::audit_record::AuditRecord;
use crate::request::warnings::Warnings;
use ratchet_access::User;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Resource, path and user of a request, and where warnings and annotations go.
#[derive(Clone, Copy)]
pub(crate) struct AdmissionScope<'a> {
    pub(crate) app: &'a Arc<App>,
    pub(crate) resource: &'a ServedResource,
    pub(crate) path: &'a ResourcePath,
    pub(crate) user: &'a User,
    pub(crate) warnings: &'a Warnings,
    pub(crate) audit: &'a AuditRecord,
    /// When the time of the request is over.
    pub(crate) deadline: Option<Instant>,
}

impl<'a> AdmissionScope<'a> {
    /// The scope of a request for a resource.
    pub(super) fn of(request: &'a ResourceRequest<'_>) -> Self {
        let ResourceRequest { app, resource, path, user, warnings, audit, deadline, .. } = request;
        Self { app, resource, path, user, warnings, audit, deadline: *deadline }
    }

    /// The time that is left; none if the request may take as long as it likes.
    pub(super) fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The namespace of the object; empty for cluster-scoped ones.
    pub(super) fn namespace(&self) -> &'a str {
        if self.resource.row().namespaced { &self.path.namespace } else { "" }
    }

    /// Whether rules can match the resource, under any of the names that it is served by.
    pub(super) fn is_looked_at(&self, look: &dyn Fn(&str, &str) -> bool) -> bool {
        let row = self.resource.row();
        look(row.group, row.plural)
            || self.app.registry.now().of_catalog().iter().any(|other| {
                let other_row = other.row();
                other_row.plural == row.plural
                    && other_row.group != row.group
                    && other.shares_storage(self.resource)
                    && look(other_row.group, other_row.plural)
            })
    }

    /// What evaluations that take about as long have in common.
    pub(super) fn pace_key(&self) -> String {
        let row = self.resource.row();
        format!("{}/{}/{}", row.group, row.plural, self.namespace())
    }
}
