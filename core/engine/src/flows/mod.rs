//! How the API looks at each kind: what it checks and tells, in its order, one row a flow.

mod balancers;
mod endpoint_slice;
mod endpoints;
mod ingress;
mod ip_address;
mod network_policy;
mod node;
mod pod;
mod pod_spec;
mod pod_status;
mod resource_claim;
mod service;
mod service_cidr;
mod template;

use crate::scene::Scene;
use crate::{Change, Part, Verdict};

/// One row: what is looked at when an object, or one of its subresources, is written.
pub(crate) struct Flow {
    group: &'static str,
    kind: &'static str,
    parts: &'static [Part],
    /// Adds what is wrong.
    pub(crate) validate: fn(&Scene<'_>, &mut Verdict),
    /// Adds what the writer is told; only called when nothing is wrong.
    pub(crate) warn: fn(&Scene<'_>, &mut Verdict),
}

impl Flow {
    /// Whether this row is about the change.
    pub(crate) fn speaks_of(&self, change: &Change<'_>) -> bool {
        self.kind == change.kind.name
            && self.group == change.kind.group
            && self.parts.contains(&change.part)
    }
}

const MAIN: &[Part] = &[Part::Main];
const MAIN_AND_SCALE: &[Part] = &[Part::Main, Part::Sub("scale")];
const STATUS: &[Part] = &[Part::STATUS];
const POD: &[Part] = &[Part::Main, Part::Sub("ephemeralcontainers"), Part::Sub("resize")];

/// Every flow.
pub(crate) static FLOWS: &[Flow] = &[
    row("", "Endpoints", MAIN, endpoints::validate, endpoints::warn),
    row("", "Node", MAIN, node::validate, node::warn),
    row("", "Pod", POD, pod::validate, pod::warn),
    row("", "Pod", STATUS, pod_status::validate, pod_status::warn),
    row("", "PodTemplate", MAIN, template::validate, template::warn),
    row("", "ReplicationController", MAIN_AND_SCALE, template::validate, template::warn),
    row("", "Service", MAIN, service::validate, service::warn),
    row("", "Service", STATUS, service::validate_status, service::warn_status),
    row("apps", "DaemonSet", MAIN, template::validate, template::warn),
    row("apps", "Deployment", MAIN_AND_SCALE, template::validate, template::warn),
    row("apps", "ReplicaSet", MAIN_AND_SCALE, template::validate, template::warn),
    row("apps", "StatefulSet", MAIN_AND_SCALE, template::validate, template::warn),
    row("batch", "CronJob", MAIN, template::validate, template::warn),
    row("batch", "Job", MAIN, template::validate, template::warn),
    row("discovery.k8s.io", "EndpointSlice", MAIN, endpoint_slice::validate, endpoint_slice::warn),
    row("networking.k8s.io", "IPAddress", MAIN, ip_address::validate, nothing),
    row("networking.k8s.io", "Ingress", MAIN, ingress::validate, nothing),
    row("networking.k8s.io", "Ingress", STATUS, ingress::validate_status, ingress::warn_status),
    row("networking.k8s.io", "NetworkPolicy", MAIN, network_policy::validate, network_policy::warn),
    row("networking.k8s.io", "ServiceCIDR", MAIN, service_cidr::validate, nothing),
    row("resource.k8s.io", "ResourceClaim", STATUS, resource_claim::validate, nothing),
];

const fn row(
    group: &'static str,
    kind: &'static str,
    parts: &'static [Part],
    validate: fn(&Scene<'_>, &mut Verdict),
    warn: fn(&Scene<'_>, &mut Verdict),
) -> Flow {
    Flow { group, kind, parts, validate, warn }
}

fn nothing(_: &Scene<'_>, _: &mut Verdict) {}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::KINDS;

    #[test]
    fn every_flow_is_about_a_kind_and_a_subresource_that_exist() {
        for flow in FLOWS {
            let kind = KINDS.iter().find(|kind| kind.name == flow.kind && kind.group == flow.group);
            let kind = kind.unwrap_or_else(|| panic!("{} has no row", flow.kind));
            for part in flow.parts {
                if let Part::Sub(name) = part {
                    assert!(kind.subresources.contains(name), "{}/{name}", flow.kind);
                }
            }
        }
    }

    #[test]
    fn every_kind_with_a_pod_has_a_flow() {
        for kind in KINDS.iter().filter(|kind| kind.pod.is_some()) {
            assert!(FLOWS.iter().any(|flow| flow.kind == kind.name), "{}", kind.name);
        }
    }
}
