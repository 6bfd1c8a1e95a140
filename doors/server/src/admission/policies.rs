//! ValidatingAdmissionPolicy: what is written, deleted or connected to is put before the policies of the cluster.

use super::around::Around;
use super::plugins::part_of;
use crate::app::App;
use crate::call::{Call, Told};
use crate::options::{Asked, DeleteOptions};
use crate::refusal::{About, Refusal};
use crate::request::{Params, Place};
use crate::served::Served;
use crate::services;
use crate::subresources::scale_from;
use ratchet_access::User;
use ratchet_engine::{Change, Part, StatusCause};
use ratchet_object::{Node, Value};
use ratchet_policy::{Attempt, Denial, KindName, Operation, Policies, ResourceName, is_exempt};
use std::sync::Arc;
use std::time::Instant;

/// The plugin's name.
const PLUGIN: &str = "ValidatingAdmissionPolicy";

/// Where something is tried, and by whom.
pub(crate) struct Site<'a> {
    pub(crate) app: &'a Arc<App>,
    pub(crate) served: &'a Served,
    pub(crate) place: &'a Place,
    pub(crate) user: &'a User,
    pub(crate) told: &'a Told,
}

/// What is tried there.
struct Tried<'a> {
    operation: Operation,
    kind: KindName<'a>,
    subresource: &'a str,
    name: &'a str,
    object: Option<&'a Node<'a>>,
    old: Option<&'a Node<'a>>,
    options: Option<&'a Node<'a>>,
    dry_run: bool,
}

impl<'a> Site<'a> {
    fn of(call: &'a Call<'_>) -> Self {
        let Call { app, served, place, user, told, .. } = call;
        Self { app, served, place, user, told }
    }

    /// The policies that may have something to say here; none if there are none.
    fn policies(&self) -> Result<Option<Arc<Policies>>, Refusal> {
        let row = self.served.row;
        if !self.app.plugins.is_on(PLUGIN) || is_exempt(row.group, row.plural) {
            return Ok(None);
        }
        let policies = self.app.policies.now()?;
        Ok((!policies.is_empty()).then_some(policies))
    }

    async fn ask(&self, policies: &Arc<Policies>, tried: &Tried<'_>) -> Result<(), Refusal> {
        let row = self.served.row;
        let attempt = Attempt {
            operation: tried.operation,
            kind: tried.kind,
            resource: ResourceName { group: row.group, version: row.version, resource: row.plural },
            subresource: tried.subresource,
            name: tried.name,
            namespace: if row.namespaced { &self.place.namespace } else { "" },
            object: tried.object,
            old: tried.old,
            options: tried.options,
            user: self.user,
            dry_run: tried.dry_run,
        };
        let begun = Instant::now();
        // An expression may cost as much as its budget allows, which is more than others should wait for.
        let place = format!("{}/{}/{}", row.group, row.plural, attempt.namespace);
        let around = Around::new(self.app, self.user);
        let judge = || policies.judge(&attempt, &around);
        let judged = self.app.pace.think(&self.app.compute, policies, &place, judge).await;
        around.check()?;
        let was = (PLUGIN, "validate", tried.operation.word());
        self.app.metrics.plugin_ran(was, !judged.admits(), begun.elapsed());
        for check in &judged.checks {
            self.app.metrics.policy_checked(check);
        }
        for warning in judged.warnings {
            self.told.warn(warning);
        }
        for (key, text) in judged.annotations {
            self.told.annotate(key, text);
        }
        if let Some(name) = &judged.missing_namespace {
            return Err(Refusal::not_found(About { group: "", resource: "namespaces", name }));
        }
        match judged.denials.first() {
            Some(denial) => Err(refusal(self.served.about(tried.name), denial)),
            None => Ok(()),
        }
    }
}

/// The words of a refusal by a plugin, with the code and reason that the validation gives.
fn refusal(about: About<'_>, denial: &Denial) -> Refusal {
    let message = denial.message();
    let mut refusal = Refusal::forbidden(about, &message);
    (refusal.code, refusal.reason) = (denial.reason.code(), denial.reason.word());
    if let Some(details) = &mut refusal.details {
        details.causes = vec![StatusCause { reason: "", message, field: String::new() }];
    }
    refusal
}

fn kind_of(served: &Served) -> KindName<'static> {
    let row = served.row;
    KindName { group: row.group, version: row.version, kind: row.kind }
}

const SCALE: KindName<'_> = KindName { group: "autoscaling", version: "v1", kind: "Scale" };

