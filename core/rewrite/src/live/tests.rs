//! Tests of repair plans: order, immutable fields, patches that must be whole.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]
#![allow(clippy::indexing_slicing, reason = "a helper of a test may fail like a test")]

use super::*;
use crate::decide::ReadAs;

fn finding(kind: &str, name: &str, pointer: &str, value: &str) -> StoredFinding {
    let row = KINDS.iter().find(|row| row.name == kind).unwrap();
    let version = row.versions[0];
    let api_version = match row.group {
        "" => version.to_string(),
        group => format!("{group}/{version}"),
    };
    let object = ObjectRef {
        api_version,
        kind: kind.to_string(),
        namespace: "shop".to_string(),
        name: name.to_string(),
    };
    StoredFinding {
        object,
        resource: row.plural.to_string(),
        field: generic_path(pointer),
        pointer: pointer.to_string(),
        value: value.to_string(),
        is_frozen: false,
        keeps_finalizers: false,
        is_last_applied: false,
    }
}

fn summary(steps: &[Step]) -> Vec<String> {
    let describe = |step: &Step| match step {
        Step::Patch { object, is_status, replaces, .. } => {
            let part = if *is_status { " status" } else { "" };
            format!("patch {}{part} {}", object.kind, replaces.len())
        }
        Step::Recreate { object, replaces, .. } => {
            format!("recreate {} {}", object.kind, replaces[0].new)
        }
        Step::Leave { object, .. } => format!("leave {}", object.kind),
        Step::Refused { object, value, .. } => format!("refused {} {value}", object.kind),
    };
    steps.iter().map(describe).collect()
}

#[test]
fn the_order_works_and_what_is_immutable_comes_last() {
    let template = "/spec/template/spec/dnsConfig/nameservers/0";
    let findings = [
        finding("Node", "n", "/spec/podCIDRs/0", "10.0.0.0/08"),
        finding("Pod", "p", "/spec/hostAliases/0/ip", "192.0.2.01"),
        finding("Pod", "p", "/status/podIP", "192.0.2.01"),
        finding("ReplicaSet", "r", template, "192.0.2.01"),
        finding("Service", "s", "/spec/clusterIP", "192.0.2.01"),
        finding("Service", "s", "/spec/externalIPs/1", "192.0.2.02"),
        finding("Service", "s", "/spec/externalIPs/1", "192.0.2.02"),
        finding("Service", "s", "/spec/externalIPs/0", "192.0.2.03"),
        finding("Service", "s", "/status/loadBalancer/ingress/0/ip", "192.0.2.03"),
        finding("Deployment", "d", template, "192.0.2.01"),
        finding("Job", "j", template, "192.0.2.01"),
        finding("CronJob", "c", "/spec/jobTemplate/spec/template/spec/dnsConfig/searches/0", "A.b"),
        finding("Deployment", "d", "/metadata/annotations/x", "192.0.2.01"),
    ];
    assert_eq!(
        summary(&plan(&findings, &Choices::default())),
        [
            "patch Deployment 1",
            "patch ReplicaSet 1",
            "patch CronJob 1",
            "patch Service 2",
            "patch Service status 1",
            "recreate Service 192.0.2.1",
            "recreate Job 192.0.2.1",
            "recreate Pod 192.0.2.1",
            "recreate Node 10.0.0.0/8",
            "leave Pod",
        ]
    );
}

#[test]
fn a_patch_that_would_leave_a_bad_value_is_withheld() {
    let slice = [
        finding("EndpointSlice", "e", "/endpoints/0/addresses/0", "192.0.2.01"),
        finding("EndpointSlice", "e", "/endpoints/1/addresses/0", "010.0.0.1"),
    ];
    let none = Choices::default();
    assert_eq!(
        summary(&plan(&slice, &none)),
        ["refused EndpointSlice 010.0.0.1", "refused EndpointSlice 192.0.2.01"]
    );
    let decimal = Choices { read_as: Some(ReadAs::Decimal), ..none };
    assert_eq!(summary(&plan(&slice, &decimal)), ["patch EndpointSlice 2"]);
    let mut service = [
        finding("Service", "s", "/spec/externalIPs/0", "192.0.2.01"),
        finding("Service", "s", "/spec/externalIPs/1", "010.0.0.1"),
    ];
    assert_eq!(summary(&plan(&service, &none)), ["patch Service 1", "refused Service 010.0.0.1"]);
    service[0].is_frozen = true;
    assert_eq!(
        summary(&plan(&service, &none)),
        ["refused Service 010.0.0.1", "refused Service 192.0.2.01"]
    );
}
