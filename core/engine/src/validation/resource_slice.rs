//! Validation of ResourceSlices: their pool, the nodes that can reach them, and what their devices share.

use super::device;
use super::device_fields::{check_pool, check_unique, is_within};
use super::node_selector;
use super::pod_parts::check_driver;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, format_node, quoted};
use crate::name_format::NameFormat;
use crate::rules::immutable;
use crate::{Verdict, internal};
use alloc::format;
use alloc::vec::Vec;
use ratchet_object::At;

const MOST_DEVICES: usize = 128;
const MOST_DEVICES_WITH_TAINTS_OR_COUNTERS: usize = 64;
const MOST_COUNTER_SETS: usize = 8;
const MOST_COUNTERS: usize = 32;
const ONE_NODE_FIELD: &str =
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

/// Validates a ResourceSlice.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let old = ctx.change.old_root().map(|old| old.field("spec"));
    let mut errs = FieldErrors::new(ctx, verdict);
    check_driver(&spec.field("driver"), &mut errs);
    check_resource_pool(&spec.field("pool"), &mut errs);
    if let Some(old) = &old {
        check_fixed(&spec, old, errs.verdict);
    }
    check_nodes(&spec, &mut errs);
    let (devices, counters) = (spec.field("devices"), spec.field("sharedCounters"));
    if devices.is_set() && counters.is_set() {
        errs.invalid_as(&spec, "\"\"", "only one of `sharedCounters` or `devices` is allowed");
    }
    let is_advanced = devices
        .items()
        .map(|at| device::contents(&at))
        .any(|at| !at.field("taints").is_empty() || !at.field("consumesCounters").is_empty());
    let most = if is_advanced { MOST_DEVICES_WITH_TAINTS_OR_COUNTERS } else { MOST_DEVICES };
    if is_within(&devices, most, &mut errs) {
        let chooses_nodes = spec.field("perDeviceNodeSelection").is_true();
        for at in devices.items() {
            let old = old.as_ref().and_then(|old| find(&old.field("devices"), &at));
            device::check(&at, old.as_ref(), chooses_nodes, &mut errs);
        }
        check_unique(&devices, name, &mut errs);
    }
    if is_within(&counters, MOST_COUNTER_SETS, &mut errs) {
        for set in counters.items() {
            errs.needs_form(&set.field("name"), NameFormat::Label);
            check_counters(&set.field("counters"), &mut errs);
        }
        check_unique(&counters, name, &mut errs);
    }
}

fn name(at: At<'_>) -> &str {
    at.field("name").text_or_empty()
}

/// The stored device of the same name.
fn find<'a>(devices: &At<'a>, device: &At<'_>) -> Option<At<'a>> {
    devices.items().find(|at| name(*at) == name(*device))
}

fn check_resource_pool(pool: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_pool(&pool.field("name"), errs);
    let count = pool.field("resourceSliceCount");
    let number = count.int().unwrap_or_default();
    if number <= 0 {
        errs.invalid_as(&count, format!("{number}"), "must be greater than zero");
    }
    let generation = pool.field("generation");
    if generation.int().is_some_and(|number| number < 0) {
        errs.invalid(&generation, "must be greater than or equal to zero");
    }
}

fn check_fixed(spec: &At<'_>, old: &At<'_>, verdict: &mut Verdict) {
    for path in [&["pool", "name"][..], &["driver"]] {
        let (at, before) = (spec.descend(path), old.descend(path));
        if at.text_or_empty() != before.text_or_empty() {
            immutable::changed(&at, quoted(at.text_or_empty()), verdict);
        }
    }
    let (at, before) = (spec.field("nodeName"), old.field("nodeName"));
    if device::node_name(&at) != device::node_name(&before) {
        immutable::changed(&at, format_node(at.node()), verdict);
    }
}

/// Checks that exactly one field says which nodes can reach the devices.
fn check_nodes(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut set: Vec<&str> = Vec::new();
    let node = spec.field("nodeName");
    match device::node_name(&node) {
        Some("") => {
            errs.invalid(&node, "must be either unset or set to a non-empty string");
        }
        Some(_) => {
            set.push("`nodeName`");
            errs.form(&node, NameFormat::Subdomain);
        }
        None => {}
    }
    let selector = spec.field("nodeSelector");
    if selector.is_set() {
        set.push("`nodeSelector`");
        node_selector::check(&selector, true, errs);
        let terms = selector.field("nodeSelectorTerms");
        if terms.len() != 1 {
            let formatted = internal::format_list_as("NodeSelectorTerm", &terms);
            errs.invalid_as(&terms, formatted, "must have exactly one node selector term");
        }
    }
    for (name, quoted) in
        [("allNodes", "`allNodes`"), ("perDeviceNodeSelection", "`perDeviceNodeSelection`")]
    {
        let at = spec.field(name);
        match device::pointed_truth(&at) {
            Some(true) => set.push(quoted),
            Some(false) => errs.invalid(&at, "must be either unset or set to true"),
            None => {}
        }
    }
    match set.len() {
        0 => errs.required(spec, ONE_NODE_FIELD),
        1 => {}
        _ => {
            let formatted = quoted(&format!("{{{}}}", set.join(", ")));
            let detail = format!("{ONE_NODE_FIELD}, but multiple fields are set");
            errs.invalid_as(spec, formatted, detail);
        }
    }
}

/// Checks counters, of which there is at least one; any quantity is valid.
pub(super) fn check_counters(counters: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    match counters.entries().len() {
        0 => errs.required(counters, ""),
        count if count > MOST_COUNTERS => errs.too_many(counters, count, MOST_COUNTERS),
        _ => {
            for (name, _) in counters.entries() {
                errs.form_of(counters, name, NameFormat::Label);
            }
        }
    }
}
