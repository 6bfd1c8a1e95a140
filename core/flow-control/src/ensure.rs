//! What the server restores of its own FlowSchemas and priority levels: always, or as long as their annotation says so.

use crate::bootstrap::{AUTO_UPDATE, Bootstrap, bootstrap_objects};
use ratchet_object::{Equality, Node, equal_at};

/// The stored object with the spec and the annotation that it must have; none if it has them.
pub fn revise(stored: &Node<'static>, wanted: &Bootstrap) -> Option<Node<'static>> {
    let annotation = stored.metadata().annotation(AUTO_UPDATE).and_then(parse_bool);
    // An object of a server that knew no such annotation was never changed if this is its first generation.
    let is_untouched = || stored.metadata().generation() == Some(1);
    let updates = wanted.is_mandatory || annotation.unwrap_or_else(is_untouched);
    let is_equal = equal_at(&wanted.node, stored, &["spec"], Equality::Semantic);
    let has_annotation = annotation == Some(updates);
    if has_annotation && (is_equal || !updates) {
        return None;
    }
    let mut revised = stored.clone();
    if updates && !is_equal {
        revised.set("spec", wanted.node.get("spec").cloned()?);
    }
    if !has_annotation {
        let text = if updates { "true" } else { "false" };
        let metadata = revised.map_mut("metadata");
        metadata.map_mut("annotations").set(AUTO_UPDATE, Node::string(text));
    }
    Some(revised)
}

/// Whether a stored object was made by another release and is no longer suggested.
pub fn is_unwanted(kind: &str, stored: &Node<'_>) -> bool {
    let is_it = |wanted: &Bootstrap| {
        wanted.node.text_at(&["kind"]) == kind
            && wanted.node.metadata().name() == stored.metadata().name()
    };
    stored.metadata().annotation(AUTO_UPDATE).and_then(parse_bool) == Some(true)
        && !bootstrap_objects().iter().any(is_it)
}

/// Go's `strconv.ParseBool`.
fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(name: &str) -> Bootstrap {
        let mut all = bootstrap_objects().into_iter();
        let is_it = |object: &Bootstrap| {
            object.node.metadata().name() == name && object.node.text_at(&["kind"]) == "FlowSchema"
        };
        all.find(is_it).expect("a bootstrap object")
    }

    fn changed(
        wanted: &Bootstrap,
        annotation: Option<&'static str>,
        generation: i64,
    ) -> Node<'static> {
        let mut stored = wanted.node.clone();
        stored.map_mut("spec").set("matchingPrecedence", Node::int(77));
        let metadata = stored.map_mut("metadata");
        metadata.set("generation", Node::int(generation));
        metadata.remove("annotations");
        if let Some(text) = annotation {
            metadata.map_mut("annotations").set(AUTO_UPDATE, Node::string(text));
        }
        stored
    }

    #[test]
    fn a_suggested_object_is_restored_as_long_as_its_annotation_says_so() {
        let wanted = object("probes");
        assert_eq!(revise(&wanted.node, &wanted), None);
        let precedence =
            |node: Node<'_>| node.find(&["spec", "matchingPrecedence"]).and_then(Node::as_int);
        let restored = |annotation, generation| {
            revise(&changed(&wanted, annotation, generation), &wanted).map(precedence)
        };
        assert_eq!(restored(Some("true"), 2), Some(Some(2)));
        assert_eq!(restored(Some("false"), 1), None);
        assert_eq!(restored(None, 1), Some(Some(2)), "nobody changed it");
        assert_eq!(restored(None, 2), Some(Some(77)), "it only gets the annotation");
        let own = revise(&changed(&wanted, None, 2), &wanted).expect("an annotation");
        assert_eq!(own.metadata().annotation(AUTO_UPDATE), Some("false"));
    }

    #[test]
    fn a_mandatory_object_is_restored_always() {
        let wanted = object("catch-all");
        let revised = revise(&changed(&wanted, Some("false"), 5), &wanted).expect("restored");
        assert!(equal_at(&revised, &wanted.node, &["spec"], Equality::Semantic));
        assert_eq!(revised.metadata().annotation(AUTO_UPDATE), Some("true"));
    }

    #[test]
    fn only_annotated_objects_of_other_names_are_unwanted() {
        let mut node = changed(&object("probes"), Some("true"), 1);
        assert!(!is_unwanted("FlowSchema", &node));
        assert!(is_unwanted("PriorityLevelConfiguration", &node), "there is no such level");
        node.map_mut("metadata").remove("annotations");
        assert!(!is_unwanted("PriorityLevelConfiguration", &node));
    }
}
