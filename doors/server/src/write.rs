//! The one way into the store: an object is prepared, judged and committed, or refused.

use crate::admission;
use crate::cache::{Item, storable};
use crate::call::Call;
use crate::convert;
use crate::lifecycle::{self, Moment, metadata};
use crate::refusal::Refusal;
use crate::services;
use ratchet_engine::{Change, Part, StatusCause, Step};
use ratchet_object::{Node, Object, defaults, same};
use ratchet_store::{Act, Commit, Guard, Revision, Write};
use std::sync::Arc;

/// How often a write that names no version is tried again when somebody else was faster.
const TRIES: usize = 16;

/// What is told whose object names another namespace than the URL.
pub(crate) const OTHER_NAMESPACE: &str =
    "the namespace of the provided object does not match the namespace sent on the request";

/// What became of an update.
pub(crate) enum Saved {
    /// It is stored.
    Kept(Arc<Item>),
    /// It was the last thing that held the object; this is how it looked last.
    Gone(Arc<Item>),
}

/// What an update insists on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preconditions {
    /// The version that it replaces.
    pub version: Option<String>,
    /// The object's identity.
    pub uid: Option<String>,
}

/// Creates an object; `node` has the kind and version of the resource, and defaults.
pub(crate) async fn create(
    call: &Call<'_>,
    mut node: Node<'static>,
    dry_run: bool,
) -> Result<Arc<Item>, Refusal> {
    let served = call.served;
    admission::namespace_lifecycle(call, &node).await?;
    named(call, &mut node)?;
    let generate = node.text_at(&["metadata", "name"]).is_empty();
    let base = node.text_at(&["metadata", "generateName"]).to_owned();
    let length = call.told.len();
    for _ in 0..8 {
        let mut attempt = node.clone();
        if generate && !base.is_empty() {
            let name = if served.habits.plain_names { base.clone() } else { generated(&base) };
            attempt.below("metadata").set("name", Node::string(name));
        }
        call.told.rewind(length);
        match create_once(call, attempt, dry_run).await {
            Err(refusal) if refusal.reason == "AlreadyExists" && generate && !base.is_empty() => {}
            other => return other,
        }
    }
    Err(Refusal::no_unique_name(served.about(&base)))
}

/// Fills in and checks what the URL says about an object.
fn named(call: &Call<'_>, node: &mut Node<'static>) -> Result<(), Refusal> {
    let namespace = if call.served.row.namespaced { call.place.namespace.as_str() } else { "" };
    let said = node.text_at(&["metadata", "namespace"]);
    if !said.is_empty() && said != namespace && call.served.row.namespaced {
        return Err(Refusal::bad_request(OTHER_NAMESPACE));
    }
    let metadata = node.below("metadata");
    if namespace.is_empty() {
        metadata.remove("namespace");
    } else {
        metadata.set("namespace", Node::string(namespace.to_owned()));
    }
    Ok(())
}

/// A name that begins like `base` and is otherwise random.
pub(crate) fn generated(base: &str) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let end = (0..=58.min(base.len())).rev().find(|&at| base.is_char_boundary(at)).unwrap_or(0);
    let letter =
        |_| LETTERS.get(fastrand::usize(..LETTERS.len())).map_or('b', |&byte| char::from(byte));
    let suffix: String = (0..5).map(letter).collect();
    format!("{}{suffix}", base.get(..end).unwrap_or_default())
}

