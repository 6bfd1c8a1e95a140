//! The admission plugins: mutating ones, later validating ones, each in the order of the table.

use super::judgement::{self, Judgement};
use super::plugin_cluster::PluginCluster;
use super::policies;
use crate::resource_request::ResourceRequest;
use crate::status::{About, StatusError};
use ratchet_admission::{Cluster, Denial, Operation, PLUGINS, PluginRow, Request};
use ratchet_engine::{Change, Part};
use ratchet_object::Node;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, MutexGuard};

/// Attempts and pause while waiting for the default service account, which a controller creates with its namespace.
const ACCOUNT_TRIES: usize = 10;
const ACCOUNT_PAUSE: Duration = Duration::from_millis(100);

/// The plugins that also handle deletions and subresources that are not stored.
const UNSTORED_PLUGINS: [&str; 2] = ["NodeRestriction", "AlwaysDeny"];

/// The enabled admission plugins.
pub struct Plugins {
    enabled: Vec<&'static str>,
    /// Locks by namespace: requests that charge a quota queue here instead of conflicting in the store.
    quota_locks: [Mutex<()>; 64],
}

impl Plugins {
    /// Enables only these plugins.
    pub fn new(names: Vec<&'static str>) -> Self {
        Self { enabled: names, quota_locks: std::array::from_fn(|_| Mutex::new(())) }
    }

    /// Whether a plugin is enabled.
    pub fn is_on(&self, name: &str) -> bool {
        self.enabled.contains(&name)
    }

    /// Locks the quotas of a namespace.
    pub(super) async fn lock_quotas(&self, namespace: &str) -> Option<MutexGuard<'_, ()>> {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(namespace);
        let at = usize::try_from(hash % 64).unwrap_or(0);
        Some(self.quota_locks.get(at)?.lock().await)
    }
}

/// The admission attributes of a request.
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
        minor: request.app.api_config.emulated.minor(),
        old,
    }
}

/// Subresource and operation of an update; `binding` counts as a create.
pub(super) fn subresource_of(part: Part) -> (&'static str, Operation) {
    match part {
        Part::Main => ("", Operation::Update),
        Part::Sub("binding") => ("binding", Operation::Create),
        Part::Sub(name) => (name, Operation::Update),
    }
}

