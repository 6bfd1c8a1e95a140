//! Validation of node selectors: the terms of node affinity in pods and in PersistentVolumes.

use crate::field_errors::FieldErrors;
use crate::format_value;
use crate::name_format::{self, NameFormat};
use ratchet_object::At;

const BAD_OPERATOR: &str = "not a valid selector operator";

/// Whether label values of a selector are checked: stored ones that are invalid may stay.
pub(super) fn has_invalid_value(selector: &At<'_>) -> bool {
    let is_invalid =
        |value: At<'_>| !name_format::is_valid(NameFormat::LabelValue, value.text_or_empty());
    selector.field("nodeSelectorTerms").items().any(|term| {
        let mut expressions = term.field("matchExpressions").items();
        expressions.any(|at| at.field("values").items().any(is_invalid))
    })
}

/// Checks a node selector, which has terms.
pub(super) fn check(selector: &At<'_>, checks_values: bool, errs: &mut FieldErrors<'_, '_>) {
    let terms = selector.field("nodeSelectorTerms");
    if terms.is_empty() {
        errs.required(&terms, "must have at least one node selector term");
    }
    terms.items().for_each(|term| check_term(&term, checks_values, errs));
}

/// Checks one term: requirements of labels, and of fields.
pub(super) fn check_term(term: &At<'_>, checks_values: bool, errs: &mut FieldErrors<'_, '_>) {
    for at in term.field("matchExpressions").items() {
        check_expression(&at, checks_values, errs);
    }
    for at in term.field("matchFields").items() {
        check_field(&at, errs);
    }
}

/// Labels of nodes that were renamed: a requirement may change from the old name to the new one.
const RENAMED: [(&str, &str); 5] = [
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("beta.kubernetes.io/os", "kubernetes.io/os"),
    ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
    ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
];

/// Whether the nodes of a volume are as they were, but for names of labels.
pub(super) fn is_kept(nodes: &At<'_>, before: &At<'_>) -> bool {
    let [now, then] = [nodes, before].map(|at| at.descend(&["required", "nodeSelectorTerms"]));
    nodes.is_set()
        && nodes.field("required").is_set() == before.field("required").is_set()
        && now.len() == then.len()
        && now.items().zip(then.items()).all(|(now, then)| {
            ["matchExpressions", "matchFields"].iter().all(|name| {
                let (now, then) = (now.field(name), then.field(name));
                now.len() == then.len()
                    && now.items().zip(then.items()).all(|(now, then)| is_kept_one(&now, &then))
            })
        })
}

fn is_kept_one(now: &At<'_>, then: &At<'_>) -> bool {
    let (new, old) = (now.field("key").text_or_empty(), then.field("key").text_or_empty());
    let is_renamed = RENAMED.iter().any(|row| row.0 == old && row.1 == new);
    (new == old || is_renamed)
        && ["operator", "values"].iter().all(|name| now.field(name).equals(&then.field(name)))
}

fn check_expression(at: &At<'_>, checks_values: bool, errs: &mut FieldErrors<'_, '_>) {
    let (operator, values) = (at.field("operator"), at.field("values"));
    match operator.text_or_empty() {
        "In" | "NotIn" => {
            if values.is_empty() {
                errs.required(&values, "must be specified when `operator` is 'In' or 'NotIn'");
            }
        }
        "Exists" | "DoesNotExist" => {
            if !values.is_empty() {
                let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                errs.forbidden(&values, detail);
            }
        }
        "Gt" | "Lt" => {
            if values.len() != 1 {
                let detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
                errs.required(&values, detail);
            }
        }
        _ => bad_operator(&operator, errs),
    }
    errs.form(&at.field("key"), NameFormat::Qualified);
    if checks_values {
        values.items().for_each(|value| errs.form(&value, NameFormat::LabelValue));
    }
}

fn check_field(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (key, operator, values) = (at.field("key"), at.field("operator"), at.field("values"));
    match operator.text_or_empty() {
        "In" | "NotIn" => {
            if values.len() != 1 {
                let detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
                errs.required(&values, detail);
            }
        }
        _ => bad_operator(&operator, errs),
    }
    match key.text_or_empty() {
        "metadata.name" => values.items().for_each(|at| errs.form(&at, NameFormat::Subdomain)),
        text => {
            errs.invalid_as(
                &key,
                crate::field_errors::quoted(text),
                "not a valid field selector key",
            );
        }
    }
}

fn bad_operator(operator: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let formatted = format_value::typed_string(operator.text_or_empty(), errs.ctx.config.release);
    errs.invalid_as(operator, formatted, BAD_OPERATOR);
}
