//! NamespaceLifecycle: nothing is created where no namespace is, or in one that goes away.

use crate::resource_request::ResourceRequest;
use crate::lifecycle::metadata;
use crate::status::{About, StatusError};
use ratchet_object::Node;
use ratchet_store::{Act, Guard, Revision, Write};

/// Refuses a new object whose namespace does not exist or is being deleted.
pub(crate) async fn namespace_lifecycle(
    request: &ResourceRequest<'_>,
    node: &Node<'_>,
) -> Result<(), StatusError> {
    if guarded(request).is_some() {
        request.app.cache.fresh().await?;
        namespace_guard(request, node)?;
    }
    Ok(())
}

/// What must still hold when the object is committed: the namespace as it is looked at here, and found good. Look and
/// guard are one step: a guard on a namespace that nobody looked at would let objects into one that goes away.
pub(crate) fn namespace_guard(
    request: &ResourceRequest<'_>,
    node: &Node<'_>,
) -> Result<Option<Write>, StatusError> {
    let Some(namespace) = guarded(request) else { return Ok(None) };
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
    let refusal = StatusError::forbidden(request.resource.about(name), &why);
    refusal.because("NamespaceTerminating", "metadata.namespace", cause)
}

fn guarded<'a>(request: &'a ResourceRequest<'_>) -> Option<&'a str> {
    let on = request.app.plugins.is_on("NamespaceLifecycle");
    (on && request.resource.row.namespaced).then_some(request.path.namespace.as_str())
}
