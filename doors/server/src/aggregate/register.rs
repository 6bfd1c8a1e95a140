//! The APIServices of what this server serves itself, written without anybody asking for them.

use super::order;
use crate::app::App;
use crate::app::aggregator::api_service::{GROUP, MANAGED};
use crate::registry::{ServedResource, local_api_service_condition, metadata};
use crate::status::StatusError;
use crate::storage::cache::{Item, START_LIMIT, WAIT_LIMIT, storable};
use ratchet_object::Node;
use ratchet_store::{Commit, Guard, Revision, Write};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// Written once, when the server starts; a user's change after that stays.
const ON_START: &str = "onstart";
/// Kept as it is.
const ALWAYS: &str = "true";

/// The storage name of definitions.
const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";

/// The time that a definition may need to be served after it was written.
const LATER: Duration = Duration::from_millis(100);
/// How often a commit is tried that another server was faster than.
const ATTEMPTS: usize = 4;

/// A version that this server serves.
struct Wanted {
    group: String,
    version: String,
    managed: &'static str,
}

impl Wanted {
    /// The spec of its APIService.
    fn spec(&self) -> Node<'static> {
        let (group_priority, version_priority) = order::local(&self.group, &self.version);
        let group = (!self.group.is_empty()).then(|| ("group", Node::string(self.group.clone())));
        Node::map(group.into_iter().chain([
            ("groupPriorityMinimum", Node::int(group_priority)),
            ("version", Node::string(self.version.clone())),
            ("versionPriority", Node::int(version_priority)),
        ]))
    }
}

fn wanted(app: &App) -> BTreeMap<String, Wanted> {
    let served = app.registry.now();
    let mut all = BTreeMap::new();
    let mut last = ("", "");
    for resource in served.all() {
        let row = resource.row();
        // The resources of a version stand together.
        if row.group == GROUP || last == (row.group, row.version) {
            continue;
        }
        last = (row.group, row.version);
        let managed = match order::built_in(row.group, row.version) {
            Some(_) => ON_START,
            None => ALWAYS,
        };
        let (group, version) = (row.group.to_owned(), row.version.to_owned());
        all.insert(format!("{version}.{group}"), Wanted { group, version, managed });
    }
    all
}

/// Writes the APIServices if what is served has changed since they were written.
pub(crate) async fn settle(app: &App) -> Result<(), StatusError> {
    let registration = &app.aggregator.registration;
    if registration.settled.load(Ordering::Acquire) > app.registry.now().generation() {
        return Ok(());
    }
    write_changed(app).await
}

async fn write_changed(app: &App) -> Result<(), StatusError> {
    let registration = &app.aggregator.registration;
    let _writing = registration.writing.lock().await;
    let is_start = registration.settled.load(Ordering::Acquire) == 0;
    let limit = if is_start { START_LIMIT } else { WAIT_LIMIT };
    let Some(resource) = app.registry.find(GROUP, "v1", "apiservices") else { return Ok(()) };
    for _ in 0..ATTEMPTS {
        app.cache.fresh_within(limit).await?;
        let generation = app.registry.now().generation();
        let writes = writes(app, &resource, is_start)?;
        if !writes.is_empty() {
            let each = writes.into_iter().map(|write| vec![write]);
            match app.cache.commit_parts(each, limit).await? {
                Commit::Done(_) => {}
                Commit::Refused { .. } => continue,
            }
        }
        registration.settled.store(generation + 1, Ordering::Release);
        return Ok(());
    }
    Ok(())
}

