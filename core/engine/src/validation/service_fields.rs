//! Validation of Service ports, and of the fields that are not about addresses.

use super::pod_parts::PROTOCOLS;
use crate::field_errors::{FieldErrors, quoted};
use crate::format_value;
use crate::name_format::NameFormat;
use crate::rules::{immutable, labels};
use crate::views::{protocol, service_type};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::ToString;
use ratchet_object::At;

const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const LONGEST_AFFINITY: i64 = 86_400;
const BALANCER_ONLY: &str = "may only be used when `type` is 'LoadBalancer'";
const DISTRIBUTIONS: [&str; 3] = ["PreferClose", "PreferSameZone", "PreferSameNode"];
const HEALTH: &str =
    "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";

/// Checks what comes before the external IPs.
pub(super) fn check(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if service_type(spec) == "ExternalName" {
        check_external_name(spec, errs);
    }
    check_ports(&spec.field("ports"), errs);
    labels::check_map(&spec.field("selector"), errs.verdict);
    check_affinity(spec, errs);
}

/// Checks the type, and what follows from it for the ports; source ranges come next.
pub(super) fn check_type(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    errs.one_of(&spec.field("type"), &TYPES);
    let ports = spec.field("ports");
    if service_type(spec) == "ClusterIP" {
        let nodes = ports.items().map(|port| port.field("nodePort"));
        for node in nodes.filter(|node| node.int().unwrap_or_default() != 0) {
            errs.forbidden(&node, "may not be used when `type` is 'ClusterIP'");
        }
    }
    check_repeated(&ports, errs);
}

/// Checks the fields of load balancers.
pub(super) fn check_balancer(spec: &At<'_>, old: Option<&At<'_>>, errs: &mut FieldErrors<'_, '_>) {
    let kind = service_type(spec);
    let allocates = spec.field("allocateLoadBalancerNodePorts");
    if allocates.is_set() && kind != "LoadBalancer" {
        errs.forbidden(&allocates, BALANCER_ONLY);
    }
    check_class(spec, old, kind, errs);
    check_traffic(spec, old, kind, errs);
}

fn check_external_name(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    for name in ["ipFamilies", "ipFamilyPolicy"] {
        let at = spec.field(name);
        if !at.is_zero() {
            errs.forbidden(&at, "may not be set for ExternalName services");
        }
    }
    let at = spec.field("externalName");
    match at.text_or_empty().strip_suffix('.').unwrap_or(at.text_or_empty()) {
        "" => errs.required(&at, ""),
        name => errs.form_of(&at, name, NameFormat::Subdomain),
    }
}

fn check_ports(ports: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for port in ports.items() {
        let name = port.field("name");
        let text = name.text_or_empty();
        if text.is_empty() {
            if ports.len() > 1 {
                errs.required(&name, "");
            }
        } else {
            errs.form(&name, NameFormat::Label);
            if !names.insert(text) {
                errs.duplicate(&name, quoted(text));
            }
        }
        errs.port_number(&port.field("port"));
        errs.one_of(&port.field("protocol"), &PROTOCOLS);
        check_target(&port, errs);
        if port.field("appProtocol").is_set() {
            errs.form(&port.field("appProtocol"), NameFormat::Qualified);
        }
    }
}

/// Checks `targetPort`, which defaults to `port`.
fn check_target(port: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let target = port.field("targetPort");
    let is_unset = !target.is_set()
        || target.int() == Some(0)
        || target.node().and_then(|node| node.text()) == Some("");
    if is_unset {
        let number = port.field("port").int().unwrap_or_default();
        if !(1..=65535).contains(&number) {
            let detail = "must be between 1 and 65535, inclusive";
            errs.invalid_as(&target, number.to_string(), detail);
        }
        return;
    }
    errs.port(&target);
}

