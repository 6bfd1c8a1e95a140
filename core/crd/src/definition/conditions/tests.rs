//! Names among definitions, and the conditions that follow.

use super::*;
use crate::testing::tree;
use alloc::borrow::ToOwned;

fn definition(names: &str, status: &str) -> CustomResourceDefinition {
    let text = alloc::format!(
        "{{metadata: {{name: a}}, spec: {{group: g.example, names: {names}}}, status: {status}}}"
    );
    CustomResourceDefinition::from_node(&tree(&text))
}

const WIDGETS: &str =
    "{plural: widgets, singular: widget, kind: Widget, listKind: WidgetList, shortNames: [wg]}";

#[test]
fn free_names_are_accepted() {
    let new = definition(WIDGETS, "{}");
    let review = review_names(&new, []).unwrap();
    assert_eq!(review.accepted_names, new.names);
    assert_eq!(
        (review.names_accepted.status, &*review.names_accepted.reason),
        (ConditionStatus::True, "NoConflicts")
    );
    assert_eq!(
        (review.established.status, &*review.established.reason),
        (ConditionStatus::False, "Installing")
    );
    let accepted = definition(WIDGETS, &alloc::format!("{{acceptedNames: {WIDGETS}}}"));
    assert_eq!(review_names(&accepted, []), None);
}

#[test]
fn names_of_others_are_taken() {
    let other = definition(WIDGETS, &alloc::format!("{{acceptedNames: {WIDGETS}}}"));
    let cases = [
        (
            "{plural: widgets, singular: x, kind: X, listKind: XList}",
            "PluralConflict",
            "\"widgets\" is already in use",
        ),
        (
            "{plural: xs, singular: wg, kind: X, listKind: XList}",
            "SingularConflict",
            "\"wg\" is already in use",
        ),
        (
            "{plural: xs, singular: x, kind: X, listKind: XList, shortNames: [wg, widget]}",
            "ShortNamesConflict",
            "[\"wg\" is already in use, \"widget\" is already in use]",
        ),
        (
            "{plural: xs, singular: x, kind: WidgetList, listKind: XList}",
            "KindConflict",
            "\"WidgetList\" is already in use",
        ),
        (
            "{plural: widgets, singular: x, kind: X, listKind: Widget}",
            "ListKindConflict",
            "\"Widget\" is already in use",
        ),
    ];
    for (names, reason, message) in cases {
        let review = review_names(&definition(names, "{}"), [&other]).unwrap();
        assert_eq!(
            (&*review.names_accepted.reason, review.names_accepted.message.as_str()),
            (reason, message),
            "{names}"
        );
        assert_eq!(review.established.reason, "NotAccepted");
    }
    let elsewhere = CustomResourceDefinition { group: "other.example".into(), ..other.clone() };
    assert_eq!(
        review_names(&definition(WIDGETS, "{}"), [&elsewhere]).unwrap().names_accepted.status,
        ConditionStatus::True
    );
}

#[test]
fn what_was_established_stays_so() {
    let status = alloc::format!(
        "{{acceptedNames: {WIDGETS}, conditions: [{{type: Established, status: 'True', reason: InitialNamesAccepted}}, {{type: NamesAccepted, status: 'True'}}]}}"
    );
    let renamed = definition(
        "{plural: widgets, singular: thing, kind: Widget, listKind: WidgetList}",
        &status,
    );
    let other = definition(
        "{plural: things, singular: thing, kind: Thing, listKind: ThingList}",
        "{acceptedNames: {plural: things, singular: thing, kind: Thing, listKind: ThingList}}",
    );
    let review = review_names(&renamed, [&renamed, &other]).unwrap();
    assert_eq!(review.names_accepted.reason, "SingularConflict");
    assert_eq!(review.accepted_names.singular, "widget");
    assert_eq!(review.established.status, ConditionStatus::True);
    assert_eq!(established_condition(&renamed, true), None);
}

#[test]
fn conditions_keep_the_time_of_their_status() {
    let mut node = tree("{metadata: {name: a}}");
    let condition = terminating_condition(&Termination::Pending);
    set_condition(&mut node, &condition, "t1");
    set_condition(&mut node, &terminating_condition(&Termination::InProgress), "t2");
    let time = |node: &Node<'_>| {
        node.find(&["status", "conditions"]).unwrap().items()[0]
            .text_at(&["lastTransitionTime"])
            .to_owned()
    };
    assert_eq!(time(&node), "t1");
    set_condition(&mut node, &terminating_condition(&Termination::Completed), "t3");
    assert_eq!(time(&node), "t3");
    assert_eq!(node.find(&["status", "conditions"]).unwrap().items().len(), 1);
}

#[test]
fn schemas_that_are_not_structural_are_told() {
    let node = |schema: &str| {
        tree(&alloc::format!(
            "{{spec: {{versions: [{{name: v1, schema: {{openAPIV3Schema: {schema}}}}}]}}}}"
        ))
    };
    assert_eq!(structural_condition(&node("{type: object}")), None);
    let condition = structural_condition(&node("{type: object, properties: {a: {}}}")).unwrap();
    assert_eq!(
        condition.message,
        "spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields"
    );
    let condition = structural_condition(&node("{type: object, definitions: {a: {}}}")).unwrap();
    assert_eq!(
        (condition.status, &*condition.reason),
        (ConditionStatus::Unknown, "StructuralError")
    );
}
