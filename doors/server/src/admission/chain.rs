//! The admission chain: the enabled plugins behind one trait, in the order of the release.

use super::attributes::{attributes, subresource_of};
use super::plugin::{CommitConditions, PendingWrite, Plugin, Subject};
use super::policies::AdmissionPolicies;
use super::scope::AdmissionScope;
use super::{engine_plugins, namespaces, pure, quota};
use crate::app::App;
use crate::app::resource_request::ResourceRequest;
use crate::request::options::DeleteOptions;
use crate::status::StatusError;
use crate::validation::judge;
use ratchet_admission::{Operation, PLUGINS, PluginRow};
use ratchet_engine::Part;
use ratchet_object::{GroupVersionKind, Node, Object};
use ratchet_pipeline::Paired;
use std::sync::LazyLock;
use std::time::Instant;

/// The implementation of every row of the plugin table, in its order.
static ALL: LazyLock<Vec<Box<dyn Plugin>>> = LazyLock::new(|| PLUGINS.iter().map(plugin).collect());

/// The enabled plugins of a server, in the order of the table.
pub(crate) struct Chain<'a>(&'a [bool]);

impl<'c> Chain<'c> {
    /// The chain of a server.
    pub(crate) fn of(app: &'c App) -> Self {
        Self(app.plugins.rows())
    }

    fn plugins(&self) -> impl Iterator<Item = &'static dyn Plugin> + use<'c> {
        ALL.iter().zip(self.0).filter(|(_, is_on)| **is_on).map(|(plugin, _)| plugin.as_ref())
    }

    /// Runs the mutating plugins on a new object.
    pub(crate) async fn admit_create(
        &self,
        request: &ResourceRequest<'_>,
        object: &mut Node<'static>,
    ) -> Result<(), StatusError> {
        request.app.cache.fresh().await?;
        for plugin in self.plugins() {
            plugin.wait(request, object).await?;
        }
        self.admit(request, ("", Operation::Create), object, None, |_| true)
    }

    /// Runs the mutating plugins on an update.
    pub(crate) fn admit_update(
        &self,
        request: &ResourceRequest<'_>,
        new: &mut Node<'static>,
        old: &Node<'static>,
        part: Part,
    ) -> Result<(), StatusError> {
        self.admit(request, subresource_of(part), new, Some(old), |_| true)
    }

    /// Runs the plugins that handle deletions, before it is known what the deletion does.
    pub(crate) fn admit_delete(
        &self,
        request: &ResourceRequest<'_>,
        old: &Node<'_>,
    ) -> Result<(), StatusError> {
        self.admit_unstored(request, ("", Operation::Delete), old, Some(old))
    }

    /// Runs the validating plugins on a deletion that changes something.
    pub(crate) async fn validate_delete(
        &self,
        request: &ResourceRequest<'_>,
        old: &Node<'static>,
        options: &DeleteOptions,
    ) -> Result<(), StatusError> {
        self.validate_all(&Subject::Deletion { request, old, options }).await
    }

    /// Runs the mutating plugins on the body of a subresource that is not stored.
    pub(crate) fn admit_body(
        &self,
        request: &ResourceRequest<'_>,
        object: &Node<'_>,
    ) -> Result<(), StatusError> {
        self.admit_unstored(request, (&request.path.subresource, Operation::Create), object, None)
    }

    /// Runs the validating plugins on the body of a subresource that is not stored.
    pub(crate) async fn validate_body(
        &self,
        request: &ResourceRequest<'_>,
        kind: GroupVersionKind<'_>,
        object: &Node<'_>,
    ) -> Result<(), StatusError> {
        self.validate_all(&Subject::Body { request, kind, object }).await
    }

    /// Runs the validating plugins on a connection.
    pub(crate) async fn validate_connect(
        &self,
        scope: &AdmissionScope<'_>,
        kind: &str,
        options: &Node<'_>,
    ) -> Result<(), StatusError> {
        self.validate_all(&Subject::Connect { scope, kind, options }).await
    }

