//! Validation of what decides the end of a Job: `podFailurePolicy`, `successPolicy` and `managedBy`.

use super::super::domain_path;
use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::NameFormat;
use crate::rules::values;
use crate::{Cause, FieldError, format_value, internal};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS: [&str; 2] = ["In", "NotIn"];
const STATUSES: [&str; 3] = ["False", "True", "Unknown"];
const MOST_RULES: usize = 20;
const MOST_CODES: usize = 255;
const MOST_CONDITIONS: usize = 20;
const LONGEST_INDEXES: usize = 64 * 1024;
const LONGEST_MANAGER: usize = 63;

/// Checks the policies of the spec of a Job.
pub(super) fn check(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let failure = spec.field("podFailurePolicy");
    if failure.is_set() {
        check_failure(spec, &failure.field("rules"), errs);
    }
    let success = spec.field("successPolicy");
    if success.is_set() {
        if spec.field("completionMode").text_or_empty() == "Indexed" {
            check_success(spec, &success.field("rules"), errs);
        } else {
            let formatted = internal::format_as("SuccessPolicy", &success);
            errs.invalid_as(&success, formatted, "requires indexed completion mode");
        }
    }
}

/// Checks the name of the controller of a Job: a domain and a path.
pub(super) fn check_manager(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !at.is_set() {
        return;
    }
    domain_path::check(at, errs);
    if at.text_or_empty().len() > LONGEST_MANAGER {
        errs.too_long(at, LONGEST_MANAGER);
    }
}

/// Checks that a field is one of `known`.
fn check_known(at: &At<'_>, known: &[&str], errs: &mut FieldErrors<'_, '_>) {
    if at.text_or_empty().is_empty() {
        let listed: Vec<String> = known.iter().map(|text| quoted(text)).collect();
        errs.required(at, format!("valid values: [{}]", listed.join(" ")));
    } else {
        errs.one_of(at, known);
    }
}

fn check_failure(spec: &At<'_>, rules: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if rules.len() > MOST_RULES {
        errs.too_many(rules, rules.len(), MOST_RULES);
    }
    let pod = spec.field("template").field("spec");
    let names: BTreeSet<&str> = ["containers", "initContainers"]
        .iter()
        .flat_map(|list| pod.field(list).items())
        .map(|at| at.field("name").text_or_empty())
        .collect();
    for rule in rules.items() {
        let action = rule.field("action");
        check_known(&action, &ACTIONS, errs);
        if action.text_or_empty() == "FailIndex" && !spec.field("backoffLimitPerIndex").is_set() {
            errs.invalid(&action, "requires the backoffLimitPerIndex to be set");
        }
        let (codes, conditions) = (rule.field("onExitCodes"), rule.field("onPodConditions"));
        if codes.is_set() {
            check_codes(&codes, &names, errs);
        }
        check_conditions(&conditions, errs);
        let detail = match (codes.is_set(), conditions.is_empty()) {
            (true, false) => "specifying both OnExitCodes and OnPodConditions is not supported",
            (false, true) => "specifying one of OnExitCodes and OnPodConditions is required",
            _ => continue,
        };
        errs.verdict.add_error(FieldError::new(&values::RULE, Cause::Invalid, &rule, detail));
    }
}

fn check_codes(codes: &At<'_>, containers: &BTreeSet<&str>, errs: &mut FieldErrors<'_, '_>) {
    let (operator, container) = (codes.field("operator"), codes.field("containerName"));
    check_known(&operator, &OPERATORS, errs);
    if container.is_set() && !containers.contains(container.text_or_empty()) {
        let detail = "must be one of the container or initContainer names in the pod template";
        errs.invalid(&container, detail);
    }
    let list = codes.field("values");
    if list.is_empty() {
        let formatted = format_value::tree(list.node());
        errs.invalid_as(&list, formatted, "at least one value is required");
    } else if list.len() > MOST_CODES {
        errs.too_many(&list, list.len(), MOST_CODES);
    }
    let mut seen: BTreeSet<i64> = BTreeSet::new();
    let mut is_ordered = true;
    let mut last = i64::MIN;
    for at in list.items() {
        let code = at.int().unwrap_or_default();
        if operator.text_or_empty() == "In" && code == 0 {
            errs.invalid(&at, "must not be 0 for the In operator");
        }
        if !seen.insert(code) {
            errs.duplicate(&at, format!("{code}"));
        }
        is_ordered &= last <= code;
        last = code;
    }
    if !is_ordered {
        errs.invalid_as(&list, format_value::tree(list.node()), "must be ordered");
    }
}

