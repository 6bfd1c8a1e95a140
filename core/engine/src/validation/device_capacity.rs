//! Validation of the capacities of a device, and of the policy by which several requests share one.

use super::device_fields::is_within;
use crate::field_errors::{FieldErrors, quoted};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::ToString;
use core::cmp::Ordering;
use ratchet_object::{At, Quantity};

const MOST_VALUES: usize = 10;
const TWO_POLICIES: &str = r#"exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time"#;

/// Checks a capacity of a device that several requests may share, or may not.
pub(super) fn check(capacity: &At<'_>, is_shared: bool, errs: &mut FieldErrors<'_, '_>) {
    let policy = capacity.field("requestPolicy");
    if !policy.is_set() {
        return;
    }
    if !is_shared {
        return errs.forbidden(&policy, "allowMultipleAllocations must be true");
    }
    let (values, range) = (policy.field("validValues"), policy.field("validRange"));
    let most = quantity(&capacity.field("value"));
    let default = policy.field("default");
    match (!values.is_empty(), range.is_set()) {
        (true, true) => errs.forbidden(&policy, TWO_POLICIES),
        (true, false) if !default.is_set() => {
            errs.required(&default, "required when validValues is defined");
        }
        (true, false) => check_values(&values, most, quantity(&default), errs),
        (false, true) if !default.is_set() => {
            errs.required(&default, "required when validRange is defined");
        }
        (false, true) => check_range(&range, most, quantity(&default), errs),
        (false, false) => {}
    }
}

fn quantity(at: &At<'_>) -> Quantity {
    Quantity::at(at).unwrap_or(Quantity::whole(0))
}

fn formatted(quantity: Quantity) -> alloc::string::String {
    quoted(&quantity.to_string())
}

fn check_values(
    values: &At<'_>,
    most: Quantity,
    default: Quantity,
    errs: &mut FieldErrors<'_, '_>,
) {
    for (before, at) in values.items().zip(values.items().skip(1)) {
        if quantity(&before).exceeds(quantity(&at)) {
            let detail = "values must be sorted in ascending order";
            errs.invalid_as(&at, formatted(quantity(&at)), detail);
        }
    }
    let mut has_default = false;
    if is_within(values, MOST_VALUES, errs) {
        for at in values.items() {
            let option = quantity(&at);
            if option.exceeds(most) {
                let detail = format!("option is larger than capacity value: {most}");
                errs.invalid_as(&at, formatted(option), detail);
            }
            has_default |= option.compare(default) == Ordering::Equal;
        }
        let mut seen = BTreeSet::new();
        for at in values.items() {
            let number = quantity(&at).in_wholes();
            if !seen.insert(number) {
                errs.duplicate(&at, quoted(&number.to_string()));
            }
        }
    }
    if !has_default {
        let detail = "default value is not valid according to the requestPolicy";
        errs.invalid_as(values, formatted(default), detail);
    }
}

fn check_range(range: &At<'_>, most: Quantity, default: Quantity, errs: &mut FieldErrors<'_, '_>) {
    let [min, max, step] = ["min", "max", "step"].map(|name| range.field(name));
    if !min.is_set() {
        return errs.required(&min, "required when validRange is defined");
    }
    let least = quantity(&min);
    if least.exceeds(most) {
        let detail = format!("min is larger than capacity value: {most}");
        errs.invalid_as(&min, formatted(least), detail);
    }
    if least.exceeds(default) {
        errs.invalid_as(&min, formatted(default), format!("default is less than min: {least}"));
    }
    if max.is_set() {
        let highest = quantity(&max);
        if least.exceeds(highest) {
            let detail = format!("min is larger than max: {highest}");
            errs.invalid_as(&max, formatted(least), detail);
        }
        if highest.exceeds(most) {
            let detail = format!("max is larger than capacity value: {most}");
            errs.invalid_as(&max, formatted(highest), detail);
        }
        if default.exceeds(highest) {
            let detail = format!("default is more than max: {highest}");
            errs.invalid_as(&max, formatted(default), detail);
        }
    }
    if step.is_set() {
        let added = least.plus(quantity(&step));
        if added.exceeds(most) {
            let detail = format!("one step {added} is larger than capacity value: {most}");
            errs.invalid_as(&step, formatted(quantity(&step)), detail);
        }
        check_step(default, least, &step, errs);
        if max.is_set() {
            check_step(quantity(&max), least, &step, errs);
        }
    }
}

fn check_step(value: Quantity, least: Quantity, at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let step = quantity(at);
    let added = value.in_wholes().saturating_sub(least.in_wholes());
    // A step of zero leads nowhere; the reference divides by it, and fails.
    if added.checked_rem(step.in_wholes()).is_none_or(|rest| rest != 0) {
        let detail = format!("value is not a multiple of a given step ({step}) from ({least})");
        errs.invalid_as(at, formatted(value), detail);
    }
}
