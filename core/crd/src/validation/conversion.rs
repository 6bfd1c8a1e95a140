//! Validation of conversion, and of the webhook that does it.

use super::internal::{InternalSpec, typed};
use super::options::Options;
use super::webhook::{
    REVIEW_VERSIONS, bundle_fault, client, conversion, is_recognized, review_versions,
};
use crate::errors::{ErrorList, json_list, quoted};
use crate::path::Path;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use ratchet_cel::library::parse_url;
use ratchet_engine::field_validation::{NameFormat, name_format_faults};
use ratchet_object::Node;

pub(super) fn validate(spec: &InternalSpec<'_>, options: &Options, errors: &mut ErrorList) {
    let Some(conversion) = conversion(spec) else { return };
    let root = Path::root("spec");
    let path = root.child("conversion");
    let span = conversion.span;
    let strategy = conversion.text_at(&["strategy"]);
    if strategy != "None" && spec.preserve_unknown_fields {
        let detail = "must be None if spec.preserveUnknownFields is true";
        errors.invalid(&path.child("strategy"), span, typed(strategy), detail);
    }
    match strategy {
        "" => errors.required(&path.child("strategy"), span, ""),
        "None" | "Webhook" => {}
        other => {
            errors.not_supported(
                &path.child("strategy"),
                span,
                quoted(other),
                &["None", "Webhook"],
            );
        }
    }
    let (client_path, versions_path) =
        (path.child("webhookClientConfig"), path.child("conversionReviewVersions"));
    if strategy == "Webhook" {
        match client(conversion) {
            None => {
                errors.required(&client_path, span, "required when strategy is set to Webhook");
            }
            Some(client) => validate_client(client, &client_path, options, errors),
        }
        let recognized = options.recognized_review_version;
        validate_review_versions(
            review_versions(conversion),
            &versions_path,
            span,
            recognized,
            errors,
        );
        return;
    }
    const NOT_SET: &str = "should not be set when strategy is not set to Webhook";
    if client(conversion).is_some() {
        errors.forbidden(&client_path, span, NOT_SET);
    }
    if !review_versions(conversion).is_empty() {
        errors.forbidden(&versions_path, span, NOT_SET);
    }
}

fn validate_review_versions(
    versions: &[Node<'_>],
    path: &Path<'_>,
    span: ratchet_object::Span,
    require_recognized: bool,
    errors: &mut ErrorList,
) {
    if versions.is_empty() {
        return errors.required(path, span, "");
    }
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (index, version) in versions.iter().enumerate() {
        let (text, path) = (version.text().unwrap_or_default(), path.index(index));
        if !seen.insert(text) {
            errors.invalid(&path, version.span, quoted(text), "duplicate version");
            continue;
        }
        name_format_faults(NameFormat::Label1035, text, |detail| {
            errors.invalid(&path, version.span, quoted(text), detail);
        });
    }
    if require_recognized && !is_recognized(versions) {
        let texts: Vec<&str> =
            versions.iter().map(|version| version.text().unwrap_or_default()).collect();
        let detail = alloc::format!("must include at least one of {}", REVIEW_VERSIONS.join(", "));
        errors.invalid(path, span, json_list(&texts), detail);
    }
}

fn validate_client(client: &Node<'_>, path: &Path<'_>, options: &Options, errors: &mut ErrorList) {
    let present = |name: &str| client.get(name).filter(|member| !member.is_null());
    match (present("url"), present("service")) {
        (Some(url), None) => {
            validate_url(url, &path.child("url"), errors);
        }
        (None, Some(service)) => validate_service(service, &path.child("service"), errors),
        _ => errors.required(path, client.span, "exactly one of url or service is required"),
    }
    let bundle = present("caBundle").and_then(Node::text).unwrap_or_default();
    if options.valid_ca_bundle
        && !bundle.is_empty()
        && let Some(fault) = bundle_fault(bundle)
    {
        errors.invalid(&path.child("caBundle"), client.span, typed(bundle), fault);
    }
}

/// Checks the URL of a webhook.
fn validate_url(url: &Node<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    const FORM: &str = "; desired format: https://host[/path]";
    let parsed = match parse_url(url.text().unwrap_or_default()) {
        Ok(parsed) => parsed,
        Err(error) => {
            let detail = alloc::format!("url must be a valid URL: {error}{FORM}");
            return errors.required(path, url.span, detail);
        }
    };
    let span = url.span;
    if parsed.scheme() != "https" {
        let detail = alloc::format!("'https' is the only allowed URL scheme{FORM}");
        errors.invalid(path, span, quoted(parsed.scheme()), detail);
    }
    if parsed.host().is_empty() {
        errors.invalid(path, span, quoted(""), alloc::format!("host must be specified{FORM}"));
    }
    if let Some(user) = parsed.user() {
        errors.invalid(path, span, quoted(&user), "user information is not permitted in the URL");
    }
    if !parsed.fragment().is_empty() {
        let fragment = quoted(&parsed.fragment());
        errors.invalid(path, span, fragment, "fragments are not permitted in the URL");
    }
    if !parsed.query().is_empty() {
        let query = quoted(parsed.query());
        errors.invalid(path, span, query, "query parameters are not permitted in the URL");
    }
}

/// Checks the Service of a webhook. The API server takes the name for the namespace, and the other way round.
fn validate_service(service: &Node<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let span = service.span;
    if service.text_at(&["namespace"]).is_empty() {
        errors.required(&path.child("name"), span, "");
    }
    if service.text_at(&["name"]).is_empty() {
        errors.required(&path.child("namespace"), span, "");
    }
    let port = service.get("port").and_then(Node::as_int).unwrap_or(443);
    if !(1..=65535).contains(&port) {
        let detail = "port is not valid: must be between 1 and 65535, inclusive";
        errors.invalid(&path.child("port"), span, alloc::format!("{port}"), detail);
    }
    let Some(text) = service.get("path").and_then(Node::text) else { return };
    let at = path.child("path");
    match text {
        "" | "/" => return,
        "//" => return errors.invalid(&at, span, quoted(text), "segment[0] may not be empty"),
        _ => {}
    }
    if !text.starts_with('/') {
        errors.invalid(&at, span, quoted(text), "must start with a '/'");
    }
    // The first character is cut, whatever it is.
    let mut letters = text.chars();
    letters.next();
    let rest = letters.as_str();
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    for (index, segment) in rest.split('/').enumerate() {
        if segment.is_empty() {
            let detail = alloc::format!("segment[{index}] may not be empty");
            errors.invalid(&at, span, quoted(text), detail);
        } else {
            name_format_faults(NameFormat::Subdomain, segment, |fault| {
                let detail = alloc::format!("segment[{index}]: {fault}");
                errors.invalid(&at, span, quoted(text), detail);
            });
        }
    }
}
