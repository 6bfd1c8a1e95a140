//! Subresources of which an update writes some fields only: `ephemeralcontainers` and `resize` of pods, `finalize` of
//! namespaces.

use super::prepare::restore;
use ratchet_engine::Part;
use ratchet_object::Node;

/// How the fields of a subresource are copied from one object to another.
type Take = fn(&mut Node<'static>, &Node<'static>);

const PARTIAL: &[(&str, Take)] = &[
    ("ephemeralcontainers", take_ephemeral_containers),
    ("resize", take_resources),
    ("finalize", take_finalizers),
];

/// Drops what mutating admission changed beside the fields of a subresource and their owners.
pub(crate) fn restrict(part: Part, new: &mut Node<'static>, old: &Node<'static>) {
    let row = PARTIAL.iter().find(|(name, _)| matches!(part, Part::Sub(own) if own == *name));
    if let Some((_, take)) = row {
        let admitted = std::mem::replace(new, old.clone());
        take(new, &admitted);
        if let Some(metadata) = admitted.get("metadata") {
            restore(new.map_mut("metadata"), metadata, "managedFields");
        }
    }
}

/// Copies the ephemeral containers.
pub(crate) fn take_ephemeral_containers(new: &mut Node<'static>, sent: &Node<'static>) {
    match sent.find(&["spec", "ephemeralContainers"]) {
        Some(list) => new.map_mut("spec").set("ephemeralContainers", list.clone()),
        None => {
            new.map_mut("spec").remove("ephemeralContainers");
        }
    }
}

/// Copies the resources and resize policies of containers.
pub(crate) fn take_resources(new: &mut Node<'static>, sent: &Node<'static>) {
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

/// Copies the finalizers of the spec.
pub(crate) fn take_finalizers(new: &mut Node<'static>, sent: &Node<'static>) {
    match sent.find(&["spec", "finalizers"]) {
        Some(list) if !list.items().is_empty() => {
            new.map_mut("spec").set("finalizers", list.clone());
        }
        _ => {
            new.map_mut("spec").remove("finalizers");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    #[test]
    fn only_the_fields_of_a_subresource_are_written() {
        let node = |text: &str| -> Node<'static> {
            decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
        };
        let old = node("{metadata: {name: p}, spec: {containers: [{name: c}]}}");
        let admitted = "{metadata: {name: q, managedFields: [{manager: m}]}, spec: {containers: [], ephemeralContainers: [{name: e}]}}";
        let mut new = node(admitted);
        restrict(Part::Sub("ephemeralcontainers"), &mut new, &old);
        assert_eq!(
            new.to_json(),
            r#"{"metadata":{"name":"p","managedFields":[{"manager":"m"}]},"spec":{"containers":[{"name":"c"}],"ephemeralContainers":[{"name":"e"}]}}"#
        );
        let mut whole = node(admitted);
        restrict(Part::Main, &mut whole, &old);
        assert_eq!(whole.text_at(&["metadata", "name"]), "q");
    }
}
