//! Modes, exemptions and allowances: what a configuration makes of the engine's verdict.

use ratchet_engine::{ApiConfig, Behavior, Release};
use ratchet_object::{
    ClusterReader, GroupVersionKind, GroupVersionResource, Limits, Node, RestMapping, decode,
};
use ratchet_webhook_server::{
    AdmissionRequest, AdmissionResponse, Configuration, Finding, Mode, Reviewer,
};

/// A cluster whose namespaces all have these labels.
struct Labelled(&'static str);

impl ClusterReader for Labelled {
    fn get(&self, _: &GroupVersionResource<'_>, _: &str, _: &str) -> Option<Node<'static>> {
        let labels = decode(self.0, Limits::DEFAULT).unwrap().documents.remove(0);
        Some(Node::map([("metadata", Node::map([("labels", labels)]))]))
    }

    fn list(&self, _: &GroupVersionResource<'_>, _: &str, _: usize) -> Vec<Node<'static>> {
        Vec::new()
    }

    fn rest_mapping(&self, _: &GroupVersionKind<'_>) -> Option<RestMapping> {
        None
    }
}

/// A Service whose cluster IP has a leading zero.
const SERVICE: &str = "{metadata: {name: web}, spec: {ports: [{port: 80}], clusterIP: 010.0.0.1}}";
/// A pod with such an address of a name server, and with a container that Pod Security refuses everywhere.
const POD: &str =
    "{metadata: {name: p}, spec: {dnsConfig: {nameservers: ['010.0.0.1']}, dnsPolicy: None,
    containers: [{name: c, image: i, securityContext: {privileged: true}}]}}";

/// The response to a create by `ann` of the group `dev` in the namespace `shop`.
fn create(
    configuration: &str,
    labels: &'static str,
    kind: &str,
    object: &str,
) -> AdmissionResponse {
    review(configuration, labels, kind, object, None)
}

fn review(
    configuration: &str,
    labels: &'static str,
    kind: &str,
    object: &str,
    old: Option<&str>,
) -> AdmissionResponse {
    let json = |text: &str| decode(text, Limits::DEFAULT).unwrap().documents.remove(0).to_json();
    let (operation, old) = match old {
        None => ("CREATE", "null".to_owned()),
        Some(old) => ("UPDATE", json(old)),
    };
    let body = format!(
        r#"{{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {{"uid": "u",
            "operation": "{operation}", "namespace": "shop", "object": {}, "oldObject": {old},
            "kind": {{"group": "", "version": "v1", "kind": "{kind}"}},
            "resource": {{"group": "", "version": "v1", "resource": "{}s"}},
            "userInfo": {{"username": "system:serviceaccount:build:ann", "groups": ["dev"]}}}}}}"#,
        json(object),
        kind.to_lowercase(),
    );
    let text = format!("apiVersion: ratchet/v1alpha1\nkind: WebhookConfiguration\n{configuration}");
    let api_config = ApiConfig::of(Release::REFERENCE, Behavior::Proposal);
    let configuration = Configuration::parse(&text).unwrap();
    let reviewer = Reviewer::with_configuration(api_config, configuration);
    let request = AdmissionRequest::decode(body.as_bytes()).unwrap();
    reviewer.review(request, &Labelled(labels)).unwrap()
}

fn modes(response: &AdmissionResponse) -> Vec<(&str, Mode)> {
    response.findings.iter().map(|Finding { rule, mode, .. }| (rule.id, *mode)).collect()
}

#[test]
fn a_rule_is_enforced_unless_the_file_says_otherwise() {
    let response = create("", "{}", "Service", SERVICE);
    let message = response.status.as_ref().unwrap().message.clone();
    assert!(message.contains("spec.clusterIP"), "{message}");
    assert!(modes(&response).iter().all(|(_, mode)| *mode == Mode::Enforce));
    assert!(response.warnings.is_empty());
}