/// The object's name in error messages; `generateName` while the name is generated.
fn display_name<'n>(request: &'n ResourceRequest<'_>, node: &'n Node<'_>) -> &'n str {
    let name = node.text_at(&["metadata", "name"]);
    let base = node.text_at(&["metadata", "generateName"]);
    let is_generated = |rest: &str| rest.len() == 5;
    match request.path.name.as_str() {
        "" if !base.is_empty() && name.strip_prefix(base).is_some_and(is_generated) => base,
        "" => name,
        named => named,
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

/// Runs the mutating plugins on a new object.
pub(crate) async fn mutate_create(
    request: &ResourceRequest<'_>,
    node: &mut Node<'static>,
) -> Result<(), StatusError> {
    if !request.resource.row.namespaced {
        // For namespaced objects NamespaceLifecycle has just refreshed the cache.
        request.app.cache.fresh().await?;
    }
    await_account(request, node).await?;
    admit(request, ("", Operation::Create), node, None, |_| true)
}

/// Runs the mutating plugins on an update.
pub(crate) async fn mutate_update(
    request: &ResourceRequest<'_>,
    new: &mut Node<'static>,
    old: &Node<'static>,
    part: Part,
) -> Result<(), StatusError> {
    admit(request, subresource_of(part), new, Some(old), |_| true)
}

/// Runs the plugins that handle deletions.
pub(crate) fn on_delete(request: &ResourceRequest<'_>, old: &Node<'_>) -> Result<(), StatusError> {
    admit_unstored(request, ("", Operation::Delete), old, Some(old))
}

/// Runs the plugins that handle subresources that are not stored.
pub(crate) fn on_part(request: &ResourceRequest<'_>, sent: &Node<'_>) -> Result<(), StatusError> {
    admit_unstored(request, (&request.path.subresource, Operation::Create), sent, None)
}

fn admit_unstored(
    request: &ResourceRequest<'_>,
    what: (&str, Operation),
    object: &Node<'_>,
    old: Option<&Node<'_>>,
) -> Result<(), StatusError> {
    if !UNSTORED_PLUGINS.iter().any(|name| request.app.plugins.is_on(name)) {
        return Ok(());
    }
    admit(request, what, &mut object.clone().into_owned(), old, |name| {
        UNSTORED_PLUGINS.contains(&name)
    })
}

fn admit(
    request: &ResourceRequest<'_>,
    (part, operation): (&str, Operation),
    node: &mut Node<'static>,
    old: Option<&Node<'_>>,
    selects: fn(&str) -> bool,
) -> Result<(), StatusError> {
    let name = match request.path.name.as_str() {
        "" => node.text_at(&["metadata", "name"]).to_owned(),
        name => name.to_owned(),
    };
    let attributes = attributes(request, operation, part, &name, old);
    let started = Instant::now();
    let mut result = Ok(());
    for row in enabled_plugins(request).filter(|row| selects(row.name)) {
        let Some(admit) = row.admit else { continue };
        let started = Instant::now();
        let cluster = PluginCluster::new(request);
        let admitted = admit(&attributes, node, &cluster);
        cluster.check()?;
        let labels = (row.name, "admit", operation.as_str());
        request.app.metrics.plugin_ran(labels, admitted.is_err(), started.elapsed());
        if let Err(denial) = admitted {
            result = Err(status_error(request, display_name(request, node), denial));
            break;
        }
    }
    request.app.metrics.step_ran("admit", operation.as_str(), result.is_err(), started.elapsed());
    result
}

fn enabled_plugins<'a>(
    request: &'a ResourceRequest<'_>,
) -> impl Iterator<Item = &'static PluginRow> + 'a {
    PLUGINS.iter().filter(|row| request.app.plugins.is_on(row.name))
}

/// The plugins that the engine implements.
const ENGINE_PLUGINS: [&str; 2] = ["PodSecurity", "DenyServiceExternalIPs"];

/// Validates a change by the engine, then runs the validating plugins and policies until one denies. Metrics count
/// only the plugins that ran.
pub(crate) async fn judge(
    request: &ResourceRequest<'_>,
    change: &Change<'_>,
) -> Result<(), StatusError> {
    let judgement = judgement::judge(request, change).await?;
    let (_, operation) = operation_of(change);
    let started = Instant::now();
    // Only the quota comes after the policies; it is charged at commit.
    let result =
        validate(request, change, judgement).and_then(|()| policies::on_change(request, change));
    request.app.metrics.step_ran(
        "validate",
        operation.as_str(),
        result.is_err(),
        started.elapsed(),
    );
    result
}

fn operation_of(change: &Change<'_>) -> (&'static str, Operation) {
    match change.is_create() {
        true => ("", Operation::Create),
        false => subresource_of(change.part),
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
    for row in enabled_plugins(request) {
        let labels = (row.name, "validate", operation.as_str());
        if ENGINE_PLUGINS.contains(&row.name) {
            let denial = judgement.denial.take_if(|(name, _)| *name == row.name);
            metrics.plugin_ran(labels, denial.is_some(), judgement.duration);
            if row.name == "PodSecurity" {
                metrics.count_pod_security(&judgement.pod_security);
            }
            if let Some((_, error)) = denial {
                return Err(error);
            }
        }
        let Some(validate) = row.validate else { continue };
        let started = Instant::now();
        let cluster = PluginCluster::new(request);
        let result = validate(&attributes, new.node(), &cluster);
        cluster.check()?;
        metrics.plugin_ran(labels, result.is_err(), started.elapsed());
        result.map_err(|denial| status_error(request, new.name(), denial))?;
    }
    // A denial whose plugin is not enabled in the table.
    judgement.denial.map_or(Ok(()), |(_, error)| Err(error))
}

/// Waits for the default service account of a new namespace.
async fn await_account(request: &ResourceRequest<'_>, node: &Node<'_>) -> Result<(), StatusError> {
    let row = request.resource.row;
    let name = node.text_at(&["spec", "serviceAccountName"]);
    let is_pod = (row.group, row.plural) == ("", "pods");
    if !is_pod || !matches!(name, "" | "default") || !request.app.plugins.is_on("ServiceAccount") {
        return Ok(());
    }
    let is_there = || {
        PluginCluster::new(request)
            .object("", "serviceaccounts", &request.path.namespace, "default")
            .is_some()
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
