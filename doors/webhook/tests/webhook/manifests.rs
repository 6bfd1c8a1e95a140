//! The generated configuration: the API takes it, and everything that our rules speak about is sent.

use crate::api_server::is_sent;
use crate::case_file::{Subject, cases};
use ratchet_engine::{ApiConfig, Behavior, Part, Release, Verdict, judge};
use ratchet_object::{Limits, NoCluster, decode};
use ratchet_pipeline::{BuiltInType, Decoded, FieldValidation};
use ratchet_webhook_server::WebhookManifest;

fn manifest(pod_security: bool) -> String {
    WebhookManifest { pod_security, ..default() }.to_yaml()
}

/// The configuration for `/mutate`.
fn mutating() -> String {
    let canonicalized_users = vec!["system:node:*".into(), "a\"b".into()];
    WebhookManifest { canonicalized_users, ..default() }.to_yaml()
}

fn default() -> WebhookManifest {
    WebhookManifest {
        namespace: "ratchet-system".into(),
        service: "ratchet-webhook".into(),
        port: 443,
        ca_bundle: Some("Cg==".into()),
        fails_closed: false,
        timeout_seconds: 3,
        pod_security: false,
        exempt_namespaces: vec!["kube-system".into()],
        canonicalized_users: Vec::new(),
    }
}

#[test]
fn the_api_takes_it() {
    for (kind, text) in [
        ("ValidatingWebhookConfiguration", manifest(false)),
        ("ValidatingWebhookConfiguration", manifest(true)),
        ("MutatingWebhookConfiguration", mutating()),
    ] {
        let mut decoded = decode(&text, Limits::DEFAULT).unwrap();
        let api_version = "admissionregistration.k8s.io/v1";
        let object_type = BuiltInType::find(api_version, kind).unwrap();
        let decoded =
            Decoded::located(&object_type, decoded.documents.remove(0), &decoded.repeated);
        assert_eq!(decoded.fields().strict_error(FieldValidation::Strict), None);
        let paired = decoded.with_defaults().unwrap().pair(None);
        let config = ApiConfig::of(Release::REFERENCE, Behavior::Proposal);
        assert_eq!(paired.judge(&config, &NoCluster, None).status(), None, "{text}");
        for line in ["failurePolicy: Ignore", "timeoutSeconds: 3", "- kube-system", "port: 443"] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
}

#[test]
fn only_kinds_with_our_fields_are_named_and_never_leases() {
    for text in [manifest(false), manifest(true), mutating()] {
        let document = decode(&text, Limits::DEFAULT).unwrap().documents.remove(0);
        let webhooks = document.get("webhooks").unwrap().items();
        assert!(webhooks.len() > 5, "{text}");
        for webhook in webhooks {
            let name = webhook.text_at(&["name"]);
            let [rule] = webhook.get("rules").unwrap().items() else { panic!("{name}") };
            for list in ["resources", "operations", "apiGroups", "apiVersions"] {
                for item in rule.get(list).unwrap().items() {
                    let text = item.text().unwrap();
                    assert!(!text.contains('*') && text != "leases", "{name}: {list} has {text}");
                    assert!(!["DELETE", "CONNECT"].contains(&text), "{name}: {text}");
                }
            }
            let is_cluster_wide = rule.text_at(&["scope"]) == "Cluster";
            let selector = webhook.get("namespaceSelector").map(ratchet_object::Node::to_json);
            let selector = selector.unwrap_or_default();
            assert!(is_cluster_wide || selector.contains("ratchet-system"), "{name}: {selector}");
        }
    }
}

#[test]
fn only_what_controllers_write_is_sent_to_be_made_canonical() {
    let text = mutating();
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim_start_matches([' ', '-']).strip_prefix("name: "))
        .filter_map(|name| name.split_once(".ratchet-").map(|(name, _)| name))
        .collect();
    let wanted = [
        "status.pods",
        "status.services",
        "nodes",
        "endpointslices",
        "endpoints",
        "status.ingresses",
    ];
    for name in wanted {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert!(
        !names.contains(&"services") && !names.contains(&"pods"),
        "people write these: {names:?}"
    );
    let condition = r#"request.userInfo.username.startsWith("system:node:") || request.userInfo.username == "a\"b""#;
    assert!(text.contains(condition), "{text}");
    assert!(text.contains("path: /mutate") && !text.contains("path: /validate"), "{text}");
}

/// Whether a rule that the configuration is made for has anything to say.
fn speaks(verdict: &Verdict, families: &[&str]) -> bool {
    let errors = verdict.errors.iter().map(|error| error.rule);
    let denial = verdict.denial.iter().map(|denial| denial.rule);
    let warnings = verdict.warnings.iter().map(|warning| warning.rule);
    let mut ids = errors.chain(denial).chain(warnings).map(|rule| rule.id);
    ids.any(|id| families.iter().any(|family| id.starts_with(family)))
}

#[test]
fn what_the_rules_are_about_is_sent_and_little_else() {
    for (pod_security, families) in [
        (false, &["RTC-IP", "RTC-DNS-001", "RTC-SVC-001"][..]),
        (true, &["RTC-IP", "RTC-DNS-001", "RTC-SVC-001", "RTC-PSA"]),
    ] {
        let text = manifest(pod_security);
        let (mut sent, mut kept, mut missed) = (0, 0, Vec::new());
        for case in cases() {
            let case = case.unwrap();
            let Subject::Change(proposal) = &case.subject else { continue };
            let change = proposal.change().unwrap();
            // Other subresources write none of the fields: only a released server refuses stored values there.
            if !matches!(change.part, Part::Main | Part::Sub("status")) {
                continue;
            }
            let verdict = judge(&change, &proposal.facts(), proposal.config());
            match (is_sent(&text, &change), speaks(&verdict, families)) {
                (true, _) => sent += 1,
                (false, true) => missed.push(case.name),
                (false, false) => kept += 1,
            }
        }
        assert_eq!(missed, Vec::<String>::new(), "with pod security: {pod_security}");
        assert!(sent > 150 && kept > 100, "{sent} are sent, {kept} are not");
    }
}
