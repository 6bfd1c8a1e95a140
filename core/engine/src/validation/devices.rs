//! Validation of what asks for devices: ResourceClaims, ResourceClaimTemplates and DeviceClasses.
//!
//! Expressions of selectors are not compiled here.

use super::device_fields::{EFFECTS, check_qualified_name, check_unique, is_within};
use super::pod_parts::{check_driver, is_extended};
use super::template_metadata;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::NameFormat;
use crate::rules::immutable;
use crate::{Verdict, format_value, internal};
use alloc::collections::{BTreeMap, BTreeSet};
use ratchet_object::{At, Node, Value};

const MOST_REQUESTS: usize = 32;
const MOST_CONSTRAINTS: usize = 32;
const MOST_CONFIGS: usize = 32;
const MOST_SELECTORS: usize = 32;
const MOST_ALTERNATIVES: usize = 8;
const LONGEST_EXPRESSION: usize = 10 * 1024;
const LONGEST_PARAMETERS: usize = 10 * 1024;
const MODES: [&str; 2] = ["All", "ExactCount"];
const OPERATORS: [&str; 2] = ["Equal", "Exists"];
const BAD_REFERENCE: &str = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/// Fields of a device request that the first beta version has in the request itself, instead of below `exactly`; in the
/// order of the types.
pub const EXACT_FIELDS: [&str; 7] = [
    "deviceClassName",
    "selectors",
    "allocationMode",
    "count",
    "adminAccess",
    "tolerations",
    "capacity",
];

/// Validates a ResourceClaim; its spec cannot change.
pub(super) fn validate_claim(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    match ctx.change.old_root() {
        None => {
            check_claim(&root.descend(&["spec", "devices"]), &mut FieldErrors::new(ctx, verdict));
        }
        Some(old) => check_fixed("ResourceClaimSpec", &root, &old, verdict),
    }
}

/// Validates a ResourceClaimTemplate; its spec cannot change.
pub(super) fn validate_template(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let template = root.field("spec");
    let mut errs = FieldErrors::new(ctx, verdict);
    template_metadata::check(&template.field("metadata"), &mut errs);
    check_claim(&template.descend(&["spec", "devices"]), &mut errs);
    if let Some(old) = ctx.change.old_root() {
        check_fixed("ResourceClaimTemplateSpec", &root, &old, verdict);
    }
}

/// Validates a DeviceClass.
pub(super) fn validate_class(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let stored = ctx.change.old_root().map(|old| old.field("spec"));
    let mut errs = FieldErrors::new(ctx, verdict);
    check_selectors(&spec.field("selectors"), &mut errs);
    let configs = spec.field("config");
    let is_stored = stored.is_some_and(|old| configs.equals(&old.field("config")));
    if is_within(&configs, MOST_CONFIGS, &mut errs) {
        configs.items().for_each(|at| check_config(&at, is_stored, &mut errs));
    }
    let resource = spec.field("extendedResourceName");
    if resource.is_set() && !is_extended(resource.text_or_empty()) {
        errs.invalid(&resource, "must be a valid extended resource name");
    }
}

fn check_fixed(kind: &str, root: &At<'_>, old: &At<'_>, verdict: &mut Verdict) {
    let spec = root.field("spec");
    if !spec.equals(&old.field("spec")) {
        immutable::changed(&spec, internal::format_as(kind, &spec), verdict);
    }
}

/// The requests of a claim by their names, each with the names of its alternatives; the last of several of one name counts.
pub(super) type Requests<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

fn check_claim(claim: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let requests = claim.field("requests");
    let known = requests_of(claim);
    if is_within(&requests, MOST_REQUESTS, errs) {
        requests.items().for_each(|request| check_request(&request, errs));
        check_unique(&requests, |at| at.field("name").text_or_empty(), errs);
    }
    let constraints = claim.field("constraints");
    if is_within(&constraints, MOST_CONSTRAINTS, errs) {
        constraints.items().for_each(|at| check_constraint(&at, &known, errs));
    }
    let configs = claim.field("config");
    if is_within(&configs, MOST_CONFIGS, errs) {
        for at in configs.items() {
            check_references(&at.field("requests"), &known, errs);
            check_config(&at, false, errs);
        }
    }
}

/// The requests of a claim.
pub(super) fn requests_of<'a>(claim: &At<'a>) -> Requests<'a> {
    let alternatives = |at: &At<'a>| names(&at.field("firstAvailable"));
    let requests = claim.field("requests");
    requests.items().map(|at| (at.field("name").text_or_empty(), alternatives(&at))).collect()
}

fn names<'a>(list: &At<'a>) -> BTreeSet<&'a str> {
    list.items().map(|at| at.field("name").text_or_empty()).collect()
}

fn check_request(request: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    errs.form(&request.field("name"), NameFormat::Label);
    let alternatives = request.field("firstAvailable");
    let exactly = exactly(request);
    match (exactly, !alternatives.is_empty()) {
        (None, false) => {
            let detail = "exactly one of `exactly` or `firstAvailable` is required";
            errs.required(request, detail);
        }
        (Some(_), true) => {
            let detail = "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set";
            errs.invalid_as(request, "null", detail);
        }
        (None, true) => {
            if is_within(&alternatives, MOST_ALTERNATIVES, errs) {
                for at in alternatives.items() {
                    errs.form(&at.field("name"), NameFormat::Label);
                    check_exact(&at, errs);
                }
                check_unique(&alternatives, |at| at.field("name").text_or_empty(), errs);
            }
        }
        (Some(exactly), false) => check_exact(&exactly, errs),
    }
}

