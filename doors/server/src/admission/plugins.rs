//! The plugins of the chain, run one after another: first those that change objects, later those that only look.

use super::judgement::{self, Judgement};
use super::policies;
use super::view::View;
use crate::resource_request::ResourceRequest;
use crate::status::{About, StatusError};
use ratchet_admission::{Cluster, Denial, Operation, PLUGINS, PluginRow, Request};
use ratchet_engine::{Change, Part};
use ratchet_object::Node;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, MutexGuard};

/// How often and after which pause the default account is looked for: a controller makes it with its namespace.
const LOOKS: usize = 10;
const PAUSE: Duration = Duration::from_millis(100);

/// The plugins that look at deletions and at parts that are no objects.
const EVERYWHERE: [&str; 2] = ["NodeRestriction", "AlwaysDeny"];

/// The admission plugins that are on.
pub struct Plugins {
    on: Vec<&'static str>,
    /// Who charges a quota waits here, by namespace, instead of losing races in the store.
    turns: [Mutex<()>; 64],
}

impl Plugins {
    /// Only these are on.
    pub fn new(names: Vec<&'static str>) -> Self {
        Self { on: names, turns: std::array::from_fn(|_| Mutex::new(())) }
    }

    /// Whether a plugin is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.on.contains(&name)
    }

    /// Waits until nobody else charges the quotas of a namespace.
    pub(super) async fn turn(&self, namespace: &str) -> Option<MutexGuard<'_, ()>> {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(namespace);
        let at = usize::try_from(hash % 64).unwrap_or(0);
        Some(self.turns.get(at)?.lock().await)
    }
}

/// What a request is to plugins.
pub(super) fn attributes<'a>(
    request: &'a ResourceRequest<'_>,
    operation: Operation,
    part: &'a str,
    name: &'a str,
    old: Option<&'a Node<'a>>,
) -> Request<'a> {
    let row = request.resource.row;
    Request {
        operation,
        group: row.group,
        version: row.version,
        resource: row.plural,
        subresource: part,
        namespace: if row.namespaced { &request.path.namespace } else { "" },
        name,
        user: request.user,
        minor: request.app.policy.emulated.minor(),
        old,
    }
}

/// A part as plugins know it: what is bound is made, everything else is changed.
pub(super) fn part_of(part: Part) -> (&'static str, Operation) {
    match part {
        Part::Main => ("", Operation::Update),
        Part::Sub("binding") => ("binding", Operation::Create),
        Part::Sub(name) => (name, Operation::Update),
    }
}

/// The name in refusals while it is not yet sure: what a name is generated from.
fn shown_name<'n>(request: &'n ResourceRequest<'_>, node: &'n Node<'_>) -> &'n str {
    let name = node.text_at(&["metadata", "name"]);
    let base = node.text_at(&["metadata", "generateName"]);
    let is_generated = |rest: &str| rest.len() == 5;
    match request.path.name.as_str() {
        "" if !base.is_empty() && name.strip_prefix(base).is_some_and(is_generated) => base,
        "" => name,
        named => named,
    }
}

/// What a plugin says, as an answer.
pub(super) fn refusal(request: &ResourceRequest<'_>, name: &str, denial: Denial) -> StatusError {
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

/// Runs the plugins that change a new object.
pub(crate) async fn mutate_create(
    request: &ResourceRequest<'_>,
    node: &mut Node<'static>,
) -> Result<(), StatusError> {
    if !request.resource.row.namespaced {
        // For what is in a namespace, NamespaceLifecycle has just looked.
        request.app.cache.fresh().await?;
    }
    await_account(request, node).await?;
    admit(request, ("", Operation::Create), node, None, |_| true)
}

/// Runs the plugins that change an update.
pub(crate) async fn mutate_update(
    request: &ResourceRequest<'_>,
    new: &mut Node<'static>,
    old: &Node<'static>,
    part: Part,
) -> Result<(), StatusError> {
    admit(request, part_of(part), new, Some(old), |_| true)
}

/// Runs the plugins that look at deletions.
pub(crate) fn on_delete(request: &ResourceRequest<'_>, old: &Node<'_>) -> Result<(), StatusError> {
    everywhere(request, ("", Operation::Delete), old, Some(old))
}

/// Runs the plugins that look at what is sent to a part of an object and never stored.
pub(crate) fn on_part(request: &ResourceRequest<'_>, sent: &Node<'_>) -> Result<(), StatusError> {
    everywhere(request, (&request.path.subresource, Operation::Create), sent, None)
}

fn everywhere(
    request: &ResourceRequest<'_>,
    what: (&str, Operation),
    object: &Node<'_>,
    old: Option<&Node<'_>>,
) -> Result<(), StatusError> {
    if !EVERYWHERE.iter().any(|name| request.app.plugins.is_on(name)) {
        return Ok(());
    }
    admit(request, what, &mut object.clone().into_owned(), old, |name| EVERYWHERE.contains(&name))
}

fn admit(
    request: &ResourceRequest<'_>,
    (part, operation): (&str, Operation),
    node: &mut Node<'static>,
    old: Option<&Node<'_>>,
    looks: fn(&str) -> bool,
) -> Result<(), StatusError> {
    let name = match request.path.name.as_str() {
        "" => node.text_at(&["metadata", "name"]).to_owned(),
        name => name.to_owned(),
    };
    let attributes = attributes(request, operation, part, &name, old);
    let started = Instant::now();
    let mut result = Ok(());
    for row in running(request).filter(|row| looks(row.name)) {
        let Some(admit) = row.admit else { continue };
        let started = Instant::now();
        let view = View::new(request);
        let said = admit(&attributes, node, &view);
        view.check()?;
        let was = (row.name, "admit", operation.word());
        request.app.metrics.plugin_ran(was, said.is_err(), started.elapsed());
        if let Err(denial) = said {
            result = Err(refusal(request, shown_name(request, node), denial));
            break;
        }
    }
    request.app.metrics.step_ran("admit", operation.word(), result.is_err(), started.elapsed());
    result
}

fn running<'a>(request: &'a ResourceRequest<'_>) -> impl Iterator<Item = &'static PluginRow> + 'a {
    PLUGINS.iter().filter(|row| request.app.plugins.is_on(row.name))
}

