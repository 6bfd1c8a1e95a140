//! DELETE of an object or a collection: at once, or after a grace period and finalizers.

use crate::admission;
use crate::body::{BodyType, Wanted, parse, receive};
use crate::cache::{Item, storable};
use crate::call::{Answered, Call, Content, Reply};
use crate::lifecycle::{Dependents, metadata};
use crate::options::{Asked, DeleteOptions, FieldValidation, Propagation};
use crate::refusal::{Refusal, success, uid_of};
use crate::request::Place;
use crate::services;
use crate::verbs::list;
use crate::write::held_by_spec;
use ratchet_object::{Kind, Node};
use ratchet_store::{Act, Commit, Guard, Revision, Write};
use std::sync::Arc;

/// The finalizer of who waits for his dependents.
const FOREGROUND: &str = "foregroundDeletion";
/// The finalizer of who leaves his dependents behind.
const ORPHAN: &str = "orphan";

/// Namespaces that are always there.
const FOREVER: &[&str] = &["default", "kube-system", "kube-public"];

/// Deletes one object.
pub(crate) async fn delete(call: &Call<'_>) -> Answered {
    let options = options(call)?;
    warn_of_children(call, &options);
    let (item, is_gone) = remove(call, &options).await?;
    if is_gone && !call.served.habits.shows_deleted {
        let text = success(call.served.about(&call.place.name), uid_of(&item.node()));
        return Ok(Reply::json(200, text));
    }
    // Old clients that want the dependents to go are told that it takes its time.
    let code = if !is_gone && options.takes_dependents { 202 } else { 200 };
    Ok(Reply { code, ..Reply::item(item) })
}

/// Reads the options of a deletion from the body or the query.
pub(crate) fn options(call: &Call<'_>) -> Result<DeleteOptions, Refusal> {
    if call.body.is_empty() {
        return DeleteOptions::read(call.params, None);
    }
    // Clients send the options in the group of the resource or in the core group.
    let wanted = Wanted { group: "", version: "v1", kind: "DeleteOptions" };
    let media = BodyType::read(call.headers)?;
    let received = receive_any_group(call, media, wanted)?;
    DeleteOptions::read(call.params, Some(&received))
}

fn receive_any_group(
    call: &Call<'_>,
    media: BodyType,
    wanted: Wanted<'_>,
) -> Result<Node<'static>, Refusal> {
    let row = call.served.row;
    for (group, version) in
        [(row.group, row.version), ("meta.k8s.io", "v1"), (wanted.group, wanted.version)]
    {
        let received =
            receive(call.body, media, Wanted { group, version, ..wanted }, FieldValidation::Ignore);
        if let Ok(received) = received {
            return Ok(received.node);
        }
    }
    // Whatever version it says, the options are the same.
    let said = said_version(call.body);
    let (group, version) = said.rsplit_once('/').unwrap_or(("", &said));
    let wanted = Wanted { group, version, ..wanted };
    let received = receive(call.body, media, wanted, FieldValidation::Ignore);
    received.map(|received| received.node).map_err(|refusal| match parse(call.body, media, "") {
        Ok((node, _)) => unregistered(&node).unwrap_or(refusal),
        Err(_) => refusal,
    })
}

/// What is said about a body of a kind that options do not have.
fn unregistered(body: &Node<'_>) -> Option<Refusal> {
    let (kind, version) = (body.text_at(&["kind"]), body.text_at(&["apiVersion"]));
    let version = if version.is_empty() { "v1" } else { version };
    (!matches!(kind, "" | "DeleteOptions")).then(|| {
        Refusal::bad_request(format!(
            "no kind \"{kind}\" is registered for version \"{version}\" in scheme \"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\""
        ))
    })
}

/// The version that a body says it has; that of the core group if it says none.
fn said_version(body: &[u8]) -> String {
    let text = std::str::from_utf8(body).unwrap_or_default();
    let decoded = ratchet_object::decode_json(text, ratchet_object::Limits::DEFAULT);
    let said = decoded.ok().and_then(|decoded| {
        let said = decoded.documents.first()?.get("apiVersion")?.text()?;
        Some(said.to_owned())
    });
    said.unwrap_or_else(|| "v1".into())
}

/// Deletes a collection, one object after another.
pub(crate) async fn delete_collection(call: &Call<'_>) -> Answered {
    let options = DeleteOptions { asked: Asked::Collection, ..options(call)? };
    let Reply { content: Content::List(list), .. } = list::list(call).await? else {
        return Err(Refusal::internal("a list that is no list"));
    };
    warn_of_children(call, &options);
    for item in &list.items {
        let (namespace, name) = item.key.rsplit_once('/').unwrap_or(("", &item.key));
        let place = Place { namespace: namespace.into(), name: name.into(), ..call.place.clone() };
        let one = Call { place: &place, ..*call };
        match remove(&one, &options).await {
            Err(refusal) if refusal.code != 404 => return Err(refusal),
            _ => {}
        }
    }
    // The list is as it was found: what was asked to go, and, if a limit was asked for, how it goes on.
    Ok(Reply { code: 200, content: Content::List(list) })
}

