//! Validation of ResourcePoolStatusRequests: whose pools are asked about, and the answer.

use super::conditions;
use super::declared::{self, is_changed, is_kept};
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::name_format::NameFormat;
use crate::rules::immutable;
use crate::{Verdict, internal};
use ratchet_object::At;

const MOST_POOLS: i64 = 1000;
const MOST_LISTED: usize = 1000;
const MOST_CONDITIONS: usize = 10;
const LONGEST_ERROR: usize = 256;
/// Counts of a pool, and the least that each can be.
const COUNTS: [(&str, i64); 5] = [
    ("resourceSliceCount", 1),
    ("totalDevices", 0),
    ("allocatedDevices", 0),
    ("availableDevices", 0),
    ("unavailableDevices", 0),
];

/// Validates a ResourcePoolStatusRequest.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let mut errs = FieldErrors::new(ctx, verdict);
    if let Some(old) = ctx.change.old_root() {
        is_changed("spec", &spec, Some(&old.field("spec")), &mut errs);
        return;
    }
    declared::check_caseless(&spec.field("driver"), &mut errs);
    let (pool, limit) = (spec.field("poolName"), spec.field("limit"));
    if pool.is_set() {
        declared::check_pool(&pool, &mut errs);
    }
    declared::check_most(&limit, MOST_POOLS, &mut errs);
    declared::check_least(&limit, 1, &mut errs);
}

/// Validates the status of a ResourcePoolStatusRequest: once there is one, the request is answered.
pub(super) fn validate_status(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let status = ctx.change.new_root().field("status");
    let old = ctx.change.old_root().map(|old| old.field("status")).filter(At::is_set);
    let mut errs = FieldErrors::new(ctx, verdict);
    match old {
        Some(old) if !status.equals(&old) => {
            let formatted = match status.is_set() {
                true => internal::format_as("ResourcePoolStatusRequestStatus", &status),
                false => "null".into(),
            };
            immutable::changed(&status, formatted, errs.verdict);
        }
        Some(_) => return,
        None => conditions::check(&status.field("conditions"), &mut errs),
    }
    if !status.is_set() {
        return;
    }
    let kept = |name| is_kept(&status.field(name), old.map(|old| old.field(name)).as_ref());
    let count = status.field("poolCount");
    if !count.is_set() {
        errs.required(&count, "");
    } else if !kept("poolCount") {
        declared::check_least(&count, 0, &mut errs);
    }
    let pools = status.field("pools");
    if !kept("pools") && declared::is_within(&pools, MOST_LISTED, &mut errs) {
        pools.items().for_each(|pool| check_pool(&pool, &mut errs));
    }
    let list = status.field("conditions");
    if !kept("conditions") && declared::is_within(&list, MOST_CONDITIONS, &mut errs) {
        declared::check_unique(&list, "type", conditions::MEMBERS, &mut errs);
    }
}

fn check_pool(pool: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    declared::check_caseless(&pool.field("driver"), errs);
    let name = pool.field("poolName");
    if errs.needs_text(&name) {
        declared::check_pool(&name, errs);
    }
    declared::needs_least(&pool.field("generation"), 0, errs);
    for (name, least) in COUNTS {
        declared::check_least(&pool.field(name), least, errs);
    }
    let node = pool.field("nodeName");
    if node.is_set() {
        declared::check_form(&node, NameFormat::Subdomain, errs);
    }
    let error = pool.field("validationError");
    if error.text_or_empty().len() > LONGEST_ERROR {
        errs.too_long(&error, LONGEST_ERROR);
    }
}
