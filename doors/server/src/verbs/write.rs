//! Create and update of stored objects: admission, strategy, validation and commit, with retries.

use crate::admission::{self, Chain};
use crate::app::resource_request::ResourceRequest;
use crate::registry::{CreateContext, Deletion, ServedResource, metadata, partial};
use crate::request::body::LIMIT;
use crate::status::StatusError;
use crate::storage::cache::{Item, Stored, storable, storable_as};
use crate::verbs::managed_fields::{self, Tracking};
use crate::verbs::owners::{self, DedupStage};
use ratchet_engine::{Part, StatusCause};
use ratchet_object::{Kind, Node};
use ratchet_pipeline::Defaulted;
use ratchet_store::{Commit, Guard, Operation, Revision, Write};
use std::sync::Arc;
use std::time::Duration;

/// The number of attempts when a write conflicts with another one.
const TRIES: usize = 16;

/// The error message where the object's namespace differs from the URL's.
pub(crate) const NAMESPACE_MISMATCH: &str =
    "the namespace of the provided object does not match the namespace sent on the request";

/// The number of names that are tried for `generateName`.
const NAME_TRIES: usize = 8;

/// The preconditions of an update; an empty field is no condition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preconditions {
    /// `resourceVersion`.
    version: String,
    /// `uid`, which a new object of the same name does not have.
    uid: String,
}

impl Preconditions {
    /// The `resourceVersion` and `uid` in the metadata of an update.
    pub(crate) fn of(sent: &Node<'_>) -> Self {
        let field = |name| sent.text_at(&["metadata", name]).to_owned();
        Self { version: field("resourceVersion"), uid: field("uid") }
    }

    /// The same without the `uid`.
    pub(crate) fn without_uid(self) -> Self {
        Self { uid: String::new(), ..self }
    }

    /// Checks the `uid` alone: only what mutating admission leaves must have the right version.
    fn check_uid(&self, request: &ResourceRequest<'_>, old: &Node<'_>) -> Result<(), StatusError> {
        Self { version: String::new(), uid: self.uid.clone() }.check(request, old)
    }

