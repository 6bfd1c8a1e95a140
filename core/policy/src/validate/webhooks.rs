//! Validation of webhook configurations.

use super::expressions::Expressions;
use super::values::{check_enum, quoted};
use super::{check_conditions, resources};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;
use ratchet_cel::library::url::UrlParts;
use ratchet_engine::Verdict;
use ratchet_engine::field_validation::{
    FieldErrors, NameFormat, check_selector, format_list, name_format_faults,
};
use ratchet_object::{At, Node};

/// The versions of AdmissionReview that the server speaks.
const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];
/// The classes of side effects that a new webhook may have.
const NO_SIDE_EFFECTS: &[&str] = &["None", "NoneOnDryRun"];
/// The classes of side effects that webhooks could have.
const SIDE_EFFECTS: &[&str] = &["None", "NoneOnDryRun", "Some", "Unknown"];
const SELECTORS: [&str; 2] = ["namespaceSelector", "objectSelector"];

/// Which demands an update meets: those that the stored configuration met already.
struct Demands {
    side_effects: &'static [&'static str],
    known_review_version: bool,
    unique_names: bool,
    valid_selector_values: bool,
    conditions: bool,
}

/// The webhooks of a configuration.
pub(super) fn check(is_mutating: bool, errs: &mut FieldErrors<'_, '_>) {
    let root = errs.ctx.change.new_root();
    let webhooks = root.field("webhooks");
    let demands = Demands::of(&webhooks, errs);
    let expressions = Expressions::of_webhooks(&root, errs.ctx);
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for hook in webhooks.items() {
        check_webhook(&hook, is_mutating, &demands, &expressions, errs);
        check_review_versions(&hook.field("admissionReviewVersions"), &demands, errs);
        let name = hook.field("name");
        let text = name.text_or_empty();
        if !text.is_empty() && !names.insert(text) && demands.unique_names {
            errs.duplicate(&name, quoted(text));
        }
    }
}

impl Demands {
    fn of(webhooks: &At<'_>, errs: &FieldErrors<'_, '_>) -> Self {
        let all = Self {
            side_effects: NO_SIDE_EFFECTS,
            known_review_version: true,
            unique_names: true,
            valid_selector_values: true,
            conditions: true,
        };
        let Some(old) = errs.ctx.change.old_root().map(|root| root.field("webhooks")) else {
            return all;
        };
        let hooks = old.node().map(Node::items).unwrap_or_default();
        let has_none = |hook: &Node<'_>| NO_SIDE_EFFECTS.contains(&hook.text_at(&["sideEffects"]));
        let is_known = |hook: &Node<'_>| {
            let versions = hook.get("admissionReviewVersions").map(Node::items).unwrap_or_default();
            versions.is_empty()
                || versions.iter().filter_map(Node::text).any(|own| REVIEW_VERSIONS.contains(&own))
        };
        let names: BTreeSet<&str> = hooks.iter().map(|hook| hook.text_at(&["name"])).collect();
        let same_conditions = old.len() == webhooks.len()
            && old.items().zip(webhooks.items()).all(|(old, new)| {
                old.field("matchConditions").equals(&new.field("matchConditions"))
            });
        Self {
            side_effects: if hooks.iter().all(has_none) { NO_SIDE_EFFECTS } else { SIDE_EFFECTS },
            known_review_version: hooks.iter().all(is_known),
            unique_names: names.len() == hooks.len(),
            valid_selector_values: !has_faulty_selector(&old, errs),
            conditions: !same_conditions,
        }
    }
}

/// Whether a selector of a stored webhook is faulty in any way.
fn has_faulty_selector(webhooks: &At<'_>, errs: &FieldErrors<'_, '_>) -> bool {
    let mut verdict = Verdict::default();
    let mut errs = FieldErrors::new(errs.ctx, &mut verdict);
    for hook in webhooks.items() {
        for selector in SELECTORS.map(|name| hook.field(name)) {
            if selector.is_set() {
                check_selector(&selector, &mut errs);
            }
        }
    }
    !verdict.errors.is_empty()
}

fn check_webhook(
    hook: &At<'_>,
    is_mutating: bool,
    demands: &Demands,
    expressions: &Expressions<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    check_name(&hook.field("name"), errs);
    for rule in hook.field("rules").items() {
        resources::check_rule(&rule, errs);
    }
    check_if_set(&hook.field("failurePolicy"), &["Fail", "Ignore"], errs);
    check_if_set(&hook.field("matchPolicy"), &["Equivalent", "Exact"], errs);
    let side_effects = hook.field("sideEffects");
    if side_effects.is_set() {
        check_enum(&side_effects, demands.side_effects, errs);
    } else {
        let detail = format!("must specify one of {}", demands.side_effects.join(", "));
        errs.required(&side_effects, detail);
    }
    let timeout = hook.field("timeoutSeconds");
    if timeout.int().is_some_and(|seconds| !(1..=30).contains(&seconds)) {
        errs.invalid(&timeout, "the timeout value must be between 1 and 30 seconds");
    }
    for selector in SELECTORS.map(|name| hook.field(name)) {
        if selector.is_set() {
            check_labels(&selector, demands, errs);
        }
    }
    if is_mutating {
        check_if_set(&hook.field("reinvocationPolicy"), &["IfNeeded", "Never"], errs);
    }
    check_client_config(&hook.field("clientConfig"), errs);
    if demands.conditions {
        check_conditions(&hook.field("matchConditions"), expressions, errs);
    }
}

