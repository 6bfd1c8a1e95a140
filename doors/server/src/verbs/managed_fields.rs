//! `metadata.managedFields` of writes: who owns what a create, an update or a patch has set.

use crate::app::App;
use crate::app::resource_request::ResourceRequest;
use crate::registry::ServedResource;
use crate::request::body::ExpectedKind;
use crate::storage::convert;
use http::header::USER_AGENT;
use ratchet_apply::{
    FieldManager, manager_or_user_agent, set_managed_fields, validate_managed_fields,
};
use ratchet_engine::Part;
use ratchet_object::{Node, Value};
use std::sync::PoisonError;

/// Who sets the entries of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tracking {
    /// They follow from what the write changes.
    Update,
    /// Whoever made the new object has set them: an apply, a scale; or they stay as they are: a binding.
    Done,
}

/// The name of the subresource in entries; empty for the object itself.
pub(crate) fn subresource(part: Part) -> &'static str {
    match part {
        Part::Main => "",
        Part::Sub(name) => name,
    }
}

/// Passes the field manager of an endpoint to `run`; `wanted` is the kind of its bodies.
pub(crate) fn with_field_manager<R>(
    resource: &ServedResource,
    wanted: ExpectedKind<'_>,
    subresource: &str,
    run: impl FnOnce(&FieldManager<'_>) -> R,
) -> R {
    let convert = |object: &Node<'_>, api_version: &str| {
        Ok(convert::between(object.clone().into_owned(), api_version, wanted.kind))
    };
    let object_type = wanted.object_type();
    let (converter, api_version) =
        (object_type.as_type().converter(&convert), wanted.api_version());
    run(&FieldManager {
        kind: wanted.name(),
        subresource,
        converter: &*converter,
        reset_fields: resource.object_type().reset_fields(subresource, &api_version),
    })
}

/// The manager of a request that is no apply.
fn manager(request: &ResourceRequest<'_>) -> String {
    let agent =
        request.headers.get(USER_AGENT).map(http::HeaderValue::as_bytes).unwrap_or_default();
    let agent = String::from_utf8_lossy(agent);
    manager_or_user_agent(request.params.text("fieldManager"), &agent).into_owned()
}

/// Sets the entries of a new object, which has its defaults. Of those that the client sent, what the object has goes to
/// the manager of the request.
pub(crate) fn track_create(request: &ResourceRequest<'_>, node: &mut Node<'static>) {
    let (manager, now) = (manager(request), request.app.now());
    set_new_entries(request.app, request.resource, node, &manager, &now);
}

/// The same for an object that the server itself creates.
pub(crate) fn track_new(
    app: &App,
    resource: &ServedResource,
    node: &mut Node<'static>,
    manager: &str,
    now: &str,
) {
    node.map_mut("metadata").remove("managedFields");
    set_new_entries(app, resource, node, manager, now);
}

fn set_new_entries(
    app: &App,
    resource: &ServedResource,
    node: &mut Node<'static>,
    manager: &str,
    now: &str,
) {
    let entries = with_field_manager(resource, ExpectedKind::of(resource), "", |fields| {
        let update = || fields.update(None, &canonical(resource, node), manager, now);
        let structure = resource.strategy().is_tracked_as_sent().then(|| fields.structure(node));
        let Some(structure) = structure.flatten() else { return update() };
        let created = || app.created_fields.lock().unwrap_or_else(PoisonError::into_inner);
        let known = created().get(&structure);
        if let Some(fields_v1) = known {
            let entries = vec![fields.created_entry(Node::clone(&fields_v1), manager, now)];
            debug_assert_eq!(entries, update(), "{node}");
            return entries;
        }
        let entries = update();
        if let [entry] = entries.as_slice() {
            created().learn(structure, &entry.fields_v1);
        }
        entries
    });
    set_managed_fields(node, entries);
}

/// Sets the entries of an update; both objects are complete.
pub(crate) fn track_update(
    request: &ResourceRequest<'_>,
    part: Part,
    old: &Node<'static>,
    new: &mut Node<'static>,
) {
    let complete = canonical(request.resource, new);
    let wanted = ExpectedKind::of(request.resource);
    track(request, wanted, subresource(part), old, &complete, new);
}

/// Sets the entries of `new`, whose canonical form is `complete`.
pub(crate) fn track(
    request: &ResourceRequest<'_>,
    wanted: ExpectedKind<'_>,
    subresource: &str,
    old: &Node<'static>,
    complete: &Node<'static>,
    new: &mut Node<'static>,
) {
    let (manager, now) = (manager(request), request.app.now());
    let entries = with_field_manager(request.resource, wanted, subresource, |fields| {
        fields.update(Some(old), complete, &manager, &now)
    });
    set_managed_fields(new, entries);
}

