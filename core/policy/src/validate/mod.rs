//! Whether policies and bindings are well made: their expressions included, so the engine cannot tell it.

mod binding;
mod expressions;
mod resources;
mod status;
#[cfg(test)]
mod tests;

use expressions::Expressions;
pub(crate) use expressions::STORED;
use ratchet_engine::writing::{
    FieldErrors, NameFormat, ValidationContext, form_faults, shown_word,
};
use ratchet_engine::{Change, Part, Verdict};
use ratchet_object::At;

const GROUP: &str = "admissionregistration.k8s.io";
/// How names end that a later release keeps for itself.
const RESERVED: &str = ".static.k8s.io";
const MOST_CONDITIONS: usize = 64;
const MOST_ANNOTATIONS: usize = 20;

/// Adds to a verdict what is wrong with a policy or a binding; nothing for every other kind. It belongs behind what
/// the engine found, which is about metadata.
pub fn validate(change: &Change<'_>, policy: &ratchet_engine::Policy, verdict: &mut Verdict) {
    if change.kind.group != GROUP {
        return;
    }
    let ctx = ValidationContext { change, policy };
    let mut errs = FieldErrors::new(&ctx, verdict);
    let spec = change.new_root().field("spec");
    match (change.kind.name, change.part) {
        ("ValidatingAdmissionPolicy", Part::Main) => check_policy(&spec, &mut errs),
        ("ValidatingAdmissionPolicy", Part::STATUS) => {
            status::check(&change.new_root().field("status"), &mut errs);
        }
        ("ValidatingAdmissionPolicyBinding", Part::Main) => binding::check(&spec, &mut errs),
        _ => return,
    }
    let name = change.new_root().descend(&["metadata", "name"]);
    let is_reserved = change.part == Part::Main && name.text_or_empty().ends_with(RESERVED);
    if is_reserved && errs.verdict.problems.is_empty() {
        errs.warn_of_name(
            &name,
            alloc::format!(
                "metadata.name: names ending with \"{RESERVED}\" are reserved for static manifest-based configurations and cannot be managed via the API"
            ),
        );
    }
}

fn check_policy(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let failure = spec.field("failurePolicy");
    if failure.is_set() {
        word(&failure, &["Fail", "Ignore"], errs);
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
    let mut expressions = Expressions::new(spec, errs.ctx);
    if !conditions_are_kept(spec, errs) {
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

/// Conditions are looked at again only where they, or what they may speak of, have changed.
fn conditions_are_kept(spec: &At<'_>, errs: &FieldErrors<'_, '_>) -> bool {
    let Some(old) = errs.ctx.change.old_root() else { return false };
    let old = old.field("spec");
    let is_kept = |name: &'static str| spec.field(name).equals(&old.field(name));
    is_kept("paramKind") && is_kept("matchConditions")
}

/// One of a few words, also where the field is empty.
fn word(at: &At<'_>, words: &[&str], errs: &mut FieldErrors<'_, '_>) {
    let text = at.text_or_empty();
    if !words.contains(&text) {
        errs.unsupported(at, shown_word(text, errs.ctx.policy.release), words);
    }
}

fn check_parameter_kind(kind: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let written = kind.field("apiVersion");
    match written.text_or_empty() {
        "" => errs.required(&written, ""),
        text if text.matches('/').count() > 1 => {
            errs.invalid(&written, alloc::format!("unexpected GroupVersion string: {text}"));
        }
        text => {
            let (group, version) = match text {
                "/" => ("", ""),
                text => text.split_once('/').unwrap_or(("", text)),
            };
            if !group.is_empty() {
                joined(&written, group, NameFormat::Subdomain, errs);
            }
            match version {
                "" => errs.invalid(&written, "version must be specified"),
                version => joined(&written, version, NameFormat::Label1035, errs),
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
    let mut found = alloc::vec::Vec::new();
    form_faults(form, text, |detail| found.push(detail));
    found
}

/// All that is wrong with a part of a text, in one sentence.
fn joined(at: &At<'_>, part: &str, form: NameFormat, errs: &mut FieldErrors<'_, '_>) {
    let faults = faults(part, form);
    if !faults.is_empty() {
        let shown = alloc::format!("{}", ratchet_net::Quoted(part));
        errs.invalid_as(at, shown, faults.join(","));
    }
}

fn check_conditions(
    conditions: &At<'_>,
    expressions: &Expressions<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    if conditions.len() > MOST_CONDITIONS {
        errs.too_many(conditions, conditions.len(), MOST_CONDITIONS);
    }
    let mut names: alloc::vec::Vec<&str> = alloc::vec::Vec::new();
    for condition in conditions.items() {
        let expression = condition.field("expression");
        match expression.text_or_empty().trim() {
            "" => errs.required(&expression, ""),
            text => expressions.condition(&expression, text, errs),
        }
        let name = condition.field("name");
        errs.needs_form(&name, NameFormat::Qualified);
        match name.text_or_empty() {
            "" => {}
            text if names.contains(&text) => errs.duplicate(&name, quoted(text)),
            text => names.push(text),
        }
    }
}

fn quoted(text: &str) -> alloc::string::String {
    alloc::format!("{}", ratchet_net::Quoted(text))
}

fn check_variable(at: &At<'_>, expressions: &mut Expressions<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (name, expression) = (at.field("name"), at.field("expression"));
    let named = name.text_or_empty();
    if named.trim().is_empty() {
        errs.required(&name, "name is not specified");
    } else if !expressions::is_identifier(named) {
        errs.invalid(&name, "must be a valid CEL identifier");
    }
    let text = expression.text_or_empty();
    if text.trim().is_empty() {
        errs.required(&expression, "expression is not specified");
    } else {
        expressions.variable(named, &expression, text, errs);
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
        word(&reason, REASONS, errs);
    }
}

fn check_annotations(
    annotations: &At<'_>,
    expressions: &Expressions<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    const LONGEST: usize = 5 * 1024;
    if annotations.len() > MOST_ANNOTATIONS {
        let shown = shown_annotations(annotations);
        let detail = alloc::format!("must not have more than {MOST_ANNOTATIONS} auditAnnotations");
        errs.invalid_as(annotations, shown, detail);
    }
    let owner = errs.ctx.change.new_object().name();
    let mut keys: alloc::vec::Vec<&str> = alloc::vec::Vec::new();
    for annotation in annotations.items() {
        let key = annotation.field("key");
        let named = key.text_or_empty();
        if owner.is_empty() {
            errs.invalid_as(&key, quoted(named), "requires metadata.name be non-empty");
        } else {
            errs.form_of(&key, &alloc::format!("{owner}/{named}"), NameFormat::Qualified);
        }
        let value = annotation.field("valueExpression");
        match value.text_or_empty().trim() {
            "" => errs.required(&value, "valueExpression is not specified"),
            text if text.len() > LONGEST => {
                let detail = alloc::format!("must not exceed {LONGEST} bytes in length");
                errs.required(&value, detail);
            }
            text => expressions.annotation(&value, text, errs),
        }
        if keys.contains(&named) {
            errs.duplicate(&key, quoted(named));
        }
        keys.push(named);
    }
}

/// Annotations as the API shows them: by the names of its own type.
fn shown_annotations(annotations: &At<'_>) -> alloc::string::String {
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
