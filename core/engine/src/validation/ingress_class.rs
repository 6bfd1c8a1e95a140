//! Validation of IngressClasses: the controller, which cannot change, and the reference to parameters.

use super::domain_path;
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::format_value;
use crate::name_format::NameFormat;
use crate::rules::immutable;
use ratchet_object::At;

const LONGEST_CONTROLLER: usize = 250;

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let controller = spec.field("controller");
    if let Some(old) = ctx.change.old_root()
        && old.field("spec").field("controller").text() != controller.text()
    {
        let formatted = crate::field_errors::quoted(controller.text_or_empty());
        immutable::changed(&controller, formatted, verdict);
    }
    let mut errs = FieldErrors::new(ctx, verdict);
    if controller.text_or_empty().len() > LONGEST_CONTROLLER {
        errs.too_long(&controller, LONGEST_CONTROLLER);
    }
    domain_path::check(&controller, &mut errs);
    let parameters = spec.field("parameters");
    if parameters.is_set() {
        check_parameters(&parameters, &mut errs);
    }
}

fn check_parameters(parameters: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let group = parameters.field("apiGroup");
    if group.is_set() {
        errs.form(&group, NameFormat::Subdomain);
    }
    for name in ["kind", "name"] {
        errs.needs_form(&parameters.field(name), NameFormat::PathSegment);
    }
    let (scope, namespace) = (parameters.field("scope"), parameters.field("namespace"));
    // An unset scope has a default.
    let text = if scope.is_set() { scope.text_or_empty() } else { "Cluster" };
    match (text, namespace.is_set()) {
        ("Namespace", true) => errs.form(&namespace, NameFormat::Label),
        ("Namespace", false) => {
            errs.required(&namespace, "`parameters.scope` is set to 'Namespace'");
        }
        ("Cluster", true) => {
            errs.forbidden(&namespace, "`parameters.scope` is set to 'Cluster'");
        }
        ("Cluster", false) => {}
        _ => {
            let formatted = format_value::typed_string(text, errs.ctx.config.release);
            errs.unsupported(&scope, formatted, &["Cluster", "Namespace"]);
        }
    }
}
