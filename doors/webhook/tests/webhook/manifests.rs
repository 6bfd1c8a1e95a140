//! The generated configuration: the API takes it, and everything that our rules speak about is sent.

use crate::api_server::is_sent;
use crate::case_file::{Subject, cases};
use ratchet_engine::{ApiConfig, Behavior, Part, Release, Verdict, judge};
use ratchet_object::{Limits, NoCluster, decode};
use ratchet_pipeline::{BuiltInType, Decoded, FieldValidation};
use ratchet_webhook_server::WebhookManifest;

fn manifest(pod_security: bool) -> String {
    let manifest = WebhookManifest {
        namespace: "ratchet-system".into(),
        service: "ratchet-webhook".into(),
        port: 443,
        ca_bundle: Some("Cg==".into()),
        fails_closed: false,
        timeout_seconds: 3,
        pod_security,
        exempt_namespaces: vec!["kube-system".into()],
    };
    manifest.to_yaml()
}

#[test]
fn the_api_takes_it() {
    for text in [manifest(false), manifest(true)] {
        let mut decoded = decode(&text, Limits::DEFAULT).unwrap();
        let api_version = "admissionregistration.k8s.io/v1";
        let object_type = BuiltInType::find(api_version, "ValidatingWebhookConfiguration").unwrap();
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
