//! Validation of mutating policies and their bindings.

use super::expressions::Expressions;
use super::values::{check_enum, quoted};
use super::{binding, check_common, check_conditions, check_variable, conditions_unchanged};
use crate::environment::Use;
use alloc::format;
use alloc::vec::Vec;
use ratchet_engine::field_validation::{FieldErrors, format_string};
use ratchet_object::At;

/// The operations that can be mutated: deletions have no object.
const OPERATIONS: &[&str] = &["*", "CONNECT", "CREATE", "UPDATE"];

/// Each patch type with the member that belongs to it, and the use of its expression.
const PATCH_TYPES: [(&str, &str, Use); 2] = [
    ("ApplyConfiguration", "applyConfiguration", Use::ApplyConfiguration),
    ("JSONPatch", "jsonPatch", Use::JsonPatch),
];

/// The spec of a mutating policy.
pub(super) fn check(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_common(spec, errs);
    check_operations(&spec.field("matchConstraints"), errs);
    let mut expressions = Expressions::composed(spec, true, errs.ctx);
    if !conditions_unchanged(spec, errs) {
        check_conditions(&spec.field("matchConditions"), &expressions, errs);
    }
    for variable in spec.field("variables").items() {
        check_variable(&variable, &mut expressions, errs);
    }
    let mutations = spec.field("mutations");
    if mutations.is_empty() {
        errs.required(&mutations, "mutations must contain at least one item");
    }
    for mutation in mutations.items() {
        check_mutation(&mutation, &expressions, errs);
    }
    let reinvocation = spec.field("reinvocationPolicy");
    if errs.needs_text(&reinvocation) {
        check_enum(&reinvocation, &["IfNeeded", "Never"], errs);
    }
}

/// The spec of a binding of a mutating policy.
pub(super) fn check_binding(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    binding::check_common(spec, errs);
    check_operations(&spec.field("matchResources"), errs);
}

/// The operations of all rules, reported without the index of the rule, as the reference does.
fn check_operations(constraints: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let rules = constraints.field("resourceRules");
    let at = rules.field("operations");
    for rule in rules.items() {
        for operation in rule.field("operations").items() {
            let text = operation.text_or_empty();
            if !OPERATIONS.contains(&text) {
                errs.unsupported(&at, format_string(text, errs.ctx.config.release), OPERATIONS);
            }
        }
    }
}

fn check_mutation(at: &At<'_>, expressions: &Expressions<'_>, errs: &mut FieldErrors<'_, '_>) {
    let patch_type = at.field("patchType");
    let name = patch_type.text_or_empty();
    if name.is_empty() {
        return errs.required(&patch_type, "");
    }
    if !PATCH_TYPES.iter().any(|row| row.0 == name) {
        return check_enum(&patch_type, &PATCH_TYPES.map(|row| row.0), errs);
    }
    // The member of the type first, then the one that must not be there.
    let (own, others): (Vec<_>, Vec<_>) = PATCH_TYPES.into_iter().partition(|row| row.0 == name);
    for (_, member, use_) in own {
        let member = at.field(member);
        if !member.is_set() {
            errs.required(&member, format!("must be specified when patchType is {name}"));
            continue;
        }
        let expression = member.field("expression");
        match expression.text_or_empty().trim() {
            "" => errs.required(&expression, ""),
            text => expressions.mutation(&expression, text, use_, errs),
        }
    }
    for (_, member, _) in others {
        let other = at.field(member);
        if other.is_set() {
            let detail = format!("must not be specified when patchType is {name}");
            errs.invalid_as(&other, quoted(&format!("{{{member}}}")), detail);
        }
    }
}
