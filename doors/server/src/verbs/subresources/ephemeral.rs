//! `pods/ephemeralcontainers` and `pods/resize`: the mutable parts of a running pod's spec.

use ratchet_object::Node;

/// Copies the ephemeral containers.
pub(super) fn take(new: &mut Node<'static>, sent: &Node<'static>) {
    match sent.find(&["spec", "ephemeralContainers"]) {
        Some(list) => new.map_mut("spec").set("ephemeralContainers", list.clone()),
        None => {
            new.map_mut("spec").remove("ephemeralContainers");
        }
    }
}

/// Copies the resources and resize policies of containers.
pub(super) fn resize(new: &mut Node<'static>, sent: &Node<'static>) {
    for list in ["containers", "initContainers"] {
        let wanted = sent.find(&["spec", list]).map(Node::items).unwrap_or_default();
        for container in
            new.find_mut(&["spec", list]).and_then(Node::items_mut).into_iter().flatten()
        {
            let name = container.text_at(&["name"]).to_owned();
            let Some(from) = wanted.iter().find(|other| other.text_at(&["name"]) == name) else {
                continue;
            };
            for member in ["resources", "resizePolicy"] {
                match from.get(member) {
                    Some(value) => container.set(member, value.clone()),
                    None => {
                        container.remove(member);
                    }
                }
            }
        }
    }
    if let Some(resources) = sent.find(&["spec", "resources"]) {
        new.map_mut("spec").set("resources", resources.clone());
    }
}