/// The plugins that are rules of the engine.
const JUDGES: [&str; 2] = ["PodSecurity", "DenyServiceExternalIPs"];

/// Judges a change: the engine validates it, then all plugins that look are run in turn until one refuses. Who never
/// got to a plugin is not counted by it.
pub(crate) async fn judge(
    request: &ResourceRequest<'_>,
    change: &Change<'_>,
) -> Result<(), StatusError> {
    let judgement = judgement::judge(request, change).await?;
    let (_, operation) = operation_of(change);
    let started = Instant::now();
    // Of those that look, only the quota stands behind the policies, and it is charged later.
    let result = validate(request, change, judgement).and_then(|()| policies::on_change(request, change));
    request.app.metrics.step_ran("validate", operation.word(), result.is_err(), started.elapsed());
    result
}

fn operation_of(change: &Change<'_>) -> (&'static str, Operation) {
    match change.is_create() {
        true => ("", Operation::Create),
        false => part_of(change.part),
    }
}

fn validate(
    request: &ResourceRequest<'_>,
    change: &Change<'_>,
    mut judgement: Judgement,
) -> Result<(), StatusError> {
    let (part, operation) = operation_of(change);
    let metrics = &request.app.metrics;
    let new = change.new_object();
    let old = change.old_object().map(ratchet_object::Object::node);
    let attributes = attributes(request, operation, part, new.name(), old);
    for row in running(request) {
        let was = (row.name, "validate", operation.word());
        if JUDGES.contains(&row.name) {
            let denial = judgement.denial.take_if(|(name, _)| *name == row.name);
            metrics.plugin_ran(was, denial.is_some(), judgement.took);
            if row.name == "PodSecurity" {
                metrics.count_pod_security(&judgement.tally);
            }
            if let Some((_, refusal)) = denial {
                return Err(refusal);
            }
        }
        let Some(validate) = row.validate else { continue };
        let started = Instant::now();
        let view = View::new(request);
        let said = validate(&attributes, new.node(), &view);
        view.check()?;
        metrics.plugin_ran(was, said.is_err(), started.elapsed());
        said.map_err(|denial| refusal(request, new.name(), denial))?;
    }
    // Rules that are on although their plugin has no row that is on.
    judgement.denial.map_or(Ok(()), |(_, refusal)| Err(refusal))
}

/// Waits a little for the default account of a namespace that has just been made.
async fn await_account(request: &ResourceRequest<'_>, node: &Node<'_>) -> Result<(), StatusError> {
    let row = request.resource.row;
    let name = node.text_at(&["spec", "serviceAccountName"]);
    let is_pod = (row.group, row.plural) == ("", "pods");
    if !is_pod || !matches!(name, "" | "default") || !request.app.plugins.is_on("ServiceAccount") {
        return Ok(());
    }
    let is_there = || {
        View::new(request).object("", "serviceaccounts", &request.path.namespace, "default").is_some()
    };
    for _ in 0..LOOKS {
        if is_there() {
            break;
        }
        tokio::time::sleep(PAUSE).await;
        request.app.cache.fresh().await?;
    }
    Ok(())
}