/// Deletes an object: the object, and whether it is really gone.
pub(crate) async fn remove(
    call: &Call<'_>,
    options: &DeleteOptions,
) -> Result<(Arc<Item>, bool), Refusal> {
    let served = call.served;
    let Some(kind) = served.kind else { return Err(Refusal::method_not_allowed()) };
    if (kind.group, kind.name) == ("", "Namespace") && FOREVER.contains(&call.place.name.as_str()) {
        let why = "this namespace may not be deleted";
        return Err(Refusal::forbidden(served.about(&call.place.name), why));
    }
    for _ in 0..16 {
        let current = call.current().await?;
        let old = current.node();
        admission::on_delete(call, &old)?;
        check_preconditions(call, &kind, &old, options)?;
        let mut new = old.clone();
        let plan = plan(&kind, &mut new, options, call)?;
        if !matches!(plan, Plan::Nothing) {
            admission::on_removal(call, &old, &granted(&kind, &old, options)).await?;
        }
        let key = served.key(&call.place.namespace, &call.place.name);
        let guard = Guard::At(Revision(current.revision));
        match plan {
            Plan::Nothing => return Ok((current, false)),
            Plan::Mark => {
                let value = storable(new)?;
                let marked =
                    |revision| Arc::new(Item::written(current.key.clone(), revision, &value));
                if options.dry_run {
                    return Ok((marked(current.revision), false));
                }
                let act = Act::Put { value: value.bytes(), lives: None };
                if let Some(revision) = commit(call, vec![Write { key, guard, act }]).await? {
                    return Ok((marked(revision), false));
                }
            }
            Plan::Remove => {
                if options.dry_run {
                    return Ok((current, true));
                }
                let mut writes = vec![Write { key, guard, act: Act::Delete }];
                writes.extend(services::release(call.app, &kind, &old)?);
                if let Some(revision) = commit(call, writes).await? {
                    let mut last = new;
                    last.below("metadata").remove("resourceVersion");
                    let value = storable(last)?;
                    return Ok((
                        Arc::new(Item::written(current.key.clone(), revision, &value)),
                        true,
                    ));
                }
            }
        }
    }
    Err(Refusal::modified(served.about(&call.place.name)))
}

async fn commit(call: &Call<'_>, writes: Vec<Write>) -> Result<Option<u64>, Refusal> {
    match call.app.cache.store().commit(writes).await? {
        Commit::Done(revision) => {
            call.app.cache.wait_for(revision.0).await?;
            Ok(Some(revision.0))
        }
        Commit::Refused { .. } => Ok(None),
    }
}

fn check_preconditions(
    call: &Call<'_>,
    kind: &Kind<'_>,
    old: &Node<'_>,
    options: &DeleteOptions,
) -> Result<(), Refusal> {
    let is_namespace = (kind.group, kind.name) == ("", "Namespace");
    let about = crate::refusal::About {
        group: kind.group,
        resource: if is_namespace { kind.plural } else { kind.name },
        name: &call.place.name,
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
        return Err(Refusal::conflict(about, &why));
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
        return Err(Refusal::conflict(about, &why));
    }
    Ok(())
}

/// What a deletion comes to.
enum Plan {
    /// It is under way already.
    Nothing,
    /// The object is marked; somebody else removes it.
    Mark,
    /// The object goes now.
    Remove,
}

