//! DELETE of an object or a collection, with grace periods, finalizers and propagation policies.

use crate::admission::Chain;
use crate::app::resource_request::{Content, HandlerResult, Reply, ResourceRequest};
use crate::registry::{Deletion, Dependents, metadata};
use crate::request::ResourcePath;
use crate::request::body::{BodyType, ExpectedKind, decode_body, parse};
use crate::request::delete_body;
use crate::request::options::{DeleteOptions, DeleteScope, Propagation};
use crate::status::{StatusError, success, uid_of};
use crate::storage::cache::{Item, Stored, storable, storable_as};
use crate::verbs::list;
use crate::verbs::write::has_spec_finalizers;
use ratchet_crd::definition::prepare_for_delete;
use ratchet_object::{GroupVersionKind, Kind, Node};
use ratchet_pipeline::FieldValidation;
use ratchet_store::{Commit, Guard, Operation, Revision, Write};
use std::sync::Arc;

/// The finalizer of foreground deletion: the owner waits for its dependents.
const FOREGROUND: &str = "foregroundDeletion";
/// The finalizer of orphaning: the dependents stay.
const ORPHAN: &str = "orphan";

/// Namespaces that cannot be deleted.
const PROTECTED: &[&str] = &["default", "kube-system", "kube-public"];

/// Deletes one object.
pub(crate) async fn delete(request: &ResourceRequest<'_>) -> HandlerResult {
    let options = options(request)?;
    warn_about_orphans(request, &options);
    let (item, is_gone) = remove(request, &options).await?;
    if is_gone && !request.resource.strategy().returns_deleted {
        let text = success(request.resource.about(&request.path.name), uid_of(&item.node()));
        return Ok(Reply::json(200, text));
    }
    // Only now: a webhook that fails would hide that the object is gone.
    let item = request.resource.serve_one(item).await?;
    // A deletion with the deprecated `orphanDependents=false` returns 202 while it is in progress.
    let code = if !is_gone && options.takes_dependents { 202 } else { 200 };
    Ok(Reply { code, ..Reply::item(item) })
}

/// Decodes `DeleteOptions` from the body or the query.
pub(crate) fn options(request: &ResourceRequest<'_>) -> Result<DeleteOptions, StatusError> {
    if request.body.is_empty() {
        return DeleteOptions::parse(request.params, None);
    }
    // Clients send the options in the group of the resource or in the core group.
    let wanted =
        ExpectedKind::of_kind(GroupVersionKind { group: "", version: "v1", kind: "DeleteOptions" });
    let media = BodyType::from_headers(request.headers)?;
    if media == BodyType::Json {
        delete_body::check(request.body)?;
    }
    let received = receive_any_group(request, media, wanted)?;
    DeleteOptions::parse(request.params, Some(&received))
}

fn receive_any_group(
    request: &ResourceRequest<'_>,
    media: BodyType,
    wanted: ExpectedKind<'_>,
) -> Result<Node<'static>, StatusError> {
    let row = request.resource.row();
    for (group, version) in
        [(row.group, row.version), ("meta.k8s.io", "v1"), (wanted.group, wanted.version)]
    {
        let received = decode_body(
            request.body,
            media,
            ExpectedKind::of_kind(GroupVersionKind { group, version, kind: wanted.kind }),
            FieldValidation::Ignore,
        );
        if let Ok(received) = received {
            return Ok(received.node);
        }
    }
    // `DeleteOptions` is the same in every group version.
    let api_version = body_api_version(request.body);
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", &api_version));
    let wanted = ExpectedKind::of_kind(GroupVersionKind { group, version, kind: wanted.kind });
    let received = decode_body(request.body, media, wanted, FieldValidation::Ignore);
    received.map(|received| received.node).map_err(|error| match parse(request.body, media, "") {
        Ok((node, ..)) => unregistered(&node).unwrap_or(error),
        Err(_) => error,
    })
}

