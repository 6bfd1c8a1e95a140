//! Validation of policies, bindings and webhook configurations, with their expressions, which the engine cannot compile.

mod binding;
mod devices;
mod expressions;
mod mutating;
mod resources;
mod status;
#[cfg(test)]
mod tests;
mod values;
mod webhooks;
#[cfg(test)]
mod webhooks_tests;

use alloc::collections::BTreeSet;
use expressions::Expressions;
pub(crate) use expressions::STORED;
use ratchet_engine::field_validation::{
    FieldErrors, NameFormat, ValidationContext, name_format_faults,
};
use ratchet_engine::{Change, Part, Verdict};
use ratchet_object::At;
use values::{check_enum, quoted};

const GROUP: &str = "admissionregistration.k8s.io";
const DEVICES: &str = "resource.k8s.io";
/// The suffix of names that a later release reserves.
const RESERVED: &str = ".static.k8s.io";
const MAX_CONDITIONS: usize = 64;
const MAX_ANNOTATIONS: usize = 20;

/// Adds the errors of a policy, a binding, a webhook configuration or a selector of devices to a verdict; none for any
/// other kind. They belong behind those of the engine, which are about metadata.
pub fn validate(change: &Change<'_>, config: &ratchet_engine::ApiConfig, verdict: &mut Verdict) {
    if change.kind.group == DEVICES && change.part == Part::Main {
        return validate_selectors(change, config, verdict);
    }
    if change.kind.group != GROUP {
        return;
    }
    let ctx = ValidationContext { change, config };
    let mut errs = FieldErrors::new(&ctx, verdict);
    let spec = change.new_root().field("spec");
    match (change.kind.name, change.part) {
        ("ValidatingAdmissionPolicy", Part::Main) => check_policy(&spec, &mut errs),
        ("ValidatingAdmissionPolicy", Part::STATUS) => {
            status::check(&change.new_root().field("status"), &mut errs);
        }
        ("ValidatingAdmissionPolicyBinding", Part::Main) => binding::check(&spec, &mut errs),
        ("MutatingAdmissionPolicy", Part::Main) => mutating::check(&spec, &mut errs),
        ("MutatingAdmissionPolicyBinding", Part::Main) => mutating::check_binding(&spec, &mut errs),
        ("ValidatingWebhookConfiguration", Part::Main) => webhooks::check(false, &mut errs),
        ("MutatingWebhookConfiguration", Part::Main) => webhooks::check(true, &mut errs),
        _ => return,
    }
    let name = change.new_root().descend(&["metadata", "name"]);
    let is_reserved = change.part == Part::Main && name.text_or_empty().ends_with(RESERVED);
    if is_reserved && errs.verdict.errors.is_empty() {
        errs.warn_of_name(
            &name,
            alloc::format!(
                "metadata.name: names ending with \"{RESERVED}\" are reserved for static manifest-based configurations and cannot be managed via the API"
            ),
        );
    }
}

/// Adds the errors of expressions that select devices; the rest of their kinds is the engine's.
fn validate_selectors(
    change: &Change<'_>,
    config: &ratchet_engine::ApiConfig,
    verdict: &mut Verdict,
) {
    let ctx = ValidationContext { change, config };
    let mut errs = FieldErrors::new(&ctx, verdict);
    let spec = change.new_root().field("spec");
    match change.kind.name {
        "DeviceClass" => devices::check_class(&spec, &mut errs),
        // The spec of a stored claim cannot change.
        "ResourceClaim" if change.is_create() => {
            devices::check_claim(&spec.field("devices"), &mut errs);
        }
        "ResourceClaimTemplate" => {
            devices::check_claim(&spec.descend(&["spec", "devices"]), &mut errs);
        }
        _ => {}
    }
}