async fn create_once(
    call: &Call<'_>,
    mut node: Node<'static>,
    dry_run: bool,
) -> Result<Arc<Item>, Refusal> {
    let (app, served) = (call.app, call.served);
    if !node.text_at(&["metadata", "resourceVersion"]).is_empty() {
        return Err(Refusal::unclassified(
            "resourceVersion should not be set on objects to be created",
        ));
    }
    let now = app.now();
    metadata::birth(&mut node, served.habits, app.new_uid(), now.clone());
    let Some(kind) = served.kind else { return Err(Refusal::method_not_allowed()) };
    admission::mutate_create(call, &mut node).await?;
    admission::escalation(call, &node, None)?;
    let moment = Moment { user: call.user, now: &now };
    lifecycle::prepare_create(&mut node, &kind, served.habits, &moment);
    defaults::apply(served.row.group, served.row.version, served.row.kind, &mut node);
    services::prepare(app, &kind, &mut node, None);
    let object = Object::new(node);
    let change = Change { kind, part: Part::Main, step: Step::Create { new: &object } };
    let told = call.told.len();
    admission::judge(call, &change).await?;
    let name = object.name().to_owned();
    let judged = object.into_node();
    let key = served.key(&call.place.namespace, &name);
    for _ in 0..TRIES {
        let charged = admission::charge(call, Part::Main, &judged, None).await?;
        // A stored object that has this name is told before anything is taken from the allocators.
        app.cache.fresh().await?;
        if served.shelf.get(&served.shelf_key(&call.place.namespace, &name)).is_some() {
            return Err(Refusal::already_exists(served.about(&name)));
        }
        let mut node = judged.clone();
        // The allocators stand before the strategy: who is refused there is told nothing else.
        let claims =
            services::claim(app, &kind, &mut node, None).inspect_err(|_| call.told.rewind(told))?;
        served.respell(&mut node);
        convert::to_stored(&mut node, &served.api_version(), served.row.kind);
        let value = storable(node);
        if dry_run {
            return Ok(Arc::new(Item::unsaved(
                served.shelf_key(&call.place.namespace, &name).into(),
                &value,
            )));
        }
        let lives = (served.stored.kind == "Event").then_some(app.event_life);
        let mut writes = vec![Write {
            key: key.clone(),
            guard: Guard::Absent,
            act: Act::Put { value: value.clone(), lives },
        }];
        writes.extend(claims);
        writes.extend(charged.writes());
        writes.extend(admission::namespace_guard(call));
        match app.cache.store().commit(writes).await? {
            Commit::Done(revision) => {
                app.cache.wait_for(revision.0).await?;
                let shelf_key = served.shelf_key(&call.place.namespace, &name);
                return Ok(Arc::new(Item::stored(shelf_key.into(), revision.0, &value)));
            }
            Commit::Refused { key: taken, .. } if taken == key => {
                return Err(Refusal::already_exists(served.about(&name)));
            }
            // Somebody took the address, or changed the namespace or a quota meanwhile: look again.
            Commit::Refused { .. } => admission::namespace_lifecycle(call, &judged).await?,
        }
    }
    Err(Refusal::modified(served.about(&name)))
}

/// Changes a stored object: `edit` makes the new object (in the version of the request) from the old one.
pub(crate) async fn change(
    call: &Call<'_>,
    part: Part,
    dry_run: bool,
    mut edit: impl FnMut(&Node<'static>) -> Result<(Node<'static>, Preconditions), Refusal>,
) -> Result<Saved, Refusal> {
    let served = call.served;
    let length = call.told.len();
    for _ in 0..TRIES {
        call.told.rewind(length);
        let current = call.current().await?;
        let old = as_served(call, &current);
        let (new, conditions) = edit(&old)?;
        check_version_named(call, &new)?;
        check_conditions(call, &old, &conditions)?;
        if let Some(saved) = change_once(call, part, dry_run, &current, old, new).await? {
            return Ok(saved);
        }
        // Somebody was faster, here or at a quota: the next look tells whether a named version is gone.
    }
    Err(Refusal::modified(served.about(&call.place.name)))
}

