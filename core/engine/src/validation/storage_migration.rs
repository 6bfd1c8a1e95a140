//! Validation of StorageVersionMigrations: the resource that is written anew, and how far that is.

use super::conditions;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::{self, NameFormat};
use crate::rules::immutable;
use crate::{Verdict, format_value};
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use ratchet_object::At;

/// Validates a StorageVersionMigration.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let moved = spec.field("resource");
    let (group, resource) = (moved.field("group"), moved.field("resource"));
    let mut errs = FieldErrors::new(ctx, verdict);
    if resource.text_or_empty().is_empty() {
        errs.required(&resource, "resource is required to be set");
    } else {
        check_form(&resource, NameFormat::Label1035, &mut errs);
    }
    if !group.text_or_empty().is_empty() {
        check_form(&group, NameFormat::Subdomain, &mut errs);
    }
    if let Some(old) = ctx.change.old_root()
        && immutable::is_field_changed("spec", &spec, &old.field("spec"))
    {
        let json = |at: &At<'_>| format_value::json(at.text_or_empty());
        let formatted = format!(
            "{{\"Resource\":{{\"group\":{},\"resource\":{}}}}}",
            json(&group),
            json(&resource)
        );
        immutable::changed(&spec, formatted, errs.verdict);
    }
}

/// Checks a format; all that is wrong is one error.
fn check_form(at: &At<'_>, format: NameFormat, errs: &mut FieldErrors<'_, '_>) {
    let mut faults: Vec<Cow<'static, str>> = Vec::new();
    name_format::faults(format, at.text_or_empty(), |fault| faults.push(fault));
    if !faults.is_empty() {
        errs.invalid(at, faults.join(","));
    }
}

/// Validates the status of a StorageVersionMigration: what has ended does not begin again.
pub(super) fn validate_status(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let status = ctx.change.new_root().field("status");
    let old = ctx.change.old_root().map(|old| old.field("status"));
    let (version, list) = (status.field("resourceVersion"), status.field("conditions"));
    let mut errs = FieldErrors::new(ctx, verdict);
    let text = version.text_or_empty();
    if !text.is_empty() && !is_version(text) {
        errs.invalid(&version, format!("resource version is not well formed: {text}"));
    }
    conditions::check(&list, &mut errs);
    if let Some(old) = old {
        let before = old.field("resourceVersion").text_or_empty();
        if !before.is_empty() && before != text {
            immutable::changed(&version, quoted(text), errs.verdict);
        }
    }
    let has = |status: &At<'_>, kind| conditions::is_true(&status.field("conditions"), kind);
    let had = |kind| old.is_some_and(|old| has(&old, kind));
    let mut refuse = |is_wrong: bool, detail: &'static str| {
        if is_wrong {
            errs.invalid_as(&list, conditions::format(&list), detail);
        }
    };
    refuse(
        has(&status, "Succeeded") && has(&status, "Failed"),
        "Both success and failed conditions cannot be true at the same time",
    );
    refuse(
        had("Succeeded") && !has(&status, "Succeeded"),
        "Success condition cannot be set to false once it is true",
    );
    refuse(
        had("Failed") && !has(&status, "Failed"),
        "Failed condition cannot be set to false once it is true",
    );
}

/// Whether a text is a resource version: a positive number of any length.
fn is_version(text: &str) -> bool {
    !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}
