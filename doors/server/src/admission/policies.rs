//! ValidatingAdmissionPolicy: what is written, deleted or connected to is put before the policies of the cluster.

use super::around::Around;
use super::plugins::part_of;
use crate::app::App;
use crate::audit_record::AuditRecord;
use crate::resource_request::ResourceRequest;
use crate::options::{DeleteOptions, DeleteScope};
use crate::request::{Params, ResourcePath};
use crate::registry::ServedResource;
use crate::services;
use crate::status::{About, StatusError};
use crate::subresources::scale_from;
use crate::warnings::Warnings;
use ratchet_access::User;
use ratchet_engine::{Change, Part, StatusCause};
use ratchet_object::{Node, Value};
use ratchet_policy::{Attempt, Denial, KindName, Operation, Policies, ResourceName, is_exempt};
use std::sync::Arc;
use std::time::Instant;

/// The plugin's name.
const PLUGIN: &str = "ValidatingAdmissionPolicy";

/// Where something is attributes, and by whom.
pub(crate) struct AdmissionScope<'a> {
    pub(crate) app: &'a Arc<App>,
    pub(crate) resource: &'a ServedResource,
    pub(crate) path: &'a ResourcePath,
    pub(crate) user: &'a User,
    pub(crate) warnings: &'a Warnings,
    pub(crate) audit: &'a AuditRecord,
}

/// What is attributes there.
struct Attributes<'a> {
    operation: Operation,
    kind: KindName<'a>,
    subresource: &'a str,
    name: &'a str,
    object: Option<&'a Node<'a>>,
    old: Option<&'a Node<'a>>,
    options: Option<&'a Node<'a>>,
    dry_run: bool,
}

impl<'a> AdmissionScope<'a> {
    fn of(request: &'a ResourceRequest<'_>) -> Self {
        let ResourceRequest { app, resource, path, user, warnings, audit, .. } = request;
        Self { app, resource, path, user, warnings, audit }
    }

    /// The policies that may have something to say here; none if there are none.
    fn policies(&self) -> Result<Option<Arc<Policies>>, StatusError> {
        let row = self.resource.row;
        if !self.app.plugins.is_on(PLUGIN) || is_exempt(row.group, row.plural) {
            return Ok(None);
        }
        let policies = self.app.policies.now()?;
        Ok((!policies.is_empty()).then_some(policies))
    }

    fn evaluate(&self, policies: &Arc<Policies>, attributes: &Attributes<'_>) -> Result<(), StatusError> {
        let row = self.resource.row;
        let attempt = Attempt {
            operation: attributes.operation,
            kind: attributes.kind,
            resource: ResourceName { group: row.group, version: row.version, resource: row.plural },
            subresource: attributes.subresource,
            name: attributes.name,
            namespace: if row.namespaced { &self.path.namespace } else { "" },
            object: attributes.object,
            old: attributes.old,
            options: attributes.options,
            user: self.user,
            dry_run: attributes.dry_run,
        };
        let started = Instant::now();
        // An expression may cost as much as its budget allows, which is more than others should wait for.
        let pace_key = format!("{}/{}/{}", row.group, row.plural, attempt.namespace);
        let around = Around::new(self.app, self.user);
        let judge = || policies.judge(&attempt, &around);
        let judged = self.app.pace.think(&self.app.compute, policies, &pace_key, judge);
        around.check()?;
        let was = (PLUGIN, "validate", attributes.operation.word());
        self.app.metrics.plugin_ran(was, !judged.admits(), started.elapsed());
        for check in &judged.checks {
            self.app.metrics.policy_checked(check);
        }
        for warning in judged.warnings {
            self.warnings.add(warning);
        }
        for (key, text) in judged.annotations {
            self.audit.annotate(key, text);
        }
        if let Some(name) = &judged.missing_namespace {
            return Err(StatusError::not_found(About { group: "", resource: "namespaces", name }));
        }
        match judged.denials.first() {
            Some(denial) => Err(refusal(self.resource.about(attributes.name), denial)),
            None => Ok(()),
        }
    }
}

/// The words of a refusal by a plugin, with the code and reason that the validation gives.
fn refusal(about: About<'_>, denial: &Denial) -> StatusError {
    let message = denial.message();
    let mut refusal = StatusError::forbidden(about, &message);
    (refusal.code, refusal.reason) = (denial.reason.code(), denial.reason.word());
    if let Some(details) = &mut refusal.details {
        details.causes = vec![StatusCause { reason: "", message, field: String::new() }];
    }
    refusal
}

fn kind_of(resource: &ServedResource) -> KindName<'static> {
    let row = resource.row;
    KindName { group: row.group, version: row.version, kind: row.kind }
}

const SCALE: KindName<'_> = KindName { group: "autoscaling", version: "v1", kind: "Scale" };

