//! Validation of the resource claims of a pod, and of the names by which its containers refer to them.

use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::NameFormat;
use crate::rules::placement;
use crate::{Cause, FieldError, internal};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

const MIRROR: &str = "kubernetes.io/config.mirror";
const ONE_NAME: &str =
    "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
const NO_NAME: &str = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";

/// Checks the claims of a pod; returns their names, sorted.
pub(super) fn check<'a>(
    list: &At<'a>,
    is_pod: bool,
    errs: &mut FieldErrors<'_, '_>,
) -> Vec<&'a str> {
    let is_mirror = is_pod
        && list.object().is_some_and(|pod| {
            pod.find(&["metadata", "annotations"]).is_some_and(|all| all.get(MIRROR).is_some())
        });
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for claim in list.items() {
        let name = claim.field("name");
        let text = name.text_or_empty();
        let is_repeated = !text.is_empty() && !names.insert(text);
        if is_mirror {
            let at = claim.with_path(Default::default());
            errs.forbidden(&at, "static pods do not support resource claims");
            continue;
        }
        if text.is_empty() {
            errs.required(&name, "");
        } else if is_repeated {
            errs.duplicate(&name, quoted(text));
        } else {
            errs.form(&name, NameFormat::Label);
        }
        check_reference(&claim, errs);
    }
    names.into_iter().collect()
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
        errs.invalid_times(1, claim, || internal::format_as("PodResourceClaim", claim), detail);
    }
    for at in references.iter().filter(|at| at.is_set()) {
        errs.form(at, NameFormat::Subdomain);
    }
}

/// The claims that a container uses so far.
#[derive(Default)]
struct Used<'a> {
    /// Their names, those of single requests with a slash before the request.
    keys: BTreeSet<String>,
    /// How many keys have a slash behind each name.
    requests: BTreeMap<&'a str, usize>,
}

/// Checks the claims that a container uses, by their names and requests; `known` are those of its pod, sorted.
pub(super) fn check_used(list: &At<'_>, known: &[&str], errs: &mut FieldErrors<'_, '_>) {
    let mut used = Used::default();
    for claim in list.items() {
        let (name, request) = (claim.field("name").text_or_empty(), claim.field("request"));
        if name.is_empty() {
            errs.required(&claim, "");
            continue;
        }
        check_repeated(&claim, name, &request, &mut used, errs);
        if known.binary_search(&name).is_err() {
            errs.verdict.add_errors(1, || {
                let detail = match known {
                    [] => {
                        "must be one of the names in pod.spec.resourceClaims which is empty".into()
                    }
                    known => {
                        let known = known.join(", ");
                        format!("must be one of the names in pod.spec.resourceClaims: {known}")
                    }
                };
                let error = FieldError::new(&placement::RULE, Cause::NotFound, &claim, detail);
                error.with_value(quoted(name))
            });
        }
    }
}

fn check_repeated<'a>(
    claim: &At<'_>,
    name: &'a str,
    request: &At<'_>,
    used: &mut Used<'a>,
    errs: &mut FieldErrors<'_, '_>,
) {
    // All requests of the claim are used already.
    if used.keys.contains(name) {
        return errs.duplicate(claim, quoted(name));
    }
    let is_whole = request.text_or_empty().is_empty();
    let mut key = String::from(name);
    if !is_whole {
        errs.form(request, NameFormat::Label);
        key = format!("{name}/{}", request.text_or_empty());
    }
    if used.keys.contains(&key) {
        errs.duplicate(claim, quoted(&key));
    } else if is_whole {
        for _ in 0..used.requests.get(name).copied().unwrap_or_default() {
            errs.duplicate(claim, quoted(name));
        }
    }
    // A name may have a slash itself, as nobody has checked it.
    let before_slash = name.split_once('/').map(|(before, _)| before);
    if let Some(before) = before_slash.or((!is_whole).then_some(name)) {
        *used.requests.entry(before).or_default() += 1;
    }
    used.keys.insert(key);
}
