//! Preparation of a Service for validation: values are carried over from the stored one, inapplicable ones dropped.

use crate::ranges::Ranges;
use crate::spec::Spec;
use alloc::collections::{BTreeMap, BTreeSet};
use ratchet_object::Node;

/// Prepares a Service for validation; `old` is the stored one, if there is one.
///
/// A client need not repeat allocated values, and need not clear fields that the new type
/// cannot have. Families and their policy are left to [`crate::plan`]: until then they are as the
/// client sent them, and are validated as such.
pub fn prepare(service: &mut Node<'static>, old: Option<&Node<'_>>, ranges: &Ranges) {
    if service.get("spec").is_none_or(|spec| spec.entries().is_empty()) {
        return;
    }
    let mut new = Spec::from_service(service);
    match old {
        None => new.follow_single(),
        Some(old) => {
            let old_spec = Spec::stored(old, ranges);
            carry_over(&mut new, &old_spec);
            normalize(&mut new, &old_spec);
            drop_inapplicable_members(service, &new, &old_spec);
            drop_inapplicable(&mut new, &old_spec);
        }
    }
    if new.is_external_name() {
        service.map_mut("spec").remove("internalTrafficPolicy");
    }
    new.write(service);
}

/// Copies allocated values that the update leaves out.
fn carry_over(new: &mut Spec, old: &Spec) {
    if !old.is_external_name() && !new.is_external_name() {
        if new.cluster_ip.is_empty() {
            new.cluster_ip.clone_from(&old.cluster_ip);
        }
        if new.cluster_ips.is_empty() {
            new.cluster_ips.clone_from(&old.cluster_ips);
        }
    }
    if old.wants_node_ports() && new.wants_node_ports() {
        carry_over_node_ports(new, old);
    }
    if old.has_health_port() && new.has_health_port() && new.health_port == 0 {
        new.health_port = old.health_port;
    }
}

/// Ports are matched by name, and keep node ports that no other port has.
fn carry_over_node_ports(new: &mut Spec, old: &Spec) {
    let stated: BTreeSet<i64> = new.node_ports().collect();
    let by_name: BTreeMap<&str, i64> =
        old.ports.iter().map(|port| (port.name.as_str(), port.node_port)).collect();
    for port in new.ports.iter_mut().filter(|port| port.node_port == 0) {
        let before = by_name.get(port.name.as_str()).copied().unwrap_or_default();
        if !stated.contains(&before) {
            port.node_port = before;
        }
    }
}

/// The list follows the single field where the client changed only that.
fn normalize(new: &mut Spec, old: &Spec) {
    let is_same = new.cluster_ip == old.cluster_ip;
    if new.cluster_ips.is_empty() && is_same {
        new.cluster_ips.clone_from(&old.cluster_ips);
    }
    if !is_same && new.cluster_ips == old.cluster_ips {
        new.cluster_ips.clear();
        new.follow_single();
    }
}

/// Drops fields that the new type cannot have, unless the client changed them: then they are validated.
fn drop_inapplicable(new: &mut Spec, old: &Spec) {
    if !old.is_external_name() && new.is_external_name() {
        if (&new.cluster_ip, &new.cluster_ips) == (&old.cluster_ip, &old.cluster_ips) {
            new.cluster_ip.clear();
            new.cluster_ips.clear();
        }
        if new.families == old.families {
            new.families.clear();
        }
        if new.policy == old.policy {
            new.policy.clear();
        }
    }
    if old.may_have_node_ports() && !new.may_have_node_ports() {
        let before: BTreeSet<i64> = old.node_ports().collect();
        if new.node_ports().all(|number| before.contains(&number)) {
            new.ports.iter_mut().for_each(|port| port.node_port = 0);
        }
    }
    if old.has_health_port() && !new.has_health_port() && new.health_port == old.health_port {
        new.health_port = 0;
    }
}

/// The same for members that are not addresses or ports.
fn drop_inapplicable_members(service: &mut Node<'static>, new: &Spec, old: &Spec) {
    let spec = service.map_mut("spec");
    let was_balancer = old.is_balancer() && !new.is_balancer();
    if was_balancer && new.allocates_ports.is_some() && new.allocates_ports == old.allocates_ports {
        spec.remove("allocateLoadBalancerNodePorts");
    }
    if was_balancer && new.class == old.class {
        spec.remove("loadBalancerClass");
    }
    let went_inside = old.is_reachable_from_outside() && !new.is_reachable_from_outside();
    if went_inside && new.traffic == old.traffic {
        spec.remove("externalTrafficPolicy");
    }
    if was_balancer {
        // The status no longer shows a load balancer, though removing it may still take a while.
        service.map_mut("status").set("loadBalancer", Node::empty_map());
    }
}
