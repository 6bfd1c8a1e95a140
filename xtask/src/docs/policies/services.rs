//! Policies for KEP-2200: no new external IPs, or only those from allowed networks.

use super::policy::{Policy, Resources, Validation};

const SERVICES: Resources = Resources { group: "", version: "v1", names: &["services"] };

/// The external IPs that a write adds; stored ones may stay and may be removed.
const ADDED: &str = "object.?spec.?externalIPs.orValue([]).filter(a, oldObject == null || !(a in oldObject.?spec.?externalIPs.orValue([])))";

/// The policies of KEP-2200.
pub(super) fn policies() -> Vec<Policy> {
    vec![deny(), allow()]
}

fn deny() -> Policy {
    Policy {
        name: "deny-service-external-ips",
        is_alternative: false,
        what: "Services get no new external IPs.",
        proposal: "KEP-2200",
        limitations: vec![
            "The reason of the refusal is as the plugin's; its words have the policy's name before them.".to_owned(),
            "A load balancer's addresses are written to the status, and are not looked at.".to_owned(),
        ],
        since: "1.30",
        parameters: None,
        resources: vec![SERVICES],
        conditions: Vec::new(),
        variables: vec![("added", ADDED.to_owned())],
        validations: vec![Validation {
            expression: "variables.added.size() == 0".to_owned(),
            message: "Use of external IPs is denied by admission control.".to_owned(),
            message_expression: None,
            reason: "Forbidden",
        }],
    }
}

fn allow() -> Policy {
    Policy {
        name: "allow-service-external-ips",
        is_alternative: true,
        what: "Services get new external IPs only from networks that an administrator allows, in place of the policy that allows none.",
        proposal: "KEP-2200",
        limitations: vec![
            "Two Services that want one address both get it: a policy sees one object at a time.".to_owned(),
            "The networks are for the whole cluster, unless you bind it once for each namespace with parameters of its own.".to_owned(),
        ],
        since: "1.30",
        parameters: Some(("v1", "ConfigMap", "networks: 192.0.2.0/24, 2001:db8::/32")),
        resources: vec![SERVICES],
        conditions: Vec::new(),
        variables: vec![
            ("added", ADDED.to_owned()),
            (
                "networks",
                "params.?data.?networks.orValue(\"\").split(\",\").map(n, n.trim()).filter(n, isCIDR(n))".to_owned(),
            ),
        ],
        validations: vec![Validation {
            expression: "variables.added.all(a, isIP(a) && variables.networks.exists(n, cidr(n).containsIP(ip(a))))".to_owned(),
            message: "spec.externalIPs: every new address must be in a network that is allowed".to_owned(),
            message_expression: Some("\"spec.externalIPs: not in an allowed network: \" + variables.added.filter(a, !isIP(a) || !variables.networks.exists(n, cidr(n).containsIP(ip(a)))).join(\", \")".to_owned()),
            reason: "Forbidden",
        }],
    }
}
