//! Validation of one device of a ResourceSlice: attributes, capacities, taints, counters and nodes.

use super::device_capacity;
use super::device_fields::{
    check_binding, check_qualified_name, check_taint, check_unique, is_within,
};
use super::resource_slice::check_counters;
use super::{node_selector, semantic_version};
use crate::field_errors::{FieldErrors, quoted};
use crate::internal;
use crate::name_format::NameFormat;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use ratchet_object::At;

const MOST_ATTRIBUTES_AND_CAPACITIES: usize = 32;
const MOST_ATTRIBUTES: usize = 48;
const MOST_TAINTS: usize = 16;
const MOST_CONSUMPTIONS: usize = 2;
const LONGEST_VALUE: usize = 64;
/// A domain, a slash and an identifier.
const LONGEST_KEY: usize = 63 + 1 + 32;
/// Lists of values are not among them: their gate is off, and a server drops them.
const VALUES: [&str; 4] = ["int", "bool", "string", "version"];
const ONE_NODE_FIELD: &str = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
const NO_NODE_FIELD: &str = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
const NO_VERSION: &str = "must be a string compatible with semver.org spec 2.0.0";

/// A device without the level `basic` that the first versions have, which errors do not name.
pub(super) fn contents<'a>(device: &At<'a>) -> At<'a> {
    let basic = device.field("basic");
    if basic.is_set() { basic.with_path(*device.path()) } else { *device }
}

/// The first versions of the API have no pointers: what is empty there is unset.
fn has_pointers(at: &At<'_>) -> bool {
    let version = at.object().map(|object| object.text_at(&["apiVersion"])).unwrap_or_default();
    !version.ends_with("/v1beta1") && !version.ends_with("/v1alpha3")
}

/// The name of a node, if it is set.
pub(super) fn node_name<'a>(at: &At<'a>) -> Option<&'a str> {
    let text = at.is_set().then(|| at.text_or_empty())?;
    (!text.is_empty() || has_pointers(at)).then_some(text)
}

/// A boolean, if it is set.
pub(super) fn pointed_truth(at: &At<'_>) -> Option<bool> {
    at.truth().filter(|truth| *truth || has_pointers(at))
}

/// Checks a device; `chooses_nodes` says that each device of the slice names its nodes.
pub(super) fn check(
    device: &At<'_>,
    old: Option<&At<'_>>,
    chooses_nodes: bool,
    errs: &mut FieldErrors<'_, '_>,
) {
    errs.form(&device.field("name"), NameFormat::Label);
    let device = &contents(device);
    let (attributes, capacity) = (device.field("attributes"), device.field("capacity"));
    let count = attributes.entries().len() + capacity.entries().len();
    if count > MOST_ATTRIBUTES_AND_CAPACITIES {
        let most = MOST_ATTRIBUTES_AND_CAPACITIES;
        let detail =
            format!("the total number of attributes and capacities must not exceed {most}");
        errs.invalid_as(device, count.to_string(), detail);
    }
    let count = attributes.entries().len();
    if count > MOST_ATTRIBUTES {
        let detail =
            format!("the total number of attribute values must not exceed {MOST_ATTRIBUTES}");
        errs.invalid_as(device, count.to_string(), detail);
    }
    for (name, at) in attributes.entries() {
        check_qualified_name(&attributes, name, errs);
        let key = shortened(name);
        check_attribute(&at.with_path(attributes.path().key(&key)), errs);
    }
    let is_shared = device.field("allowMultipleAllocations").is_true();
    for (name, at) in capacity.entries() {
        check_qualified_name(&capacity, name, errs);
        let key = shortened(name);
        device_capacity::check(&at.with_path(capacity.path().key(&key)), is_shared, errs);
    }
    let taints = device.field("taints");
    let is_kept = |old: &At<'_>| taints.equals(&contents(old).field("taints"));
    if !old.is_some_and(is_kept) && is_within(&taints, MOST_TAINTS, errs) {
        taints.items().for_each(|at| check_taint(&at, None, errs));
    }
    let consumed = device.field("consumesCounters");
    if is_within(&consumed, MOST_CONSUMPTIONS, errs) {
        for at in consumed.items() {
            errs.needs_form(&at.field("counterSet"), NameFormat::Label);
            check_counters(&at.field("counters"), errs);
        }
        check_unique(&consumed, |at| at.field("counterSet").text_or_empty(), errs);
    }
    check_nodes(device, chooses_nodes, errs);
    check_binding(device, errs);
}

fn check_nodes(device: &At<'_>, chooses_nodes: bool, errs: &mut FieldErrors<'_, '_>) {
    let [node, selector, all] =
        ["nodeName", "nodeSelector", "allNodes"].map(|name| device.field(name));
    if !chooses_nodes {
        if [node, selector, all].iter().any(At::is_set) {
            errs.invalid_as(device, "null", NO_NODE_FIELD);
        }
        return;
    }
    let mut set: Vec<&str> = Vec::new();
    if node.is_set() {
        if node.text_or_empty().is_empty() {
            errs.invalid(&node, "must not be empty");
        } else {
            set.push("`nodeName`");
            errs.form(&node, NameFormat::Subdomain);
        }
    }
    if selector.is_set() {
        set.push("`nodeSelector`");
        node_selector::check(&selector, true, errs);
    }
    match all.truth() {
        Some(true) => set.push("`allNodes`"),
        Some(false) => errs.invalid(&all, "must be either unset or set to true"),
        None => {}
    }
    match set.len() {
        0 => errs.required(device, ONE_NODE_FIELD),
        1 => {}
        _ => {
            let formatted = quoted(&format!("{{{}}}", set.join(", ")));
            errs.invalid_as(device, formatted, ONE_NODE_FIELD);
        }
    }
}

/// Checks an attribute, which has one value.
fn check_attribute(attribute: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_length(&attribute.field("string"), errs);
    let version = attribute.field("version");
    if version.is_set() && !semantic_version::is_well_formed(version.text_or_empty()) {
        errs.invalid(&version, NO_VERSION);
    }
    check_length(&version, errs);
    let detail = "exactly one value must be specified";
    match VALUES.iter().filter(|name| attribute.field(name).is_set()).count() {
        0 => errs.invalid_as(attribute, "\"\"", detail),
        1 => {}
        _ => {
            let formatted = internal::format_as("DeviceAttribute", attribute);
            errs.invalid_as(attribute, formatted, detail);
        }
    }
}

fn check_length(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if at.text_or_empty().len() > LONGEST_VALUE {
        errs.too_long(at, LONGEST_VALUE);
    }
}

/// A key as a path has it: a long one lacks its middle.
fn shortened(key: &str) -> Cow<'_, str> {
    if key.len() <= LONGEST_KEY {
        return Cow::Borrowed(key);
    }
    let kept = LONGEST_KEY - 3;
    let (start, end) = (kept.div_ceil(2), key.len() - kept / 2);
    let (start, end) = (key.floor_char_boundary(start), key.ceil_char_boundary(end));
    let (first, last) = (key.get(..start), key.get(end..));
    Cow::Owned(format!("{}...{}", first.unwrap_or_default(), last.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_keys_lack_their_middle() {
        assert_eq!(shortened("a/b"), "a/b");
        let long = format!("{}{}", "a".repeat(60), "b".repeat(60));
        let short = shortened(&long);
        assert_eq!(short, format!("{}...{}", "a".repeat(47), "b".repeat(46)));
        assert_eq!(short.len(), LONGEST_KEY);
        assert!(shortened(&"é".repeat(90)).contains("..."));
    }
}
