//! `namespaces/finalize`: the finalizers in the spec of a namespace.

use ratchet_object::Node;

/// Copies the finalizers of the spec.
pub(super) fn take(new: &mut Node<'static>, sent: &Node<'static>) {
    match sent.find(&["spec", "finalizers"]) {
        Some(list) if !list.items().is_empty() => {
            new.map_mut("spec").set("finalizers", list.clone());
        }
        _ => {
            new.map_mut("spec").remove("finalizers");
        }
    }
}