    /// Checks the version; mutating admission may have changed the one that was sent.
    fn check_version(
        &self,
        request: &ResourceRequest<'_>,
        (sent, new): (&str, &Node<'_>),
        old: &Node<'_>,
    ) -> Result<(), StatusError> {
        let admitted = new.text_at(&["metadata", "resourceVersion"]);
        let version = if admitted == sent { &self.version } else { admitted };
        Self { version: version.to_owned(), uid: String::new() }.check(request, old)
    }

    /// Checks that the `resourceVersion` is a number, whatever it is.
    pub(crate) fn check_syntax(&self) -> Result<(), StatusError> {
        let is_named = !matches!(self.version.as_str(), "" | "0");
        if is_named && self.version.parse::<u64>().is_err() {
            let quoted = ratchet_net::Quoted(&self.version);
            let why = format!("strconv.ParseUint: parsing {quoted}: invalid syntax");
            return Err(StatusError::unclassified(why));
        }
        Ok(())
    }

    /// Checks the conditions against the stored object; `old` is an empty map where there is none.
    pub(crate) fn check(
        &self,
        request: &ResourceRequest<'_>,
        old: &Node<'_>,
    ) -> Result<(), StatusError> {
        let about = request.resource.about(&request.path.name);
        let stored = old.text_at(&["metadata", "uid"]);
        if !self.uid.is_empty() && self.uid != stored {
            let key = request.resource.etcd_key(&request.path.namespace, &request.path.name);
            let uid = &self.uid;
            let why = format!(
                "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, UID in object meta: {stored}"
            );
            return Err(StatusError::conflict(about, &why));
        }
        self.check_syntax()?;
        let is_named = !matches!(self.version.as_str(), "" | "0");
        if is_named && self.version != old.text_at(&["metadata", "resourceVersion"]) {
            return Err(StatusError::modified(about));
        }
        Ok(())
    }
}

/// Creates an object of the kind and version of the resource.
pub(crate) async fn create(
    request: &ResourceRequest<'_>,
    mut node: Defaulted<'static, '_>,
    dry_run: bool,
    tracking: Tracking,
) -> Result<Arc<Item>, StatusError> {
    let resource = request.resource;
    let name = match node.text_at(&["metadata", "name"]) {
        "" => node.text_at(&["metadata", "generateName"]),
        name => name,
    };
    request.app.definitions.creation_guard(resource, name)?;
    metadata::wipe_system_fields(&mut node);
    set_namespace(request, &mut node)?;
    if tracking == Tracking::Update {
        owners::deduplicate(request, &mut node, DedupStage::Request);
        managed_fields::track_create(request, &mut node);
    }
    // No plugin of our own changes who owns what.
    let entries = Chain::has_mutators(request).then(|| managed_fields::entries(&node));
    Chain::of(request.app).admit_create(request, &mut node).await?;
    if let Some(entries) = entries {
        managed_fields::check_admitted(request, entries, &mut node);
    }
    owners::deduplicate(request, &mut node, DedupStage::Admitted);
    admission::escalation(request, &node, None)?;
    set_namespace(request, &mut node)?;
    let generate = node.text_at(&["metadata", "name"]).is_empty();
    let base = node.text_at(&["metadata", "generateName"]).to_owned();
    if !generate || base.is_empty() {
        return create_once(request, node, dry_run).await;
    }
    let warning_count = request.warnings.len();
    let mut name = String::new();
    for _ in 0..NAME_TRIES {
        name = if resource.strategy().uses_name_as_is {
            base.clone()
        } else {
            metadata::generate_name(&base)
        };
        let mut named = node.clone();
        named.map_mut("metadata").set("name", Node::string(name.clone()));
        request.warnings.truncate(warning_count);
        match create_once(request, named, dry_run).await {
            Err(error) if error.reason == "AlreadyExists" => {}
            other => return other,
        }
    }
    Err(StatusError::no_unique_name(resource.about(&name)))
}

/// Checks the object's namespace against the URL's and fills it in.
pub(crate) fn set_namespace(
    request: &ResourceRequest<'_>,
    node: &mut Node<'static>,
) -> Result<(), StatusError> {
    let namespace =
        if request.resource.row().namespaced { request.path.namespace.as_str() } else { "" };
    let stated = node.text_at(&["metadata", "namespace"]);
    if !stated.is_empty() && stated != namespace && request.resource.row().namespaced {
        return Err(StatusError::bad_request(NAMESPACE_MISMATCH));
    }
    let metadata = node.map_mut("metadata");
    if namespace.is_empty() {
        metadata.remove("namespace");
    } else {
        metadata.set("namespace", Node::string(namespace.to_owned()));
    }
    Ok(())
}

async fn create_once(
    request: &ResourceRequest<'_>,
    mut node: Defaulted<'static, '_>,
    dry_run: bool,
) -> Result<Arc<Item>, StatusError> {
    let (app, resource) = (request.app, request.resource);
    let now = app.now();
    metadata::fill_system_fields(&mut node, resource.strategy(), app.new_uid(), now.clone());
    let Some(kind) = resource.kind() else { return Err(StatusError::method_not_allowed()) };
    let context = CreateContext { gates: &app.api_config.gates, user: request.user, now: &now };
    resource.strategy().prepare_for_create(&mut node, &kind, &context);
    resource.object_type().prepare_for_create(&mut node);
    let mut node = node.with_defaults_of_additions();
    app.services().prepare(resource.strategy(), &mut node, None);
    let mut unallocated =
        app.services().draft(resource.strategy(), &mut node, None, dry_run, &app.api_config)?;
    let paired = node.pair(None);
    let warning_count = request.warnings.len();
    Chain::of(app).validate(request, &paired).await?;
    let (mut validated, _) = paired.into_nodes();
    resource.strategy().complete_valid(&mut validated);
    for _ in 0..TRIES {
        let committed = commit_new(request, &mut validated, warning_count, dry_run).await;
        match (committed, unallocated.take()) {
            (Ok(Some(item)), _) => return resource.serve_one(item).await,
            // What was chosen before validation may be the reason: something else is chosen then.
            (_, Some(node)) => {
                validated = node;
                resource.strategy().complete_valid(&mut validated);
            }
            (Ok(None), None) => {}
            (Err(error), None) => return Err(error),
        }
    }
    Err(StatusError::modified(resource.about(validated.text_at(&["metadata", "name"]))))
}

/// One attempt to commit a validated new object; none if an address was taken, or the namespace or a quota changed,
/// meanwhile: then the object can be tried again.
async fn commit_new(
    request: &ResourceRequest<'_>,
    validated: &mut Node<'static>,
    warning_count: usize,
    dry_run: bool,
) -> Result<Option<Arc<Item>>, StatusError> {
    let (app, resource) = (request.app, request.resource);
    let name = &*validated.text_at(&["metadata", "name"]).to_owned();
    let cache_key: Arc<str> = resource.cache_key(&request.path.namespace, name).into();
    let mut conditions = Chain::of(app).conditions(request, Part::Main, validated, None).await?;
    if resource.is_stored_by_webhook() {
        conditions.unlock();
    }
    // The store refuses it, after everything else has had its say; a dry run does not reach the store.
    let sent_version = named_version(validated);
    if sent_version.is_some() && !dry_run {
        return Err(StatusError::unclassified(
            "resourceVersion should not be set on objects to be created",
        ));
    }
    // AlreadyExists is reported before anything is allocated.
    app.cache.fresh().await?;
    if resource.cache.find(&cache_key)?.is_some() {
        return Err(StatusError::already_exists(resource.about(name)));
    }
    validated.map_mut("metadata").remove("resourceVersion");
    // What an attempt chooses does not bind the next.
    let mut chosen = resource.strategy().allocates.then(|| validated.clone());
    let node = chosen.as_mut().unwrap_or(validated);
    // The reference allocates before the strategy runs: an allocation error comes without the strategy's warnings.
    let claims = app
        .services()
        .claim(resource.strategy(), node, None, dry_run)
        .inspect_err(|_| request.warnings.truncate(warning_count))?;
    resource.canonicalize(node);
    let is_definition = resource.strategy().deletion == Deletion::Cleaned;
    let definition = (is_definition && !dry_run).then(|| node.clone());
    let value = stored(request, node).await?;
    if dry_run {
        let item = match sent_version {
            Some(version) => Item::written(cache_key, version, &value),
            None => Item::unsaved(cache_key, &value),
        };
        return Ok(Some(Arc::new(item)));
    }
    // The answer shows a definition as it was sent: in the reference its names are reviewed a little later.
    let established = match definition {
        Some(node) => Some(app.definitions.establish(node, &app.now()).await?),
        None => None,
    };
    let key = resource.key(&request.path.namespace, name);
    let written = established.as_ref().map_or(&value, |established| &established.value);
    let act = Operation::Put { value: written.bytes(), lives: time_to_live(request) };
    let mut writes = vec![Write { key: key.clone(), guard: Guard::Absent, act }];
    writes.extend(claims);
    writes.extend(conditions.writes());
    writes.extend(app.definitions.creation_guard(resource, name)?);
    match app.cache.commit_value(written, writes).await? {
        Commit::Done(revision) => {
            let version = match established {
                Some(established) => established.stored_at(revision.0),
                None => revision.0,
            };
            Ok(Some(Arc::new(Item::written(cache_key, version, &value))))
        }
        Commit::Refused { key: taken, .. } if taken == key => {
            Err(StatusError::already_exists(resource.about(name)))
        }
        Commit::Refused { .. } => Ok(None),
    }
}

/// The `resourceVersion` of a new object, if it names one: 0 and what is no number name none.
fn named_version(node: &Node<'_>) -> Option<u64> {
    let text = node.text_at(&["metadata", "resourceVersion"]);
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|version| is_number && *version != 0)
}

