//! Rule RTC-API-001: required fields are set, fields without meaning are not, and values are unique and within limits.

use crate::context::ValidationContext;
use crate::{Cause, FieldError, Origin, Ratchet, Rule, Verdict, format_value};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-API-001",
    fields: &[
        "Service spec.ports, spec.clusterIPs, spec.loadBalancerSourceRanges",
        "Service status.loadBalancer.ingress[].ipMode",
        "Endpoints subsets[]",
        "EndpointSlice addressType, endpoints[].addresses",
        "NetworkPolicy spec.{ingress[].from,egress[].to}[]",
        "Pod spec.ephemeralContainers",
        "IPAddress spec.parentRef",
        "ServiceCIDR spec.cidrs",
        "ResourceClaim status",
        "sources of volumes in pods and PersistentVolumes",
        "DeviceClass, DeviceTaintRule, ResourceClaim, ResourceClaimTemplate and ResourceSlice spec",
        "HorizontalPodAutoscaler spec.metrics, IngressClass spec.parameters, FlowSchema spec",
        "required fields, enumerations, references and duplicates of every kind",
    ],
    title: "field missing, misplaced or too long",
    origin: Origin::Api,
    demands: "Fields are set where they are needed, left out where they mean nothing, given once, one of the values that there are, and within their limits. What defaulting fills in need not be given.",
    why: "A source range on a Service that is no load balancer restricts nothing, though its author relies on it.",
    fix: "Set, remove or shorten the field as the message says.",
    ratchet: Ratchet::Never,
    versions: "All releases.",
};

pub(crate) fn required(at: &At<'_>, detail: &'static str, verdict: &mut Verdict) {
    verdict.add_error(FieldError::new(&RULE, Cause::Required, at, detail));
}

pub(crate) fn forbidden(at: &At<'_>, detail: &'static str, verdict: &mut Verdict) {
    verdict.add_error(FieldError::new(&RULE, Cause::Forbidden, at, detail));
}

pub(crate) fn too_many(at: &At<'_>, count: usize, most: usize, verdict: &mut Verdict) {
    let detail = format!("must have at most {most} items");
    verdict.add_error(
        FieldError::new(&RULE, Cause::TooMany, at, detail).with_value(format!("{count}")),
    );
}

pub(crate) fn too_long(at: &At<'_>, most: usize, verdict: &mut Verdict) {
    let detail = format!("may not be more than {most} bytes");
    verdict.add_error(FieldError::new(&RULE, Cause::TooLong, at, detail));
}

pub(crate) fn unsupported(
    ctx: &ValidationContext<'_>,
    at: &At<'_>,
    text: &str,
    supported: &str,
    verdict: &mut Verdict,
) {
    let detail: Cow<'static, str> = format!("supported values: {supported}").into();
    let error = FieldError::new(&RULE, Cause::NotSupported, at, detail);
    verdict.add_error(error.with_value(format_value::typed_string(text, ctx.config.release)));
}

pub(crate) fn duplicate(at: &At<'_>, formatted: String, verdict: &mut Verdict) {
    verdict.add_error(FieldError::new(&RULE, Cause::Duplicate, at, "").with_value(formatted));
}