/// The object as it would be stored: only then it can be compared with a stored one.
fn canonical(resource: &ServedResource, sent: &Node<'static>) -> Node<'static> {
    let mut node = sent.clone();
    resource.canonicalize(&mut node);
    resource.strategy().complete_for_tracking(&mut node);
    // An empty list asks for all entries to be forgotten.
    if let Some(entries) = sent.find(&["metadata", "managedFields"])
        && matches!(&entries.value, Value::List(items) if items.is_empty())
    {
        node.map_mut("metadata").set("managedFields", entries.clone());
    }
    node
}

/// Copies the entries of one object to another.
pub(crate) fn copy(to: &mut Node<'static>, from: &Node<'static>) {
    set(to, entries(from));
}

fn set(node: &mut Node<'static>, entries: Option<Node<'static>>) {
    let metadata = node.map_mut("metadata");
    match entries {
        Some(entries) => metadata.set("managedFields", entries),
        None => {
            metadata.remove("managedFields");
        }
    }
}

/// The entries of an object.
pub(crate) fn entries(node: &Node<'_>) -> Option<Node<'static>> {
    node.find(&["metadata", "managedFields"]).map(|entries| entries.clone().into_owned())
}

/// Sets the entries back, and warns, if admission has made something of them that cannot be read.
pub(crate) fn check_admitted(
    request: &ResourceRequest<'_>,
    before: Option<Node<'static>>,
    node: &mut Node<'static>,
) {
    let after = node.find(&["metadata", "managedFields"]);
    if after == before.as_ref() {
        return;
    }
    let Err(why) = validate_managed_fields(after) else { return };
    request.warnings.add(format!(
        ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: {why}"
    ));
    set(node, before);
}

/// Takes the times of the stored object's entries over if nothing else differs: then there is nothing to write, and
/// clients that write the same again and again do not wake those who watch. Returns whether the objects are the same.
pub(crate) fn settle(new: &mut Node<'static>, old: &Node<'static>) -> bool {
    let nothing = Node::empty_map();
    let metadata = new.get("metadata").unwrap_or(&nothing);
    let stored = old.get("metadata").unwrap_or(&nothing);
    let is_apart = |name: &str| matches!(name, "managedFields" | "resourceVersion");
    if !same_but_for(new, old, |name| name == "metadata")
        || !same_but_for(metadata, stored, is_apart)
    {
        return false;
    }
    match (metadata.get("managedFields"), stored.get("managedFields")) {
        (None, None) => true,
        (Some(entries), Some(before)) => {
            let is_same = entries.items().len() == before.items().len()
                && entries
                    .items()
                    .iter()
                    .zip(before.items())
                    .all(|(entry, before)| same_but_for(entry, before, |name| name == "time"));
            if is_same {
                new.map_mut("metadata").set("managedFields", before.clone());
            }
            is_same
        }
        _ => false,
    }
}

/// Whether two maps have the same members, apart from some.
fn same_but_for(one: &Node<'_>, other: &Node<'_>, is_apart: impl Fn(&str) -> bool) -> bool {
    let members =
        |node: &Node<'_>| node.entries().iter().filter(|entry| !is_apart(&entry.key)).count();
    members(one) == members(other)
        && one
            .entries()
            .iter()
            .filter(|entry| !is_apart(&entry.key))
            .all(|entry| other.get(&entry.key) == Some(&entry.node))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    fn object(version: &str, label: &str, time: &str, fields: &str) -> Node<'static> {
        node(&format!(
            "{{metadata: {{resourceVersion: '{version}', labels: {{l: {label}}}, managedFields: [{{manager: m, time: {time}, fieldsV1: {fields}}}]}}}}"
        ))
    }

    #[test]
    fn versions_and_times_alone_are_no_change() {
        let old = object("1", "a", "t1", "{}");
        let mut new = object("2", "a", "t2", "{}");
        assert!(settle(&mut new, &old));
        assert_eq!(
            new.find(&["metadata", "managedFields"]),
            old.find(&["metadata", "managedFields"])
        );
        for changed in [
            object("1", "b", "t1", "{}"),
            object("1", "a", "t2", "{'f:a': {}}"),
            node("{metadata: {labels: {l: a}}}"),
        ] {
            let mut new = changed.clone();
            assert!(!settle(&mut new, &old));
            assert_eq!(new, changed);
        }
        let mut plain = node("{metadata: {}, data: {a: b}}");
        assert!(settle(&mut plain.clone(), &plain));
        assert!(!settle(&mut plain, &node("{metadata: {}}")));
    }
}