/// A stored object in the version of the request, with kind and version.
pub(crate) fn as_served(call: &Call<'_>, item: &Item) -> Node<'static> {
    let served = call.served;
    let mut node = item.node();
    convert::from_stored(&mut node, &served.api_version(), served.row.kind);
    node.set("apiVersion", Node::string(served.api_version()));
    node.set("kind", Node::string(served.row.kind));
    node
}

/// Some kinds are only replaced by who says which version is replaced.
fn check_version_named(call: &Call<'_>, new: &Node<'_>) -> Result<(), Refusal> {
    let row = call.served.row;
    let version = new.text_at(&["metadata", "resourceVersion"]);
    if !call.served.habits.needs_version || !matches!(version, "" | "0") {
        return Ok(());
    }
    let cause = StatusCause {
        reason: "FieldValueInvalid",
        message: "Invalid value: 0: must be specified for an update".into(),
        field: "metadata.resourceVersion".into(),
    };
    // The reference names the resource where a kind is meant.
    Err(Refusal::invalid_object(row.plural, row.group, &call.place.name, vec![cause]))
}

fn check_conditions(
    call: &Call<'_>,
    old: &Node<'_>,
    wanted: &Preconditions,
) -> Result<(), Refusal> {
    let about = call.served.about(&call.place.name);
    if let Some(uid) = wanted.uid.as_deref().filter(|uid| !uid.is_empty()) {
        let stored = old.text_at(&["metadata", "uid"]);
        if uid != stored {
            let key = call.served.told_key(&call.place.namespace, &call.place.name);
            let why = format!(
                "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, UID in object meta: {stored}"
            );
            return Err(Refusal::conflict(about, &why));
        }
    }
    let version = wanted.version.as_deref().filter(|version| !matches!(*version, "" | "0"));
    if let Some(text) = version.filter(|version| version.parse::<u64>().is_err()) {
        let shown = ratchet_net::Quoted(text);
        let why = format!("strconv.ParseUint: parsing {shown}: invalid syntax");
        return Err(Refusal::unclassified(why));
    }
    match version {
        Some(version) if version != old.text_at(&["metadata", "resourceVersion"]) => {
            Err(Refusal::modified(about))
        }
        _ => Ok(()),
    }
}

/// Some kinds can only be replaced by who says which version he has seen.
fn without_version(call: &Call<'_>) -> Refusal {
    let cause = StatusCause {
        reason: "FieldValueInvalid",
        message: "Invalid value: 0: must be specified for an update".into(),
        field: "metadata.resourceVersion".into(),
    };
    let row = call.served.row;
    Refusal::invalid_object(row.plural, row.group, &call.place.name, vec![cause])
}

/// One attempt; none if somebody else was faster.
async fn change_once(
    call: &Call<'_>,
    part: Part,
    dry_run: bool,
    current: &Arc<Item>,
    old: Node<'static>,
    mut new: Node<'static>,
) -> Result<Option<Saved>, Refusal> {
    let (app, served) = (call.app, call.served);
    let Some(kind) = served.kind else { return Err(Refusal::method_not_allowed()) };
    let is_vague = new.text_at(&["metadata", "resourceVersion"]).is_empty();
    if is_vague && served.habits.needs_version {
        return Err(without_version(call));
    }
    defaults::apply(served.row.group, served.row.version, served.row.kind, &mut new);
    served.complete(&mut new);
    admission::mutate_update(call, &mut new, &old, part).await?;
    admission::escalation(call, &new, Some(&old))?;
    // What is stored was spelled so: only what differs from it then has changed.
    served.respell(&mut new);
    lifecycle::prepare_update(&mut new, &old, &kind, served.habits, part);
    metadata::renewal(&mut new, &old, served.habits);
    if matches!(part, Part::Sub("status" | "binding")) {
        metadata::keep_generation(&mut new, &old);
    }
    // What replaces the stored version is judged as of that version.
    new.below("metadata").set("resourceVersion", Node::string(current.revision.to_string()));
    if part == Part::Main {
        services::prepare(app, &kind, &mut new, Some(&old));
    }
    let (new, old) = (Object::new(new), Object::new(old));
    let change = Change { kind, part, step: Step::Update { old: &old, new: &new } };
    let told = call.told.len();
    admission::judge(call, &change).await?;
    let (mut new, old) = (new.into_node(), old.into_node());
    let charged = admission::charge(call, part, &new, Some(&old)).await?;
    let claims = match part {
        Part::Main => services::claim(app, &kind, &mut new, Some(&old))
            .inspect_err(|_| call.told.rewind(told))?,
        Part::Sub(_) => Vec::new(),
    };
    served.respell(&mut new);
    let goes = metadata::may_go(&new) && !held_by_spec(&kind, &new);
    if !goes && same_object(&new, &old) {
        return Ok(Some(Saved::Kept(current.clone())));
    }
    convert::to_stored(&mut new, &served.api_version(), served.row.kind);
    let value = storable(new);
    let key = served.key(&call.place.namespace, &call.place.name);
    let shelf_key: Arc<str> = current.key.clone();
    if dry_run {
        let item = Arc::new(Item::stored(shelf_key, current.revision, &value));
        return Ok(Some(if goes { Saved::Gone(item) } else { Saved::Kept(item) }));
    }
    let lives = (served.stored.kind == "Event").then_some(app.event_life);
    let act = if goes { Act::Delete } else { Act::Put { value: value.clone(), lives } };
    let mut writes = vec![Write { key, guard: Guard::At(Revision(current.revision)), act }];
    if goes {
        writes.extend(services::release(app, &kind, &old));
    } else {
        writes.extend(claims);
        writes.extend(charged.writes());
    }
    match app.cache.store().commit(writes).await? {
        Commit::Done(revision) => {
            app.cache.wait_for(revision.0).await?;
            let item = Arc::new(Item::stored(shelf_key, revision.0, &value));
            Ok(Some(if goes { Saved::Gone(item) } else { Saved::Kept(item) }))
        }
        Commit::Refused { .. } => Ok(None),
    }
}

/// Namespaces are held by a list in their spec as well.
pub(crate) fn held_by_spec(kind: &ratchet_object::Kind<'_>, node: &Node<'_>) -> bool {
    (kind.group, kind.name) == ("", "Namespace")
        && node.find(&["spec", "finalizers"]).is_some_and(|list| !list.items().is_empty())
}

/// Whether nothing would change: the resource version does not count.
fn same_object(new: &Node<'_>, old: &Node<'_>) -> bool {
    let without = |node: &Node<'_>| {
        let mut node = node.clone().into_owned();
        node.below("metadata").remove("resourceVersion");
        node
    };
    same(Some(&without(new)), Some(&without(old)))
}