fn plan(
    kind: &Kind<'_>,
    new: &mut Node<'static>,
    options: &DeleteOptions,
    call: &Call<'_>,
) -> Result<Plan, Refusal> {
    let was_terminating = metadata::is_terminating(new);
    if (kind.group, kind.name) == ("", "Namespace") {
        if was_terminating {
            let held = held_by_spec(kind, new) || metadata::has_finalizers(new);
            return Ok(if held { Plan::Nothing } else { Plan::Remove });
        }
        mark(new, &call.app.now(), None);
        new.below("status").set("phase", Node::string("Terminating"));
        set_dependents(new, options.propagation);
        return Ok(Plan::Mark);
    }
    let mut marked = false;
    if (kind.group, kind.name) == ("", "Pod") {
        let stored = new
            .find(&["metadata", "deletionGracePeriodSeconds"])
            .and_then(Node::as_int)
            .unwrap_or(0);
        if was_terminating && stored != 0 {
            // Only a shorter period may be asked for.
            match options.grace.map(|grace| if grace < 0 { 1 } else { grace }) {
                Some(grace) if grace < stored => shorten(new, stored, grace, call),
                _ => return Ok(Plan::Nothing),
            }
            marked = true;
        } else if !was_terminating {
            let grace = pod_grace(new, options.grace);
            let at = call.app.now_plus(grace);
            mark(new, &at, Some(grace));
            bump(new);
            marked = true;
        }
    }
    let finalizers = metadata::has_finalizers(new);
    let changed = set_dependents(new, propagation(call, new, options));
    let grace =
        new.find(&["metadata", "deletionGracePeriodSeconds"]).and_then(Node::as_int).unwrap_or(0);
    if metadata::has_finalizers(new) {
        if !metadata::is_terminating(new) {
            mark(new, &call.app.now(), Some(0));
            bump(new);
            marked = true;
        }
        return Ok(if marked || changed { Plan::Mark } else { Plan::Nothing });
    }
    Ok(if marked && grace > 0 || finalizers && !marked && !changed {
        Plan::Mark
    } else {
        Plan::Remove
    })
}

fn mark(node: &mut Node<'static>, at: &str, grace: Option<i64>) {
    let metadata = node.below("metadata");
    metadata.set("deletionTimestamp", Node::string(at.to_owned()));
    if let Some(grace) = grace {
        metadata.set("deletionGracePeriodSeconds", Node::int(grace));
    }
}

/// Beginning to delete is a change that controllers must see.
fn bump(node: &mut Node<'static>) {
    let generation = node.find(&["metadata", "generation"]).and_then(Node::as_int).unwrap_or(0);
    if generation > 0 {
        node.below("metadata").set("generation", Node::int(generation + 1));
    }
}

fn shorten(node: &mut Node<'static>, stored: i64, grace: i64, call: &Call<'_>) {
    let at = node.text_at(&["metadata", "deletionTimestamp"]).to_owned();
    let (at, grace) = call.app.earlier(&at, stored, grace);
    mark(node, &at, Some(grace));
}

fn pod_grace(pod: &Node<'_>, asked: Option<i64>) -> i64 {
    let own = pod.find(&["spec", "terminationGracePeriodSeconds"]).and_then(Node::as_int);
    let is_over = matches!(pod.text_at(&["status", "phase"]), "Failed" | "Succeeded");
    if pod.text_at(&["spec", "nodeName"]).is_empty() || is_over {
        return 0;
    }
    match asked.or(own).unwrap_or(0) {
        grace if grace < 0 => 1,
        grace => grace,
    }
}

/// The options as policies are told them: a pod's with the time that it really gets.
fn granted(kind: &Kind<'_>, old: &Node<'_>, options: &DeleteOptions) -> DeleteOptions {
    let is_pod = (kind.group, kind.name) == ("", "Pod") && !metadata::is_terminating(old);
    let grace = if is_pod { Some(pod_grace(old, options.grace)) } else { options.grace };
    DeleteOptions { grace, ..options.clone() }
}

/// What happens to the dependents: what the deletion says, what the object says, or what its kind does.
fn propagation(call: &Call<'_>, object: &Node<'_>, options: &DeleteOptions) -> Option<Propagation> {
    let dependents = call.served.habits.dependents;
    let is_said = object.find(&["metadata", "finalizers"]).is_some_and(|list| {
        list.items().iter().any(|item| matches!(item.text(), Some(FOREGROUND | ORPHAN)))
    });
    match options.propagation {
        _ if dependents == Dependents::None => None,
        None if dependents == Dependents::Stay && !is_said => Some(Propagation::Orphan),
        said => said,
    }
}

/// Who deletes a job and does not say what becomes of its pods may not expect that they stay.
fn warn_of_children(call: &Call<'_>, options: &DeleteOptions) {
    let row = call.served.row;
    if (row.group, row.kind) == ("batch", "Job") && options.propagation.is_none() {
        call.told.warn(
            "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
        );
    }
}

/// Sets the finalizers that stand for dependents; whether anything changed.
fn set_dependents(node: &mut Node<'static>, propagation: Option<Propagation>) -> bool {
    let Some(propagation) = propagation else { return false };
    let wanted = match propagation {
        Propagation::Foreground => Some(FOREGROUND),
        Propagation::Background => None,
        Propagation::Orphan => Some(ORPHAN),
    };
    let metadata = node.below("metadata");
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
        bump(&mut counted);
        assert_eq!(counted.find(&["metadata", "generation"]).and_then(Node::as_int), Some(4));
        let mut plain = node("{metadata: {}}");
        bump(&mut plain);
        assert_eq!(plain.find(&["metadata", "generation"]), None);
    }
}
