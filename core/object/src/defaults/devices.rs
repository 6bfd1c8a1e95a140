//! Devices and the claims to them, in all versions of their group.
//!
//! The time since which a device is tainted is missing here, for it needs a clock.

use super::fill::{Fill, Gap, each, each_value, fill, inside, is_text, is_zero, nil, within, zero};
use crate::Node;

const MODE: &[Gap] = &[zero("allocationMode", Fill::Text("ExactCount"))];
const COUNT: &[Gap] = &[zero("count", Fill::Int(1))];
const TOLERATION: &[Gap] = &[zero("operator", Fill::Text("Equal"))];
const MAPPING: &[Gap] = &[nil("allocationMultiplier", Fill::Text("1"))];
const STATUS_REQUEST: &[Gap] = &[nil("limit", Fill::Int(100))];

/// A ResourceClaim.
pub(super) fn claim(node: &mut Node<'_>) {
    within(node, "spec", |spec| requests(spec, request));
    within(node, "status", allocated);
}

/// A ResourceClaimTemplate.
pub(super) fn claim_template(node: &mut Node<'_>) {
    within(node, "spec", |spec| within(spec, "spec", |claim| requests(claim, request)));
}

/// A ResourceClaim of the first beta, whose requests are either exact or a choice, all in one.
pub(super) fn claim_v1beta1(node: &mut Node<'_>) {
    within(node, "spec", |spec| requests(spec, request_v1beta1));
    within(node, "status", allocated);
}

/// A ResourceClaimTemplate of the first beta.
pub(super) fn claim_template_v1beta1(node: &mut Node<'_>) {
    within(node, "spec", |spec| within(spec, "spec", |claim| requests(claim, request_v1beta1)));
}

fn requests(spec: &mut Node<'_>, request: super::fill::Filler) {
    if let Some(devices) = spec.get_mut("devices") {
        each(devices, "requests", request);
    }
}

fn request(request: &mut Node<'_>) {
    within(request, "exactly", counted);
    each(request, "firstAvailable", counted);
}

fn request_v1beta1(request: &mut Node<'_>) {
    if is_zero(request, "deviceClassName") {
        tolerations(request);
    } else {
        counted(request);
    }
    each(request, "firstAvailable", counted);
}

fn counted(request: &mut Node<'_>) {
    fill(request, MODE);
    if is_text(request, "allocationMode", "ExactCount") {
        fill(request, COUNT);
    }
    tolerations(request);
}

fn tolerations(node: &mut Node<'_>) {
    each(node, "tolerations", |toleration| fill(toleration, TOLERATION));
}

fn allocated(status: &mut Node<'_>) {
    within(status, "allocation", |allocation| {
        within(allocation, "devices", |devices| each(devices, "results", tolerations));
    });
}

/// A ResourceSlice.
pub(super) fn slice(node: &mut Node<'_>) {
    within(node, "spec", |spec| each(spec, "devices", mappings));
}

/// A ResourceSlice of the first beta.
pub(super) fn slice_v1beta1(node: &mut Node<'_>) {
    within(node, "spec", |spec| {
        each(spec, "devices", |device| within(device, "basic", mappings));
    });
}

fn mappings(device: &mut Node<'_>) {
    each_value(device, "nodeAllocatableResourceMappings", |mapping| fill(mapping, MAPPING));
}

/// A ResourcePoolStatusRequest.
pub(super) fn status_request(node: &mut Node<'_>) {
    inside(node, "spec", |spec| fill(spec, STATUS_REQUEST));
}
