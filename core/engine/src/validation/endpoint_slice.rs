//! Validation of EndpointSlices: addresses by `addressType`, unless the endpoints are unchanged, and ports.

use super::pod_parts::PROTOCOLS;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::fields::{self, Class, Field};
use crate::name_format::NameFormat;
use crate::rules::value::FieldCheck;
use crate::rules::{
    address_families, deprecated_api, host_names, immutable, labels, messages_before_1_33,
    placement, special_ip,
};
use crate::{Verdict, Warning, format_value};
use alloc::collections::BTreeSet;
use ratchet_net::Family;
use ratchet_object::At;

const MOST_ENDPOINTS: usize = 1000;
const MOST_ADDRESSES: usize = 100;
const MOST_PORTS: usize = 20_000;
const MOST_HINTS: usize = 8;

/// The sorts of hints, and the form of their names.
const HINTS: [(&str, NameFormat); 2] =
    [("forZones", NameFormat::LabelValue), ("forNodes", NameFormat::Subdomain)];
const CONTROLLERS: [&str; 2] =
    ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];

/// Released Kubernetes requires the canonical form in IPv6 slices, whatever the gate.
static IPV6_ADDRESSES: Field = Field {
    number: 23,
    kind: "EndpointSlice",
    path: "endpoints[].addresses[]",
    class: Class::Address,
    ratchet: fields::SLICE_ADDRESSES.ratchet,
    released_ratchet: fields::SLICE_ADDRESSES.released_ratchet,
    writer: fields::SLICE_ADDRESSES.writer,
    frozen_by: None,
    warns_since: None,
};

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let kind = root.field("addressType");
    let old = ctx.change.old_root();
    if !matches!(kind.text_or_empty(), "IPv4" | "IPv6" | "FQDN") {
        let supported = "\"FQDN\", \"IPv4\", \"IPv6\"";
        match kind.text_or_empty() {
            "" => placement::required(&kind, "", verdict),
            text => placement::unsupported(ctx, &kind, text, supported, verdict),
        }
    }
    check_ports(&root.field("ports"), &mut FieldErrors::new(ctx, verdict));
    let endpoints = root.field("endpoints");
    if !old.is_some_and(|old| endpoints.equals(&old.field("endpoints"))) {
        check_endpoints(ctx, &endpoints, kind.text_or_empty(), verdict);
    }
    if let Some(old) = old
        && old.field("addressType").text_or_empty() != kind.text_or_empty()
    {
        let formatted = format_value::typed_string(kind.text_or_empty(), ctx.config.release);
        immutable::changed(&kind, formatted, verdict);
    }
}

fn check_endpoints(
    ctx: &ValidationContext<'_>,
    endpoints: &At<'_>,
    kind: &str,
    verdict: &mut Verdict,
) {
    if endpoints.len() > MOST_ENDPOINTS {
        return placement::too_many(endpoints, endpoints.len(), MOST_ENDPOINTS, verdict);
    }
    for endpoint in endpoints.items() {
        let addresses = endpoint.field("addresses");
        if addresses.is_empty() {
            placement::required(&addresses, "must contain at least 1 address", verdict);
        } else if addresses.len() > MOST_ADDRESSES {
            placement::too_many(&addresses, addresses.len(), MOST_ADDRESSES, verdict);
        }
        for at in addresses.items() {
            check_address(ctx, &addresses, &at, kind, verdict);
        }
        let mut errs = FieldErrors::new(ctx, verdict);
        if endpoint.field("nodeName").is_set() {
            errs.form(&endpoint.field("nodeName"), NameFormat::Subdomain);
        }
        if endpoint.field("hostname").is_set() {
            errs.form(&endpoint.field("hostname"), NameFormat::Label);
        }
        labels::check_map(&endpoint.field("deprecatedTopology"), verdict);
        check_hints(&endpoint.field("hints"), &mut FieldErrors::new(ctx, verdict));
    }
}

/// Checks for whom an endpoint is meant; too many of one sort are the only error.
fn check_hints(hints: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    for (list, format) in HINTS {
        let list = hints.field(list);
        if list.len() > MOST_HINTS {
            return placement::too_many(&list, list.len(), MOST_HINTS, errs.verdict);
        }
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for name in list.items().map(|hint| hint.field("name")) {
            if !names.insert(name.text_or_empty()) {
                errs.duplicate(&name, quoted(name.text_or_empty()));
            }
            errs.form(&name, format);
        }
    }
}

fn check_ports(ports: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if ports.len() > MOST_PORTS {
        return placement::too_many(ports, ports.len(), MOST_PORTS, errs.verdict);
    }
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for port in ports.items() {
        let name = port.field("name");
        let text = name.text_or_empty();
        errs.form_if_set(&name, NameFormat::Label);
        if !names.insert(text) {
            errs.duplicate(&name, quoted(text));
        }
        errs.one_of(&port.field("protocol"), &PROTOCOLS);
        if port.field("appProtocol").is_set() {
            errs.form(&port.field("appProtocol"), NameFormat::Qualified);
        }
    }
}

fn check_address(
    ctx: &ValidationContext<'_>,
    list: &At<'_>,
    at: &At<'_>,
    kind: &str,
    verdict: &mut Verdict,
) {
    let text = at.text_or_empty();
    let (field, family) = match kind {
        "IPv4" => (&fields::SLICE_ADDRESSES, Family::V4),
        "IPv6" => (&IPV6_ADDRESSES, Family::V6),
        "FQDN" => return host_names::check_qualified(at, text, verdict),
        _ => return,
    };
    let before = verdict.errors.len();
    if !ctx.config.release.since(33) {
        messages_before_1_33::check_slice(at, text, family, verdict);
    } else if FieldCheck::without_ratchet(field).check(ctx, at, text, verdict) {
        address_families::check_slice(list, at, text, family, verdict);
        return special_ip::check(at, text, verdict);
    }
    // An unparsable or ambiguous address gets no further error.
    if verdict.errors.len() == before {
        special_ip::check(at, text, verdict);
    }
}

pub(super) fn warn(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    if ctx.change.is_create() && root.field("addressType").text_or_empty() == "FQDN" {
        let message = "spec.addressType: FQDN endpoints are deprecated";
        verdict.warn(Warning::new(&deprecated_api::RULE, &root.field("addressType"), message));
    }
    let labels = root.field("metadata").field("labels");
    let manager = labels.key("endpointslice.kubernetes.io/managed-by").text_or_empty();
    if CONTROLLERS.contains(&manager) {
        return;
    }
    for at in
        root.field("endpoints").items().flat_map(|endpoint| endpoint.field("addresses").items())
    {
        FieldCheck::without_ratchet(&fields::SLICE_ADDRESSES).warn(
            ctx,
            &at,
            at.text_or_empty(),
            verdict,
        );
    }
}