/// The error for a body of another kind than `DeleteOptions`.
fn unregistered(body: &Node<'_>) -> Option<StatusError> {
    let (kind, version) = (body.text_at(&["kind"]), body.text_at(&["apiVersion"]));
    let version = if version.is_empty() { "v1" } else { version };
    (!matches!(kind, "" | "DeleteOptions")).then(|| {
        StatusError::bad_request(format!(
            "no kind \"{kind}\" is registered for version \"{version}\" in scheme \"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\""
        ))
    })
}

/// The `apiVersion` in a body; `v1` if there is none.
fn body_api_version(body: &[u8]) -> String {
    let text = std::str::from_utf8(body).unwrap_or_default();
    let decoded = ratchet_object::decode_json(text, ratchet_object::Limits::DEFAULT);
    let api_version = decoded.ok().and_then(|decoded| {
        let api_version = decoded.documents.first()?.get("apiVersion")?.text()?;
        Some(api_version.to_owned())
    });
    api_version.unwrap_or_else(|| "v1".into())
}

/// Deletes a collection, one object after another.
pub(crate) async fn delete_collection(request: &ResourceRequest<'_>) -> HandlerResult {
    let options = DeleteOptions { scope: DeleteScope::Collection, ..options(request)? };
    let Reply { content: Content::List(list), .. } = list::list(request).await? else {
        return Err(StatusError::internal("a list that is no list"));
    };
    warn_about_orphans(request, &options);
    for item in &list.items {
        let (namespace, name) = item.key.rsplit_once('/').unwrap_or(("", &item.key));
        let path =
            ResourcePath { namespace: namespace.into(), name: name.into(), ..request.path.clone() };
        let one = ResourceRequest { path: &path, ..*request };
        match remove(&one, &options).await {
            Err(error) if error.code != 404 => return Err(error),
            _ => {}
        }
    }
    // The list as it was before the deletion, with its continue token if there was a limit.
    Ok(Reply { code: 200, content: Content::List(list) })
}

/// Deletes an object; returns its last state and whether it is removed from the store.
pub(crate) async fn remove(
    request: &ResourceRequest<'_>,
    options: &DeleteOptions,
) -> Result<(Arc<Item>, bool), StatusError> {
    let resource = request.resource;
    let Some(kind) = resource.kind() else { return Err(StatusError::method_not_allowed()) };
    if resource.strategy().deletion == Deletion::Phased
        && PROTECTED.contains(&request.path.name.as_str())
    {
        let why = "this namespace may not be deleted";
        return Err(StatusError::forbidden(resource.about(&request.path.name), why));
    }
    for _ in 0..16 {
        let current = request.current().await?;
        let old = resource.serve_one(current.clone()).await?.node();
        Chain::of(request.app).admit_delete(request, &old)?;
        check_preconditions(request, &kind, &old, options)?;
        let mut new = current.node();
        let outcome = outcome(&mut new, options, request)?;
        if !matches!(outcome, Outcome::Nothing) {
            let options = effective_options(resource.strategy().deletion, &old, options);
            Chain::of(request.app).validate_delete(request, &old, &options).await?;
        }
        let key = resource.key(&request.path.namespace, &request.path.name);
        let guard = Guard::At(Revision(current.revision));
        match outcome {
            Outcome::Nothing => return Ok((current, false)),
            Outcome::Update => {
                let value = stored(request, &current, new)?;
                let marked =
                    |revision| Arc::new(Item::written(current.key.clone(), revision, &value));
                if options.dry_run {
                    return Ok((marked(current.revision), false));
                }
                let act = Operation::Put { value: value.bytes(), lives: None };
                if let Some(revision) = commit(request, vec![Write { key, guard, act }]).await? {
                    return Ok((marked(revision), false));
                }
            }
            Outcome::Remove => {
                if options.dry_run {
                    return Ok((current, true));
                }
                let mut writes = vec![Write { key, guard, act: Operation::Delete }];
                writes.extend(request.app.services().release(request.resource.strategy(), &old)?);
                if let Some(revision) = commit(request, writes).await? {
                    let mut last = new;
                    last.map_mut("metadata").remove("resourceVersion");
                    let value = stored(request, &current, last)?;
                    return Ok((
                        Arc::new(Item::written(current.key.clone(), revision, &value)),
                        true,
                    ));
                }
            }
        }
    }
    Err(StatusError::modified(resource.about(&request.path.name)))
}

