//! Validation of DeviceTaintRules: the devices that they select, their taint, and the conditions in their status.

use super::conditions;
use super::device_fields::{check_pool, check_taint, is_within};
use super::pod_parts::check_driver;
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::name_format::NameFormat;

const MOST_CONDITIONS: usize = 8;

/// Validates a DeviceTaintRule.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let old = ctx.change.old_root().map(|old| old.descend(&["spec", "taint"]));
    let mut errs = FieldErrors::new(ctx, verdict);
    let selector = spec.field("deviceSelector");
    let [driver, pool, device] = ["driver", "pool", "device"].map(|name| selector.field(name));
    if driver.is_set() {
        check_driver(&driver, &mut errs);
    }
    if pool.is_set() {
        check_pool(&pool, &mut errs);
    }
    if device.is_set() {
        errs.form(&device, NameFormat::Label);
    }
    check_taint(&spec.field("taint"), old.as_ref(), &mut errs);
}

/// Validates the status of a DeviceTaintRule.
pub(super) fn validate_status(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let list = ctx.change.new_root().descend(&["status", "conditions"]);
    let mut errs = FieldErrors::new(ctx, verdict);
    conditions::check(&list, &mut errs);
    is_within(&list, MOST_CONDITIONS, &mut errs);
}
