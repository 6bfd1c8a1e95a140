//! Tests of endpoints: Services follow their pods, and handwritten Endpoints get mirrored slices.

use super::serving::Serving;
use std::time::Duration;

const WEB: &str = "\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {topology.kubernetes.io/zone: z1}}
---
apiVersion: v1
kind: Service
metadata: {name: web, labels: {team: a}}
spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: web}]}
";

const POD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: one, labels: {app: web}}
spec: {nodeName: n1, serviceAccountName: robot, containers: [{name: c, image: nginx, ports: [{name: web, containerPort: 8080}]}]}
";

const HAND_MADE: &str = "\
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {ports: [{port: 5432}]}
---
apiVersion: v1
kind: Endpoints
metadata: {name: db}
subsets: [{addresses: [{ip: '2001:DB8::5'}], ports: [{port: 5432}]}]
";

#[test]
fn a_service_shows_its_pods_as_they_come_and_go() {
    let (_serving, console) = Serving::start();
    console.file("web.yaml", WEB);
    console.file("pod.yaml", POD);
    console.all_ok(&[
        ("create sa robot", ""),
        ("apply -f web.yaml", "service/web created"),
        ("wait --for=create endpoints/web --timeout=20s", "condition met"),
        ("apply -f pod.yaml", "pod/one created"),
        (
            "patch pod one --subresource=status --type=merge -p '{\"status\":{\"phase\":\"Running\",\"podIPs\":[{\"ip\":\"10.1.2.3\"}],\"podIP\":\"10.1.2.3\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}'",
            "patched",
        ),
        (
            "wait endpointslice -l kubernetes.io/service-name=web --for=jsonpath={.endpoints[0].addresses[0]}=10.1.2.3 --timeout=20s",
            "condition met",
        ),
        (
            "wait endpoints/web --for=jsonpath={.subsets[0].addresses[0].ip}=10.1.2.3 --timeout=20s",
            "condition met",
        ),
        ("get endpointslice -l team=a", "8080"),
        ("get endpointslice -l team=a -o jsonpath={.items[0].endpoints[0].zone}", "z1"),
        ("get endpointslice -l team=a -o jsonpath={.items[0].endpoints[0].targetRef.name}", "one"),
        ("describe service web", "10.1.2.3:8080"),
        ("label pod one app=other --overwrite", "labeled"),
    ]);
    let gone = |line: &str| {
        (0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            console.run(line).stdout.is_empty()
        })
    };
    assert!(gone("get endpoints web -o jsonpath={.subsets[*].addresses}"));
    assert!(gone("get endpointslice -l team=a -o jsonpath={.items[*].endpoints[*].addresses}"));
}

#[test]
fn hand_made_endpoints_get_a_slice_with_canonical_addresses() {
    let (_serving, console) = Serving::start();
    console.file("db.yaml", HAND_MADE);
    console.all_ok(&[
        ("apply -f db.yaml", "endpoints/db created"),
        (
            "wait endpointslice -l kubernetes.io/service-name=db --for=create --timeout=20s",
            "condition met",
        ),
        (
            "get endpointslice -l kubernetes.io/service-name=db -o jsonpath={.items[*].endpoints[*].addresses[*]}",
            "2001:db8::5",
        ),
        ("delete service db", "deleted"),
        (
            "wait endpointslice -l kubernetes.io/service-name=db --for=delete --timeout=20s",
            "",
        ),
    ]);
}
