//! Rule RTC-API-014: values are within their bounds and agree with related fields.

use crate::{Origin, Ratchet, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "RTC-API-014",
    fields: &[
        "numbers of every kind: ports, replicas, seconds, limits, history",
        "quantities: resources of containers, quotas, claims, volumes",
        "selectors and the labels that they must match",
        "CronJob spec.schedule, spec.timeZone",
        "Job spec.podFailurePolicy, spec.successPolicy, spec.managedBy",
        "HorizontalPodAutoscaler spec.behavior, PriorityLevelConfiguration spec",
        "Pod spec.containers[].{env[].valueFrom,envFrom,volumeMounts}, spec.tolerations",
        "Pod spec.securityContext.{sysctls,windowsOptions}, spec.affinity.nodeAffinity",
        "fields that exclude or demand one another",
    ],
    title: "value out of bounds",
    origin: Origin::Api,
    demands: "Numbers, quantities, schedules and references are within their bounds and agree with the fields beside them, as the API server demands of every kind.",
    why: "What is out of bounds cannot be carried out: a selector that matches none of its own pods makes pods without end, a port above 65535 does not exist.",
    fix: "Give a value within the bounds that the message names.",
    ratchet: Ratchet::Never,
    versions: "All releases.",
};

/// Detail for a string that is no percentage.
pub(crate) const NOT_A_PERCENT: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
