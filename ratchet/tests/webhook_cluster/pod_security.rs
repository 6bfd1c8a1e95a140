//! Pod Security on a cluster that has none of its own: the webhook judges pods by the labels of their namespace.

use crate::replica::Called;
use crate::world::{World, until};
use serde_json::{Value, json};

const CONFIGURATIONS: &str =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const PODS: &str = "/api/v1/namespaces/shop/pods";

fn pod(name: &str, is_privileged: bool) -> Value {
    let context = json!({"privileged": is_privileged});
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
        "automountServiceAccountToken": false,
        "containers": [{"name": "c", "image": "i", "securityContext": context}]}})
}

#[test]
fn a_cluster_without_pod_security_gets_it() {
    let world = World::start_with(&["--disable-admission-plugins=PodSecurity"]);
    let labels = json!({"pod-security.kubernetes.io/enforce": "baseline",
        "pod-security.kubernetes.io/enforce-version": "v1.30"});
    world.namespace("shop", &labels);
    let account = "/api/v1/namespaces/shop/serviceaccounts/default";
    until("the account of pods", || (world.server.get(account).0 == 200).then_some(()));
    // The cluster itself does not look at the labels.
    world.create(PODS, &pod("before", true));

    let called = Called::start(Some(&world), "rules: {RTC-API: off}\n", &[]);
    until("readiness", || (called.get("/readyz").0 == 200).then_some(()));
    world.create(CONFIGURATIONS, &called.manifest(&["--all-pods"]));
    let (code, text) = world.server.request("POST", PODS, &pod("bad", true).to_string());
    assert_eq!(code, 403, "{text}");
    assert!(text.contains(r#"violates PodSecurity \"baseline:v1.30\": privileged"#), "{text}");
    world.create(PODS, &pod("good", false));
    world.patch(&format!("{PODS}/before"), &json!({"metadata": {"labels": {"a": "b"}}}));

    // A workload is not refused, but its pods will be: the client is warned.
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": pod("x", true)["spec"]});
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}});
    world.patch(
        "/api/v1/namespaces/shop",
        &json!({"metadata": {"labels": {"pod-security.kubernetes.io/warn": "baseline"}}}),
    );
    let evaluated = |mode: &str, resource: &str, decision: &str| {
        let metrics = called.get("/metrics").2;
        metrics.lines().any(|line| {
            let labels = [("mode", mode), ("resource", resource), ("decision", decision)];
            line.starts_with("pod_security_evaluations_total{")
                && labels.iter().all(|(key, value)| line.contains(&format!("{key}=\"{value}\"")))
        })
    };
    until("the warning of the workload", || {
        let path = "/apis/apps/v1/namespaces/shop/deployments?dryRun=All";
        let (code, text) = world.server.request("POST", path, &deployment.to_string());
        assert_eq!(code, 201, "{text}");
        evaluated("warn", "controller", "deny").then_some(())
    });
    assert!(evaluated("enforce", "pod", "deny") && evaluated("enforce", "pod", "allow"));

    // Stricter labels: the pods that are there are listed for the warnings.
    let stricter =
        json!({"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}});
    world.patch("/api/v1/namespaces/shop", &stricter);
    assert!(called.has_metric("ratchet_webhook_namespace_lookups_total{result=\"found\"} "));
    until("the new level", || {
        let (code, _) = world.server.request("POST", PODS, &pod("again", false).to_string());
        (code == 403).then_some(())
    });
}
