//! Validation of StorageClasses and VolumeAttributesClasses: provisioner, parameters, topologies, and what cannot change.

use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, format_node, quoted};
use crate::name_format::NameFormat;
use crate::rules::{immutable, placement};
use crate::{Cause, FieldError, Verdict};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use ratchet_object::At;

const MOST_PARAMETERS: usize = 512;
const LARGEST_PARAMETERS: usize = 256 * 1024;

/// Immutable fields, and what an unset one is.
const FIXED: [(&str, &str); 4] = [
    ("parameters", ""),
    ("provisioner", ""),
    ("reclaimPolicy", "Delete"),
    ("volumeBindingMode", "Immediate"),
];

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let mut errs = FieldErrors::new(ctx, verdict);
    check_provisioner(&root.field("provisioner"), &mut errs);
    check_parameters(&root.field("parameters"), &mut errs);
    let policy = root.field("reclaimPolicy");
    if !policy.text_or_empty().is_empty() {
        errs.one_of(&policy, &["Delete", "Retain"]);
    }
    errs.one_of(&root.field("volumeBindingMode"), &["Immediate", "WaitForFirstConsumer"]);
    check_topologies(&root.field("allowedTopologies"), &mut errs);
    let Some(old) = ctx.change.old_root() else { return };
    for (name, default) in FIXED {
        let (at, before) = (root.field(name), old.field(name));
        let is_default = |one: &At<'_>, other: &At<'_>| {
            !default.is_empty() && !one.is_set() && other.text_or_empty() == default
        };
        if !at.equals(&before) && !is_default(&at, &before) && !is_default(&before, &at) {
            immutable::changed(&at, format_node(at.node()), verdict);
        }
    }
}

pub(super) fn validate_attributes(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    if let Some(old) = ctx.change.old_root() {
        for name in ["driverName", "parameters"] {
            let at = root.field(name);
            if !at.equals(&old.field(name)) {
                immutable::forbidden(&at, format!("updates to {name} are forbidden."), verdict);
            }
        }
    }
    let mut errs = FieldErrors::new(ctx, verdict);
    check_provisioner(&root.field("driverName"), &mut errs);
    let parameters = root.field("parameters");
    check_parameters(&parameters, &mut errs);
    if parameters.entries().len() == 0 {
        errs.required(&parameters, "must contain at least one key/value pair");
    }
}

fn check_provisioner(provisioner: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if errs.needs_text(provisioner) {
        let lower = provisioner.text_or_empty().to_ascii_lowercase();
        errs.form_of(provisioner, &lower, NameFormat::Qualified);
    }
}

fn check_parameters(parameters: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if parameters.entries().len() > MOST_PARAMETERS {
        return errs.too_long(parameters, MOST_PARAMETERS);
    }
    let mut size = 0;
    for (key, value) in parameters.entries() {
        if key.is_empty() {
            errs.invalid_as(parameters, "\"\"", "field can not be empty.");
        }
        size += key.len() + value.text_or_empty().len();
    }
    if size > LARGEST_PARAMETERS {
        errs.too_long(parameters, LARGEST_PARAMETERS);
    }
}

fn check_topologies(topologies: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut seen: BTreeMap<BTreeMap<&str, BTreeSet<&str>>, usize> = BTreeMap::new();
    for term in topologies.items() {
        let list = term.field("matchLabelExpressions");
        let mut keys: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for requirement in list.items() {
            let (key, values) = (requirement.field("key"), requirement.field("values"));
            let set = check_values(&values, errs);
            errs.form(&key, NameFormat::Qualified);
            if keys.insert(key.text_or_empty(), set).is_some() {
                errs.duplicate(&key, quoted(key.text_or_empty()));
            }
        }
        // To the API, an empty term is as many duplicates as there are terms.
        let blanks = if keys.is_empty() { topologies.len() } else { 0 };
        let equal = seen.entry(keys).or_default();
        errs.verdict.add_errors(blanks + *equal, || {
            FieldError::new(&placement::RULE, Cause::Duplicate, &list, "").with_value("\"\"")
        });
        *equal += 1;
    }
}

fn check_values<'a>(values: &At<'a>, errs: &mut FieldErrors<'_, '_>) -> BTreeSet<&'a str> {
    if values.is_empty() {
        errs.required(values, "");
    }
    let mut set = BTreeSet::new();
    for at in values.items() {
        if !set.insert(at.text_or_empty()) {
            errs.duplicate(&at, quoted(at.text_or_empty()));
        }
    }
    set
}
