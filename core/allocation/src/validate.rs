//! Validation of a Service once its addresses and ports are allocated.

use crate::error::{AllocationError, duplicate, forbidden, invalid, json, list, unless_empty};
use crate::spec::Spec;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;
use ratchet_engine::StatusCause;

const ONCE_SET: &str = "may not change once set";

/// Checks a Service with all its allocations.
pub(crate) fn check(new: &Spec, old: Option<&Spec>) -> Result<(), AllocationError> {
    let mut causes = Vec::new();
    if let Some(old) = old {
        check_families(new, old, &mut causes);
        if old.has_health_port()
            && new.has_health_port()
            && old.health_port != 0
            && new.health_port != old.health_port
        {
            causes.push(forbidden("spec.healthCheckNodePort", "field is immutable"));
        }
    }
    check_node_ports(new, &mut causes);
    if !new.has_health_port() && new.health_port != 0 {
        let detail =
            "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
        causes.push(invalid("spec.healthCheckNodePort", new.health_port, detail));
    }
    unless_empty(causes)
}

/// The first family of a Service with addresses is immutable.
fn check_families(new: &Spec, old: &Spec, causes: &mut Vec<StatusCause>) {
    let is_free = |spec: &Spec| spec.is_external_name() || spec.is_headless();
    if is_free(new) || is_free(old) {
        return;
    }
    const FIRST: &str = "spec.ipFamilies[0]";
    let pairs = || new.families.iter().zip(&old.families);
    let (now, before) = (new.families.len(), old.families.len());
    if now == before {
        let changed = pairs().filter(|(new, old)| new != old);
        causes.extend(changed.map(|_| invalid(FIRST, list(&new.families), ONCE_SET)));
        return;
    }
    if pairs().next().is_some_and(|(new, old)| new != old) {
        // Kubernetes shows the addresses here.
        causes.push(invalid(FIRST, list(&new.cluster_ips), ONCE_SET));
    }
    if now < before && now == 1 && new.policy != "SingleStack" {
        let detail = "must be set to 'SingleStack' when releasing the secondary ipFamily";
        causes.push(invalid("spec.ipFamilyPolicy", json(&new.policy), detail));
    }
}

fn check_node_ports(spec: &Spec, causes: &mut Vec<StatusCause>) {
    let stated = || spec.ports.iter().enumerate().filter(|(_, port)| port.node_port != 0);
    let field = |index: usize| format!("spec.ports[{index}].nodePort");
    if spec.kind == "ClusterIP" {
        let detail = "may not be used when `type` is 'ClusterIP'";
        causes.extend(stated().map(|(index, _)| forbidden(field(index), detail)));
    }
    let mut seen = BTreeSet::new();
    for (index, port) in stated() {
        if !seen.insert((port.protocol.as_str(), port.node_port)) {
            causes.push(duplicate(field(index), port.node_port));
        }
    }
}
