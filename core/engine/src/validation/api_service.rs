//! Validation of APIServices: names of group and version, priorities, the Service, and trust in it.

use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::name_format::NameFormat;
use crate::{Verdict, format_value};
use alloc::format;
use ratchet_object::{At, decode_base64};

const STATUSES: &[&str] = &["True", "False", "Unknown"];

/// Checks the spec; the name, which group and version make up, is checked with the metadata.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let mut errs = FieldErrors::new(ctx, verdict);
    let (group, version) = (spec.field("group"), spec.field("version"));
    if group.text_or_empty().is_empty() && version.text_or_empty() != "v1" {
        errs.required(&group, "only v1 may have an empty group and it better be legacy kube");
    }
    errs.form_if_set(&group, NameFormat::Subdomain);
    errs.form(&version, NameFormat::Label1035);
    check_priority(&spec.field("groupPriorityMinimum"), 20_000, &mut errs);
    check_priority(&spec.field("versionPriority"), 1000, &mut errs);
    let (ca_bundle, insecure) = (spec.field("caBundle"), spec.field("insecureSkipTLSVerify"));
    let bundle_length = decode_base64(ca_bundle.text_or_empty()).map_or(0, |bytes| bytes.len());
    let service = spec.field("service");
    if !service.is_set() {
        if bundle_length > 0 {
            let formatted = format!("\"{bundle_length} bytes\"");
            errs.invalid_as(&ca_bundle, formatted, "local APIServices may not have a caBundle");
        }
        if insecure.is_true() {
            errs.invalid(&insecure, "local APIServices may not have insecureSkipTLSVerify");
        }
        return;
    }
    errs.needs_text(&service.field("namespace"));
    errs.needs_text(&service.field("name"));
    let port = service.field("port");
    if port.int().is_some_and(|port| !(1..=65_535).contains(&port)) {
        errs.invalid(&port, "port is not valid: must be between 1 and 65535, inclusive");
    }
    if insecure.is_true() && bundle_length > 0 {
        errs.invalid(&insecure, "may not be true if caBundle is present");
    }
}

/// Checks that a priority, which is zero if it is not set, is positive and not above `most`.
fn check_priority(at: &At<'_>, most: i64, errs: &mut FieldErrors<'_, '_>) {
    let number = at.int().unwrap_or(0);
    if !(1..=most).contains(&number) {
        let detail = format!("must be positive and less than {most}");
        errs.invalid_as(at, format!("{number}"), detail);
    }
}

/// Checks the conditions of the status.
pub(super) fn validate_status(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let mut errs = FieldErrors::new(ctx, verdict);
    for condition in root.descend(&["status", "conditions"]).items() {
        let status = condition.field("status");
        let text = status.text_or_empty();
        if !STATUSES.contains(&text) {
            let formatted = format_value::typed_string(text, ctx.config.release);
            errs.unsupported(&status, formatted, STATUSES);
        }
    }
}