fn check_conditions(conditions: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if conditions.len() > MOST_CONDITIONS {
        errs.too_many(conditions, conditions.len(), MOST_CONDITIONS);
    }
    for condition in conditions.items() {
        errs.form(&condition.field("type"), NameFormat::Qualified);
        let status = condition.field("status");
        // An unset status has a default.
        if status.is_set() {
            check_known(&status, &STATUSES, errs);
        }
    }
}

fn check_success(spec: &At<'_>, rules: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    // Without completions, which is an error of its own, nothing can be counted.
    let Some(completions) = spec.field("completions").int() else { return };
    if rules.is_empty() {
        let detail = "at least one rules must be specified when the successPolicy is specified";
        errs.required(rules, detail);
    }
    if rules.len() > MOST_RULES {
        errs.too_many(rules, rules.len(), MOST_RULES);
    }
    for rule in rules.items() {
        let (count, indexes) = (rule.field("succeededCount"), rule.field("succeededIndexes"));
        if !count.is_set() && !indexes.is_set() {
            let detail = "at least one of succeededCount or succeededIndexes must be specified";
            errs.required(&rule, detail);
        }
        let mut total = 0;
        if indexes.is_set() {
            if indexes.text_or_empty().len() > LONGEST_INDEXES {
                errs.too_long(&indexes, LONGEST_INDEXES);
            }
            match count_indexes(indexes.text_or_empty(), completions) {
                Ok(sum) => total = sum,
                Err(fault) => {
                    errs.invalid(&indexes, format!("error parsing succeededIndexes: {fault}"));
                }
            }
        }
        errs.not_negative(&count);
        let Some(number) = count.int() else { continue };
        if number > completions {
            let detail = format!(
                "must be less than or equal to {completions} (the number of specified completions)"
            );
            errs.invalid(&count, detail);
        }
        if indexes.is_set() && number > total {
            let detail = format!(
                "must be less than or equal to {total} (the number of indexes in the specified succeededIndexes field)"
            );
            errs.invalid(&count, detail);
        }
    }
}

/// The number of indexes of a list of intervals such as `0-2,5`, which is in order.
fn count_indexes(text: &str, completions: i64) -> Result<i64, String> {
    let mut total = 0;
    let mut last: Option<i64> = None;
    for interval in text.split(',').filter(|_| !text.is_empty()) {
        let mut parts = interval.split('-');
        let (first, second) = (parts.next().unwrap_or_default(), parts.next());
        if parts.next().is_some() {
            return Err(format!(
                "the fragment {} violates the requirement that an index interval can have at most two parts separated by '-'",
                quoted(interval)
            ));
        }
        let start = index(first, completions)?;
        let end = match second {
            Some(second) => index(second, completions)?,
            None => start,
        };
        if second.is_some() && start >= end {
            return Err(format!("non-increasing order, previous: {start}, current: {end}"));
        }
        if let Some(last) = last.filter(|last| *last >= start) {
            return Err(format!("non-increasing order, previous: {last}, current: {start}"));
        }
        total += end - start + 1;
        last = Some(end);
    }
    Ok(total)
}

fn index(text: &str, completions: i64) -> Result<i64, String> {
    let number: i64 = text
        .parse()
        .map_err(|_| format!("cannot convert string to integer for index: {}", quoted(text)))?;
    if number >= completions {
        return Err(format!("too large index: {}", quoted(text)));
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::count_indexes;

    #[test]
    fn indexes_are_counted() {
        assert_eq!(count_indexes("", 5), Ok(0));
        assert_eq!(count_indexes("0-2,4", 5), Ok(4));
        for bad in ["5", "a", "2-1", "1,1", "0-1-2", "3,2", ","] {
            assert!(count_indexes(bad, 5).is_err(), "{bad}");
        }
    }
}
