//! Tests of controllers through kubectl: garbage collection, namespace deletion, endpoints of Services.

use super::console::Console;
use super::serving::Serving;
use std::time::{Duration, Instant};

/// A timeout that is generous for a controller on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until a command's output is exactly this.
fn until(console: &Console, line: &str, wanted: &str) {
    let began = Instant::now();
    loop {
        let output = console.run(line);
        if output.stdout.trim() == wanted {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{line}: {} instead of {wanted}", output.stdout);
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn set(name: &str, owner: &str) -> String {
    format!(
        "\
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: {name}
  ownerReferences: [{{apiVersion: apps/v1, kind: Deployment, name: {name}, uid: {owner}, blockOwnerDeletion: true}}]
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec: {{containers: [{{name: c, image: nginx}}]}}
"
    )
}

fn pod(name: &str, owner: &str) -> String {
    format!(
        "\
apiVersion: v1
kind: Pod
metadata:
  name: {name}
  labels: {{app: {name}}}
  ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: {name}, uid: {owner}, blockOwnerDeletion: true}}]
spec: {{containers: [{{name: c, image: nginx}}]}}
"
    )
}

/// A Deployment with the objects that its controllers would create.
fn grow(console: &Console, name: &str) {
    console.ok(&format!("create deployment {name} --image=nginx"));
    let uid = console.ok(&format!("get deploy {name} -o jsonpath={{.metadata.uid}}"));
    console.file("set.yaml", &set(name, &uid));
    console.ok("apply -f set.yaml");
    let uid = console.ok(&format!("get rs {name} -o jsonpath={{.metadata.uid}}"));
    console.file("pod.yaml", &pod(name, &uid));
    until(console, "get sa default -o name", "serviceaccount/default");
    console.ok("apply -f pod.yaml");
}

#[test]
fn a_tree_of_owners_goes_as_the_cascade_says() {
    let (_serving, console) = Serving::start();
    for cascade in ["background", "foreground"] {
        grow(&console, cascade);
        console.ok(&format!("delete deploy {cascade} --cascade={cascade} --timeout=60s"));
        // With foreground deletion nothing is left when the command ends.
        if cascade == "background" {
            console.ok("wait --for=delete pod/background rs/background --timeout=60s");
        }
        for kind in ["deploy", "rs", "pod"] {
            assert_eq!(console.ok(&format!("get {kind} {cascade} --ignore-not-found")), "");
        }
    }
    grow(&console, "orphan");
    console.all_ok(&[
        (
            "delete deploy orphan --cascade=orphan --timeout=60s",
            "deployment.apps \"orphan\" deleted",
        ),
        ("get rs orphan -o jsonpath=[{.metadata.ownerReferences}]", "[]"),
        ("get pod orphan -o jsonpath={.metadata.ownerReferences[*].kind}", "ReplicaSet"),
        ("delete rs orphan", "deleted"),
        ("wait --for=delete pod/orphan --timeout=60s", ""),
    ]);
}

const HELD: &str = "\
apiVersion: v1
kind: ConfigMap
metadata: {name: held, namespace: leaving, finalizers: [example.com/hold]}
";

#[test]
fn a_namespace_says_what_holds_it_and_goes_when_nothing_does() {
    let (_serving, console) = Serving::start();
    console.file("held.yaml", HELD);
    console.all_ok(&[
        ("create ns leaving", ""),
        ("apply -f held.yaml", "created"),
        ("create cm free -n leaving", ""),
        ("delete ns leaving --wait=false", "deleted"),
        ("wait --for=condition=NamespaceFinalizersRemaining ns/leaving --timeout=60s", "met"),
        (
            "describe ns leaving",
            "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
        ),
        ("get cm -n leaving -o name", "configmap/held"),
        ("patch cm held -n leaving --type=merge -p '{\"metadata\":{\"finalizers\":null}}'", "patched"),
        ("wait --for=delete ns/leaving --timeout=60s", ""),
    ]);
}

const SERVICE: &str = "\
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}
";

const READY: &str = "'{\"status\":{\"phase\":\"Running\",\"podIP\":\"IP\",\"podIPs\":[{\"ip\":\"IP\"}],\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}'";

fn web_pod(name: &str) -> String {
    format!(
        "\
apiVersion: v1
kind: Pod
metadata: {{name: {name}, labels: {{app: web}}}}
spec: {{nodeName: n1, containers: [{{name: c, image: nginx, ports: [{{name: http, containerPort: 8080}}]}}]}}
"
    )
}

#[test]
fn a_service_finds_its_pods_as_they_come_and_go() {
    let (_serving, console) = Serving::start();
    console.file("service.yaml", SERVICE);
    console.ok("apply -f service.yaml");
    until(&console, "get sa default -o name", "serviceaccount/default");
    let slices = "get endpointslices -l kubernetes.io/service-name=web";
    let addresses = format!("{slices} -o jsonpath={{.items[*].endpoints[*].addresses[*]}}");
    until(&console, &addresses, "");
    for (name, ip) in [("a", "10.1.0.1"), ("b", "10.1.0.2")] {
        console.file("pod.yaml", &web_pod(name));
        console.ok("apply -f pod.yaml");
        let status = READY.replace("\"IP\"", &format!("\"{ip}\""));
        console.ok(&format!("patch pod {name} --subresource=status --type=merge -p {status}"));
    }
    let sorted = || {
        let mut all: Vec<_> = console.ok(&addresses).split(' ').map(str::to_owned).collect();
        all.sort();
        all
    };
    let began = Instant::now();
    while sorted() != ["10.1.0.1", "10.1.0.2"] {
        assert!(began.elapsed() < PATIENCE, "{:?}", sorted());
        std::thread::sleep(Duration::from_millis(100));
    }
    let ports = format!("{slices} -o jsonpath={{.items[*].ports[*].port}}");
    until(&console, &ports, "8080");
    let endpoints = "get endpoints web -o jsonpath={.subsets[*].addresses[*].ip}";
    until(&console, endpoints, "10.1.0.1 10.1.0.2");
    console.ok("delete pod a --force --grace-period=0");
    until(&console, &addresses, "10.1.0.2");
    console.ok("delete service web");
    until(&console, &format!("{slices} -o name"), "");
    until(&console, "get endpoints web --ignore-not-found -o name", "");
}
