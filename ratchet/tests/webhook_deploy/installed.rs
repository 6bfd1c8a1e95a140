//! End-to-end: the manifests on a cluster refuse, warn and ratchet, and a stopped webhook blocks nobody unless it shall.

use crate::files::{helm, output, path};
use crate::installation::{Installation, service, until};
use serde_json::{Value, json};

/// What kubectl prints of a refusal; the cluster's own validation is lenient, so it is the webhook's.
const DENIED: &str = "must not have leading 0s";

fn apply_overlay(cluster: &Installation, name: &str) -> String {
    let overlay = path("deploy/webhook/overlays").join(name);
    cluster.console.ok(&format!("apply -k {}", overlay.display()))
}

#[test]
fn kustomize_from_audit_to_enforcement_and_a_full_stop() {
    let cluster = Installation::start();
    apply_overlay(&cluster, "audit");
    cluster.mount();
    let first = cluster.add_replica(1, &[]);
    let second = cluster.add_replica(2, &[]);
    until("the authority is published", || (!cluster.ca_bundle().is_empty()).then_some(()));

    // Audit: nobody notices.
    let audited = cluster.apply(&service("audited", "192.0.2.012", "a"));
    assert_eq!(audited.code, 0, "{}", audited.text);
    assert!(!audited.text.contains("would violate"), "{}", audited.text);

    // Enforce: the file changes under the running replicas, and what the API server has of them stays.
    let bundle = cluster.ca_bundle();
    apply_overlay(&cluster, "enforce");
    assert_eq!(cluster.ca_bundle(), bundle, "a second apply takes the authority away");
    cluster.mount();
    first.reload();
    second.reload();
    let refused = cluster.wait_until_enforced();
    assert!(refused.text.contains(DENIED), "{}\n{}", refused.text, cluster.logs());

    // The ratchet: what is stored may stay, what is new may not come.
    let changed = cluster.apply(&service("stored", "192.0.2.010", "b"));
    assert_eq!(changed.code, 0, "{}", changed.text);
    let worse = cluster.apply(&service("stored", "192.0.2.013", "b"));
    assert!(worse.code != 0 && worse.text.contains(DENIED), "{}", worse.text);

    // A label of the namespace: warnings in place of refusals, from the watch of namespaces.
    cluster.console.ok("label namespace shop ratchet/mode=warn");
    let warned = until("the label holds", || {
        let output = cluster.apply(&service("warned", "192.0.2.014", "a"));
        (output.code == 0).then_some(output)
    });
    assert!(warned.text.contains("would violate RTC-IP-001"), "{}", warned.text);
    cluster.console.ok("label namespace shop ratchet/mode-");
    cluster.wait_until_enforced();

    // One replica is killed, and the Service leads to the other alone.
    let slice = first.slice.clone();
    first.kill();
    cluster.remove_from_service(&slice);
    for number in 0..3 {
        let refused = cluster.apply(&service(&format!("killed-{number}"), "192.0.2.015", "a"));
        assert!(refused.code != 0 && refused.text.contains(DENIED), "{}", refused.text);
    }

    // All are gone, and nobody is blocked.
    second.kill();
    let passed = cluster.apply(&service("passed", "192.0.2.016", "a"));
    assert_eq!(passed.code, 0, "{}", passed.text);

    // With the other profile writes of these objects wait for the webhook, and nothing else does.
    apply_overlay(&cluster, "fail");
    let failed = cluster.apply(&service("failed", "192.0.2.1", "a"));
    assert!(failed.code != 0 && failed.text.contains("failed calling webhook"), "{}", failed.text);
    cluster.console.ok("create configmap free -n shop --from-literal=a=b");
    // Pods are named there, but only those with our fields are sent.
    let pod = |name: &str, more: Value| {
        let containers = json!([{"name": "c", "image": "i"}]);
        let mut spec = json!({"containers": containers, "automountServiceAccountToken": false});
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let metadata = json!({"name": name, "namespace": "shop"});
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    };
    let plain = cluster.apply(&pod("plain", json!({})));
    assert_eq!(plain.code, 0, "{}", plain.text);
    let sent = cluster.apply(&pod("sent", json!({"hostAliases": [{"ip": "192.0.2.1"}]})));
    assert!(sent.code != 0 && sent.text.contains("failed calling webhook"), "{}", sent.text);
    cluster.console.ok("create service clusterip free -n kube-system --tcp=80");
    cluster.console.ok("delete service passed -n shop");
    // The way back is open.
    apply_overlay(&cluster, "enforce");
    assert_eq!(cluster.apply(&service("again", "192.0.2.1", "a")).code, 0);
}

#[test]
fn the_chart_is_installed_changed_and_removed() {
    let cluster = Installation::start();
    let chart = |verb: &[&str], flags: &[&str]| {
        let mut command = helm();
        command.args(verb).args(["-n", "ratchet-system"]).args(flags);
        let home = cluster.console.folder();
        command.env("KUBECONFIG", &cluster.console.kubeconfig).env("HOME", home);
        output(&mut command)
    };
    const RELEASE: [&str; 2] = ["ratchet-webhook", "ratchet-webhook"];
    let install = [&["install"], &RELEASE[..]].concat();
    let notes = chart(&install, &["--create-namespace", "--set=mode=enforce"]);
    assert!(notes.contains("judges in mode enforce"), "{notes}");
    cluster.mount();
    let replica = cluster.add_replica(1, &[]);
    let refused = cluster.wait_until_enforced();
    assert!(refused.text.contains(DENIED), "{}\n{}", refused.text, cluster.logs());

    let bundle = cluster.ca_bundle();
    let upgrade = [&["upgrade"], &RELEASE[..]].concat();
    chart(&upgrade, &["--set=mode=warn,timeoutSeconds=5"]);
    let webhooks = cluster.get("validatingwebhookconfiguration ratchet-webhook");
    assert_eq!(webhooks["webhooks"][0]["timeoutSeconds"], 5);
    assert_eq!(cluster.ca_bundle(), bundle, "an upgrade takes the authority away");
    cluster.mount();
    replica.reload();
    let warned = cluster.apply(&service("warned", "192.0.2.014", "a"));
    assert_eq!(warned.code, 0, "{}", warned.text);
    assert!(warned.text.contains("would violate RTC-IP-001"), "{}", warned.text);

    chart(&["uninstall", "ratchet-webhook"], &[]);
    let left = cluster.console.ok("get validatingwebhookconfigurations,clusterroles -o name");
    assert!(!left.contains("ratchet-webhook"), "{left}");
    assert_eq!(cluster.apply(&service("free", "192.0.2.017", "a")).code, 0);
}
