//! Aggregated cluster roles: the rules that an aggregation rule collects.

use crate::Rule;
use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use ratchet_object::Node;

/// The rules of `cluster_role` by its aggregation rule: those of all cluster roles that its
/// selectors match, in the order of their names, each rule once. None if it has no aggregation rule, or if
/// a selector is malformed: then its rules stay as they are.
pub fn aggregate(cluster_role: &Node<'_>, all: &[&Node<'_>]) -> Option<Vec<Rule>> {
    let gathering = cluster_role.get("aggregationRule").filter(|rule| !rule.is_null())?;
    let name = |node: &Node<'_>| node.metadata().name().to_owned();
    let mut others: Vec<_> = all.iter().filter(|role| name(role) != name(cluster_role)).collect();
    others.sort_by_key(|role| name(role));
    let mut rules = Vec::new();
    for selector in gathering.get("clusterRoleSelectors").map(Node::items).unwrap_or_default() {
        for role in &others {
            if !selects(selector, role)? {
                continue;
            }
            for rule in Rule::all_of(role) {
                if !rules.contains(&rule) {
                    rules.push(rule);
                }
            }
        }
    }
    Some(rules)
}

/// Whether the selector matches the object; none if the selector is malformed.
fn selects(selector: &Node<'_>, object: &Node<'_>) -> Option<bool> {
    let label = |key: &str| object.metadata().label(key);
    let labels = selector.get("matchLabels").map(Node::entries).unwrap_or_default();
    let mut chosen = labels.iter().all(|entry| label(&entry.key) == entry.node.text());
    for expression in selector.get("matchExpressions").map(Node::items).unwrap_or_default() {
        let values = expression.get("values").map(Node::items).unwrap_or_default();
        let value_here = label(expression.text_at(&["key"]));
        let among = value_here.is_some() && values.iter().any(|value| value.text() == value_here);
        chosen &= match expression.text_at(&["operator"]) {
            "In" => among,
            "NotIn" => !among,
            "Exists" => value_here.is_some(),
            "DoesNotExist" => value_here.is_none(),
            _ => return None,
        };
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap_objects;
    use crate::testing::node;
    use alloc::vec;

    #[test]
    fn rules_are_gathered_by_label_once_and_never_from_itself() {
        let role = node(
            r#"{metadata: {name: sum, labels: {add: "y"}}, rules: [{verbs: [old]}],
                aggregationRule: {clusterRoleSelectors: [{matchLabels: {add: "y"}},
                  {matchExpressions: [{key: more, operator: Exists}]}]}}"#,
        );
        let b = node(r#"{metadata: {name: b, labels: {add: "y"}}, rules: [{verbs: [b]}]}"#);
        let a = node(
            r#"{metadata: {name: a, labels: {add: "y", more: ""}}, rules: [{verbs: [a]}, {verbs: [b]}]}"#,
        );
        let c = node("{metadata: {name: c}, rules: [{verbs: [c]}]}");
        let rules = aggregate(&role, &[&role, &b, &a, &c]).expect("gathers");
        let verbs: Vec<_> = rules.iter().flat_map(|rule| rule.verbs.clone()).collect();
        assert_eq!(verbs, ["a", "b"]);
        assert_eq!(aggregate(&b, &[&role, &a]), None);
    }

    #[test]
    fn a_selector_without_sense_changes_nothing() {
        let role = node(
            "{metadata: {name: x}, aggregationRule: {clusterRoleSelectors: [{matchExpressions: [{key: a, operator: Maybe}]}]}}",
        );
        let other = node("{metadata: {name: y}}");
        assert_eq!(aggregate(&role, &[&role, &other]), None);
    }

    #[test]
    fn operators_of_selectors() {
        let object = node("{metadata: {labels: {a: x}}}");
        let cases = [
            ("{key: a, operator: In, values: [x, y]}", true),
            ("{key: a, operator: In, values: [y]}", false),
            ("{key: a, operator: NotIn, values: [y]}", true),
            ("{key: a, operator: NotIn, values: [x]}", false),
            ("{key: b, operator: NotIn, values: [x]}", true),
            ("{key: b, operator: DoesNotExist}", true),
            ("{key: a, operator: DoesNotExist}", false),
            ("{key: b, operator: Exists}", false),
        ];
        for (expression, chosen) in cases {
            let selector = Node::map([("matchExpressions", Node::list(vec![node(expression)]))]);
            assert_eq!(selects(&selector, &object), Some(chosen), "{expression}");
        }
    }

    #[test]
    fn the_default_roles_build_on_each_other() {
        let objects = bootstrap_objects();
        let all: Vec<_> =
            objects.iter().filter(|o| o.text_at(&["kind"]) == "ClusterRole").collect();
        let rules_of = |name: &str| {
            let role = all.iter().find(|role| role.metadata().name() == name);
            aggregate(role.expect("there"), &all).expect("gathers")
        };
        // One pass does not include what the aggregated roles aggregate themselves.
        assert_eq!(
            (rules_of("view").len(), rules_of("edit").len(), rules_of("admin").len()),
            (12, 15, 2)
        );
    }
}