/// Converts an object of the request's version into the stored form.
async fn stored(
    request: &ResourceRequest<'_>,
    node: &Node<'static>,
) -> Result<Stored, StatusError> {
    let value = match request.resource.is_stored_as_served() {
        true => storable(node)?,
        false => match request.resource.store(node.clone()).await? {
            (node, Some(api_version)) => storable_as(&node, &api_version)?,
            (node, None) => storable(&node)?,
        },
    };
    // What a client reads must fit into its next request.
    match value.bytes().len() <= LIMIT {
        true => Ok(value),
        false => Ok(value.without_managed_fields()?),
    }
}

/// The time to live of an object; only Events expire.
fn time_to_live(request: &ResourceRequest<'_>) -> Option<Duration> {
    request.resource.strategy().expires.then_some(request.app.event_life)
}

/// Updates a stored object: `edit` makes the new object (in the version of the request) from the old one. Returns the
/// object, or its last state if the update removed its last finalizer and so deleted it.
pub(crate) async fn change(
    request: &ResourceRequest<'_>,
    part: Part,
    dry_run: bool,
    tracking: Tracking,
    mut edit: impl FnMut(&Node<'static>) -> Result<(Node<'static>, Preconditions), StatusError>,
) -> Result<Arc<Item>, StatusError> {
    let resource = request.resource;
    let warning_count = request.warnings.len();
    for _ in 0..TRIES {
        request.warnings.truncate(warning_count);
        let current = request.current().await?;
        let served = resource.serve_one(current.clone()).await?;
        let old = to_request_version(request, &served);
        let (new, conditions) = edit(&old)?;
        conditions.check_uid(request, &old)?;
        // After a conflict, here or at a quota, the next round checks the preconditions again.
        let how = (part, dry_run, tracking);
        let change = (old, new, &conditions);
        if let Some(updated) = change_once(request, how, &current, change).await? {
            return resource.serve_one(updated).await;
        }
    }
    Err(StatusError::modified(resource.about(&request.path.name)))
}