/// The stored form of an object that stays in the version in which it is stored.
fn stored(
    request: &ResourceRequest<'_>,
    current: &Item,
    node: Node<'static>,
) -> Result<Stored, StatusError> {
    Ok(match current.version() {
        Some(version) => {
            storable_as(&node, &format!("{}/{version}", request.resource.row().group))?
        }
        None => storable(&node)?,
    })
}

async fn commit(
    request: &ResourceRequest<'_>,
    writes: Vec<Write>,
) -> Result<Option<u64>, StatusError> {
    match request.app.cache.commit(writes).await? {
        Commit::Done(revision) => Ok(Some(revision.0)),
        Commit::Refused { .. } => Ok(None),
    }
}

fn check_preconditions(
    request: &ResourceRequest<'_>,
    kind: &Kind<'_>,
    old: &Node<'_>,
    options: &DeleteOptions,
) -> Result<(), StatusError> {
    // These check preconditions before their storage does.
    let is_namespace =
        matches!(request.resource.strategy().deletion, Deletion::Phased | Deletion::Cleaned);
    let about = crate::status::About {
        group: kind.group,
        resource: if is_namespace { kind.plural } else { kind.name },
        name: &request.path.name,
    };
    let uid = uid_of(old);
    if let Some(wanted) = options.uid.as_deref().filter(|wanted| *wanted != uid) {
        let why = if is_namespace {
            format!("Precondition failed: UID in precondition: {wanted}, UID in object meta: {uid}")
        } else {
            format!(
                "the UID in the precondition ({wanted}) does not match the UID in record ({uid}). The object might have been deleted and then recreated"
            )
        };
        return Err(StatusError::conflict(about, &why));
    }
    let version = old.text_at(&["metadata", "resourceVersion"]);
    if let Some(wanted) = options.version.as_deref().filter(|wanted| *wanted != version) {
        let why = if is_namespace {
            format!(
                "Precondition failed: ResourceVersion in precondition: {wanted}, ResourceVersion in object meta: {version}"
            )
        } else {
            format!(
                "the ResourceVersion in the precondition ({wanted}) does not match the ResourceVersion in record ({version}). The object might have been modified"
            )
        };
        return Err(StatusError::conflict(about, &why));
    }
    Ok(())
}

/// The outcome of a deletion request.
enum Outcome {
    /// Nothing to write: the deletion is already in progress.
    Nothing,
    /// Set the deletion timestamp or finalizers; a finalizer or the kubelet removes the object later.
    Update,
    /// Remove the object now.
    Remove,
}