/// Puts a change that was found valid before the policies.
pub(super) async fn on_change(call: &Call<'_>, change: &Change<'_>) -> Result<(), Refusal> {
    let site = Site::of(call);
    // A Binding was put before them when it came.
    if change.part == Part::Sub("binding") {
        return Ok(());
    }
    let Some(policies) = site.policies()? else { return Ok(()) };
    let (subresource, operation) = match change.is_create() {
        true => ("", Operation::Create),
        false => (part_of(change.part).0, Operation::Update),
    };
    let mut object = change.new_object().node().clone().into_owned();
    let mut old = change.old_object().map(|old| old.node().clone().into_owned());
    if change.part == Part::Main {
        // The allocators of the reference stand before policies. What is chosen here is given back at once and may be
        // chosen otherwise in the end: what matters to a policy is that there is something, and in which range.
        services::claim(call.app, &change.kind, &mut object, old.as_ref())?;
    }
    // As it would be stored: a policy sees what the API always writes.
    call.served.respell(&mut object);
    let mut kind = kind_of(call.served);
    if change.part == Part::Sub("scale") {
        object = scale_from(&object);
        old = old.as_ref().map(scale_from);
        kind = SCALE;
    }
    let options = write_options(call.params, operation);
    site.ask(
        &policies,
        &Tried {
            operation,
            kind,
            subresource,
            name: name_tried(call, &object),
            object: Some(&object),
            old: old.as_ref(),
            options: Some(&options),
            dry_run: is_dry_run(call.params),
        },
    )
    .await
}

/// The name, also if it was generated.
fn name_tried<'a>(call: &'a Call<'_>, object: &'a Node<'_>) -> &'a str {
    match call.place.name.as_str() {
        "" => object.text_at(&["metadata", "name"]),
        named => named,
    }
}

/// Puts what is sent to a part of an object, and never stored, before the policies.
pub(crate) async fn on_sent(
    call: &Call<'_>,
    kind: KindName<'_>,
    sent: &Node<'_>,
) -> Result<(), Refusal> {
    let site = Site::of(call);
    let Some(policies) = site.policies()? else { return Ok(()) };
    let mut object = sent.clone().into_owned();
    let written = match kind.group {
        "" => kind.version.to_owned(),
        group => format!("{group}/{}", kind.version),
    };
    object.set("apiVersion", Node::string(written));
    object.set("kind", Node::string(kind.kind.to_owned()));
    let options = write_options(call.params, Operation::Create);
    site.ask(
        &policies,
        &Tried {
            operation: Operation::Create,
            kind,
            subresource: &call.place.subresource,
            name: &call.place.name,
            object: Some(&object),
            old: None,
            options: Some(&options),
            dry_run: is_dry_run(call.params),
        },
    )
    .await
}

/// Puts a deletion before the policies.
pub(crate) async fn on_removal(
    call: &Call<'_>,
    old: &Node<'static>,
    options: &DeleteOptions,
) -> Result<(), Refusal> {
    let site = Site::of(call);
    let name = match options.asked {
        Asked::Nobody => return Ok(()),
        // Of a collection the reference tells policies no names.
        Asked::Collection => "",
        Asked::Object => call.place.name.as_str(),
    };
    let Some(policies) = site.policies()? else { return Ok(()) };
    let mut old = old.clone();
    let version = call.served.api_version();
    crate::convert::from_stored(&mut old, &version, call.served.row.kind);
    old.set("apiVersion", Node::string(version));
    old.set("kind", Node::string(call.served.row.kind));
    let asked = options.node();
    site.ask(
        &policies,
        &Tried {
            operation: Operation::Delete,
            kind: kind_of(call.served),
            subresource: "",
            name,
            object: None,
            old: Some(&old),
            options: Some(&asked),
            dry_run: options.dry_run,
        },
    )
    .await
}

/// Puts a connection before the policies.
pub(crate) async fn on_connect(
    site: &Site<'_>,
    kind: &str,
    options: &Node<'_>,
) -> Result<(), Refusal> {
    let Some(policies) = site.policies()? else { return Ok(()) };
    let mut object = options.clone().into_owned();
    object.set("apiVersion", Node::string("v1"));
    object.set("kind", Node::string(kind.to_owned()));
    site.ask(
        &policies,
        &Tried {
            operation: Operation::Connect,
            kind: KindName { group: "", version: "v1", kind },
            subresource: &site.place.subresource,
            name: &site.place.name,
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
