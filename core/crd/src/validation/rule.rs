//! Validation of rules: their texts, their compilation and their costs.

use super::cost::exceeds;
use super::walk::{Cel, Walk};
use crate::errors::{ErrorList, json, quoted};
use crate::path::Path;
use crate::rules::{CompiledRule, Compiler, valid_field_path};
use crate::schema::{JsonSchemaProps, dump_rule, structural_error};
use crate::structural::Structural;
use alloc::string::{String, ToString};

/// The most that one rule, or one message, may cost.
const COST_LIMIT: u64 = 10_000_000;
/// The reasons that a rule may give.
const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

fn has_line_breaks(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// Checks what can be checked of rules without compiling them.
pub(super) fn validate_texts(schema: &JsonSchemaProps, path: &Path<'_>, errors: &mut ErrorList) {
    let rules = path.child("x-kubernetes-validations");
    let span = schema.span;
    for (index, rule) in schema.validations.iter().enumerate() {
        let path = rules.index(index);
        let (text, message) = (rule.rule.trim(), rule.message.trim());
        let message_path = path.child("message");
        if text.is_empty() {
            errors.required(&path.child("rule"), span, "rule is not specified");
        } else if !rule.message.is_empty() && message.is_empty() {
            let value = quoted(&rule.message);
            errors.invalid(&message_path, span, value, "must be non-empty if specified");
        } else if has_line_breaks(message) {
            let value = quoted(&rule.message);
            errors.invalid(&message_path, span, value, "must not contain line breaks");
        } else if has_line_breaks(text) && message.is_empty() {
            let detail = "message must be specified if rule contains line breaks";
            errors.required(&message_path, span, detail);
        }
        if !rule.message_expression.is_empty() && rule.message_expression.trim().is_empty() {
            let detail = "messageExpression must be non-empty if specified";
            errors.required(&path.child("messageExpression"), span, detail);
        }
        if let Some(reason) = rule.reason.as_deref().filter(|reason| !REASONS.contains(reason)) {
            errors.not_supported(&path.child("reason"), span, json(reason), &REASONS);
        }
        if rule.field_path.is_empty() {
            continue;
        }
        let (field_path, value) = (path.child("fieldPath"), || quoted(&rule.field_path));
        if rule.field_path.trim().is_empty() {
            errors.invalid(&field_path, span, value(), "must be non-empty if specified");
        }
        if has_line_breaks(&rule.field_path) {
            errors.invalid(&field_path, span, value(), "must not contain line breaks");
        }
        if !is_valid_path(schema, &rule.field_path) {
            errors.invalid(&field_path, span, value(), "must be a valid path");
        }
    }
}

fn is_valid_path(schema: &JsonSchemaProps, path: &str) -> bool {
    structural_error(schema).is_some()
        || valid_field_path(path, &Structural::compile(schema), true).is_ok()
}

/// A node with rules.
pub(super) struct RuleNode<'r> {
    pub(super) schema: &'r JsonSchemaProps,
    pub(super) path: &'r Path<'r>,
    pub(super) cel: &'r Cel<'r>,
    /// The path of the first node above that cannot be compared with its past.
    pub(super) uncorrelatable: Option<String>,
}

/// Compiles the rules of a node, and checks their costs.
pub(super) fn validate(node: &RuleNode<'_>, walk: &mut Walk<'_>) {
    let RuleNode { schema, path, cel, .. } = node;
    let rules_path = path.child("x-kubernetes-validations");
    let compiler = Compiler::new(
        cel.structural,
        &cel.decl,
        walk.options.environments(),
        Some(&walk.options.existing),
    );
    let Some(compiler) = compiler else {
        let detail = "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";
        return walk.errors.rules.internal(&rules_path, schema.span, detail.into());
    };
    for (index, rule) in schema.validations.iter().enumerate() {
        let compiled = compiler.compile(rule);
        let path = rules_path.index(index);
        costs(&compiled, node, &path, walk);
        let errors = &mut walk.errors.rules;
        let (rule_path, span) = (path.child("rule"), schema.span);
        if let Some(error) = compiled.error {
            errors.invalid(&rule_path, span, dump_rule(rule), error);
        }
        if let Some(error) = compiled.message_error {
            errors.invalid(&path.child("messageExpression"), span, dump_rule(rule), error);
        } else if compiled.message.is_some() {
            let (path, cost) = (path.child("messageExpression"), compiled.message_max_cost);
            if !walk.suppress_costs && cost > COST_LIMIT {
                let detail = exceeds("estimated messageExpression cost", cost, COST_LIMIT);
                errors.forbidden(&path, span, detail);
            }
            walk.total.observe(path.to_string(), cost);
        }
        if compiled.uses_old_self {
            if let Some(uncorrelatable) = &node.uncorrelatable {
                let detail = alloc::format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within {uncorrelatable}"
                );
                errors.invalid(&rule_path, span, quoted(&rule.rule), detail);
            }
        } else if let Some(optional) = rule.optional_old_self {
            let detail = "may not be set if oldSelf is not used in rule";
            errors.invalid(&path.child("optionalOldSelf"), span, optional.to_string(), detail);
        }
    }
}

/// Checks what a rule costs, as often as it may be evaluated.
fn costs(compiled: &CompiledRule, node: &RuleNode<'_>, path: &Path<'_>, walk: &mut Walk<'_>) {
    let times = node.cel.cardinality.unwrap_or(compiled.max_cardinality);
    let cost = compiled.max_cost.saturating_mul(times);
    let path = path.child("rule");
    if !walk.suppress_costs && cost > COST_LIMIT {
        let detail = exceeds("estimated rule cost", cost, COST_LIMIT);
        walk.errors.rules.forbidden(&path, node.schema.span, detail);
    }
    walk.total.observe(path.to_string(), cost);
}