fn outcome(
    new: &mut Node<'static>,
    options: &DeleteOptions,
    request: &ResourceRequest<'_>,
) -> Result<Outcome, StatusError> {
    let was_terminating = metadata::is_terminating(new);
    let deletion = request.resource.strategy().deletion;
    if deletion == Deletion::Phased {
        if was_terminating {
            let is_held =
                has_spec_finalizers(request.resource, new) || metadata::has_finalizers(new);
            return Ok(if is_held { Outcome::Nothing } else { Outcome::Remove });
        }
        set_deletion(new, &request.app.now(), None);
        new.map_mut("status").set("phase", Node::string("Terminating"));
        set_dependents(new, options.propagation);
        return Ok(Outcome::Update);
    }
    if deletion == Deletion::Cleaned && !was_terminating {
        let now = request.app.now();
        set_deletion(new, &now, None);
        prepare_for_delete(new, &now);
        return Ok(Outcome::Update);
    }
    let mut marked = false;
    if deletion == Deletion::Graceful {
        let stored = new
            .find(&["metadata", "deletionGracePeriodSeconds"])
            .and_then(Node::as_int)
            .unwrap_or(0);
        if was_terminating && stored != 0 {
            // A grace period may only be shortened.
            match options.grace.map(|grace| if grace < 0 { 1 } else { grace }) {
                Some(grace) if grace < stored => shorten(new, stored, grace, request),
                _ => return Ok(Outcome::Nothing),
            }
            marked = true;
        } else if !was_terminating {
            let grace = pod_grace(new, options.grace);
            let at = request.app.now_plus(grace);
            set_deletion(new, &at, Some(grace));
            increment_generation(new);
            marked = true;
        }
    }
    let finalizers = metadata::has_finalizers(new);
    let changed = set_dependents(new, propagation(request, new, options));
    let grace =
        new.find(&["metadata", "deletionGracePeriodSeconds"]).and_then(Node::as_int).unwrap_or(0);
    if metadata::has_finalizers(new) {
        if !metadata::is_terminating(new) {
            set_deletion(new, &request.app.now(), Some(0));
            increment_generation(new);
            marked = true;
        }
        return Ok(if marked || changed { Outcome::Update } else { Outcome::Nothing });
    }
    Ok(if marked && grace > 0 || finalizers && !marked && !changed {
        Outcome::Update
    } else {
        Outcome::Remove
    })
}

fn set_deletion(node: &mut Node<'static>, at: &str, grace: Option<i64>) {
    let metadata = node.map_mut("metadata");
    metadata.set("deletionTimestamp", Node::string(at.to_owned()));
    if let Some(grace) = grace {
        metadata.set("deletionGracePeriodSeconds", Node::int(grace));
    }
}

/// Increments the generation, so that controllers see the start of the deletion.
fn increment_generation(node: &mut Node<'static>) {
    let generation = node.find(&["metadata", "generation"]).and_then(Node::as_int).unwrap_or(0);
    if generation > 0 {
        node.map_mut("metadata").set("generation", Node::int(generation + 1));
    }
}

fn shorten(node: &mut Node<'static>, stored: i64, grace: i64, request: &ResourceRequest<'_>) {
    let at = node.text_at(&["metadata", "deletionTimestamp"]).to_owned();
    let (at, grace) = request.app.earlier(&at, stored, grace);
    set_deletion(node, &at, Some(grace));
}

fn pod_grace(pod: &Node<'_>, requested: Option<i64>) -> i64 {
    let own = pod.find(&["spec", "terminationGracePeriodSeconds"]).and_then(Node::as_int);
    let is_over = matches!(pod.text_at(&["status", "phase"]), "Failed" | "Succeeded");
    if pod.text_at(&["spec", "nodeName"]).is_empty() || is_over {
        return 0;
    }
    match requested.or(own).unwrap_or(0) {
        grace if grace < 0 => 1,
        grace => grace,
    }
}

/// The options as policies and webhooks see them: with the effective grace period of a pod, and with the uid of a
/// namespace.
fn effective_options(deletion: Deletion, old: &Node<'_>, options: &DeleteOptions) -> DeleteOptions {
    let is_graceful = deletion == Deletion::Graceful && !metadata::is_terminating(old);
    let grace = if is_graceful { Some(pod_grace(old, options.grace)) } else { options.grace };
    // Nobody deletes another namespace of the same name.
    let is_namespace = deletion == Deletion::Phased && options.uid.is_none();
    let uid = if is_namespace { Some(uid_of(old).to_owned()) } else { options.uid.clone() };
    DeleteOptions { grace, uid, ..options.clone() }
}

