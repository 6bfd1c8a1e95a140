//! Validation of PodCertificateRequests: which pod asks which signer, and how a request ends.
//!
//! Who has a parser of certificates checks keys, proofs and what was issued.

use super::{conditions, signing_request};
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, error_at_path, quoted};
use crate::name_format::NameFormat;
use crate::rules::{immutable, labels, names};
use crate::{Cause, FieldError, Verdict, format_value, internal};
use alloc::format;
use ratchet_object::{At, decode_base64};

const LONGEST_UID: usize = 128;
const LONGEST_ANNOTATIONS: usize = 256 * 1024;
const LONGEST_KEY: usize = 10 * 1024;
const SHORTEST_LIFE: i64 = 60 * 60;
const LONGEST_LIFE: i64 = 91 * 24 * 60 * 60;
/// The longest that signers of Kubernetes issue for.
const LONGEST_OWN_LIFE: i64 = 24 * 60 * 60;
/// The conditions that end a request.
const ENDS: [&str; 3] = ["Issued", "Denied", "Failed"];
const ONE_END: &str =
    r#"There may be at most one condition with type "Issued", "Denied", or "Failed""#;
const ENDED: &str = "immutable after PodCertificateRequest is issued, denied, or failed";
const REFUSED: &str =
    "non-condition status fields must be empty when denying or failing the PodCertificateRequest";
const NOT_ENDING: &str =
    r#"status is immutable unless transitioning to "Issued", "Denied", or "Failed""#;
const ONE_KEY: &str =
    "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set";

/// Validates a PodCertificateRequest, whose spec is immutable.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let mut errs = FieldErrors::new(ctx, verdict);
    let Some(old) = ctx.change.old_root() else { return check_spec(&spec, &mut errs) };
    if immutable::is_field_changed("spec", &spec, &old.field("spec")) {
        let formatted = internal::format_as("PodCertificateRequestSpec", &spec);
        immutable::changed(&spec, formatted, errs.verdict);
    }
}

fn check_spec(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let signer = spec.field("signerName");
    signing_request::check_signer(&signer, errs);
    check_annotations(&spec.field("unverifiedUserAnnotations"), errs);
    for (name, uid) in [
        ("podName", "podUID"),
        ("serviceAccountName", "serviceAccountUID"),
        ("nodeName", "nodeUID"),
    ] {
        errs.form(&spec.field(name), NameFormat::Subdomain);
        let uid = spec.field(uid);
        let text = uid.text_or_empty();
        if text.is_empty() {
            errs.invalid_as(&uid, quoted(""), "must not be empty");
        }
        if text.len() > LONGEST_UID {
            errs.too_long(&uid, LONGEST_UID);
        }
    }
    let life = spec.field("maxExpirationSeconds");
    let Some(seconds) = life.int() else { return errs.required(&life, "must be set") };
    let longest = match is_own(signer.text_or_empty()) {
        true => LONGEST_OWN_LIFE,
        false => LONGEST_LIFE,
    };
    if !(SHORTEST_LIFE..=longest).contains(&seconds) {
        errs.invalid(&life, format!("must be in the range [{SHORTEST_LIFE}, {longest}]"));
    }
    let keys = ["stubPKCS10Request", "pkixPublicKey", "proofOfPossession"];
    let lengths = keys.map(|name| length(&spec.field(name)));
    let are_set = lengths.map(|length| length > 0);
    if !matches!(are_set, [true, false, false] | [false, true, true]) {
        return without_value(spec, ONE_KEY, errs);
    }
    let too_long = keys.iter().zip(lengths).find(|(_, length)| *length > LONGEST_KEY);
    if let Some((name, _)) = too_long {
        errs.too_long(&spec.field(name), LONGEST_KEY);
    }
}

/// The number of bytes that a field in base64 has.
fn length(at: &At<'_>) -> usize {
    decode_base64(at.text_or_empty()).map_or(0, |bytes| bytes.len())
}

