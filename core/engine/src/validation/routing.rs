//! Validation of Ingress backends and paths, and of NetworkPolicy selectors, ports and types.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::NameFormat;
use crate::{format_value, selectors};
use alloc::format;
use ratchet_object::{At, Node};

const PATH_TYPES: [&str; 3] = ["Exact", "ImplementationSpecific", "Prefix"];
const BAD_SEQUENCES: [&str; 5] = ["//", "/./", "/../", "%2f", "%2F"];
const BAD_ENDS: [&str; 2] = ["/..", "/."];

/// Checks an Ingress, except for the hosts of its rules.
pub(super) fn check_ingress(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (rules, default) = (spec.field("rules"), spec.field("defaultBackend"));
    if rules.is_empty() && !default.is_set() {
        let detail = "either `defaultBackend` or `rules` must be specified";
        errs.invalid_as(spec, format_value::tree(rules.node()), detail);
    }
    if default.is_set() {
        check_backend(&default, errs);
    }
    for rule in rules.items() {
        let http = rule.field("http");
        if !http.is_set() {
            continue;
        }
        let paths = http.field("paths");
        if paths.is_empty() {
            errs.required(&paths, "");
        }
        paths.items().for_each(|path| check_path(&path, errs));
    }
    for tls in spec.field("tls").items() {
        for host in tls.field("hosts").items() {
            errs.form(&host, NameFormat::Host);
        }
        errs.form_if_set(&tls.field("secretName"), NameFormat::Subdomain);
    }
}

fn check_path(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (kind, path) = (at.field("pathType"), at.field("path"));
    if !kind.is_set() {
        return errs.required(&kind, "pathType must be specified");
    }
    let text = path.text_or_empty();
    match kind.text_or_empty() {
        "Exact" | "Prefix" => {
            if !text.starts_with('/') {
                errs.invalid_as(&path, quoted(text), "must be an absolute path");
            }
            for part in BAD_SEQUENCES.iter().filter(|part| text.contains(**part)) {
                errs.invalid(&path, format!("must not contain '{part}'"));
            }
            for end in BAD_ENDS.iter().filter(|end| text.ends_with(**end)) {
                errs.invalid(&path, format!("cannot end with '{end}'"));
            }
        }
        "ImplementationSpecific" => {
            if !text.is_empty() && !text.starts_with('/') {
                errs.invalid(&path, "must be an absolute path");
            }
        }
        other => {
            let formatted = format_value::typed_string(other, errs.ctx.config.release);
            errs.unsupported(&kind, formatted, &PATH_TYPES);
        }
    }
    check_backend(&at.field("backend"), errs);
}

fn check_backend(backend: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (resource, service) = (backend.field("resource"), backend.field("service"));
    match (resource.is_set(), service.is_set()) {
        (true, true) => {
            let detail = "cannot set both resource and service backends";
            errs.invalid_as(backend, "\"\"", detail);
        }
        (true, false) => {
            if resource.field("apiGroup").is_set() {
                errs.form(&resource.field("apiGroup"), NameFormat::Subdomain);
            }
            for name in ["kind", "name"] {
                errs.needs_form(&resource.field(name), NameFormat::PathSegment);
            }
        }
        (false, true) => check_service(backend, &service, errs),
        (false, false) => {
            errs.invalid_as(backend, "\"\"", "resource or service backend is required");
        }
    }
}

fn check_service(backend: &At<'_>, service: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let format =
        if errs.ctx.config.release.since(36) { NameFormat::Label } else { NameFormat::Label1035 };
    errs.needs_form(&service.field("name"), format);
    let (name, number) =
        (service.field("port").field("name"), service.field("port").field("number"));
    let has_number = number.int().unwrap_or_default() != 0;
    match (!name.text_or_empty().is_empty(), has_number) {
        (true, true) => {
            errs.invalid_as(backend, "\"\"", "cannot set both port name & port number");
        }
        (true, false) => errs.form(&name, NameFormat::PortName),
        (false, true) => errs.port_number(&number),
        (false, false) => errs.required(backend, "port name or number is required"),
    }
}

/// Checks a NetworkPolicy, except for the IP blocks of its peers.
pub(super) fn check_policy(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let mut errs = FieldErrors::new(ctx, verdict);
    selectors::check(&spec.field("podSelector"), &mut errs);
    for (list, peers) in [("ingress", "from"), ("egress", "to")] {
        for rule in spec.field(list).items() {
            rule.field("ports").items().for_each(|port| check_policy_port(&port, &mut errs));
            for peer in rule.field(peers).items() {
                selectors::check(&peer.field("podSelector"), &mut errs);
                selectors::check(&peer.field("namespaceSelector"), &mut errs);
            }
        }
    }
    let types = spec.field("policyTypes");
    if types.len() > 2 {
        let formatted = format_value::tree(types.node());
        return errs.invalid_as(&types, formatted, "may not specify more than two policyTypes");
    }
    for kind in types.items() {
        let text = kind.text_or_empty();
        if !matches!(text, "Ingress" | "Egress") {
            let formatted = format_value::typed_string(text, ctx.config.release);
            errs.unsupported(&kind, formatted, &["Ingress", "Egress"]);
        }
    }
}

fn check_policy_port(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    errs.one_of(&at.field("protocol"), &["TCP", "UDP", "SCTP"]);
    let (port, end) = (at.field("port"), at.field("endPort"));
    match (port.is_set(), port.node().and_then(Node::text)) {
        (false, _) => {
            if end.is_set() {
                errs.invalid(&end, "may not be specified when `port` is not specified");
            }
        }
        (true, Some(_)) => {
            if end.is_set() {
                errs.invalid(&end, "may not be specified when `port` is non-numeric");
            }
            errs.form(&port, NameFormat::PortName);
        }
        (true, None) => {
            errs.port_number(&port);
            if let Some(last) = end.int() {
                let first = port.int().unwrap_or_default();
                if last < first {
                    let detail = "must be greater than or equal to `port`";
                    errs.invalid_as(&end, format!("{first}"), detail);
                }
                errs.port_number(&end);
            }
        }
    }
}
