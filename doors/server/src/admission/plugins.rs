//! The plugins of the chain, run one after another: first those that change objects, later those that only look.

use super::judgement::{self, Judgement};
use super::policies;
use super::view::View;
use crate::call::Call;
use crate::refusal::{About, Refusal};
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
pub(super) fn request<'a>(
    call: &'a Call<'_>,
    operation: Operation,
    part: &'a str,
    name: &'a str,
    old: Option<&'a Node<'a>>,
) -> Request<'a> {
    let row = call.served.row;
    Request {
        operation,
        group: row.group,
        version: row.version,
        resource: row.plural,
        subresource: part,
        namespace: if row.namespaced { &call.place.namespace } else { "" },
        name,
        user: call.user,
        minor: call.app.policy.emulated.minor(),
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
fn shown_name<'n>(call: &'n Call<'_>, node: &'n Node<'_>) -> &'n str {
    let name = node.text_at(&["metadata", "name"]);
    let base = node.text_at(&["metadata", "generateName"]);
    let is_generated = |rest: &str| rest.len() == 5;
    match call.place.name.as_str() {
        "" if !base.is_empty() && name.strip_prefix(base).is_some_and(is_generated) => base,
        "" => name,
        named => named,
    }
}

/// What a plugin says, as an answer.
pub(super) fn refusal(call: &Call<'_>, name: &str, denial: Denial) -> Refusal {
    match denial {
        Denial::Forbidden(why) => Refusal::forbidden(call.served.about(name), &why),
        Denial::ForbiddenBecause(why, cause) => {
            Refusal::forbidden(call.served.about(name), &why).because(cause, "", "")
        }
        Denial::NotFound { resource, name } => {
            Refusal::not_found(About { group: "", resource, name: &name })
        }
    }
}

/// Runs the plugins that change a new object.
pub(crate) async fn mutate_create(
    call: &Call<'_>,
    node: &mut Node<'static>,
) -> Result<(), Refusal> {
    if !call.served.row.namespaced {
        // For what is in a namespace, NamespaceLifecycle has just looked.
        call.app.cache.fresh().await?;
    }
    await_account(call, node).await?;
    admit(call, ("", Operation::Create), node, None, |_| true)
}

/// Runs the plugins that change an update.
pub(crate) async fn mutate_update(
    call: &Call<'_>,
    new: &mut Node<'static>,
    old: &Node<'static>,
    part: Part,
) -> Result<(), Refusal> {
    admit(call, part_of(part), new, Some(old), |_| true)
}

/// Runs the plugins that look at deletions.
pub(crate) fn on_delete(call: &Call<'_>, old: &Node<'_>) -> Result<(), Refusal> {
    everywhere(call, ("", Operation::Delete), old, Some(old))
}

/// Runs the plugins that look at what is sent to a part of an object and never stored.
pub(crate) fn on_part(call: &Call<'_>, sent: &Node<'_>) -> Result<(), Refusal> {
    everywhere(call, (&call.place.subresource, Operation::Create), sent, None)
}

fn everywhere(
    call: &Call<'_>,
    what: (&str, Operation),
    object: &Node<'_>,
    old: Option<&Node<'_>>,
) -> Result<(), Refusal> {
    if !EVERYWHERE.iter().any(|name| call.app.plugins.is_on(name)) {
        return Ok(());
    }
    admit(call, what, &mut object.clone().into_owned(), old, |name| EVERYWHERE.contains(&name))
}

fn admit(
    call: &Call<'_>,
    (part, operation): (&str, Operation),
    node: &mut Node<'static>,
    old: Option<&Node<'_>>,
    looks: fn(&str) -> bool,
) -> Result<(), Refusal> {
    let name = match call.place.name.as_str() {
        "" => node.text_at(&["metadata", "name"]).to_owned(),
        name => name.to_owned(),
    };
    let request = request(call, operation, part, &name, old);
    let begun = Instant::now();
    let mut result = Ok(());
    for row in running(call).filter(|row| looks(row.name)) {
        let Some(admit) = row.admit else { continue };
        let begun = Instant::now();
        let view = View::new(call);
        let said = admit(&request, node, &view);
        view.check()?;
        let was = (row.name, "admit", operation.word());
        call.app.metrics.plugin_ran(was, said.is_err(), begun.elapsed());
        if let Err(denial) = said {
            result = Err(refusal(call, shown_name(call, node), denial));
            break;
        }
    }
    call.app.metrics.step_ran("admit", operation.word(), result.is_err(), begun.elapsed());
    result
}

fn running<'a>(call: &'a Call<'_>) -> impl Iterator<Item = &'static PluginRow> + 'a {
    PLUGINS.iter().filter(|row| call.app.plugins.is_on(row.name))
}

/// The plugins that are rules of the engine.
const JUDGES: [&str; 2] = ["PodSecurity", "DenyServiceExternalIPs"];

/// Judges a change: the engine validates it, then all plugins that look are run in turn until one refuses. Who never
/// got to a plugin is not counted by it.
pub(crate) async fn judge(call: &Call<'_>, change: &Change<'_>) -> Result<(), Refusal> {
    let judgement = judgement::judge(call, change).await?;
    let (_, operation) = operation_of(change);
    let begun = Instant::now();
    // Of those that look, only the quota stands behind the policies, and it is charged later.
    let result = match validate(call, change, judgement) {
        Ok(()) => policies::on_change(call, change).await,
        refused => refused,
    };
    call.app.metrics.step_ran("validate", operation.word(), result.is_err(), begun.elapsed());
    result
}

fn operation_of(change: &Change<'_>) -> (&'static str, Operation) {
    match change.is_create() {
        true => ("", Operation::Create),
        false => part_of(change.part),
    }
}

fn validate(call: &Call<'_>, change: &Change<'_>, mut judgement: Judgement) -> Result<(), Refusal> {
    let (part, operation) = operation_of(change);
    let metrics = &call.app.metrics;
    let new = change.new_object();
    let old = change.old_object().map(ratchet_object::Object::node);
    let request = request(call, operation, part, new.name(), old);
    for row in running(call) {
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
        let begun = Instant::now();
        let view = View::new(call);
        let said = validate(&request, new.node(), &view);
        view.check()?;
        metrics.plugin_ran(was, said.is_err(), begun.elapsed());
        said.map_err(|denial| refusal(call, new.name(), denial))?;
    }
    // Rules that are on although their plugin has no row that is on.
    judgement.denial.map_or(Ok(()), |(_, refusal)| Err(refusal))
}

/// Waits a little for the default account of a namespace that has just been made.
async fn await_account(call: &Call<'_>, node: &Node<'_>) -> Result<(), Refusal> {
    let row = call.served.row;
    let name = node.text_at(&["spec", "serviceAccountName"]);
    let is_pod = (row.group, row.plural) == ("", "pods");
    if !is_pod || !matches!(name, "" | "default") || !call.app.plugins.is_on("ServiceAccount") {
        return Ok(());
    }
    let is_there = || {
        View::new(call).object("", "serviceaccounts", &call.place.namespace, "default").is_some()
    };
    for _ in 0..LOOKS {
        if is_there() {
            break;
        }
        tokio::time::sleep(PAUSE).await;
        call.app.cache.fresh().await?;
    }
    Ok(())
}