#[test]
fn instead_of_a_refusal_there_is_a_warning_an_annotation_or_nothing() {
    let [warned, audited, ignored] = ["warn", "audit", "off"]
        .map(|mode| create(&format!("rules: {{RTC-IP: {mode}}}"), "{}", "Service", SERVICE));
    for response in [&warned, &audited, &ignored] {
        assert!(response.is_allowed(), "{response:?}");
    }
    let text = "spec.clusterIPs[0]: Invalid value: \"010.0.0.1\": must not have leading 0s";
    let warning = format!("would violate RTC-IP-001: {text}");
    assert!(warned.warnings.contains(&warning), "{:?}", warned.warnings);
    assert!(warned.audit_annotations.is_empty());
    assert!(audited.warnings.is_empty(), "{:?}", audited.warnings);
    let (key, value) = audited.audit_annotations.first().unwrap();
    assert!(key == "RTC-IP-001" && value.contains(text), "{key} {value}");
    assert!(modes(&audited).contains(&("RTC-IP-001", Mode::Audit)));
    assert!(ignored.warnings.is_empty() && ignored.audit_annotations.is_empty());
    assert!(modes(&ignored).is_empty());
}

#[test]
fn a_rule_that_is_not_enforced_hides_no_other() {
    let labels = "{pod-security.kubernetes.io/enforce: baseline}";
    let refused = create("rules: {RTC-IP: warn}", labels, "Pod", POD);
    let status = refused.status.unwrap();
    assert_eq!((status.code, status.reason), (403, "Forbidden"));
    assert!(status.message.contains("violates PodSecurity \"baseline:latest\""), "{status:?}");
    assert!(
        refused.warnings.iter().any(|text| text.contains("RTC-IP-001")),
        "{:?}",
        refused.warnings
    );
}

#[test]
fn pod_security_has_modes_too() {
    let labels = "{pod-security.kubernetes.io/enforce: baseline}";
    let warned = create("rules: {RTC-IP: off, RTC-PSA: warn}", labels, "Pod", POD);
    assert!(warned.is_allowed());
    assert_eq!(
        warned.warnings,
        [
            "would violate RTC-PSA-009: violates PodSecurity \"baseline:latest\": privileged (container \"c\" must not set securityContext.privileged=true)"
        ]
    );
    let one = create("mode: off\nrules: {RTC-PSA-009: enforce}", labels, "Pod", POD);
    assert!(!one.is_allowed());
}

#[test]
fn labels_of_a_namespace_hold_before_the_file() {
    let warned = create("", "{ratchet/RTC-IP: warn}", "Service", SERVICE);
    assert!(warned.is_allowed() && !warned.warnings.is_empty());
    let refused = create("mode: off", "{ratchet/RTC-IP-001: enforce}", "Service", SERVICE);
    assert!(!refused.is_allowed());
    let fixed = create("namespaceLabels: false", "{ratchet/mode: off}", "Service", SERVICE);
    assert!(!fixed.is_allowed());
    let unknown = create("", "{ratchet/RTC-IP: mild}", "Service", SERVICE);
    assert!(!unknown.is_allowed());
    let (key, value) = unknown.audit_annotations.last().unwrap();
    assert_eq!(key, "label-error");
    assert!(value.ends_with("ratchet/RTC-IP=mild"), "{value}");
}

#[test]
fn who_is_exempt_is_not_judged() {
    for (exemptions, reason) in [
        ("namespaces: [shop]", "namespace"),
        ("users: ['system:serviceaccount:build:ann']", "user"),
        ("groups: [dev]", "group"),
        ("serviceAccounts: [build/ann]", "serviceAccount"),
    ] {
        let file = format!("exemptions: {{{exemptions}}}");
        let response = create(&file, "{}", "Service", SERVICE);
        assert!(response.is_allowed(), "{exemptions}");
        assert_eq!(response.exempt, Some(reason));
        assert_eq!(response.audit_annotations, [("exempt".to_owned(), reason.to_owned())]);
    }
    let others =
        "exemptions: {namespaces: [sho], users: [ann], groups: [de], serviceAccounts: [shop/ann]}";
    assert!(!create(others, "{}", "Service", SERVICE).is_allowed());
}