/// The part of a request that asks for one class of devices.
fn exactly<'a>(request: &At<'a>) -> Option<At<'a>> {
    let at = request.field("exactly");
    let is_flat = request
        .object()
        .is_some_and(|object| object.text_at(&["apiVersion"]).ends_with("/v1beta1"));
    if !is_flat {
        return at.is_set().then_some(at);
    }
    let is_any_set = EXACT_FIELDS.iter().any(|name| !request.field(name).is_zero());
    is_any_set.then(|| request.with_path(*at.path()))
}

fn check_exact(request: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    errs.needs_form(&request.field("deviceClassName"), NameFormat::Subdomain);
    check_selectors(&request.field("selectors"), errs);
    let (mode, count) = (request.field("allocationMode"), request.field("count"));
    let number = count.int().unwrap_or_default();
    match mode.text_or_empty() {
        "All" if number != 0 => {
            errs.invalid(&count, "must not be specified when allocationMode is 'All'");
        }
        // An unset count has a default.
        "" | "ExactCount" if number < 0 => {
            errs.invalid(&count, "must be greater than zero");
        }
        "" | "All" | "ExactCount" => {}
        text => {
            let formatted = format_value::typed_string(text, errs.ctx.config.release);
            errs.unsupported(&mode, formatted, &MODES);
        }
    }
    request.field("tolerations").items().for_each(|at| check_toleration(&at, errs));
}

fn check_selectors(selectors: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !is_within(selectors, MOST_SELECTORS, errs) {
        return;
    }
    for cel in selectors.items().map(|at| at.field("cel")) {
        if !cel.is_set() {
            errs.required(&cel, "");
        }
        let expression = cel.field("expression");
        if expression.text_or_empty().len() > LONGEST_EXPRESSION {
            errs.too_long(&expression, LONGEST_EXPRESSION);
        }
    }
}

fn check_toleration(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (operator, value) = (at.field("operator"), at.field("value"));
    errs.form_if_set(&at.field("key"), NameFormat::Qualified);
    match operator.text_or_empty() {
        "Exists" if !value.text_or_empty().is_empty() => {
            errs.invalid(&value, "must be empty for operator `Exists`");
        }
        "Exists" => {}
        // The default.
        "" | "Equal" => errs.form(&value, NameFormat::LabelValue),
        _ => errs.one_of(&operator, &OPERATORS),
    }
    errs.one_of(&at.field("effect"), &EFFECTS);
}

fn check_constraint(constraint: &At<'_>, known: &Requests<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_references(&constraint.field("requests"), known, errs);
    let [matching, distinct] =
        ["matchAttribute", "distinctAttribute"].map(|name| constraint.field(name));
    if matching.is_set() {
        check_attribute(&matching, errs);
    } else if distinct.is_set() {
        check_attribute(&distinct, errs);
    } else if errs.ctx.config.release.since(36) {
        let detail = r#"exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set"#;
        errs.required(constraint, detail);
    } else {
        errs.required(&matching, "");
    }
}

/// Checks names of requests, each given once.
pub(super) fn check_references(
    list: &At<'_>,
    known: &Requests<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    if is_within(list, MOST_REQUESTS, errs) {
        list.items().for_each(|at| check_reference(&at, known, errs));
        check_unique(list, |at| at.text_or_empty(), errs);
    }
}

/// Checks the name of a request, or of a request and one of its alternatives.
pub(super) fn check_reference(at: &At<'_>, known: &Requests<'_>, errs: &mut FieldErrors<'_, '_>) {
    let text = at.text_or_empty();
    if text.matches('/').count() > 1 {
        return errs.invalid(at, BAD_REFERENCE);
    }
    text.split('/').for_each(|part| errs.form_of(at, part, NameFormat::Label));
    let (name, alternative) =
        text.split_once('/').map_or((text, None), |(name, rest)| (name, Some(rest)));
    let is_known = known
        .get(name)
        .is_some_and(|all| alternative.is_none_or(|alternative| all.contains(alternative)));
    if !is_known {
        errs.invalid_as(at, quoted(text), BAD_REFERENCE);
    }
}

/// Checks the name of an attribute: a domain, a slash and an identifier.
fn check_attribute(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let text = at.text_or_empty();
    check_qualified_name(at, text, errs);
    if !text.contains('/') {
        let detail = "a fully qualified name must be a domain and a name separated by a slash";
        errs.invalid_as(at, quoted(text), detail);
    }
}

/// Checks parameters for a driver.
pub(super) fn check_config(config: &At<'_>, is_stored: bool, errs: &mut FieldErrors<'_, '_>) {
    let opaque = config.field("opaque");
    if !opaque.is_set() {
        return errs.required(&opaque, "");
    }
    check_driver(&opaque.field("driver"), errs);
    let parameters = opaque.field("parameters");
    let Some(node) = parameters.node() else { return errs.required(&parameters, "") };
    if !is_stored && Node::to_json(node).len() > LONGEST_PARAMETERS {
        errs.too_long(&parameters, LONGEST_PARAMETERS);
    } else if !matches!(node.value, Value::Map(_)) {
        errs.invalid_as(&parameters, "\"<value omitted>\"", "must be a valid JSON object");
    }
}