/// Puts a change that was found valid before the policies.
pub(super) fn on_change(
    request: &ResourceRequest<'_>,
    change: &Change<'_>,
) -> Result<(), StatusError> {
    let scope = AdmissionScope::of(request);
    // A Binding was put before them when it came.
    if change.part == Part::Sub("binding") {
        return Ok(());
    }
    let Some(policies) = scope.policies()? else { return Ok(()) };
    let (subresource, operation) = match change.is_create() {
        true => ("", Operation::Create),
        false => (part_of(change.part).0, Operation::Update),
    };
    let mut object = change.new_object().node().clone().into_owned();
    let mut old = change.old_object().map(|old| old.node().clone().into_owned());
    if change.part == Part::Main {
        // The allocators of the reference stand before policies. What is chosen here is given back at once and may be
        // chosen otherwise in the end: what matters to a policy is that there is something, and in which range.
        services::claim(request.app, &change.kind, &mut object, old.as_ref())?;
    }
    // As it would be stored: a policy sees what the API always writes.
    request.resource.canonicalize(&mut object);
    let mut kind = kind_of(request.resource);
    if change.part == Part::Sub("scale") {
        object = scale_from(&object);
        old = old.as_ref().map(scale_from);
        kind = SCALE;
    }
    let options = write_options(request.params, operation);
    scope.evaluate(
        &policies,
        &Attributes {
            operation,
            kind,
            subresource,
            name: name_tried(request, &object),
            object: Some(&object),
            old: old.as_ref(),
            options: Some(&options),
            dry_run: is_dry_run(request.params),
        },
    )
}

/// The name, also if it was generated.
fn name_tried<'a>(request: &'a ResourceRequest<'_>, object: &'a Node<'_>) -> &'a str {
    match request.path.name.as_str() {
        "" => object.text_at(&["metadata", "name"]),
        named => named,
    }
}

/// Puts what is sent to a part of an object, and never stored, before the policies.
pub(crate) fn on_sent(
    request: &ResourceRequest<'_>,
    kind: KindName<'_>,
    sent: &Node<'_>,
) -> Result<(), StatusError> {
    let scope = AdmissionScope::of(request);
    let Some(policies) = scope.policies()? else { return Ok(()) };
    let mut object = sent.clone().into_owned();
    let written = match kind.group {
        "" => kind.version.to_owned(),
        group => format!("{group}/{}", kind.version),
    };
    object.set("apiVersion", Node::string(written));
    object.set("kind", Node::string(kind.kind.to_owned()));
    let options = write_options(request.params, Operation::Create);
    scope.evaluate(
        &policies,
        &Attributes {
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
}

/// Puts a deletion before the policies.
pub(crate) fn on_removal(
    request: &ResourceRequest<'_>,
    old: &Node<'static>,
    options: &DeleteOptions,
) -> Result<(), StatusError> {
    let scope = AdmissionScope::of(request);
    let name = match options.scope {
        DeleteScope::Nobody => return Ok(()),
        // Of a collection the reference tells policies no names.
        DeleteScope::Collection => "",
        DeleteScope::Object => request.path.name.as_str(),
    };
    let Some(policies) = scope.policies()? else { return Ok(()) };
    let mut old = old.clone();
    let version = request.resource.api_version();
    crate::convert::from_stored(&mut old, &version, request.resource.row.kind);
    old.set("apiVersion", Node::string(version));
    old.set("kind", Node::string(request.resource.row.kind));
    let asked = options.node();
    scope.evaluate(
        &policies,
        &Attributes {
            operation: Operation::Delete,
            kind: kind_of(request.resource),
            subresource: "",
            name,
            object: None,
            old: Some(&old),
            options: Some(&asked),
            dry_run: options.dry_run,
        },
    )
}

/// Puts a connection before the policies.
pub(crate) fn on_connect(
    scope: &AdmissionScope<'_>,
    kind: &str,
    options: &Node<'_>,
) -> Result<(), StatusError> {
    let Some(policies) = scope.policies()? else { return Ok(()) };
    let mut object = options.clone().into_owned();
    object.set("apiVersion", Node::string("v1"));
    object.set("kind", Node::string(kind.to_owned()));
    scope.evaluate(
        &policies,
        &Attributes {
            operation: Operation::Connect,
            kind: KindName { group: "", version: "v1", kind },
            subresource: &scope.path.subresource,
            name: &scope.path.name,
            object: Some(&object),
            old: None,
            options: None,
            dry_run: false,
        },
    )
}

fn is_dry_run(params: &Params) -> bool {
    params.all("dryRun").any(|value| value == "All")
}

/// The options of a write, as policies and webhooks are told them.
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

/// Options of a kind, without any said.
pub(crate) fn options_node(kind: &'static str) -> Node<'static> {
    let version = Node::string("meta.k8s.io/v1");
    Node::new(Value::Map(vec![
        ratchet_object::Entry::new("kind", Node::string(kind)),
        ratchet_object::Entry::new("apiVersion", version),
    ]))
}
