//! NamespaceLifecycle: nothing is created where no namespace is, or in one that goes away.

use crate::resource_request::ResourceRequest;
use crate::lifecycle::metadata;
use crate::status::{About, StatusError};
use ratchet_object::Node;
use ratchet_store::{Act, Guard, Revision, Write};

/// Refuses a new object whose namespace does not exist or is being deleted.
pub(crate) async fn namespace_lifecycle(
    call: &ResourceRequest<'_>,
    node: &Node<'_>,
) -> Result<(), StatusError> {
    if guarded(call).is_some() {
        call.app.cache.fresh().await?;
        namespace_guard(call, node)?;
    }
    Ok(())
}

/// What must still hold when the object is committed: the namespace as it is looked at here, and found good. Look and
/// guard are one step: a guard on a namespace that nobody looked at would let objects into one that goes away.
pub(crate) fn namespace_guard(
    call: &ResourceRequest<'_>,
    node: &Node<'_>,
) -> Result<Option<Write>, StatusError> {
    let Some(namespace) = guarded(call) else { return Ok(None) };
    let missing =
        || StatusError::not_found(About { group: "", resource: "namespaces", name: namespace });
    let namespaces = call.app.registry.core("namespaces").ok_or_else(missing)?;
    let item = namespaces.shelf.find(namespace)?.ok_or_else(missing)?;
    if metadata::is_terminating(&item.node()) {
        return Err(terminating(call, namespace, node));
    }
    let key = namespaces.key("", namespace);
    Ok(Some(Write { key, guard: Guard::At(Revision(item.revision)), act: Act::Keep }))
}

fn terminating(call: &ResourceRequest<'_>, namespace: &str, node: &Node<'_>) -> StatusError {
    let name = match node.text_at(&["metadata", "name"]) {
        "" => node.text_at(&["metadata", "generateName"]),
        name => name,
    };
    let why = format!(
        "unable to create new content in namespace {namespace} because it is being terminated"
    );
    let cause = format!("namespace {namespace} is being terminated");
    let refusal = StatusError::forbidden(call.served.about(name), &why);
    refusal.because("NamespaceTerminating", "metadata.namespace", cause)
}

fn guarded<'a>(call: &'a ResourceRequest<'_>) -> Option<&'a str> {
    let on = call.app.plugins.is_on("NamespaceLifecycle");
    (on && call.served.row.namespaced).then_some(call.place.namespace.as_str())
}
