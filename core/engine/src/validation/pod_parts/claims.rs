//! Validation of the resource claims of a pod, and of the names by which its containers refer to them.

use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::NameFormat;
use crate::rules::placement;
use crate::{Cause, FieldError, internal};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

const MIRROR: &str = "kubernetes.io/config.mirror";
const ONE_NAME: &str =
    "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
const NO_NAME: &str = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";

/// Checks the claims of a pod; returns their names.
pub(super) fn check<'a>(
    list: &At<'a>,
    is_pod: bool,
    errs: &mut FieldErrors<'_, '_>,
) -> Vec<&'a str> {
    let is_mirror = is_pod
        && list.object().is_some_and(|pod| {
            pod.find(&["metadata", "annotations"]).is_some_and(|all| all.get(MIRROR).is_some())
        });
    let mut seen: Vec<&str> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for claim in list.items() {
        let name = claim.field("name");
        let text = name.text_or_empty();
        if !text.is_empty() && !names.contains(&text) {
            names.push(text);
        }
        if is_mirror {
            let at = claim.with_path(Default::default());
            errs.forbidden(&at, "static pods do not support resource claims");
            continue;
        }
        if text.is_empty() {
            errs.required(&name, "");
        } else if seen.contains(&text) {
            errs.duplicate(&name, quoted(text));
        } else {
            errs.form(&name, NameFormat::Label);
            seen.push(text);
        }
        check_reference(&claim, errs);
    }
    names.sort_unstable();
    names
}

fn check_reference(claim: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let references =
        ["resourceClaimName", "resourceClaimTemplateName"].map(|name| claim.field(name));
    let detail = match references.iter().filter(|at| at.is_set()).count() {
        0 => Some(NO_NAME),
        1 => None,
        _ => Some(ONE_NAME),
    };
    if let Some(detail) = detail {
        errs.invalid_as(claim, internal::format_as("PodResourceClaim", claim), detail);
    }
    for at in references.iter().filter(|at| at.is_set()) {
        errs.form(at, NameFormat::Subdomain);
    }
}

/// Checks the claims that a container uses, by their names and requests; `known` are those of its pod, sorted.
pub(super) fn check_used(list: &At<'_>, known: &[&str], errs: &mut FieldErrors<'_, '_>) {
    let mut keys: Vec<String> = Vec::new();
    for claim in list.items() {
        let (name, request) = (claim.field("name").text_or_empty(), claim.field("request"));
        if name.is_empty() {
            errs.required(&claim, "");
            continue;
        }
        check_repeated(&claim, name, &request, &mut keys, errs);
        if known.binary_search(&name).is_err() {
            let detail = match known {
                [] => "must be one of the names in pod.spec.resourceClaims which is empty".into(),
                known => {
                    let known = known.join(", ");
                    format!("must be one of the names in pod.spec.resourceClaims: {known}")
                }
            };
            let error = FieldError::new(&placement::RULE, Cause::NotFound, &claim, detail);
            errs.verdict.add_error(error.with_value(quoted(name)));
        }
    }
}

fn check_repeated(
    claim: &At<'_>,
    name: &str,
    request: &At<'_>,
    keys: &mut Vec<String>,
    errs: &mut FieldErrors<'_, '_>,
) {
    // All requests of the claim are used already.
    if keys.iter().any(|key| key == name) {
        return errs.duplicate(claim, quoted(name));
    }
    let mut key = String::from(name);
    if !request.text_or_empty().is_empty() {
        errs.form(request, NameFormat::Label);
        key = format!("{name}/{}", request.text_or_empty());
    }
    if keys.contains(&key) {
        errs.duplicate(claim, quoted(&key));
    } else if request.text_or_empty().is_empty() {
        let overlaps = keys.iter().filter_map(|key| key.split_once('/'));
        for _ in overlaps.filter(|(other, _)| *other == name) {
            errs.duplicate(claim, quoted(name));
        }
    }
    keys.push(key);
}