fn check_repeated(ports: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut nodes: BTreeSet<(&str, i64)> = BTreeSet::new();
    let mut all: BTreeSet<(&str, i64)> = BTreeSet::new();
    for port in ports.items() {
        let node = port.field("nodePort");
        if let Some(number) = node.int().filter(|number| *number != 0)
            && !nodes.insert((protocol(&port), number))
        {
            errs.duplicate(&node, number.to_string());
        }
        let key = (protocol(&port), port.field("port").int().unwrap_or_default());
        if !all.insert(key) {
            // The API formats only the fields that make the port a duplicate.
            let formatted = format!(
                "{{\"Name\":\"\",\"Protocol\":{},\"AppProtocol\":null,\"Port\":{},\"TargetPort\":0,\"NodePort\":0}}",
                format_value::json(key.0),
                key.1
            );
            errs.duplicate(&port, formatted);
        }
    }
}

fn check_affinity(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (affinity, config) = (spec.field("sessionAffinity"), spec.field("sessionAffinityConfig"));
    errs.one_of(&affinity, &["ClientIP", "None"]);
    if affinity.text_or_empty() == "ClientIP" {
        // An unset timeout has a default.
        let timeout = config.field("clientIP").field("timeoutSeconds");
        if timeout.int().is_some_and(|seconds| !(1..=LONGEST_AFFINITY).contains(&seconds)) {
            let detail = format!("must be greater than 0 and less than {LONGEST_AFFINITY}");
            errs.invalid(&timeout, detail);
        }
    } else if matches!(affinity.text_or_empty(), "" | "None") && config.is_set() {
        errs.forbidden(&config, "must not be set when session affinity is None");
    }
}

fn check_class(spec: &At<'_>, old: Option<&At<'_>>, kind: &str, errs: &mut FieldErrors<'_, '_>) {
    let class = spec.field("loadBalancerClass");
    if kind != "LoadBalancer" {
        if class.is_set() {
            errs.forbidden(&class, BALANCER_ONLY);
        }
        return;
    }
    let times = if old.is_some() { 2 } else { 1 };
    if let Some(old) = old.filter(|old| service_type(old) == "LoadBalancer")
        && !class.equals(&old.field("loadBalancerClass"))
        && (class.is_set() || old.field("loadBalancerClass").is_set())
    {
        let formatted = crate::field_errors::format_node(class.node());
        immutable::changed_with_detail(&class, formatted, "may not change once set", errs.verdict);
    }
    for _ in 0..times {
        if class.is_set() {
            errs.form(&class, NameFormat::Qualified);
        }
    }
}

fn check_traffic(spec: &At<'_>, old: Option<&At<'_>>, kind: &str, errs: &mut FieldErrors<'_, '_>) {
    let (external, health) =
        (spec.field("externalTrafficPolicy"), spec.field("healthCheckNodePort"));
    let text = external.text_or_empty();
    let is_reachable = matches!(kind, "LoadBalancer" | "NodePort")
        || (kind == "ClusterIP" && !spec.field("externalIPs").is_empty());
    if is_reachable {
        errs.one_of(&external, &["Cluster", "Local"]);
    } else if !text.is_empty() {
        let formatted = format_value::typed_string(text, errs.ctx.config.release);
        errs.invalid_as(&external, formatted, "may only be set for externally-accessible services");
    }
    let needs_health = |kind: &str, text: &str| kind == "LoadBalancer" && text == "Local";
    let number = health.int().unwrap_or_default();
    if needs_health(kind, text) {
        // The server allocates an unset one.
        if number != 0 {
            errs.port_number(&health);
        }
        if let Some(old) = old
            && needs_health(service_type(old), old.field("externalTrafficPolicy").text_or_empty())
            && number != 0
            && old.field("healthCheckNodePort").int().is_some_and(|before| before != number)
        {
            immutable::forbidden(&health, "field is immutable", errs.verdict);
        }
    } else if number != 0 {
        errs.invalid(&health, HEALTH);
    }
    errs.one_of(&spec.field("internalTrafficPolicy"), &["Cluster", "Local"]);
    let spread = spec.field("trafficDistribution");
    if spread.is_set() && !DISTRIBUTIONS.contains(&spread.text_or_empty()) {
        errs.unsupported(&spread, quoted(spread.text_or_empty()), &DISTRIBUTIONS);
    }
}
