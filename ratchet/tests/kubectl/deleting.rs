//! Tests of deletion: finalizers, the three cascades, grace periods, `wait --for=delete`, terminating namespaces.

use super::serving::Serving;

const HELD: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: held
  finalizers: [example.com/hold]
";

#[test]
fn what_is_held_stays_until_it_is_let_go() {
    let (_serving, console) = Serving::start();
    console.file("held.yaml", HELD);
    console.all_ok(&[
        ("apply -f held.yaml", "created"),
        ("delete cm held --wait=false", "configmap \"held\" deleted"),
        (
            "get cm held -o jsonpath={.metadata.finalizers}:{.metadata.deletionGracePeriodSeconds}",
            "[\"example.com/hold\"]:0",
        ),
        ("label cm held still=here", "configmap/held labeled"),
    ]);
    console.all_refused(&[
        ("wait --for=delete cm/held --timeout=1s", "timed out waiting for the condition on configmaps/held"),
        (
            "patch cm held --type=merge -p '{\"metadata\":{\"finalizers\":[\"example.com/hold\",\"example.com/two\"]}}'",
            "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted",
        ),
    ]);
    let waiting = console.start("wait --for=delete cm/held --timeout=60s");
    console.ok("patch cm held --type=merge -p '{\"metadata\":{\"finalizers\":null}}'");
    waiting.ends();
    console.all_refused(&[("get cm held", "configmaps \"held\" not found")]);
    console.all_ok(&[("wait --for=delete cm/held --timeout=5s", "")]);
}

#[test]
fn a_cascade_is_written_down_for_the_collector() {
    let (_serving, console) = Serving::start();
    for (cascade, finalizer) in [("orphan", "orphan"), ("foreground", "foregroundDeletion")] {
        // It is read from a watch, for a collector may already have done its work.
        console.ok(&format!("create deployment {cascade} --image=nginx"));
        let form = "-o jsonpath='{.metadata.name}:{.metadata.finalizers};'";
        let mut watch = console.start(&format!("get deploy {cascade} -w {form}"));
        watch.says(&format!("{cascade}:;"));
        console.ok(&format!("delete deploy {cascade} --cascade={cascade} --wait=false"));
        watch.says(&format!("{cascade}:[\"{finalizer}\"];"));
    }
    console.all_ok(&[
        ("create deployment background --image=nginx", ""),
        ("delete deploy background --cascade=background", "deployment.apps \"background\" deleted"),
    ]);
    console
        .all_refused(&[("delete deploy background", "deployments.apps \"background\" not found")]);
}

const ON_NODE: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: far}
spec: {nodeName: n1, serviceAccountName: robot, containers: [{name: c, image: nginx}]}
";

#[test]
fn a_pod_on_a_node_gets_its_grace() {
    let (_serving, console) = Serving::start();
    console.file("far.yaml", ON_NODE);
    console.all_ok(&[
        ("create sa robot", ""),
        ("run near --image=nginx --overrides='{\"spec\":{\"serviceAccountName\":\"robot\"}}'", ""),
        ("apply -f far.yaml", "created"),
        // It is on no node, so there is no kubelet to wait for.
        ("delete pod near", "pod \"near\" deleted"),
        ("delete pod far --wait=false", "pod \"far\" deleted"),
        ("get pod far -o jsonpath={.metadata.deletionGracePeriodSeconds}", "30"),
        ("delete pod far --grace-period=7 --wait=false", "deleted"),
        ("get pod far -o jsonpath={.metadata.deletionGracePeriodSeconds}", "7"),
        ("get pod far", "Terminating"),
        ("delete pod far --force", "force deleted"),
        ("get pod far --ignore-not-found", ""),
    ]);
}

#[test]
fn a_namespace_on_its_way_out_takes_nothing_in() {
    let (_serving, console) = Serving::start();
    // A finalizer keeps it there, whether or not a controller empties it.
    console.file("held.yaml", HELD);
    console.all_ok(&[
        ("create ns leaving", ""),
        ("apply -f held.yaml -n leaving", "created"),
        ("delete ns leaving --wait=false --dry-run=server", "deleted (server dry run)"),
        ("delete ns leaving --wait=false", "namespace \"leaving\" deleted"),
        ("get ns leaving", "Terminating"),
    ]);
    console.all_refused(&[
        (
            "create configmap late -n leaving",
            "configmaps \"late\" is forbidden: unable to create new content in namespace leaving because it is being terminated",
        ),
        ("delete ns default", "namespaces \"default\" is forbidden: this namespace may not be deleted"),
    ]);
}

#[test]
fn many_go_at_once_by_name_label_and_file() {
    let (_serving, console) = Serving::start();
    for number in 0..5 {
        console.ok(&format!("create configmap c{number}"));
    }
    console.all_ok(&[
        ("label cm c0 c1 c2 old=yes", "configmap/c2 labeled"),
        ("delete cm -l old=yes", "configmap \"c1\" deleted"),
        ("delete cm -l old=yes", "No resources found"),
        ("delete cm c3 --dry-run=server", "(server dry run)"),
        ("delete cm c3 c4 --now", "configmap \"c4\" deleted"),
        (
            "get cm --field-selector=metadata.name!=kube-root-ca.crt",
            "No resources found in default namespace.",
        ),
        ("delete cm c3 --ignore-not-found", ""),
    ]);
}
