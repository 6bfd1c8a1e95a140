//! Tests of warnings, audit annotations and metrics of policies.

use crate::server::Server;
use crate::stage::{Stage, turn_on};
use ratchet_server::Audit;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_warning_does_not_refuse() {
    let stage = Stage::new().await;
    let policy = json!({"validations": [{"expression": "object.data.a == \"x\""}]});
    stage.bind("p", policy, json!({"validationActions": ["Warn"]})).await;
    let made = stage.make("a", json!({"a": "b"})).await;
    assert_eq!(made.code, 201);
    let name = stage.named("p");
    let warning = format!(
        "299 - \"Validation failed for ValidatingAdmissionPolicy '{name}' with binding '{name}': failed expression: object.data.a == \\\"x\\\"\""
    );
    assert_eq!(made.header("warning"), warning);
    assert_eq!(stage.make("b", json!({"a": "x"})).await.header("warning"), "");
}

#[tokio::test]
async fn the_audit_log_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, log) = (folder.path().join("policy.yaml"), folder.path().join("audit.log"));
    std::fs::write(
        &rules,
        "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n",
    )
    .unwrap();
    let there = log.clone();
    let server = Server::start_with(move |config| {
        turn_on(config);
        let (max_megabytes, max_files, max_days) = (0, 0, 0);
        config.audit =
            Some(Audit { policy: rules, log: there, max_megabytes, max_files, max_days });
    });
    let stage = Stage::on(&server).await;
    let policy = json!({"validations": [{"expression": "false", "message": "no"}],
        "auditAnnotations": [{"key": "who", "valueExpression": "'made ' + object.metadata.name"},
            {"key": "none", "valueExpression": "null"}]});
    stage.bind("p", policy, json!({"validationActions": ["Audit"]})).await;
    assert_eq!(stage.make("a", json!({})).await.code, 201);
    let name = stage.named("p");
    let value = format!(
        "[{{\"message\":\"no\",\"policy\":\"{name}\",\"binding\":\"{name}\",\"expressionIndex\":0,\"validationActions\":[\"Audit\"]}}]"
    );
    let key = "validation.policy.admission.k8s.io/validation_failure";
    let began = Instant::now();
    loop {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut annotations = lines.map(|event| event["annotations"].clone());
        let found = annotations.rfind(|notes| notes[key] == value.as_str());
        if let Some(notes) = found {
            assert_eq!(notes[format!("{name}/who")], "made a");
            assert!(notes[format!("{name}/none")].is_null());
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{text}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn what_policies_do_is_counted() {
    let stage = Stage::new().await;
    stage.bind("p", json!({"validations": [{"expression": "false"}]}), json!({})).await;
    stage.bind_more("w", "p", json!({"validationActions": ["Warn"]})).await;
    assert_eq!(stage.make("a", json!({})).await.code, 422);
    let metrics = stage.client.get("/metrics").await;
    let name = stage.named("p");
    let other = stage.named("w");
    for (binding, action) in [(&name, "deny"), (&other, "warn")] {
        let line = format!(
            "apiserver_validating_admission_policy_check_total{{enforcement_action=\"{action}\",error_type=\"invalid_error\",policy=\"{name}\",policy_binding=\"{binding}\"}} 1"
        );
        assert!(metrics.text().lines().any(|own| own == line), "{line}");
    }
    let counted = "apiserver_validating_admission_policy_check_duration_seconds_count";
    assert!(metrics.text().contains(counted));
}