fn check_if_set(at: &At<'_>, supported: &[&str], errs: &mut FieldErrors<'_, '_>) {
    if at.is_set() {
        check_enum(at, supported, errs);
    }
}

/// The name of a webhook: a domain of three segments at least.
fn check_name(name: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !errs.needs_text(name) {
        return;
    }
    let text = name.text_or_empty();
    let mut faults = Vec::new();
    name_format_faults(NameFormat::Subdomain, text, |detail| faults.push(detail));
    if !faults.is_empty() {
        errs.invalid(name, faults.join(","));
    } else if text.split('.').count() < 3 {
        errs.invalid(name, "should be a domain with at least three segments separated by dots");
    }
}

/// A selector. Values that are no label values stay allowed where a stored selector is faulty.
fn check_labels(selector: &At<'_>, demands: &Demands, errs: &mut FieldErrors<'_, '_>) {
    let before = errs.verdict.errors.len();
    check_selector(selector, errs);
    if demands.valid_selector_values {
        return;
    }
    let mut index = 0;
    errs.verdict.errors.retain(|error| {
        index += 1;
        index <= before || !error.field.contains(".values[")
    });
}

fn check_review_versions(versions: &At<'_>, demands: &Demands, errs: &mut FieldErrors<'_, '_>) {
    let known = REVIEW_VERSIONS.join(", ");
    if versions.is_empty() {
        return errs.required(versions, format!("must specify one of {known}"));
    }
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for version in versions.items() {
        let text = version.text_or_empty();
        if !seen.insert(text) {
            errs.invalid(&version, "duplicate version");
            continue;
        }
        errs.form(&version, NameFormat::Label1035);
    }
    let is_known = seen.iter().any(|version| REVIEW_VERSIONS.contains(version));
    if demands.known_review_version && !is_known {
        let all: Vec<&str> = versions.items().map(|version| version.text_or_empty()).collect();
        let formatted = format_list(&all, errs.ctx.config.release);
        errs.invalid_as(versions, formatted, format!("must include at least one of {known}"));
    }
}

fn check_client_config(config: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (url, service) = (config.field("url"), config.field("service"));
    match (url.is_set(), service.is_set()) {
        (true, false) => check_url(&url, errs),
        (false, true) => check_service(&service, errs),
        _ => errs.required(config, "exactly one of url or service is required"),
    }
}

/// The URL of a webhook; the part that is wrong is the value that the error shows.
fn check_url(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    const FORM: &str = "; desired format: https://host[/path]";
    let url = match UrlParts::parse(at.text_or_empty()) {
        Ok(url) => url,
        Err(error) => {
            return errs.required(at, format!("url must be a valid URL: {error}{FORM}"));
        }
    };
    let mut invalid = |part: &str, detail: alloc::string::String| {
        errs.invalid_as(at, quoted(part), detail);
    };
    if url.scheme != "https" {
        invalid(&url.scheme, format!("'https' is the only allowed URL scheme{FORM}"));
    }
    if url.host.is_empty() {
        invalid("", format!("host must be specified{FORM}"));
    }
    if let Some(user) = &url.user {
        invalid(user, "user information is not permitted in the URL".into());
    }
    if !url.fragment.is_empty() {
        invalid(&url.fragment, "fragments are not permitted in the URL".into());
    }
    if !url.query.is_empty() {
        invalid(&url.query, "query parameters are not permitted in the URL".into());
    }
}

/// Checks the Service of a webhook. The API server takes the name for the namespace, and the other way round.
fn check_service(service: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    for (field, checked) in [("name", "namespace"), ("namespace", "name")] {
        if service.field(checked).text_or_empty().is_empty() {
            errs.required(&service.field(field), "");
        }
    }
    let port = service.field("port");
    let number = port.int().unwrap_or_default();
    if !(1..=65535).contains(&number) {
        let detail = "port is not valid: must be between 1 and 65535, inclusive";
        errs.invalid_as(&port, format!("{number}"), detail);
    }
    let path = service.field("path");
    match path.text_or_empty() {
        "" | "/" => {}
        "//" => errs.invalid(&path, "segment[0] may not be empty"),
        text => check_path(&path, text, errs),
    }
}

fn check_path(at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
    if !text.starts_with('/') {
        errs.invalid(at, "must start with a '/'");
    }
    // The reference drops the first byte, whatever it is.
    let segments = text.get(1..).unwrap_or(text);
    let segments = segments.strip_suffix('/').unwrap_or(segments);
    for (index, segment) in segments.split('/').enumerate() {
        if segment.is_empty() {
            errs.invalid(at, format!("segment[{index}] may not be empty"));
            continue;
        }
        let mut faults = Vec::new();
        name_format_faults(NameFormat::Subdomain, segment, |detail| faults.push(detail));
        for fault in faults {
            errs.invalid(at, format!("segment[{index}]: {fault}"));
        }
    }
}
