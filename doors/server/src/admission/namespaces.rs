//! NamespaceLifecycle: nothing is created where no namespace is, or in one that goes away.

use crate::call::Call;
use crate::lifecycle::metadata;
use crate::refusal::{About, Refusal};
use ratchet_object::Node;
use ratchet_store::{Act, Guard, Revision, Write};

/// Refuses a new object whose namespace does not exist or is being deleted.
pub(crate) async fn namespace_lifecycle(call: &Call<'_>, node: &Node<'_>) -> Result<(), Refusal> {
    let Some(namespace) = guarded(call) else { return Ok(()) };
    call.app.cache.fresh().await?;
    let namespaces = call.app.registry.core("namespaces");
    let found = namespaces.and_then(|served| served.shelf.get(namespace));
    let Some(item) = found else {
        return Err(Refusal::not_found(About {
            group: "",
            resource: "namespaces",
            name: namespace,
        }));
    };
    if !metadata::is_terminating(&item.node()) {
        return Ok(());
    }
    let name = match node.text_at(&["metadata", "name"]) {
        "" => node.text_at(&["metadata", "generateName"]),
        name => name,
    };
    let why = format!(
        "unable to create new content in namespace {namespace} because it is being terminated"
    );
    let cause = format!("namespace {namespace} is being terminated");
    let refusal = Refusal::forbidden(call.served.about(name), &why);
    Err(refusal.because("NamespaceTerminating", "metadata.namespace", cause))
}

/// What must still hold when the object is committed: the namespace as it was looked at.
pub(crate) fn namespace_guard(call: &Call<'_>) -> Option<Write> {
    let namespace = guarded(call)?;
    let namespaces = call.app.registry.core("namespaces")?;
    let item = namespaces.shelf.get(namespace)?;
    let key = namespaces.key("", namespace);
    Some(Write { key, guard: Guard::At(Revision(item.revision)), act: Act::Keep })
}

fn guarded<'a>(call: &'a Call<'_>) -> Option<&'a str> {
    let on = call.app.plugins.is_on("NamespaceLifecycle");
    (on && call.served.row.namespaced).then_some(call.place.namespace.as_str())
}
