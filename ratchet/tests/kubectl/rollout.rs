//! Tests of `rollout` and `wait`, with the test writing the status in place of a controller.

use super::serving::Serving;
use serde_json::json;

/// The status that a controller would write after a completed rollout.
fn done(generation: u64, replicas: u64) -> String {
    let condition = json!({
        "type": "Available",
        "status": "True",
        "reason": "MinimumReplicasAvailable",
        "message": "enough",
        "lastUpdateTime": "2026-01-01T00:00:00Z",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    });
    let status = json!({
        "observedGeneration": generation,
        "replicas": replicas,
        "updatedReplicas": replicas,
        "readyReplicas": replicas,
        "availableReplicas": replicas,
        "conditions": [condition],
    });
    json!({ "status": status }).to_string()
}

#[test]
fn a_rollout_is_followed_to_its_end() {
    let (_serving, console) = Serving::start();
    console.ok("create deployment web --image=nginx --replicas=2");
    console.all_refused(&[
        ("rollout status deploy/web --timeout=1s", "timed out waiting for the condition"),
        (
            "wait --for=condition=Available deploy/web --timeout=1s",
            "timed out waiting for the condition on deployments/web",
        ),
    ]);
    let mut rollout = console.start("rollout status deploy/web --timeout=60s");
    rollout.says("Waiting for deployment");
    let available = console.start("wait --for=condition=Available deploy/web --timeout=60s");
    let counted =
        console.start("wait --for=jsonpath='{.status.readyReplicas}'=2 deploy/web --timeout=60s");
    console.ok(&format!("patch deploy web --subresource=status --type=merge -p '{}'", done(1, 2)));
    assert!(rollout.ends().contains("deployment \"web\" successfully rolled out"));
    assert!(available.ends().contains("deployment.apps/web condition met"));
    assert!(counted.ends().contains("deployment.apps/web condition met"));
    // The status is written through its subresource only.
    console.all_ok(&[
        ("get deploy web", "web    2/2     2            2"),
        ("patch deploy web --type=merge -p '{\"status\":{\"readyReplicas\":9}}'", "patched"),
        ("get deploy web -o jsonpath={.status.readyReplicas}:{.metadata.generation}", "2:1"),
        (
            "patch deploy web --subresource=status --type=merge -p '{\"spec\":{\"replicas\":9}}'",
            "patched",
        ),
        ("get deploy web -o jsonpath={.spec.replicas}", "2"),
    ]);
}

#[test]
fn a_rollout_is_paused_resumed_and_restarted() {
    let (_serving, console) = Serving::start();
    console.ok("create deployment web --image=nginx");
    console.all_ok(&[
        ("rollout pause deploy/web", "deployment.apps/web paused"),
        ("get deploy web -o jsonpath={.spec.paused}", "true"),
        ("rollout resume deploy/web", "deployment.apps/web resumed"),
        ("get deploy web -o jsonpath={.spec.paused}", ""),
        ("rollout restart deploy/web", "deployment.apps/web restarted"),
        (
            "get deploy web -o jsonpath={.spec.template.metadata.annotations}",
            "kubectl.kubernetes.io/restartedAt",
        ),
        ("get deploy web -o jsonpath={.metadata.generation}", "4"),
    ]);
}
