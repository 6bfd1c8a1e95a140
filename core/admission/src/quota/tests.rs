//! Tests of quotas: charged and refused requests.

use super::*;
use crate::Operation::{Create, Update};
use crate::testing::{attributes, node, text, user};
use proptest::prelude::*;

fn quota(hard: &str, used: &str) -> Node<'static> {
    node(&format!(
        "{{metadata: {{name: q}}, spec: {{hard: {hard}}}, status: {{hard: {hard}, used: {used}}}}}"
    ))
}

fn charged(
    resource: &str,
    object: &str,
    old: Option<&str>,
    quota: Node<'static>,
) -> (String, String) {
    let user = user("u", &[]);
    let old = old.map(node);
    let operation = if old.is_some() { Update } else { Create };
    let mut quotas = [quota];
    let attributes = attributes(operation, "", resource, &user, old.as_ref());
    let outcome = text(charge(&attributes, &node(object), &mut quotas, 0));
    (outcome, quotas[0].find(&["status", "used"]).map(Node::to_json).unwrap_or_default())
}

#[test]
fn what_fits_is_charged_and_what_does_not_is_refused() {
    let free = quota("{pods: '1'}", "{pods: '0'}");
    assert_eq!(
        charged("pods", "{spec: {}}", None, free),
        ("Ok(())".into(), r#"{"pods":"1"}"#.into())
    );
    let full = quota("{pods: '1'}", "{pods: '1'}");
    let (outcome, used) = charged("pods", "{spec: {}}", None, full);
    assert_eq!(outcome, "exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1");
    assert_eq!(used, r#"{"pods":"1"}"#);
}

#[test]
fn compute_is_counted_and_must_be_said() {
    let pod = "{spec: {containers: [{name: a, resources: {requests: {cpu: 300m, memory: 1Gi}, limits: {cpu: 1}}}]}}";
    let hard = "{requests.cpu: '1', limits.cpu: '2', memory: 2Gi}";
    let (outcome, used) = charged(
        "pods",
        pod,
        None,
        quota(hard, "{requests.cpu: 500m, limits.cpu: 500m, memory: 512Mi}"),
    );
    assert_eq!(outcome, "Ok(())");
    assert_eq!(used, r#"{"limits.cpu":"1500m","memory":"1536Mi","requests.cpu":"800m"}"#);
    let (outcome, _) = charged(
        "pods",
        pod,
        None,
        quota(hard, "{requests.cpu: 800m, limits.cpu: '2', memory: '0'}"),
    );
    assert_eq!(
        outcome,
        "exceeded quota: q, requested: limits.cpu=1,requests.cpu=300m, used: limits.cpu=2,requests.cpu=800m, limited: limits.cpu=2,requests.cpu=1"
    );
    let (outcome, _) =
        charged("pods", "{spec: {containers: [{name: b}, {name: a}]}}", None, quota(hard, "{}"));
    assert_eq!(
        outcome,
        "failed quota: q: must specify limits.cpu for: a,b; memory for: a,b; requests.cpu for: a,b"
    );
}

#[test]
fn a_quota_that_nobody_has_counted_for_refuses() {
    let (outcome, _) = charged("pods", "{spec: {}}", None, quota("{pods: '1'}", "{}"));
    assert_eq!(outcome, "status unknown for quota: q, resources: pods");
    assert!(!is_current(&quota("{pods: '1'}", "{}")));
    assert!(is_current(&quota("{pods: '1', nonsense: '3'}", "{pods: '0'}")));
    assert!(!is_current(&node("{spec: {hard: {pods: 1}}}")));
}

#[test]
fn scopes_choose_pods() {
    let scoped = |scopes: &str| {
        node(&format!(
            "{{metadata: {{name: q}}, spec: {{scopes: {scopes}}}, status: {{hard: {{pods: 0}}, used: {{pods: 0}}}}}}"
        ))
    };
    let outcome = |pod: &str, scopes: &str| {
        charged("pods", pod, None, scoped(scopes)).0.starts_with("exceeded")
    };
    assert!(outcome("{spec: {}}", "[BestEffort]"));
    assert!(!outcome("{spec: {containers: [{resources: {limits: {cpu: 1}}}]}}", "[BestEffort]"));
    assert!(outcome("{spec: {activeDeadlineSeconds: 5}}", "[Terminating]"));
    assert!(!outcome("{spec: {activeDeadlineSeconds: 5}}", "[NotTerminating]"));
    assert!(!outcome("{spec: {}}", "[CrossNamespacePodAffinity]"));
    let by_class = |operator: &str| {
        node(&format!(
            "{{metadata: {{name: q}}, spec: {{scopeSelector: {{matchExpressions: [{{scopeName: PriorityClass, operator: {operator}, values: [high]}}]}}}}, status: {{hard: {{pods: 0}}, used: {{pods: 0}}}}}}"
        ))
    };
    let high = |operator: &str| {
        charged("pods", "{spec: {priorityClassName: high}}", None, by_class(operator)).0 != "Ok(())"
    };
    assert!(high("In") && high("Exists") && !high("NotIn") && !high("DoesNotExist"));
}

#[test]
fn services_and_claims_count_for_what_they_are() {
    let balancer = "{spec: {type: LoadBalancer, ports: [{port: 1}, {port: 2}]}}";
    let hard = "{services: '5', services.nodeports: '5', services.loadbalancers: '1'}";
    let none = "{services: '0', services.nodeports: '0', services.loadbalancers: '0'}";
    let (_, used) = charged("services", balancer, None, quota(hard, none));
    assert_eq!(used, r#"{"services":"1","services.loadbalancers":"1","services.nodeports":"2"}"#);
    let plain = "{spec: {type: ClusterIP, ports: [{port: 1}]}}";
    let (_, used) = charged(
        "services",
        balancer,
        Some(plain),
        quota(hard, "{services: '1', services.nodeports: '0', services.loadbalancers: '0'}"),
    );
    assert_eq!(used, r#"{"services":"1","services.loadbalancers":"1","services.nodeports":"2"}"#);
    let claim = |size: &str| {
        format!(
            "{{spec: {{storageClassName: gold, resources: {{requests: {{storage: {size}}}}}}}}}"
        )
    };
    let hard = "{requests.storage: 10Gi, gold.storageclass.storage.k8s.io/requests.storage: 3Gi}";
    let used = "{requests.storage: 1Gi, gold.storageclass.storage.k8s.io/requests.storage: 1Gi}";
    let (outcome, _) = charged("persistentvolumeclaims", &claim("2Gi"), None, quota(hard, used));
    assert_eq!(outcome, "Ok(())");
    let (outcome, _) =
        charged("persistentvolumeclaims", &claim("4Gi"), Some(&claim("1Gi")), quota(hard, used));
    assert_eq!(
        outcome,
        "exceeded quota: q, requested: gold.storageclass.storage.k8s.io/requests.storage=3Gi, used: gold.storageclass.storage.k8s.io/requests.storage=1Gi, limited: gold.storageclass.storage.k8s.io/requests.storage=3Gi"
    );
    let (outcome, after) =
        charged("persistentvolumeclaims", &claim("1Gi"), Some(&claim("1Gi")), quota(hard, used));
    assert_eq!((outcome.as_str(), after.contains("\"1Gi\"")), ("Ok(())", true));
}

#[test]
fn claims_of_devices_count_by_class() {
    let user = user("u", &[]);
    let attributes = attributes(Create, "resource.k8s.io", "resourceclaims", &user, None);
    let hard = "{gpu.deviceclass.resource.k8s.io/devices: '40', count/resourceclaims.resource.k8s.io: '2'}";
    let none =
        "{gpu.deviceclass.resource.k8s.io/devices: '0', count/resourceclaims.resource.k8s.io: '0'}";
    let mut quotas = [quota(hard, none)];
    let claim = node(
        "{spec: {devices: {requests: [{exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 3}}, {deviceClassName: gpu, allocationMode: ExactCount, count: 1}, {firstAvailable: [{deviceClassName: gpu, allocationMode: ExactCount, count: 2}, {deviceClassName: gpu, allocationMode: ExactCount, count: 1}]}]}}}",
    );
    charge(&attributes, &claim, &mut quotas, 0).unwrap();
    assert_eq!(
        quotas[0].find(&["status", "used"]).unwrap().to_json(),
        r#"{"count/resourceclaims.resource.k8s.io":"1","gpu.deviceclass.resource.k8s.io/devices":"6"}"#
    );
    let all = node(
        "{spec: {devices: {requests: [{exactly: {deviceClassName: gpu, allocationMode: All}}, {exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 3}}]}}}",
    );
    let Err(Denial::Forbidden(text)) = charge(&attributes, &all, &mut quotas, 0) else {
        panic!("a claim beyond the quota is admitted")
    };
    assert_eq!(
        text,
        "exceeded quota: q, requested: gpu.deviceclass.resource.k8s.io/devices=35, used: gpu.deviceclass.resource.k8s.io/devices=6, limited: gpu.deviceclass.resource.k8s.io/devices=40"
    );
    assert_eq!(
        resource_counted_by("gpu.deviceclass.resource.k8s.io/devices"),
        Some(("resource.k8s.io".into(), "resourceclaims".into()))
    );
}

#[test]
fn everything_is_counted_by_number_but_events() {
    let full = || {
        quota(
            "{count/configmaps: '1', configmaps: '1', count/events: '0'}",
            "{count/configmaps: '1', configmaps: '1', count/events: '0'}",
        )
    };
    assert_eq!(
        charged("configmaps", "{}", None, full()).0,
        "exceeded quota: q, requested: configmaps=1,count/configmaps=1, used: configmaps=1,count/configmaps=1, limited: configmaps=1,count/configmaps=1"
    );
    assert_eq!(charged("events", "{}", None, full()).0, "Ok(())");
    assert_eq!(charged("configmaps", "{}", Some("{}"), full()).0, "Ok(())");
}

#[test]
fn what_is_used_can_be_counted_anew() {
    let mut one = node(
        "{metadata: {name: q}, spec: {hard: {pods: 5, requests.cpu: 2, count/jobs.batch: 3, count/x.y: 1}}}",
    );
    let list = |group: &str, resource: &str| match (group, resource) {
        ("", "pods") => Some(alloc::vec![
            node("{spec: {containers: [{resources: {requests: {cpu: 500m}}}]}}"),
            node(
                "{spec: {containers: [{resources: {requests: {cpu: 1}}}]}, status: {phase: Succeeded}}"
            ),
            node(
                "{metadata: {deletionTimestamp: '1970-01-01T00:00:01Z', deletionGracePeriodSeconds: 1}, spec: {}}"
            ),
        ]),
        ("batch", "jobs") => Some(alloc::vec![node("{}")]),
        _ => None,
    };
    recount(&mut one, &list, 100);
    assert_eq!(
        one.get("status").unwrap().to_json(),
        r#"{"hard":{"count/jobs.batch":"3","count/x.y":"1","pods":"5","requests.cpu":"2"},"used":{"count/jobs.batch":"1","pods":"1","requests.cpu":"500m"}}"#
    );
}

proptest! {
    /// For any sequence, a quota is never charged beyond its limit, and a refusal changes nothing.
    #[test]
    fn no_quota_is_overdrawn(limit in 0_i64..50, requests in proptest::collection::vec(0_i64..20, 1..20)) {
        let user = user("u", &[]);
        let attributes = attributes(Create, "", "persistentvolumeclaims", &user, None);
        let mut quotas = [quota(&format!("{{requests.storage: {limit}}}"), "{requests.storage: 0}")];
        let mut sum = 0;
        for requested in requests {
            let claim = node(&format!("{{spec: {{resources: {{requests: {{storage: {requested}}}}}}}}}"));
            if charge(&attributes, &claim, &mut quotas, 0).is_ok() {
                sum += requested;
            }
            let used = amounts::parse(quotas[0].find(&["status", "used"]));
            prop_assert_eq!(used.get("requests.storage").map(|used| used.in_wholes()), Some(i128::from(sum)));
            prop_assert!(sum <= limit);
        }
    }
}