    /// Validates a change, then runs the validating plugins until one denies. Metrics count only the plugins that ran.
    pub(crate) async fn validate(
        &self,
        request: &ResourceRequest<'_>,
        paired: &Paired<'_, '_>,
    ) -> Result<(), StatusError> {
        let judgement = judge(request, paired)?;
        let Some(change) = &paired.change() else { return Err(StatusError::method_not_allowed()) };
        let (part, operation) = match change.is_create() {
            true => ("", Operation::Create),
            false => subresource_of(change.part),
        };
        let started = Instant::now();
        let old = change.old_object().map(Object::node);
        let attributes = attributes(request, operation, part, change.new_object().name(), old);
        let subject =
            Subject::Change { request, change, attributes: &attributes, judgement: &judgement };
        let result = self.validate_all(&subject).await;
        let duration = started.elapsed();
        request.app.metrics.step_ran("validate", operation.as_str(), result.is_err(), duration);
        result
    }

    /// The conditions of all plugins for the commit of a validated object.
    pub(crate) async fn conditions<'a>(
        &self,
        request: &'a ResourceRequest<'_>,
        part: Part,
        new: &Node<'_>,
        old: Option<&Node<'_>>,
    ) -> Result<CommitConditions<'a>, StatusError> {
        let write = PendingWrite { part, new, old };
        let mut all = CommitConditions::default();
        for plugin in self.plugins() {
            let CommitConditions { writes, lock } = plugin.conditions(request, &write).await?;
            all.writes.extend(writes);
            all.lock = all.lock.or(lock);
        }
        Ok(all)
    }

    fn admit_unstored(
        &self,
        request: &ResourceRequest<'_>,
        what: (&str, Operation),
        object: &Node<'_>,
        old: Option<&Node<'_>>,
    ) -> Result<(), StatusError> {
        if !self.plugins().any(Plugin::handles_unstored) {
            return Ok(());
        }
        let mut object = object.clone().into_owned();
        self.admit(request, what, &mut object, old, |plugin| plugin.handles_unstored())
    }

    fn admit(
        &self,
        request: &ResourceRequest<'_>,
        (part, operation): (&str, Operation),
        object: &mut Node<'static>,
        old: Option<&Node<'_>>,
        handles: fn(&dyn Plugin) -> bool,
    ) -> Result<(), StatusError> {
        let name = match request.path.name.as_str() {
            "" => object.text_at(&["metadata", "name"]).to_owned(),
            name => name.to_owned(),
        };
        let attributes = attributes(request, operation, part, &name, old);
        let started = Instant::now();
        let mut result = Ok(());
        for plugin in self.plugins().filter(|plugin| handles(*plugin)) {
            let started = Instant::now();
            let Some(admitted) = plugin.admit(request, &attributes, object) else { continue };
            let labels = (plugin.name(), "admit", operation.as_str());
            request.app.metrics.plugin_ran(labels, admitted.is_err(), started.elapsed());
            if admitted.is_err() {
                result = admitted;
                break;
            }
        }
        let duration = started.elapsed();
        request.app.metrics.step_ran("admit", operation.as_str(), result.is_err(), duration);
        result
    }

    async fn validate_all(&self, subject: &Subject<'_>) -> Result<(), StatusError> {
        for plugin in self.plugins() {
            plugin.validate(subject).await?;
        }
        Ok(())
    }
}

/// The implementation of a row: the server's own plugins need more than an object and the cluster.
fn plugin(row: &'static PluginRow) -> Box<dyn Plugin> {
    match row.name {
        "NamespaceLifecycle" => Box::new(namespaces::NamespaceLifecycle),
        "ServiceAccount" => Box::new(pure::ServiceAccount(pure::Pure(row))),
        "PodSecurity" => Box::new(engine_plugins::PodSecurity),
        "DenyServiceExternalIPs" => Box::new(engine_plugins::DenyServiceExternalIPs),
        "ValidatingAdmissionPolicy" => Box::new(AdmissionPolicies),
        "ResourceQuota" => Box::new(quota::ResourceQuota),
        _ => Box::new(pure::Pure(row)),
    }
}
