//! ValidatingAdmissionPolicy: evaluates the policies of the cluster on writes, deletions and connections.

use super::attributes::subresource_of;
use super::plugin::{Plugin, PluginFuture, Subject};
use super::scope::AdmissionScope;
use crate::app::request_cluster::RequestCluster;
use crate::app::resource_request::ResourceRequest;
use crate::registry::ServedResource;
use crate::request::Params;
use crate::request::options::{DeleteOptions, DeleteScope, options_node};
use crate::status::{About, StatusError};
use crate::storage::convert::scale_from;
use ratchet_engine::{Change, Part};
use ratchet_object::Node;
use ratchet_pipeline::denial_status;
use ratchet_policy::{
    Attributes, GroupVersionKind, GroupVersionResource, Operation, Policies, is_exempt,
};
use std::sync::Arc;
use std::time::Instant;

/// The plugin's name.
const PLUGIN: &str = "ValidatingAdmissionPolicy";

/// `ValidatingAdmissionPolicy`.
pub(super) struct AdmissionPolicies;

impl Plugin for AdmissionPolicies {
    fn name(&self) -> &'static str {
        PLUGIN
    }

    fn validate<'a>(&'a self, subject: &'a Subject<'_>) -> PluginFuture<'a, ()> {
        Box::pin(async move {
            match *subject {
                Subject::Change { request, change, .. } => on_change(request, change).await,
                Subject::Deletion { request, old, options } => {
                    on_removal(request, old, options).await
                }
                Subject::Body { request, kind, object } => on_sent(request, kind, object).await,
                Subject::Connect { scope, kind, options } => on_connect(scope, kind, options).await,
            }
        })
    }
}

/// Admission attributes: operation, kind, subresource and objects of one request, as policies see them.
struct AdmissionInput<'a> {
    operation: Operation,
    kind: GroupVersionKind<'a>,
    subresource: &'a str,
    name: &'a str,
    object: Option<&'a Node<'a>>,
    old: Option<&'a Node<'a>>,
    options: Option<&'a Node<'a>>,
    dry_run: bool,
}

impl AdmissionScope<'_> {
    /// The current policies; none if the resource is exempt or there are no policies.
    fn policies(&self) -> Result<Option<Arc<Policies>>, StatusError> {
        let row = self.resource.row();
        if is_exempt(row.group, row.plural) {
            return Ok(None);
        }
        let policies = self.app.policies.now()?;
        Ok((!policies.is_empty()).then_some(policies))
    }

    async fn evaluate(
        &self,
        policies: &Arc<Policies>,
        input: &AdmissionInput<'_>,
    ) -> Result<(), StatusError> {
        let row = self.resource.row();
        let attributes = Attributes {
            operation: input.operation,
            kind: input.kind,
            resource: GroupVersionResource {
                group: row.group,
                version: row.version,
                resource: row.plural,
            },
            subresource: input.subresource,
            name: input.name,
            namespace: if row.namespaced { &self.path.namespace } else { "" },
            object: input.object,
            old: input.old,
            options: input.options,
            user: self.user,
            dry_run: input.dry_run,
        };
        let started = Instant::now();
        // An expression may use its whole cost budget, which is more than other requests should wait for.
        let pace_key = format!("{}/{}/{}", row.group, row.plural, attributes.namespace);
        let cluster = RequestCluster::new(self.app, self.user);
        let judge = || policies.judge(&attributes, &cluster);
        let verdict = self.app.pace.evaluate(&self.app.compute, policies, &pace_key, judge).await;
        cluster.check()?;
        let labels = (PLUGIN, "validate", attributes.operation.as_str());
        self.app.metrics.plugin_ran(labels, !verdict.admits(), started.elapsed());
        for check in &verdict.checks {
            self.app.metrics.policy_checked(check);
        }
        for warning in verdict.warnings {
            self.warnings.add(warning);
        }
        for (key, text) in verdict.annotations {
            self.audit.annotate(key, text);
        }
        if let Some(name) = &verdict.missing_namespace {
            return Err(StatusError::not_found(About { group: "", resource: "namespaces", name }));
        }
        match verdict.denials.first() {
            Some(denial) => Err(denial_status(denial, &attributes).into()),
            None => Ok(()),
        }
    }
}

fn kind_of(resource: &ServedResource) -> GroupVersionKind<'_> {
    let row = resource.row();
    GroupVersionKind { group: row.group, version: row.version, kind: row.kind }
}

const SCALE: GroupVersionKind<'_> =
    GroupVersionKind { group: "autoscaling", version: "v1", kind: "Scale" };

