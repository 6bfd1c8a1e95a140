//! `finalize`: the list that holds a namespace has its own endpoint.

use ratchet_object::Node;

/// Takes over the finalizers in the spec of a namespace.
pub(super) fn take(new: &mut Node<'static>, sent: &Node<'static>) {
    match sent.find(&["spec", "finalizers"]) {
        Some(list) if !list.items().is_empty() => {
            new.below("spec").set("finalizers", list.clone());
        }
        _ => {
            new.below("spec").remove("finalizers");
        }
    }
}