/// Whether the signer is one of Kubernetes' own.
fn is_own(signer: &str) -> bool {
    let host = signer.split_once('/').map_or(signer, |(host, _)| host);
    host == "kubernetes.io" || host.ends_with(".kubernetes.io")
}

fn check_annotations(annotations: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut size = 0;
    for (key, at) in annotations.entries() {
        size += key.len() + at.text_or_empty().len();
        let (at, key) = (at.with_path(*annotations.path()), key.to_ascii_lowercase());
        if key.is_empty() {
            errs.required(&at, "");
            continue;
        }
        let mut is_valid = true;
        labels::key_faults(&key, |detail| {
            is_valid = false;
            errs.verdict.add_error(FieldError::invalid(&names::FORMS, &at, &key, detail));
        });
        if is_valid && !key.contains('/') {
            let detail = "must be a domain-prefixed key (such as \"acme.io/foo\")";
            errs.invalid_as(&at, quoted(&key), detail);
        }
    }
    if size > LONGEST_ANNOTATIONS {
        errs.too_long(annotations, LONGEST_ANNOTATIONS);
    }
}

/// Validates the status of a PodCertificateRequest: it changes once, when the request ends.
pub(super) fn validate_status(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let status = ctx.change.new_root().field("status");
    let old = ctx.change.old_root().map(|old| old.field("status"));
    if !verdict.errors.is_empty() {
        return;
    }
    let mut errs = FieldErrors::new(ctx, verdict);
    let list = status.field("conditions");
    check_ends(&list, &mut errs);
    conditions::check(&list, &mut errs);
    if !errs.verdict.errors.is_empty() {
        return;
    }
    let has =
        |list: &At<'_>, kinds: &[&str]| kinds.iter().any(|kind| conditions::is_true(list, kind));
    let is_kept = match old {
        Some(old) => status.equals(&old) || (status.is_zero() && old.is_zero()),
        None => false,
    };
    if old.is_some_and(|old| has(&old.field("conditions"), &ENDS)) {
        if !is_kept {
            without_value(&status, ENDED, &mut errs);
        }
    } else if has(&list, &["Denied", "Failed"]) {
        let mut members = status.entries().filter(|(_, at)| !at.is_zero());
        if members.any(|(name, _)| name != "conditions") {
            without_value(&status, REFUSED, &mut errs);
        }
    } else if !has(&list, &["Issued"]) && !is_kept {
        without_value(&status, NOT_ENDING, &mut errs);
    }
}

/// Checks the types of conditions: one at most, which is true.
fn check_ends(list: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let release = errs.ctx.config.release;
    let mut count = 0;
    for (index, condition) in list.items().enumerate() {
        let (kind, is_met) = (condition.field("type"), condition.field("status"));
        // Errors have a dot before the index.
        let mut add = |cause, name, text: &str, detail| {
            let path = format!("status.conditions.[{index}].{name}");
            let error = error_at_path(cause, path, condition.span(), detail);
            errs.verdict.add_error(error.with_value(format_value::typed_string(text, release)));
        };
        let text = kind.text_or_empty();
        if !ENDS.contains(&text) {
            let detail = r#"supported values: "Issued", "Denied", "Failed""#;
            add(Cause::NotSupported, "type", text, detail);
            continue;
        }
        count += 1;
        if count > 1 {
            add(Cause::Invalid, "type", text, ONE_END);
        }
        if is_met.text_or_empty() != "True" {
            let detail = r#"supported values: "True""#;
            add(Cause::NotSupported, "status", is_met.text_or_empty(), detail);
        }
    }
}

/// Adds an `Invalid value` error that does not show the value.
fn without_value(at: &At<'_>, detail: &'static str, errs: &mut FieldErrors<'_, '_>) {
    let error = FieldError::new(&crate::rules::values::RULE, Cause::Invalid, at, detail);
    errs.verdict.add_error(error);
}
