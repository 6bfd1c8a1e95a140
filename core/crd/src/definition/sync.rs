//! `sync_status`: what the controllers of definitions write after a change, in one step.

use super::CustomResourceDefinition;
use super::conditions::{
    approval_condition, established_condition, review_names, set_condition, structural_condition,
};
use ratchet_object::Node;

/// Brings the status of a definition up to date: its names are reviewed against those of `others` (which may contain
/// it itself), then it is established; and the conditions about approval and schemas are set. To be repeated for the
/// other definitions of the group, whose names may be free now. Returns whether anything changed.
pub fn sync_status<'d>(
    definition: &mut Node<'_>,
    others: impl IntoIterator<Item = &'d CustomResourceDefinition>,
    ca_bundle_is_valid: bool,
    now: &str,
) -> bool {
    let before = definition.get("status").map(Node::to_json);
    let view = CustomResourceDefinition::from_node(definition);
    if let Some(review) = review_names(&view, others) {
        definition.map_mut("status").set("acceptedNames", review.accepted_names.to_node());
        set_condition(definition, &review.names_accepted, now);
        set_condition(definition, &review.established, now);
    }
    let view = CustomResourceDefinition::from_node(definition);
    let conditions = [
        established_condition(&view, ca_bundle_is_valid),
        approval_condition(&view),
        structural_condition(definition),
    ];
    for condition in conditions.iter().flatten() {
        set_condition(definition, condition, now);
    }
    definition.get("status").map(Node::to_json) != before
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tree;

    const WIDGETS: &str = "{metadata: {name: widgets.x.io}, spec: {group: x.io, names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}}}";

    #[test]
    fn names_are_accepted_and_definitions_established() {
        let mut widgets = tree(WIDGETS);
        assert!(sync_status(&mut widgets, [], true, "t1"));
        let status = widgets.get("status").unwrap().to_json();
        assert_eq!(
            status,
            r#"{"acceptedNames":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},"conditions":[{"type":"NamesAccepted","status":"True","lastTransitionTime":"t1","reason":"NoConflicts","message":"no conflicts found"},{"type":"Established","status":"True","lastTransitionTime":"t1","reason":"InitialNamesAccepted","message":"the initial names have been accepted"}]}"#
        );
        assert!(!sync_status(&mut widgets, [], true, "t2"));
    }

    #[test]
    fn a_name_that_is_free_again_is_accepted() {
        let mut widgets = tree(WIDGETS);
        sync_status(&mut widgets, [], true, "t1");
        let others = [CustomResourceDefinition::from_node(&widgets)];
        let mut gadgets = tree(&WIDGETS.replace("widget", "gadget"));
        sync_status(&mut gadgets, &others, true, "t1");
        let is_established =
            |node: &Node<'_>| CustomResourceDefinition::from_node(node).is_established();
        assert!(!is_established(&gadgets));
        assert!(sync_status(&mut gadgets, [], true, "t2"));
        assert!(is_established(&gadgets));
    }
}