/// The propagation policy: of the options, of the object's finalizers, or the default of the kind.
fn propagation(
    request: &ResourceRequest<'_>,
    object: &Node<'_>,
    options: &DeleteOptions,
) -> Option<Propagation> {
    let dependents = request.resource.strategy().dependents;
    let is_decided = object.find(&["metadata", "finalizers"]).is_some_and(|list| {
        list.items().iter().any(|item| matches!(item.text(), Some(FOREGROUND | ORPHAN)))
    });
    match options.propagation {
        _ if dependents == Dependents::None => None,
        None if dependents == Dependents::Orphan && !is_decided => Some(Propagation::Orphan),
        policy => policy,
    }
}

/// Warns that deleting a Job without a propagation policy orphans its pods.
fn warn_about_orphans(request: &ResourceRequest<'_>, options: &DeleteOptions) {
    if request.resource.strategy().warns_of_orphans && options.propagation.is_none() {
        request.warnings.add(
            "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
        );
    }
}

/// Sets the finalizers of the propagation policy; returns whether anything changed.
fn set_dependents(node: &mut Node<'static>, propagation: Option<Propagation>) -> bool {
    let Some(propagation) = propagation else { return false };
    let wanted = match propagation {
        Propagation::Foreground => Some(FOREGROUND),
        Propagation::Background => None,
        Propagation::Orphan => Some(ORPHAN),
    };
    let metadata = node.map_mut("metadata");
    let mut list = metadata.remove("finalizers").unwrap_or_else(|| Node::list(Vec::new()));
    let before = list.clone();
    if let Some(items) = list.items_mut() {
        items.retain(|item| {
            item.text()
                .is_none_or(|name| Some(name) == wanted || (name != FOREGROUND && name != ORPHAN))
        });
        if let Some(wanted) = wanted
            && !items.iter().any(|item| item.text() == Some(wanted))
        {
            items.push(Node::string(wanted));
        }
    }
    let changed = list != before;
    if !list.items().is_empty() {
        metadata.set("finalizers", list);
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    #[test]
    fn finalizers_stand_for_dependents() {
        let after = |finalizers: &str, propagation| {
            let mut object = node(&format!("{{metadata: {{finalizers: [{finalizers}]}}}}"));
            let changed = set_dependents(&mut object, propagation);
            let list = object.find(&["metadata", "finalizers"]).map(Node::to_json);
            (changed, list.unwrap_or_default())
        };
        assert_eq!(after("a", None), (false, r#"["a"]"#.into()));
        let foreground = Some(Propagation::Foreground);
        assert_eq!(after("a, orphan", foreground), (true, r#"["a","foregroundDeletion"]"#.into()));
        assert_eq!(after("orphan", Some(Propagation::Background)), (true, String::new()));
        assert_eq!(after("orphan", Some(Propagation::Orphan)), (false, r#"["orphan"]"#.into()));
    }

    #[test]
    fn a_pod_has_time_to_end_only_where_it_runs() {
        let pod = |node_name: &str, phase: &str| {
            node(&format!(
                "{{spec: {{terminationGracePeriodSeconds: 30, nodeName: '{node_name}'}}, status: {{phase: {phase}}}}}"
            ))
        };
        assert_eq!(pod_grace(&pod("n", "Running"), None), 30);
        assert_eq!(pod_grace(&pod("n", "Running"), Some(5)), 5);
        assert_eq!(pod_grace(&pod("n", "Running"), Some(-1)), 1);
        assert_eq!(pod_grace(&pod("", "Pending"), Some(5)), 0);
        assert_eq!(pod_grace(&pod("n", "Succeeded"), Some(5)), 0);
    }

    #[test]
    fn beginning_to_delete_counts_where_generations_are_counted() {
        let mut counted = node("{metadata: {generation: 3}}");
        increment_generation(&mut counted);
        assert_eq!(counted.find(&["metadata", "generation"]).and_then(Node::as_int), Some(4));
        let mut plain = node("{metadata: {}}");
        increment_generation(&mut plain);
        assert_eq!(plain.find(&["metadata", "generation"]), None);
    }
}
