//! NamespaceLifecycle: no object is created in a missing or terminating namespace.

use crate::lifecycle::metadata;
use crate::resource_request::ResourceRequest;
use crate::status::{About, StatusError};
use ratchet_object::Node;
use ratchet_store::{Act, Guard, Revision, Write};

/// Rejects a new object whose namespace does not exist or is being deleted.
pub(crate) async fn namespace_lifecycle(
    request: &ResourceRequest<'_>,
    node: &Node<'_>,
) -> Result<(), StatusError> {
    if guarded_namespace(request).is_some() {
        request.app.cache.fresh().await?;
        namespace_guard(request, node)?;
    }
    Ok(())
}

/// A guard for the commit: the namespace must still be at the revision that was checked here. Check and guard are one
/// step: a guard on an unchecked revision would let objects into a terminating namespace.
pub(crate) fn namespace_guard(
    request: &ResourceRequest<'_>,
    node: &Node<'_>,
) -> Result<Option<Write>, StatusError> {
    let Some(namespace) = guarded_namespace(request) else { return Ok(None) };
    let missing =
        || StatusError::not_found(About { group: "", resource: "namespaces", name: namespace });
    let namespaces = request.app.registry.core("namespaces").ok_or_else(missing)?;
    let item = namespaces.cache.find(namespace)?.ok_or_else(missing)?;
    if metadata::is_terminating(&item.node()) {
        return Err(terminating(request, namespace, node));
    }
    let key = namespaces.key("", namespace);
    Ok(Some(Write { key, guard: Guard::At(Revision(item.revision)), act: Act::Keep }))
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

fn guarded_namespace<'a>(request: &'a ResourceRequest<'_>) -> Option<&'a str> {
    let is_enabled = request.app.plugins.is_on("NamespaceLifecycle");
    (is_enabled && request.resource.row.namespaced).then_some(request.path.namespace.as_str())
}
