//! Defaults of devices and claims to them, in all versions of `resource.k8s.io`.
//!
//! `timeAdded` of device taints is missing here, for it needs a clock.

use super::fields::{
    DefaultValue, FieldDefault, each, each_value, is_text, is_zero, nil, pointer_field,
    set_defaults, struct_field, zero,
};
use crate::Node;

const MODE: &[FieldDefault] = &[zero("allocationMode", DefaultValue::Text("ExactCount"))];
const COUNT: &[FieldDefault] = &[zero("count", DefaultValue::Int(1))];
const TOLERATION: &[FieldDefault] = &[zero("operator", DefaultValue::Text("Equal"))];
const MAPPING: &[FieldDefault] = &[nil("allocationMultiplier", DefaultValue::Text("1"))];
const STATUS_REQUEST: &[FieldDefault] = &[nil("limit", DefaultValue::Int(100))];

/// Defaults of a ResourceClaim.
pub(super) fn claim(node: &mut Node<'_>) {
    pointer_field(node, "spec", |spec| requests(spec, request));
    pointer_field(node, "status", allocated);
}

/// Defaults of a ResourceClaimTemplate.
pub(super) fn claim_template(node: &mut Node<'_>) {
    pointer_field(node, "spec", |spec| {
        pointer_field(spec, "spec", |claim| requests(claim, request));
    });
}

/// A ResourceClaim of the first beta, whose requests are exact or a choice in one struct.
pub(super) fn claim_v1beta1(node: &mut Node<'_>) {
    pointer_field(node, "spec", |spec| requests(spec, request_v1beta1));
    pointer_field(node, "status", allocated);
}

/// A ResourceClaimTemplate of the first beta.
pub(super) fn claim_template_v1beta1(node: &mut Node<'_>) {
    pointer_field(node, "spec", |spec| {
        pointer_field(spec, "spec", |claim| requests(claim, request_v1beta1));
    });
}

fn requests(spec: &mut Node<'_>, request: super::fields::Defaulter) {
    if let Some(devices) = spec.get_mut("devices") {
        each(devices, "requests", request);
    }
}

fn request(request: &mut Node<'_>) {
    pointer_field(request, "exactly", counted);
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
    set_defaults(request, MODE);
    if is_text(request, "allocationMode", "ExactCount") {
        set_defaults(request, COUNT);
    }
    tolerations(request);
}

fn tolerations(node: &mut Node<'_>) {
    each(node, "tolerations", |toleration| set_defaults(toleration, TOLERATION));
}

fn allocated(status: &mut Node<'_>) {
    pointer_field(status, "allocation", |allocation| {
        pointer_field(allocation, "devices", |devices| each(devices, "results", tolerations));
    });
}

/// Defaults of a ResourceSlice.
pub(super) fn slice(node: &mut Node<'_>) {
    pointer_field(node, "spec", |spec| each(spec, "devices", mappings));
}

/// A ResourceSlice of the first beta.
pub(super) fn slice_v1beta1(node: &mut Node<'_>) {
    pointer_field(node, "spec", |spec| {
        each(spec, "devices", |device| pointer_field(device, "basic", mappings));
    });
}

fn mappings(device: &mut Node<'_>) {
    each_value(device, "nodeAllocatableResourceMappings", |mapping| set_defaults(mapping, MAPPING));
}

/// Defaults of a ResourcePoolStatusRequest.
pub(super) fn status_request(node: &mut Node<'_>) {
    struct_field(node, "spec", |spec| set_defaults(spec, STATUS_REQUEST));
}
