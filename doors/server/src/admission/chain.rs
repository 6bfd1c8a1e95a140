//! The admission chain: the enabled plugins behind one trait, in the order of the release.

use super::attributes::{attributes, subresource_of};
use super::input::AdmissionInput;
use super::mutating_policies::MutatingAdmissionPolicies;
use super::mutation::{Mutation, Mutators};
use super::plugin::{CommitConditions, PendingWrite, Plugin, Subject};
use super::policies::ValidatingAdmissionPolicies;
use super::scope::AdmissionScope;
use super::webhooks::{MutatingWebhooks, ValidatingWebhooks};
use super::{engine_plugins, mutators, namespaces, pure, quota};
use crate::app::App;
use crate::app::metrics::Step;
use crate::app::resource_request::ResourceRequest;
use crate::request::options::DeleteOptions;
use crate::status::StatusError;
use crate::validation::judge;
use ratchet_admission::{Attributes, Operation, PLUGINS, PluginRow};
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

    /// Whether policies or webhooks may change the object of a request.
    pub(crate) fn has_mutators(request: &ResourceRequest<'_>) -> bool {
        Mutators::of(&AdmissionScope::of(request)).is_ok_and(|mutators| mutators.is_some())
    }

    /// Runs the mutating plugins on a new object.
    pub(crate) async fn admit_create(
        &self,
        request: &ResourceRequest<'_>,
        object: &mut Node<'static>,
    ) -> Result<(), StatusError> {
        request.app.cache.fresh().await?;
        for plugin in self.plugins() {
            plugin.wait(request, object).get().await?;
        }
        self.admit_write(request, ("", Operation::Create), object, None).await
    }

    /// Runs the mutating plugins on an update.
    pub(crate) async fn admit_update(
        &self,
        request: &ResourceRequest<'_>,
        new: &mut Node<'static>,
        old: &Node<'static>,
        part: Part,
    ) -> Result<(), StatusError> {
        self.admit_write(request, subresource_of(part), new, Some(old)).await
    }

    /// Runs the plugins that handle deletions, before it is known what the deletion does.
    pub(crate) fn admit_delete(
        &self,
        request: &ResourceRequest<'_>,
        old: &Node<'_>,
    ) -> Result<(), StatusError> {
        if !self.plugins().any(|plugin| plugin.handles_unstored() && plugin.mutator().is_none()) {
            return Ok(());
        }
        let name = request.path.name.as_str();
        let attributes = attributes(request, Operation::Delete, "", name, Some(old));
        let handles: fn(&dyn Plugin) -> bool = |plugin| plugin.handles_unstored();
        let built_in = BuiltIn { request, attributes: &attributes, handles };
        let mut object = old.clone().into_owned();
        let started = Instant::now();
        let mut last = started;
        let result =
            self.plugins().try_for_each(|plugin| built_in.admit(plugin, &mut object, &mut last));
        let duration = started.elapsed();
        let metrics = &request.app.metrics;
        metrics.step_ran(Step::Admit, Operation::Delete, result.is_err(), duration);
        result
    }

    /// Runs the mutating webhooks and the validating plugins on a deletion that changes something.
    pub(crate) async fn validate_delete(
        &self,
        request: &ResourceRequest<'_>,
        old: &Node<'static>,
        options: &DeleteOptions,
    ) -> Result<(), StatusError> {
        if let Some(mutators) = Mutators::of(&AdmissionScope::of(request))?
            && let Some(input) = AdmissionInput::of_deletion(request, old, options)
        {
            let mutation = Mutation::new(mutators, input, None);
            self.admit(None, Some(mutation), None).await?;
        }
        self.validate_all(&Subject::Deletion { request, old, options }).await
    }

    /// Runs the mutating plugins on the body of a subresource, or on a review: it is not stored.
    pub(crate) async fn admit_body(
        &self,
        request: &ResourceRequest<'_>,
        kind: GroupVersionKind<'_>,
        object: &mut Node<'static>,
    ) -> Result<(), StatusError> {
        let mutators = Mutators::of(&AdmissionScope::of(request))?;
        let mutation = mutators.map(|mutators| {
            let input = AdmissionInput::of_body(request, kind, Node::empty_map());
            Mutation::new(mutators, input, Some(object))
        });
        let (name, part) = (request.path.name.as_str(), request.path.subresource.as_str());
        let attributes = attributes(request, Operation::Create, part, name, None);
        let handles: fn(&dyn Plugin) -> bool = |plugin| plugin.handles_unstored();
        let built_in = BuiltIn { request, attributes: &attributes, handles };
        self.admit(Some(&built_in), mutation, Some(object)).await
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

    /// Runs the mutating webhooks and the validating plugins on a connection.
    pub(crate) async fn admit_connect(
        &self,
        scope: &AdmissionScope<'_>,
        kind: &str,
        options: &mut Node<'static>,
    ) -> Result<(), StatusError> {
        if let Some(mutators) = Mutators::of(scope)? {
            let input = AdmissionInput::of_connect(*scope, kind, Node::empty_map());
            let mutation = Mutation::new(mutators, input, Some(options));
            self.admit(None, Some(mutation), Some(options)).await?;
        }
        self.validate_all(&Subject::Connect { scope, kind, options }).await
    }

    /// Validates a change, then runs the validating plugins until one denies. Metrics count only the plugins that ran.
    pub(crate) async fn validate(
        &self,
        request: &ResourceRequest<'_>,
        paired: &Paired<'_, '_>,
    ) -> Result<(), StatusError> {
        let judgement = judge(request, paired).await?;
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
        request.app.metrics.step_ran(Step::Validate, operation, result.is_err(), duration);
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
            let CommitConditions { writes, lock } =
                plugin.conditions(request, &write).get().await?;
            all.writes.extend(writes);
            all.lock = all.lock.or(lock);
        }
        Ok(all)
    }

    /// Runs the mutating plugins on an object that is to be stored.
    async fn admit_write(
        &self,
        request: &ResourceRequest<'_>,
        (part, operation): (&str, Operation),
        object: &mut Node<'static>,
        old: Option<&Node<'_>>,
    ) -> Result<(), StatusError> {
        // Policies and webhooks have seen the Binding already, as a body.
        let mutators = match part {
            "binding" => None,
            _ => Mutators::of(&AdmissionScope::of(request))?,
        };
        let mutation = mutators.map(|mutators| {
            let input = AdmissionInput::of_write(request, (part, operation), object, old);
            Mutation::new(mutators, input, Some(object))
        });
        let name = match request.path.name.as_str() {
            "" => object.text_at(&["metadata", "name"]).to_owned(),
            name => name.to_owned(),
        };
        let attributes = attributes(request, operation, part, &name, old);
        let built_in = BuiltIn { request, attributes: &attributes, handles: |_| true };
        self.admit(Some(&built_in), mutation, Some(object)).await
    }

    /// Runs the mutating plugins, and all of them once more if policies or webhooks ask for it.
    async fn admit(
        &self,
        built_in: Option<&BuiltIn<'_>>,
        mut mutation: Option<Mutation<'_>>,
        mut object: Option<&mut Node<'static>>,
    ) -> Result<(), StatusError> {
        let started = Instant::now();
        let mut result = Ok(());
        while result.is_ok() {
            result = self.admit_once(built_in, mutation.as_mut(), object.as_deref_mut()).await;
            if !mutation.as_mut().is_some_and(Mutation::begins_again) {
                break;
            }
        }
        let measured = match (built_in, &mutation) {
            (Some(built_in), _) => Some((built_in.request.app, built_in.attributes.operation)),
            (None, Some(mutation)) => Some((mutation.input.scope.app, mutation.input.operation)),
            (None, None) => None,
        };
        if let Some((app, operation)) = measured {
            app.metrics.step_ran(Step::Admit, operation, result.is_err(), started.elapsed());
        }
        result
    }

    async fn admit_once(
        &self,
        built_in: Option<&BuiltIn<'_>>,
        mut mutation: Option<&mut Mutation<'_>>,
        mut object: Option<&mut Node<'static>>,
    ) -> Result<(), StatusError> {
        let mut last = Instant::now();
        for plugin in self.plugins() {
            if let (Some(built_in), Some(object)) = (built_in, object.as_deref_mut()) {
                built_in.admit(plugin, object, &mut last)?;
            }
            let (Some(mutator), Some(mutation)) = (plugin.mutator(), mutation.as_deref_mut())
            else {
                continue;
            };
            let started = Instant::now();
            // On the heap: few requests are mutated, and none should be larger for it.
            let run = Box::pin(mutators::run(mutation, mutator, object.as_deref_mut()));
            let result = run.await;
            let labels = (plugin.name(), Step::Admit, mutation.input.operation);
            let metrics = &mutation.input.scope.app.metrics;
            metrics.plugin_ran(labels, result.is_err(), started.elapsed());
            last = Instant::now();
            result?;
        }
        Ok(())
    }

    async fn validate_all(&self, subject: &Subject<'_>) -> Result<(), StatusError> {
        for plugin in self.plugins() {
            plugin.validate(subject).get().await?;
        }
        Ok(())
    }
}

