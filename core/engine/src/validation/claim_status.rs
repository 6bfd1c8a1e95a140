//! Validation of the status of a ResourceClaim: who uses it, which devices it has, and what their drivers report.

use super::device_fields::{check_binding, check_pool, check_share, check_unique, is_within};
use super::devices::{Requests, check_config, check_reference, check_references, requests_of};
use super::pod_parts::check_driver;
use super::{conditions, node_selector, resource_claim};
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::name_format::NameFormat;
use crate::rules::immutable;
use crate::{Verdict, format_value, internal};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use ratchet_object::{At, Node, Value};

const MOST_USERS: usize = 256;
const MOST_RESULTS: usize = 32;
/// Those of the class and those of the claim.
const MOST_CONFIGS: usize = 2 * 32;
const MOST_CONDITIONS: usize = 8;
const LONGEST_DATA: usize = 10 * 1024;
const SOURCES: [&str; 2] = ["FromClaim", "FromClass"];
const NEW_USER: &str =
    "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";

/// Validates the status of a ResourceClaim.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let (status, old) = (root.field("status"), ctx.change.old_root().map(|at| at.field("status")));
    let allocation = status.field("allocation");
    let allocated = old.map(|old| old.field("allocation")).filter(At::is_set);
    let users = status.field("reservedFor");
    let mut errs = FieldErrors::new(ctx, verdict);
    if is_within(&users, MOST_USERS, &mut errs) {
        for (user, name) in
            users.items().flat_map(|user| ["resource", "name", "uid"].map(|name| (user, name)))
        {
            errs.needs_text(&user.field(name));
        }
        check_unique(&users, |at| at.field("uid").text_or_empty(), &mut errs);
    }
    check_devices(&status.field("devices"), &allocation, allocated.as_ref(), &mut errs);
    if !users.is_empty() {
        let is_deleted = root.descend(&["metadata", "deletionTimestamp"]).is_set();
        if !allocation.is_set() {
            let detail = "may not be specified when `allocated` is not set";
            errs.forbidden(&users, detail);
        } else if is_deleted && has_new_user(&users, old.as_ref()) {
            errs.forbidden(&users, NEW_USER);
        }
    }
    if !allocation.is_set() {
        return;
    }
    match allocated {
        None => {
            let requests = requests_of(&root.descend(&["spec", "devices"]));
            check_allocation(&allocation, &requests, &mut errs);
        }
        Some(before) if allocation.equals(&before) => {}
        Some(_) => {
            let formatted = internal::format_as("AllocationResult", &allocation);
            immutable::changed(&allocation, formatted, errs.verdict);
        }
    }
}

fn has_new_user(users: &At<'_>, old: Option<&At<'_>>) -> bool {
    let key = |at: At<'_>| {
        let text = |name| format_value::json(at.field(name).text_or_empty());
        ["apiGroup", "resource", "name", "uid"].map(text)
    };
    let before = old.map(|old| old.field("reservedFor"));
    let known: BTreeSet<[String; 4]> = before.iter().flat_map(At::items).map(key).collect();
    users.items().any(|user| !known.contains(&key(user)))
}

/// What tells devices apart, as the reference writes it.
fn device_id(at: &At<'_>) -> String {
    let text = |name| format_value::json(at.field(name).text_or_empty());
    let [driver, pool, device, share] = ["driver", "pool", "device", "shareID"].map(text);
    format!(r#"{{"Driver":{driver},"Pool":{pool},"Device":{device},"ShareID":{share}}}"#)
}

fn device_ids(allocation: &At<'_>) -> BTreeSet<String> {
    allocation.descend(&["devices", "results"]).items().map(|at| device_id(&at)).collect()
}

/// Checks what drivers report about devices; what they reported about devices that are given back goes with them.
fn check_devices(
    devices: &At<'_>,
    allocation: &At<'_>,
    allocated: Option<&At<'_>>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let current = device_ids(allocation);
    let former = allocated.map(device_ids).unwrap_or_default();
    let is_given_back = |id: &String| former.contains(id) && !current.contains(id);
    let kept =
        || devices.items().map(|at| (device_id(&at), at)).filter(|(id, _)| !is_given_back(id));
    for (id, device) in kept() {
        check_driver(&device.field("driver"), errs);
        check_pool(&device.field("pool"), errs);
        errs.form(&device.field("device"), NameFormat::Label);
        check_share(&device.field("shareID"), errs);
        if !current.contains(&id) {
            errs.invalid_as(&device, id, "must be an allocated device in the claim");
        }
        let list = device.field("conditions");
        is_within(&list, MOST_CONDITIONS, errs);
        conditions::check(&list, errs);
        check_data(&device.field("data"), errs);
        let network = device.field("networkData");
        resource_claim::check_network(errs.ctx, &network, errs.verdict);
    }
    let mut seen = BTreeSet::new();
    for (id, device) in kept() {
        if seen.contains(&id) {
            errs.duplicate(&device, id);
        } else {
            seen.insert(id);
        }
    }
}

fn check_data(data: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let Some(node) = data.node() else { return };
    if Node::to_json(node).len() > LONGEST_DATA {
        errs.too_long(data, LONGEST_DATA);
    } else if !matches!(node.value, Value::Map(_)) {
        errs.invalid_as(data, "\"<value omitted>\"", "must be a valid JSON object");
    }
}

fn check_allocation(allocation: &At<'_>, requests: &Requests<'_>, errs: &mut FieldErrors<'_, '_>) {
    let devices = allocation.field("devices");
    let results = devices.field("results");
    if is_within(&results, MOST_RESULTS, errs) {
        for result in results.items() {
            check_reference(&result.field("request"), requests, errs);
            check_driver(&result.field("driver"), errs);
            check_pool(&result.field("pool"), errs);
            errs.form(&result.field("device"), NameFormat::Label);
            check_binding(&result, errs);
            check_share(&result.field("shareID"), errs);
        }
    }
    let configs = devices.field("config");
    if is_within(&configs, MOST_CONFIGS, errs) {
        for config in configs.items() {
            let source = config.field("source");
            if errs.needs_text(&source) {
                errs.one_of(&source, &SOURCES);
            }
            check_references(&config.field("requests"), requests, errs);
            check_config(&config, false, errs);
        }
    }
    let selector = allocation.field("nodeSelector");
    if selector.is_set() {
        node_selector::check(&selector, true, errs);
    }
}
