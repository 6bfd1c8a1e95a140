//! Validation of RuntimeClasses: the handler, what it takes besides the pod, and where its pods run.

use super::pod_parts::{check_limits, check_tolerations};
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::internal;
use crate::name_format::NameFormat;
use crate::rules::{immutable, labels};
use alloc::collections::BTreeSet;

/// Fields by which tolerations are told apart.
const KEYS: [&str; 4] = ["key", "operator", "value", "effect"];

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let mut errs = FieldErrors::new(ctx, verdict);
    let handler = root.field("handler");
    match handler.text_or_empty() {
        "" => errs.required(&handler, ""),
        _ => errs.form(&handler, NameFormat::Label),
    }
    let overhead = root.field("overhead");
    let fixed = overhead.field("podFixed");
    // The API checks the overhead as the limits of a container, and says so.
    check_limits(&fixed.with_path(overhead.path().field("limits")), &overhead, &mut errs);
    let scheduling = root.field("scheduling");
    labels::check_map(&scheduling.field("nodeSelector"), errs.verdict);
    let tolerations = scheduling.field("tolerations");
    check_tolerations(&tolerations, &mut errs);
    let mut seen = BTreeSet::new();
    for toleration in tolerations.items() {
        let key = KEYS.map(|name| toleration.field(name).text_or_empty());
        if !seen.insert(key) {
            errs.duplicate(&toleration, internal::format_as("Toleration", &toleration));
        }
    }
    if let Some(old) = ctx.change.old_root()
        && !handler.equals(&old.field("handler"))
    {
        immutable::changed(&handler, quoted(handler.text_or_empty()), verdict);
    }
}