/// Evaluates the policies on a valid change.
async fn on_change(request: &ResourceRequest<'_>, change: &Change<'_>) -> Result<(), StatusError> {
    let scope = AdmissionScope::of(request);
    // The policies have seen the Binding already, in `on_sent`.
    if change.part == Part::Sub("binding") {
        return Ok(());
    }
    let Some(policies) = scope.policies()? else { return Ok(()) };
    let (subresource, operation) = match change.is_create() {
        true => ("", Operation::Create),
        false => (subresource_of(change.part).0, Operation::Update),
    };
    let mut object = change.new_object().node().clone().into_owned();
    let mut old = change.old_object().map(|old| old.node().clone().into_owned());
    if change.part == Part::Main {
        // The reference allocates before policies run. The allocation here is dropped, and the commit may choose
        // another one: policies only depend on its presence and range.
        request.app.services().claim(&change.kind, &mut object, old.as_ref())?;
    }
    // Policies see the canonical form.
    request.resource.canonicalize(&mut object);
    let mut kind = kind_of(request.resource);
    if change.part == Part::Sub("scale") {
        object = scale_from(&object);
        old = old.as_ref().map(scale_from);
        kind = SCALE;
    }
    let options = write_options(request.params, operation);
    scope
        .evaluate(
            &policies,
            &AdmissionInput {
                operation,
                kind,
                subresource,
                name: object_name(request, &object),
                object: Some(&object),
                old: old.as_ref(),
                options: Some(&options),
                dry_run: is_dry_run(request.params),
            },
        )
        .await
}

/// The object's name, also if it was generated.
fn object_name<'a>(request: &'a ResourceRequest<'_>, object: &'a Node<'_>) -> &'a str {
    match request.path.name.as_str() {
        "" => object.text_at(&["metadata", "name"]),
        named => named,
    }
}

/// Evaluates the policies on the body of a subresource that is not stored.
async fn on_sent(
    request: &ResourceRequest<'_>,
    kind: GroupVersionKind<'_>,
    sent: &Node<'_>,
) -> Result<(), StatusError> {
    let scope = AdmissionScope::of(request);
    let Some(policies) = scope.policies()? else { return Ok(()) };
    let mut object = sent.clone().into_owned();
    let api_version = match kind.group {
        "" => kind.version.to_owned(),
        group => format!("{group}/{}", kind.version),
    };
    object.set("apiVersion", Node::string(api_version));
    object.set("kind", Node::string(kind.kind.to_owned()));
    let options = write_options(request.params, Operation::Create);
    scope
        .evaluate(
            &policies,
            &AdmissionInput {
                operation: Operation::Create,
                kind,
                subresource: &request.path.subresource,
                name: &request.path.name,
                object: Some(&object),
                old: None,
                options: Some(&options),
                dry_run: is_dry_run(request.params),
            },
        )
        .await
}

/// Evaluates the policies on a deletion.
async fn on_removal(
    request: &ResourceRequest<'_>,
    old: &Node<'static>,
    options: &DeleteOptions,
) -> Result<(), StatusError> {
    let scope = AdmissionScope::of(request);
    let name = match options.scope {
        DeleteScope::None => return Ok(()),
        // The reference passes no names for a deletion of a collection.
        DeleteScope::Collection => "",
        DeleteScope::Object => request.path.name.as_str(),
    };
    let Some(policies) = scope.policies()? else { return Ok(()) };
    let mut old = old.clone();
    let version = request.resource.api_version();
    request.resource.from_stored(&mut old);
    old.set("apiVersion", Node::string(version));
    old.set("kind", Node::string(request.resource.row().kind.to_owned()));
    let options_node = options.node();
    scope
        .evaluate(
            &policies,
            &AdmissionInput {
                operation: Operation::Delete,
                kind: kind_of(request.resource),
                subresource: "",
                name,
                object: None,
                old: Some(&old),
                options: Some(&options_node),
                dry_run: options.dry_run,
            },
        )
        .await
}

/// Evaluates the policies on a connect request.
async fn on_connect(
    scope: &AdmissionScope<'_>,
    kind: &str,
    options: &Node<'_>,
) -> Result<(), StatusError> {
    let Some(policies) = scope.policies()? else { return Ok(()) };
    let mut object = options.clone().into_owned();
    object.set("apiVersion", Node::string("v1"));
    object.set("kind", Node::string(kind.to_owned()));
    scope
        .evaluate(
            &policies,
            &AdmissionInput {
                operation: Operation::Connect,
                kind: GroupVersionKind { group: "", version: "v1", kind },
                subresource: &scope.path.subresource,
                name: &scope.path.name,
                object: Some(&object),
                old: None,
                options: None,
                dry_run: false,
            },
        )
        .await
}

fn is_dry_run(params: &Params) -> bool {
    params.all("dryRun").any(|value| value == "All")
}

/// The `CreateOptions` or `UpdateOptions` of a write.
fn write_options(params: &Params, operation: Operation) -> Node<'static> {
    let kind = if operation == Operation::Create { "CreateOptions" } else { "UpdateOptions" };
    let mut node = options_node(kind);
    let dry_run: Vec<Node<'static>> =
        params.all("dryRun").map(|value| Node::string(value.to_owned())).collect();
    if !dry_run.is_empty() {
        node.set("dryRun", Node::list(dry_run));
    }
    for name in ["fieldManager", "fieldValidation"] {
        let value = params.text(name);
        if !value.is_empty() {
            node.set(name, Node::string(value.to_owned()));
        }
    }
    node
}
