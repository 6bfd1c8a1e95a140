//! Tests of nodes: `taint`, `cordon`, and `drain` with evictions that a budget may block.

use super::serving::Serving;

const NODE: &str = "\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
";

const POD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: guest, labels: {app: guest}}
spec: {nodeName: n1, serviceAccountName: robot, containers: [{name: c, image: nginx}]}
";

#[test]
fn a_node_is_marked_and_emptied() {
    let (_serving, console) = Serving::start();
    console.file("node.yaml", NODE);
    console.all_ok(&[
        ("apply -f node.yaml", "node/n1 created"),
        ("taint node n1 k=v:NoSchedule", "node/n1 tainted"),
        ("taint node n1 k=v2:NoSchedule --overwrite", "node/n1 modified"),
        ("get node n1 -o jsonpath={.spec.taints[*].value}", "v2"),
        ("taint node n1 k-", "node/n1 untainted"),
        ("cordon n1", "node/n1 cordoned"),
        ("cordon n1", "node/n1 already cordoned"),
        ("get nodes", "SchedulingDisabled"),
        ("get nodes -o wide", "CONTAINER-RUNTIME"),
        ("describe node n1", "Unschedulable:      true"),
        ("uncordon n1", "node/n1 uncordoned"),
        ("drain n1 --timeout=30s", "node/n1 drained"),
    ]);
    console.all_refused(&[("taint node n1 bad:Sometimes", "invalid taint effect")]);
}

#[test]
fn a_budget_holds_an_eviction_back() {
    let (_serving, console) = Serving::start();
    console.file("node.yaml", NODE);
    console.file("guest.yaml", POD);
    console.all_ok(&[
        ("create sa robot", ""),
        ("apply -f node.yaml -f guest.yaml", "pod/guest created"),
        ("create pdb all --selector=app=guest --min-available=1", "created"),
        (
            "patch pod guest --subresource=status --type=merge -p '{\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}'",
            "patched",
        ),
        (
            "patch pdb all --subresource=status --type=merge -p '{\"status\":{\"observedGeneration\":1,\"disruptionsAllowed\":0,\"currentHealthy\":1,\"desiredHealthy\":1,\"expectedPods\":1}}'",
            "patched",
        ),
    ]);
    console.all_refused(&[
        ("drain n1 --timeout=5s", "cannot delete Pods that declare no controller"),
        (
            "drain n1 --force --timeout=3s",
            "Cannot evict pod as it would violate the pod's disruption budget.",
        ),
    ]);
    // Without a grace it goes at once: no kubelet has to say that it is gone.
    console.all_ok(&[
        ("delete pdb all", "deleted"),
        ("drain n1 --force --grace-period=0 --timeout=30s", "pod/guest evicted"),
        ("get pods", "No resources found"),
    ]);
}