/// The built-in mutating plugins for one object.
struct BuiltIn<'a> {
    request: &'a ResourceRequest<'a>,
    attributes: &'a Attributes<'a>,
    handles: fn(&dyn Plugin) -> bool,
}

impl BuiltIn<'_> {
    /// Lets a plugin change the object, if that is what the plugin does. Its time counts from the end of the last
    /// one: looking at the clock takes longer than most plugins.
    fn admit(
        &self,
        plugin: &dyn Plugin,
        object: &mut Node<'static>,
        last: &mut Instant,
    ) -> Result<(), StatusError> {
        if !(self.handles)(plugin) {
            return Ok(());
        }
        let Some(admitted) = plugin.admit(self.request, self.attributes, object) else {
            return Ok(());
        };
        let started = std::mem::replace(last, Instant::now());
        let labels = (plugin.name(), Step::Admit, self.attributes.operation);
        self.request.app.metrics.plugin_ran(labels, admitted.is_err(), *last - started);
        admitted
    }
}

/// Makes the implementation of a row.
type MakePlugin = fn(&'static PluginRow) -> Box<dyn Plugin>;

/// The server's own plugins, which need more than an object and the cluster state.
const OWN_PLUGINS: &[(&str, MakePlugin)] = &[
    ("NamespaceLifecycle", |_| Box::new(namespaces::NamespaceLifecycle)),
    ("ServiceAccount", |row| Box::new(pure::ServiceAccount(pure::Pure(row)))),
    ("PodSecurity", |_| Box::new(engine_plugins::PodSecurity)),
    ("DenyServiceExternalIPs", |_| Box::new(engine_plugins::DenyServiceExternalIPs)),
    ("MutatingAdmissionPolicy", |_| Box::new(MutatingAdmissionPolicies)),
    ("MutatingAdmissionWebhook", |_| Box::new(MutatingWebhooks)),
    ("ValidatingAdmissionPolicy", |_| Box::new(ValidatingAdmissionPolicies)),
    ("ValidatingAdmissionWebhook", |_| Box::new(ValidatingWebhooks)),
    ("ResourceQuota", |_| Box::new(quota::ResourceQuota)),
];

/// The implementation of a row.
fn plugin(row: &'static PluginRow) -> Box<dyn Plugin> {
    match OWN_PLUGINS.iter().find(|(name, _)| *name == row.name) {
        Some((_, make)) => make(row),
        None => Box::new(pure::Pure(row)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plugin_stands_at_its_row() {
        for (row, plugin) in PLUGINS.iter().zip(ALL.iter()) {
            assert_eq!(plugin.name(), row.name);
        }
        for (name, _) in OWN_PLUGINS {
            assert!(PLUGINS.iter().any(|row| row.name == *name && row.implemented), "{name}");
        }
    }

    #[test]
    fn what_is_not_enabled_does_not_run() {
        let rows: Vec<bool> =
            PLUGINS.iter().map(|row| row.name != "ValidatingAdmissionPolicy").collect();
        let names: Vec<&str> = Chain(&rows).plugins().map(Plugin::name).collect();
        assert_eq!(names.len(), PLUGINS.len() - 1);
        assert!(!names.contains(&"ValidatingAdmissionPolicy"));
    }
}
