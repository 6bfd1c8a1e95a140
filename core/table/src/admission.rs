//! Printers of admission webhooks and policies.

use crate::column::{AGE, Column, NAME, Row, integer, text as column};
use crate::labels::debug;
use crate::printed_object::{Cells, PrintedObject, UNSET, at, text};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use ratchet_object::Node;

const GROUP: &str = "admissionregistration.k8s.io";

pub(crate) const ROWS: &[Row] = &[
    row("MutatingWebhookConfiguration", WEBHOOKS, webhooks),
    row("ValidatingWebhookConfiguration", WEBHOOKS, webhooks),
    row("ValidatingAdmissionPolicy", VALIDATING, validating),
    row("ValidatingAdmissionPolicyBinding", BINDING, binding),
    row("MutatingAdmissionPolicy", MUTATING, mutating),
    row("MutatingAdmissionPolicyBinding", BINDING, binding),
];

const fn row(
    kind: &'static str,
    columns: &'static [Column],
    cells: fn(&PrintedObject<'_>) -> Cells,
) -> Row {
    Row { group: GROUP, kind, columns, cells }
}

const WEBHOOKS: &[Column] = &[NAME, integer("Webhooks", "How many webhooks are configured."), AGE];

const PARAM_KIND: Column =
    column("ParamKind", "The kind of the objects that parameterize the policy.");

const VALIDATING: &[Column] =
    &[NAME, integer("Validations", "How many rules the policy has."), PARAM_KIND, AGE];

const MUTATING: &[Column] =
    &[NAME, integer("Mutations", "How many changes the policy makes."), PARAM_KIND, AGE];

const BINDING: &[Column] = &[
    NAME,
    column("PolicyName", "The policy that the binding puts in force."),
    column("ParamRef", "The objects that parameterize the policy."),
    AGE,
];

fn webhooks(object: &PrintedObject<'_>) -> Cells {
    vec![object.name(), Node::int(object.count(&["webhooks"])), object.age()]
}

fn validating(object: &PrintedObject<'_>) -> Cells {
    policy(object, &["spec", "validations"])
}

fn mutating(object: &PrintedObject<'_>) -> Cells {
    policy(object, &["spec", "mutations"])
}

fn policy(object: &PrintedObject<'_>, rules: &[&str]) -> Cells {
    let param = object.at(&["spec", "paramKind"]).map_or_else(
        || UNSET.to_owned(),
        |param| format!("{}/{}", param.text_at(&["apiVersion"]), param.text_at(&["kind"])),
    );
    vec![object.name(), Node::int(object.count(rules)), text(param), object.age()]
}

fn binding(object: &PrintedObject<'_>) -> Cells {
    let param = object.at(&["spec", "paramRef"]).and_then(format_param_ref);
    vec![
        object.name(),
        object.cell(&["spec", "policyName"]),
        text(param.unwrap_or_else(|| UNSET.to_owned())),
        object.age(),
    ]
}

/// Whether parameters are namespaced is not known here: without a namespace they stand for any.
fn format_param_ref(param: &Node<'_>) -> Option<String> {
    match (param.text_at(&["name"]), param.text_at(&["namespace"])) {
        ("", _) => at(param, &["selector"]).map(debug),
        (name, "") => Some(format!("*/{name}")),
        (name, namespace) => Some(format!("{namespace}/{name}")),
    }
}

#[cfg(test)]
mod tests {
    use super::GROUP;
    use crate::testing::line;
    use alloc::format;

    #[test]
    fn webhooks_are_counted() {
        for kind in ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"] {
            assert_eq!(line(GROUP, kind, "{webhooks: [{}, {}]}"), "a | 2 | 5m");
            assert_eq!(line(GROUP, kind, "{}"), "a | 0 | 5m");
        }
    }

    #[test]
    fn policies() {
        for (kind, rules) in
            [("ValidatingAdmissionPolicy", "validations"), ("MutatingAdmissionPolicy", "mutations")]
        {
            let text =
                format!("{{spec: {{{rules}: [{{}}], paramKind: {{apiVersion: v1, kind: K}}}}}}");
            assert_eq!(line(GROUP, kind, &text), "a | 1 | v1/K | 5m");
            assert_eq!(line(GROUP, kind, "{}"), "a | 0 | <unset> | 5m");
        }
    }

    #[test]
    fn bindings() {
        for kind in ["ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicyBinding"] {
            let formatted = |param: &str| {
                line(GROUP, kind, &format!("{{spec: {{policyName: p, paramRef: {param}}}}}"))
            };
            assert_eq!(formatted("null"), "a | p | <unset> | 5m");
            assert_eq!(formatted("{}"), "a | p | <unset> | 5m");
            assert_eq!(formatted("{name: 'n'}"), "a | p | */n | 5m");
            assert_eq!(formatted("{name: 'n', namespace: s}"), "a | p | s/n | 5m");
            let expected = "a | p | &LabelSelector{MatchLabels:map[string]string{x: y,},\
                MatchExpressions:[]LabelSelectorRequirement{},} | 5m";
            assert_eq!(formatted("{selector: {matchLabels: {x: 'y'}}}"), expected);
        }
    }
}
