//! Plugins of the table in `core/admission`: pure functions of an object and the cluster state.

use super::plugin::{Admission, Plugin, PluginResult, Subject};
use crate::app::metrics::Step;
use crate::app::request_cluster::RequestCluster;
use crate::app::resource_request::ResourceRequest;
use crate::status::{About, StatusError};
use ratchet_admission::{Attributes, Denial, PluginRow};
use ratchet_object::{ClusterReader, GroupVersionResource, Node};
use std::time::{Duration, Instant};

const SERVICE_ACCOUNTS: GroupVersionResource<'_> =
    GroupVersionResource::any_version("", "serviceaccounts");

/// Attempts and pause while waiting for the default service account, which a controller creates with its namespace.
const ACCOUNT_TRIES: usize = 10;
const ACCOUNT_PAUSE: Duration = Duration::from_millis(100);

/// A plugin of the table.
pub(super) struct Pure(pub(super) &'static PluginRow);

impl Plugin for Pure {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn handles_unstored(&self) -> bool {
        self.0.handles_unstored
    }

    fn admit(
        &self,
        request: &ResourceRequest<'_>,
        attributes: &Attributes<'_>,
        object: &mut Node<'static>,
    ) -> Admission {
        let admit = self.0.admit?;
        let cluster = RequestCluster::new(request.app, request.user);
        let result = admit(attributes, object, &cluster);
        Some(cluster.check().and(match result {
            Ok(()) => Ok(()),
            Err(denial) => Err(status_error(request, display_name(request, object), denial)),
        }))
    }

    fn validate<'a>(&'a self, subject: &'a Subject<'_>) -> PluginResult<'a, ()> {
        PluginResult::Now(self.check(subject).unwrap_or(Ok(())))
    }
}

impl Pure {
    /// The result of the validating part; `None` if there is none, or none for such a subject.
    fn check(&self, subject: &Subject<'_>) -> Admission {
        let Subject::Change { request, change, attributes, .. } = subject else { return None };
        let validate = self.0.validate?;
        let (started, new) = (Instant::now(), change.new_object());
        let cluster = RequestCluster::new(request.app, request.user);
        let result = validate(attributes, new.node(), &cluster);
        if let Err(error) = cluster.check() {
            return Some(Err(error));
        }
        let labels = (self.0.name, Step::Validate, attributes.operation);
        request.app.metrics.plugin_ran(labels, result.is_err(), started.elapsed());
        Some(result.map_err(|denial| status_error(request, new.name(), denial)))
    }
}

/// `ServiceAccount`, which waits for the default service account of a new namespace.
pub(super) struct ServiceAccount(pub(super) Pure);

impl Plugin for ServiceAccount {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn wait<'a>(
        &'a self,
        request: &'a ResourceRequest<'_>,
        object: &'a Node<'static>,
    ) -> PluginResult<'a, ()> {
        match is_default_account_needed(request, object) {
            true => PluginResult::later(await_account(request)),
            false => PluginResult::Now(Ok(())),
        }
    }

    fn admit(
        &self,
        request: &ResourceRequest<'_>,
        attributes: &Attributes<'_>,
        object: &mut Node<'static>,
    ) -> Admission {
        self.0.admit(request, attributes, object)
    }

    fn validate<'a>(&'a self, subject: &'a Subject<'_>) -> PluginResult<'a, ()> {
        self.0.validate(subject)
    }
}

/// Whether an object is a Pod that runs under the default service account.
fn is_default_account_needed(request: &ResourceRequest<'_>, object: &Node<'_>) -> bool {
    let row = request.resource.row();
    (row.group, row.plural) == ("", "pods")
        && matches!(object.text_at(&["spec", "serviceAccountName"]), "" | "default")
}

async fn await_account(request: &ResourceRequest<'_>) -> Result<(), StatusError> {
    let is_there = || {
        let cluster = RequestCluster::new(request.app, request.user);
        cluster.exists(&SERVICE_ACCOUNTS, &request.path.namespace, "default")
    };
    for _ in 0..ACCOUNT_TRIES {
        if is_there() {
            break;
        }
        tokio::time::sleep(ACCOUNT_PAUSE).await;
        request.app.cache.fresh().await?;
    }
    Ok(())
}

/// The object's name in error messages; `generateName` while there is none.
fn display_name<'n>(request: &'n ResourceRequest<'_>, object: &'n Node<'_>) -> &'n str {
    match (request.path.name.as_str(), object.text_at(&["metadata", "name"])) {
        ("", "") => object.text_at(&["metadata", "generateName"]),
        ("", name) => name,
        (named, _) => named,
    }
}

/// The error of a plugin's denial.
pub(super) fn status_error(
    request: &ResourceRequest<'_>,
    name: &str,
    denial: Denial,
) -> StatusError {
    match denial {
        Denial::Forbidden(why) => StatusError::forbidden(request.resource.about(name), &why),
        Denial::ForbiddenBecause(why, cause) => {
            StatusError::forbidden(request.resource.about(name), &why).because(cause, "", "")
        }
        Denial::NotFound { resource, name } => {
            StatusError::not_found(About { group: "", resource, name: &name })
        }
    }
}
