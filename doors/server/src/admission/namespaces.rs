//! NamespaceLifecycle: no object is created in a missing or terminating namespace.

use super::plugin::{Admission, CommitConditions, PendingWrite, Plugin, PluginResult};
use crate::app::resource_request::ResourceRequest;
use crate::registry::metadata;
use crate::status::{About, StatusError};
use ratchet_admission::Attributes;
use ratchet_object::Node;
use ratchet_store::{Guard, Operation, Revision, Write};

/// `NamespaceLifecycle`.
pub(super) struct NamespaceLifecycle;

impl Plugin for NamespaceLifecycle {
    fn name(&self) -> &'static str {
        "NamespaceLifecycle"
    }

    fn admit(
        &self,
        request: &ResourceRequest<'_>,
        attributes: &Attributes<'_>,
        object: &mut Node<'static>,
    ) -> Admission {
        let is_create = attributes.is_create() && attributes.subresource.is_empty();
        Some(if is_create { namespace_guard(request, object).map(drop) } else { Ok(()) })
    }

    fn conditions<'f, 'a: 'f>(
        &'f self,
        request: &'a ResourceRequest<'_>,
        write: &'f PendingWrite<'_>,
    ) -> PluginResult<'f, CommitConditions<'a>> {
        let guard = match write.old {
            None => namespace_guard(request, write.new),
            Some(_) => Ok(None),
        };
        let conditions = guard.map(|guard| CommitConditions {
            writes: guard.into_iter().collect(),
            ..CommitConditions::default()
        });
        PluginResult::Now(conditions)
    }
}

/// A guard for the commit: the namespace must still be at the revision that was checked here. Check and guard are one
/// step: a guard on an unchecked revision would let objects into a terminating namespace.
fn namespace_guard(
    request: &ResourceRequest<'_>,
    object: &Node<'_>,
) -> Result<Option<Write>, StatusError> {
    if !request.resource.row().namespaced {
        return Ok(None);
    }
    let namespace = request.path.namespace.as_str();
    let missing =
        || StatusError::not_found(About { group: "", resource: "namespaces", name: namespace });
    let namespaces = request.app.registry.core("namespaces").ok_or_else(missing)?;
    let item = namespaces.cache.find(namespace)?.ok_or_else(missing)?;
    // Every create asks, and most namespaces do not even have the word.
    if item.contains("\"deletionTimestamp\"") && item.read(metadata::is_terminating) {
        return Err(terminating(request, namespace, object));
    }
    let key = namespaces.key("", namespace);
    Ok(Some(Write { key, guard: Guard::At(Revision(item.revision)), act: Operation::Keep }))
}

fn terminating(request: &ResourceRequest<'_>, namespace: &str, node: &Node<'_>) -> StatusError {
    let name = match node.text_at(&["metadata", "name"]) {
        "" => node.text_at(&["metadata", "generateName"]),
        name => name,
    };
    let why = format!(
        "unable to create new content in namespace {namespace} because it is being terminated"
    );
    let cause = format!("namespace {namespace} is being terminated");
    let error = StatusError::forbidden(request.resource.about(name), &why);
    error.because("NamespaceTerminating", "metadata.namespace", cause)
}
