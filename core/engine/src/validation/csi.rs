//! Validation of CSIDrivers, CSINodes and CSIStorageCapacities.

use super::pod_parts::check_driver;
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, format_node, quoted};
use crate::name_format::NameFormat;
use crate::rules::immutable;
use crate::{format_value, selectors};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::{At, Quantity};

const FS_GROUP_POLICIES: [&str; 3] = ["File", "None", "ReadWriteOnceWithFSType"];
const LIFECYCLE_MODES: [&str; 2] = ["Persistent", "Ephemeral"];
const SHORTEST_TOKEN: i64 = 600;
const LONGEST_TOKEN: i64 = 1 << 32;
const SHORTEST_PERIOD: i64 = 10;
const LONGEST_NODE_ID: usize = 256;

/// Immutable fields of a driver, and the names under which the API reports them.
const FIXED: [(&str, &str); 2] =
    [("attachRequired", "attachedRequired"), ("volumeLifecycleModes", "volumeLifecycleModes")];

pub(super) fn validate_driver(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let mut errs = FieldErrors::new(ctx, verdict);
    errs.one_of(&spec.field("fsGroupPolicy"), &FS_GROUP_POLICIES);
    let tokens = spec.field("tokenRequests");
    check_tokens(&tokens, &mut errs);
    let modes = spec.field("volumeLifecycleModes");
    for mode in modes.items().map(|at| at.text_or_empty()) {
        if !LIFECYCLE_MODES.contains(&mode) {
            let formatted = format_value::typed_string(mode, ctx.config.release);
            errs.unsupported(&modes, formatted, &LIFECYCLE_MODES);
        }
    }
    let period = spec.field("nodeAllocatableUpdatePeriodSeconds");
    if period.int().is_some_and(|seconds| seconds < SHORTEST_PERIOD) {
        errs.invalid(&period, "must be greater than or equal to 10 seconds");
    }
    let in_secrets = spec.field("serviceAccountTokenInSecrets");
    if in_secrets.is_set() && tokens.is_empty() {
        let detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
        errs.invalid(&in_secrets, detail);
    }
    let Some(old) = ctx.change.old_root() else { return };
    for (name, reported) in FIXED {
        let at = spec.field(name);
        if !at.equals(&old.field("spec").field(name)) {
            let formatted = format_value::tree(at.node());
            immutable::changed(&at.with_path(spec.path().field(reported)), formatted, verdict);
        }
    }
}

fn check_tokens(tokens: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut audiences: BTreeSet<&str> = BTreeSet::new();
    for token in tokens.items() {
        let audience = token.field("audience");
        let text = audience.text_or_empty();
        if !audiences.insert(text) {
            errs.duplicate(&audience, quoted(text));
            continue;
        }
        let expiration = token.field("expirationSeconds");
        if expiration.int().is_some_and(|seconds| seconds < SHORTEST_TOKEN) {
            errs.invalid(&expiration, "may not specify a duration less than 10 minutes");
        }
        if expiration.int().is_some_and(|seconds| seconds > LONGEST_TOKEN) {
            errs.invalid(&expiration, "may not specify a duration larger than 2^32 seconds");
        }
    }
}

pub(super) fn validate_node(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let drivers = ctx.change.new_root().field("spec").field("drivers");
    let mut errs = FieldErrors::new(ctx, verdict);
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for driver in drivers.items() {
        let (name, node) = (driver.field("name"), driver.field("nodeID"));
        check_driver(&name, &mut errs);
        if errs.needs_text(&node) && node.text_or_empty().len() > LONGEST_NODE_ID {
            errs.invalid(&node, format!("must be {LONGEST_NODE_ID} characters or less"));
        }
        errs.not_negative(&driver.field("allocatable").field("count"));
        if !names.insert(name.text_or_empty()) {
            errs.duplicate(&name, quoted(name.text_or_empty()));
        }
        check_topology_keys(&driver, &mut errs);
    }
    let Some(old) = ctx.change.old_root() else { return };
    let mut by_name: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for driver in drivers.items() {
        by_name.entry(driver.field("name").text()).or_default().push(driver);
    }
    for before in old.field("spec").field("drivers").items() {
        let Some(same) = by_name.get(&before.field("name").text()) else { continue };
        let stored = format_driver(&before);
        for driver in same {
            let formatted = format_driver(driver);
            if formatted != stored {
                immutable::changed(&driver.with_path(*drivers.path()), formatted, verdict);
            }
        }
    }
}

/// Checks the topology keys of a driver; the API reports them at the driver.
fn check_topology_keys(driver: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut keys: BTreeSet<&str> = BTreeSet::new();
    for key in driver.field("topologyKeys").items().map(|at| at.text_or_empty()) {
        if key.is_empty() {
            errs.required(driver, "");
        }
        if !keys.insert(key) {
            errs.duplicate(driver, quoted(key));
        }
        errs.form_of(driver, key, NameFormat::Qualified);
    }
}

/// A driver of a node as the API's internal type, without the volumes that it may change.
fn format_driver(driver: &At<'_>) -> String {
    let [name, node] =
        ["name", "nodeID"].map(|name| format_value::json(driver.field(name).text_or_empty()));
    let keys = format_value::tree(driver.field("topologyKeys").node());
    format!("{{\"Name\":{name},\"NodeID\":{node},\"TopologyKeys\":{keys},\"Allocatable\":null}}")
}

pub(super) fn validate_capacity(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let [topology, class, capacity] =
        ["nodeTopology", "storageClassName", "capacity"].map(|name| root.field(name));
    let mut errs = FieldErrors::new(ctx, verdict);
    selectors::check(&topology, &mut errs);
    errs.form(&class, NameFormat::Subdomain);
    if let Some(amount) = Quantity::at(&capacity).filter(|amount| amount.is_negative()) {
        let detail = "must be greater than or equal to 0";
        errs.invalid_as(&capacity, quoted(&amount.to_string()), detail);
    }
    let Some(old) = ctx.change.old_root() else { return };
    if !topology.equals(&old.field("nodeTopology")) {
        immutable::changed(&topology, format_value::selector(&topology), verdict);
    }
    if class.text_or_empty() != old.field("storageClassName").text_or_empty() {
        let formatted = if class.is_set() { format_node(class.node()) } else { quoted("") };
        immutable::changed(&class, formatted, verdict);
    }
}