fn writes(
    app: &App,
    resource: &Arc<ServedResource>,
    is_start: bool,
) -> Result<Vec<Write>, StatusError> {
    let (now, registration) = (app.now(), &app.aggregator.registration);
    let (wanted, snapshot) = (wanted(app), resource.cache.now());
    let mut checked = registration.checked.lock().unwrap_or_else(PoisonError::into_inner);
    let mut writes = Vec::new();
    for (name, wanted) in &wanted {
        let is_once = wanted.managed == ON_START;
        if is_once && !is_start {
            continue;
        }
        let Some(item) = resource.cache.find(name)? else {
            let mut new = object(name, wanted, &now);
            metadata::fill_system_fields(&mut new, resource.strategy(), app.new_uid(), now.clone());
            resource.canonicalize(&mut new);
            let key = resource.key("", name);
            writes.push(Write::put(&key, Guard::Absent, storable(&new)?.bytes()));
            continue;
        };
        // What is wanted of a version is always the same: an object that was right is right until it changes.
        if checked.get(&item.key) == Some(&item.revision) {
            continue;
        }
        match updated(&item, wanted, is_start) {
            Some(new) => {
                let (key, guard) = (resource.key("", name), Guard::At(Revision(item.revision)));
                writes.push(Write::put(&key, guard, storable(&new)?.bytes()));
            }
            None => {
                checked.insert(item.key.clone(), item.revision);
            }
        }
    }
    checked.retain(|name, _| wanted.contains_key(&**name));
    // At the start definitions may not be served yet: what is about them is not spare for that.
    let are_served =
        app.registry.now().generation() > 0 || app.cache.resource_cache(DEFINITIONS).is_empty();
    let is_known = |item: &&Arc<Item>| are_served || item.read(managed) != ALWAYS;
    let spare = snapshot.items.values().filter(|item| !wanted.contains_key(&*item.key));
    let spare = spare.filter(is_known);
    for item in spare.filter(|item| is_spare(item, is_start)) {
        let guard = Guard::At(Revision(item.revision));
        writes.push(Write::delete(&resource.key("", &item.key), guard));
    }
    Ok(writes)
}

fn managed(node: &Node<'_>) -> String {
    node.text_at(&["metadata", "labels", MANAGED]).to_owned()
}

/// The stored object with the wanted spec; none if it has it, or if it is not this server's to change.
fn updated(item: &Item, wanted: &Wanted, is_start: bool) -> Option<Node<'static>> {
    let mut node = item.node();
    let is_ours = match managed(&node).as_str() {
        ON_START => is_start,
        managed => managed == ALWAYS,
    };
    let spec = wanted.spec();
    let is_equal = node.get("spec").is_some_and(|stored| is_equal(stored, &spec));
    if !is_ours || is_equal {
        return None;
    }
    node.set("spec", spec);
    Some(node)
}

/// Whether two specs have the same members with the same texts and numbers.
fn is_equal(one: &Node<'_>, other: &Node<'_>) -> bool {
    let sorted = |node: &Node<'_>| {
        let entries = node.entries().iter();
        entries
            .map(|entry| (entry.key.to_string(), entry.node.to_json()))
            .collect::<BTreeMap<_, _>>()
    };
    sorted(one) == sorted(other)
}

/// Whether a stored object is of a version that this server served once.
fn is_spare(item: &Item, is_start: bool) -> bool {
    item.read(|node| {
        let finalizers = node.find(&["metadata", "finalizers"]).map(Node::items);
        let is_ours = match managed(node).as_str() {
            ON_START => is_start,
            managed => managed == ALWAYS,
        };
        is_ours && finalizers.unwrap_or_default().is_empty()
    })
}

fn object(name: &str, wanted: &Wanted, now: &str) -> Node<'static> {
    let labels = Node::map([(MANAGED, Node::string(wanted.managed))]);
    let metadata = Node::map([("name", Node::string(name.to_owned())), ("labels", labels)]);
    let conditions = Node::list(vec![local_api_service_condition(now)]);
    Node::map([
        ("metadata", metadata),
        ("spec", wanted.spec()),
        ("status", Node::map([("conditions", conditions)])),
    ])
}

/// Keeps the APIServices of custom resources until the task is aborted.
pub(super) async fn keep(app: Arc<App>) {
    let definitions = app.cache.resource_cache(DEFINITIONS);
    let mut defined = definitions.changes();
    let mut changed = app.aggregator.services.cache.changes();
    loop {
        let is_defined = tokio::select! {
            defined = defined.changed() => defined.map(|()| true),
            changed = changed.changed() => changed.map(|()| false),
        };
        let Ok(is_defined) = is_defined else { return };
        if is_defined {
            tokio::time::sleep(LATER).await;
        }
        if let Err(error) = write_changed(&app).await {
            tracing::warn!(
                error = error.message,
                "the APIServices of this server could not be written"
            );
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}