#[test]
fn external_ips_are_allowed_by_list_and_by_the_ratchet() {
    let service = |ips: &str| {
        format!(
            "{{metadata: {{name: web}}, spec: {{ports: [{{port: 80}}], externalIPs: [{ips}]}}}}"
        )
    };
    let file = "externalIPs: {allow: [{cidrs: [203.0.113.0/24], namespaces: [shop]}]}";
    let create = |file: &str, ips: &str| create(file, "{}", "Service", &service(ips));
    assert!(create("", "198.51.100.1").is_allowed(), "nothing is said about external IPs");
    assert!(create(file, "203.0.113.9").is_allowed());
    let status = create(file, "'203.0.113.9', '198.51.100.1'").status.unwrap();
    assert_eq!(
        status.message,
        "services \"web\" is forbidden: Use of external IPs is denied by admission control"
    );
    assert!(!create("externalIPs: {}", "203.0.113.9").is_allowed());
    let elsewhere = file.replace("shop", "edge");
    assert!(!create(&elsewhere, "203.0.113.9").is_allowed());
    let of_user = |user: &str| {
        format!("externalIPs: {{allow: [{{cidrs: [203.0.113.0/24], users: [{user}]}}]}}")
    };
    assert!(create(&of_user("'system:serviceaccount:build:ann'"), "203.0.113.9").is_allowed());
    assert!(!create(&of_user("bob"), "203.0.113.9").is_allowed());
    let stored = service("198.51.100.1");
    let new = service("'198.51.100.1', '203.0.113.9'");
    assert!(review(file, "{}", "Service", &new, Some(&stored)).is_allowed());
    let warned = create(&format!("{file}\nrules: {{RTC-SVC: warn}}"), "198.51.100.1");
    assert!(warned.is_allowed());
    let warning = "would violate RTC-SVC-001: Use of external IPs is denied by admission control";
    assert_eq!(warned.warnings.last().unwrap(), warning);
}

/// A Service with so many external IPs that have a leading zero.
fn many_bad_addresses(count: usize) -> String {
    let addresses: Vec<String> =
        (0..count).map(|number| format!("'010.{}.{}.1'", number / 200, number % 200)).collect();
    format!(
        "{{metadata: {{name: web}}, spec: {{ports: [{{port: 80}}], externalIPs: [{}]}}}}",
        addresses.join(", ")
    )
}

#[test]
fn warnings_and_annotations_are_within_limits() {
    let service = many_bad_addresses(1000);
    let warned = create("rules: {RTC-IP: warn}", "{}", "Service", &service);
    assert!(warned.is_allowed() && warned.findings.len() >= 1000, "{}", warned.findings.len());
    let lengths: Vec<usize> = warned.warnings.iter().map(|text| text.chars().count()).collect();
    assert!(lengths.iter().all(|length| *length <= 256), "{lengths:?}");
    // The API server cuts at 4096 letters; the last warning may cross that line.
    let all: usize = lengths.iter().sum();
    assert!(all > 2048 && all <= 4096 + 256, "{all}");

    let audited = create("rules: {RTC-IP: audit}", "{}", "Service", &service);
    let (_, few) = audited.audit_annotations.first().unwrap();
    assert_eq!(few.matches("must not have leading 0s").count(), 10, "{few}");
    assert!(few.contains("; and ") && few.ends_with(" more"), "{few}");
    let long = format!(
        "{{metadata: {{name: web}}, spec: {{ports: [{{port: 80}}], externalIPs: ['{}']}}}}",
        "0".repeat(100_000)
    );
    let audited = create("rules: {RTC-IP: audit}", "{}", "Service", &long);
    for (key, value) in &audited.audit_annotations {
        assert!(value.len() < 11_000, "{key} has {} bytes", value.len());
    }
}