/// What policies of both kinds have: failure policy, parameters, constraints.
fn check_common(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let failure = spec.field("failurePolicy");
    if failure.is_set() {
        check_enum(&failure, &["Fail", "Ignore"], errs);
    } else {
        errs.required(&failure, "");
    }
    let kind = spec.field("paramKind");
    if kind.is_set() {
        check_parameter_kind(&kind, errs);
    }
    let constraints = spec.field("matchConstraints");
    if constraints.is_set() {
        resources::check(&constraints, errs);
        let rules = constraints.field("resourceRules");
        if rules.is_empty() {
            errs.required(&rules, "");
        }
    } else {
        errs.required(&constraints, "");
    }
}

fn check_policy(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_common(spec, errs);
    let mut expressions = Expressions::new(spec, errs.ctx);
    if !conditions_unchanged(spec, errs) {
        check_conditions(&spec.field("matchConditions"), &expressions, errs);
    }
    for variable in spec.field("variables").items() {
        check_variable(&variable, &mut expressions, errs);
    }
    let (validations, annotations) = (spec.field("validations"), spec.field("auditAnnotations"));
    if validations.is_empty() && annotations.is_empty() {
        const ONE: &str = "validations or auditAnnotations must contain at least one item";
        errs.required(&validations, ONE);
        errs.required(&annotations, ONE);
        return;
    }
    for validation in validations.items() {
        check_validation(&validation, &expressions, errs);
    }
    check_annotations(&annotations, &expressions, errs);
}

/// Conditions are validated again only if they, or the parameters they may use, have changed.
fn conditions_unchanged(spec: &At<'_>, errs: &FieldErrors<'_, '_>) -> bool {
    let Some(old) = errs.ctx.change.old_root() else { return false };
    let old = old.field("spec");
    let is_unchanged = |name: &'static str| spec.field(name).equals(&old.field(name));
    is_unchanged("paramKind") && is_unchanged("matchConditions")
}

fn check_parameter_kind(kind: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let api_version = kind.field("apiVersion");
    match api_version.text_or_empty() {
        "" => errs.required(&api_version, ""),
        text if text.matches('/').count() > 1 => {
            errs.invalid(&api_version, alloc::format!("unexpected GroupVersion string: {text}"));
        }
        text => {
            let (group, version) = match text {
                "/" => ("", ""),
                text => text.split_once('/').unwrap_or(("", text)),
            };
            if !group.is_empty() {
                check_part(&api_version, group, NameFormat::Subdomain, errs);
            }
            match version {
                "" => errs.invalid(&api_version, "version must be specified"),
                version => check_part(&api_version, version, NameFormat::Label1035, errs),
            }
        }
    }
    let name = kind.field("kind");
    match name.text_or_empty() {
        "" => errs.required(&name, ""),
        text => {
            let faults = faults(&text.to_lowercase(), NameFormat::Label1035);
            if !faults.is_empty() {
                const HOW: &str = "may have mixed case, but should otherwise match: ";
                errs.invalid(&name, alloc::format!("{HOW}{}", faults.join(",")));
            }
        }
    }
}

fn faults(text: &str, form: NameFormat) -> alloc::vec::Vec<alloc::borrow::Cow<'static, str>> {
    let mut messages = alloc::vec::Vec::new();
    name_format_faults(form, text, |detail| messages.push(detail));
    messages
}

/// Reports all errors of a part of a text in one message.
fn check_part(at: &At<'_>, part: &str, form: NameFormat, errs: &mut FieldErrors<'_, '_>) {
    let faults = faults(part, form);
    if !faults.is_empty() {
        errs.invalid_as(at, quoted(part), faults.join(","));
    }
}

fn check_conditions(
    conditions: &At<'_>,
    expressions: &Expressions<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    if conditions.len() > MAX_CONDITIONS {
        errs.too_many(conditions, conditions.len(), MAX_CONDITIONS);
    }
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for condition in conditions.items() {
        let expression = condition.field("expression");
        match expression.text_or_empty().trim() {
            "" => errs.required(&expression, ""),
            text => expressions.condition(&expression, text, errs),
        }
        let name = condition.field("name");
        errs.needs_form(&name, NameFormat::Qualified);
        let text = name.text_or_empty();
        if !text.is_empty() && !names.insert(text) {
            errs.duplicate(&name, quoted(text));
        }
    }
}

