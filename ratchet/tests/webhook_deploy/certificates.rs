//! End-to-end: certificates and authorities are rotated under load by two replicas, and no call fails.

use crate::files::path;
use crate::installation::{Installation, until};
use crate::load::Load;
use std::collections::BTreeSet;

#[test]
fn certificates_rotate_under_load_without_a_failed_call() {
    let cluster = Installation::start();
    let overlay = path("deploy/webhook/overlays/enforce");
    cluster.console.ok(&format!("apply -k {}", overlay.display()));
    cluster.mount();
    // Short lives, but long enough for a machine that stands still for some seconds: renewed after two thirds of them.
    let flags = ["--ca-validity=45s", "--cert-validity=30s"];
    let _replicas = [cluster.add_replica(1, &flags), cluster.add_replica(2, &flags)];
    cluster.wait_until_enforced();

    let load = Load::start(&cluster.console.kubeconfig);
    let (mut leaves, mut bundles) = (BTreeSet::new(), BTreeSet::new());
    until("another authority beside the first, and then alone", || {
        let secret = cluster.get("secret ratchet-webhook-certs -n ratchet-system");
        leaves.insert(secret["data"]["tls.crt"].as_str().unwrap_or_default().to_owned());
        bundles.insert(cluster.ca_bundle());
        (leaves.len() >= 3 && bundles.len() >= 3).then_some(())
    });
    let refused = load.refused();
    let wrong = load.finish();
    // With `failurePolicy: Ignore` a failed call would have let the Service pass.
    assert!(wrong.is_empty(), "{wrong:?}\n{}", cluster.logs());
    assert!(refused > 50, "only {refused} calls were made");
}