/// Converts a stored object to the version of the request, with `kind` and `apiVersion`.
pub(crate) fn to_request_version(request: &ResourceRequest<'_>, item: &Item) -> Node<'static> {
    request.resource.read(item)
}

/// Some kinds require `resourceVersion` on update.
fn check_version_named(request: &ResourceRequest<'_>, new: &Node<'_>) -> Result<(), StatusError> {
    let row = request.resource.row();
    let version = new.text_at(&["metadata", "resourceVersion"]);
    if !request.resource.strategy().requires_version || !matches!(version, "" | "0") {
        return Ok(());
    }
    let cause = StatusCause {
        reason: "FieldValueInvalid",
        message: "Invalid value: 0: must be specified for an update".into(),
        field: "metadata.resourceVersion".into(),
    };
    // The reference puts the resource where the kind belongs.
    Err(StatusError::invalid_object(row.plural, row.group, &request.path.name, vec![cause]))
}

/// One attempt to commit an update; none on a conflict.
async fn change_once(
    request: &ResourceRequest<'_>,
    (part, dry_run, tracking): (Part, bool, Tracking),
    current: &Arc<Item>,
    (old, new, preconditions): (Node<'static>, Node<'static>, &Preconditions),
) -> Result<Option<Arc<Item>>, StatusError> {
    let (app, resource) = (request.app, request.resource);
    let Some(kind) = resource.kind() else { return Err(StatusError::method_not_allowed()) };
    let warning_count = request.warnings.len();
    let states = (old, new, preconditions);
    let how = (part, dry_run, tracking);
    let (mut new, old, unallocated) = validate_update(request, kind, how, states).await?;
    let mut conditions = Chain::of(app).conditions(request, part, &new, Some(&old)).await?;
    if resource.is_stored_by_webhook() {
        conditions.unlock();
    }
    let claims = match part {
        Part::Main => {
            let claimed = app.services().claim(resource.strategy(), &mut new, Some(&old), dry_run);
            let claimed = match (claimed, unallocated) {
                // What was chosen before validation may be taken by now: something else is chosen then.
                (Err(_), Some(node)) => {
                    new = node;
                    app.services().claim(resource.strategy(), &mut new, Some(&old), dry_run)
                }
                (claimed, _) => claimed,
            };
            claimed.inspect_err(|_| request.warnings.truncate(warning_count))?
        }
        Part::Sub(_) => Vec::new(),
    };
    resource.canonicalize(&mut new);
    let is_removed = metadata::can_be_removed(&new) && !has_spec_finalizers(resource, &new);
    let is_same = !is_removed && managed_fields::settle(&mut new, &old);
    // A stored object may lack defaults that it is served with: what counts then is what is written.
    if is_same && resource.stores_what_it_serves() {
        return Ok(Some(current.clone()));
    }
    let value = stored(request, &new).await?;
    if is_same && current.is_stored_as(&value) {
        return Ok(Some(current.clone()));
    }
    let key = resource.key(&request.path.namespace, &request.path.name);
    let cache_key: Arc<str> = current.key.clone();
    if dry_run {
        return Ok(Some(Arc::new(Item::written(cache_key, current.revision, &value))));
    }
    let act = match is_removed {
        true => Operation::Delete,
        false => Operation::Put { value: value.bytes(), lives: time_to_live(request) },
    };
    let mut writes = vec![Write { key, guard: Guard::At(Revision(current.revision)), act }];
    if is_removed {
        writes.extend(app.services().release(resource.strategy(), &old)?);
    } else {
        writes.extend(claims);
        writes.extend(conditions.writes());
    }
    match app.cache.commit_value(&value, writes).await? {
        Commit::Done(revision) => Ok(Some(Arc::new(Item::written(cache_key, revision.0, &value)))),
        Commit::Refused { .. } => Ok(None),
    }
}

/// Admits, prepares and validates an update; returns the new object, the old one, and the new one without what was
/// allocated for it.
async fn validate_update(
    request: &ResourceRequest<'_>,
    kind: Kind<'_>,
    (part, dry_run, tracking): (Part, bool, Tracking),
    (old, mut new, preconditions): (Node<'static>, Node<'static>, &Preconditions),
) -> Result<(Node<'static>, Node<'static>, Option<Node<'static>>), StatusError> {
    let (app, resource) = (request.app, request.resource);
    set_namespace(request, &mut new)?;
    let mut new = Defaulted::new(resource.object_type().as_ref(), new);
    resource.complete(&mut new);
    let sent = new.text_at(&["metadata", "resourceVersion"]).to_owned();
    if tracking == Tracking::Update {
        managed_fields::track_update(request, part, &old, &mut new);
    }
    let entries = managed_fields::entries(&new);
    Chain::of(app).admit_update(request, &mut new, &old, part).await?;
    managed_fields::check_admitted(request, entries, &mut new);
    owners::deduplicate(request, &mut new, DedupStage::Admitted);
    check_version_named(request, &new)?;
    preconditions.check_version(request, (&sent, &new), &old)?;
    partial::restrict(part, &mut new, &old);
    admission::escalation(request, &new, Some(&old))?;
    resource.strategy().prepare_for_update(
        &mut new,
        &old,
        &kind,
        part,
        (&app.now(), &app.api_config.gates),
    );
    metadata::preserve_system_fields(&mut new, &old, resource.strategy());
    resource.object_type().prepare_for_update(&mut new, &old, part);
    if matches!(part, Part::Sub("status" | "binding")) {
        metadata::restore_generation(&mut new, &old);
    }
    // Validation compares resource versions, so the new object has the old one's.
    let version = old.text_at(&["metadata", "resourceVersion"]).to_owned();
    new.map_mut("metadata").set("resourceVersion", Node::string(version));
    let mut unallocated = None;
    if part == Part::Main {
        app.services().prepare(resource.strategy(), &mut new, Some(&old));
        unallocated = app.services().draft(
            resource.strategy(),
            &mut new,
            Some(&old),
            dry_run,
            &app.api_config,
        )?;
    }
    let old = Defaulted::read(resource.object_type().as_ref(), old);
    let paired = new.pair_through(part, Some(old));
    Chain::of(app).validate(request, &paired).await?;
    let (new, old) = paired.into_nodes();
    Ok((new, old.unwrap_or_else(Node::empty_map), unallocated))
}

/// Whether a Namespace has finalizers in its spec.
pub(crate) fn has_spec_finalizers(resource: &ServedResource, node: &Node<'_>) -> bool {
    resource.strategy().deletion == Deletion::Phased
        && node.find(&["spec", "finalizers"]).is_some_and(|list| !list.items().is_empty())
}