fn check_variable(at: &At<'_>, expressions: &mut Expressions<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (name, expression) = (at.field("name"), at.field("expression"));
    let name_text = name.text_or_empty();
    if name_text.trim().is_empty() {
        errs.required(&name, "name is not specified");
    } else if !expressions::is_identifier(name_text) {
        errs.invalid(&name, "must be a valid CEL identifier");
    }
    let text = expression.text_or_empty();
    if text.trim().is_empty() {
        errs.required(&expression, "expression is not specified");
    } else {
        expressions.variable(name_text, &expression, text, errs);
    }
}

fn check_validation(at: &At<'_>, expressions: &Expressions<'_>, errs: &mut FieldErrors<'_, '_>) {
    const EMPTY: &str = "must be non-empty if specified";
    const REASONS: &[&str] = &["Forbidden", "Invalid", "RequestEntityTooLarge"];
    let expression = at.field("expression");
    match expression.text_or_empty() {
        text if text.trim().is_empty() => {
            errs.required(&expression, "expression is not specified");
        }
        text => expressions.validation(&expression, text, errs),
    }
    let message = at.field("messageExpression");
    match message.text_or_empty() {
        "" => {}
        text if text.trim().is_empty() => errs.invalid(&message, EMPTY),
        text => expressions.message(&message, text, errs),
    }
    let message = at.field("message");
    match message.text_or_empty() {
        "" => {}
        text if text.trim().is_empty() => errs.invalid(&message, EMPTY),
        text if text.trim().contains(['\n', '\r']) => {
            errs.invalid(&message, "must not contain line breaks");
        }
        _ => {}
    }
    let reason = at.field("reason");
    if reason.is_set() {
        check_enum(&reason, REASONS, errs);
    }
}

fn check_annotations(
    annotations: &At<'_>,
    expressions: &Expressions<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    const MAX_EXPRESSION_LEN: usize = 5 * 1024;
    if annotations.len() > MAX_ANNOTATIONS {
        let formatted = format_annotations(annotations);
        let detail = alloc::format!("must not have more than {MAX_ANNOTATIONS} auditAnnotations");
        errs.invalid_as(annotations, formatted, detail);
    }
    let owner = errs.ctx.change.new_object().name();
    let mut keys: BTreeSet<&str> = BTreeSet::new();
    for annotation in annotations.items() {
        let key = annotation.field("key");
        let key_text = key.text_or_empty();
        if owner.is_empty() {
            errs.invalid_as(&key, quoted(key_text), "requires metadata.name be non-empty");
        } else {
            errs.form_of(&key, &alloc::format!("{owner}/{key_text}"), NameFormat::Qualified);
        }
        let value = annotation.field("valueExpression");
        match value.text_or_empty().trim() {
            "" => errs.required(&value, "valueExpression is not specified"),
            text if text.len() > MAX_EXPRESSION_LEN => {
                let detail = alloc::format!("must not exceed {MAX_EXPRESSION_LEN} bytes in length");
                errs.required(&value, detail);
            }
            text => expressions.annotation(&value, text, errs),
        }
        if !keys.insert(key_text) {
            errs.duplicate(&key, quoted(key_text));
        }
    }
}

/// Annotations as the API server formats them: by the names of its Go type.
fn format_annotations(annotations: &At<'_>) -> alloc::string::String {
    let item = |at: At<'_>| {
        let mut out = alloc::string::String::from("{\"Key\":");
        // Writing to a String cannot fail.
        let _ = ratchet_object::write_text(&mut out, at.field("key").text_or_empty());
        out.push_str(",\"ValueExpression\":");
        let _ = ratchet_object::write_text(&mut out, at.field("valueExpression").text_or_empty());
        out.push('}');
        out
    };
    let items: alloc::vec::Vec<_> = annotations.items().map(item).collect();
    alloc::format!("[{}]", items.join(","))
}
