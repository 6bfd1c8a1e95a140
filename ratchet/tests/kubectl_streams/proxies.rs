//! Tests of `kubectl get --raw` and `kubectl proxy` through a node's proxy, which refuses only addresses of this
//! machine.

use super::cluster::{Cluster, Pod};
use super::own_address::own_address;
use kubelet_peer::Container;
use std::io::{Read, Write};
use std::net::TcpStream;

fn get(port: u16, path: &str) -> String {
    let mut socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(socket, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn pages_of_kubelets_are_read_through_their_nodes() {
    let cluster = Cluster::at(own_address());
    cluster.add(vec![Pod::of("guest", "alpha", Container::saying("x\n"))]);
    let (kubectl, port) = (&cluster.kubectl, cluster.port("alpha"));
    assert_eq!(kubectl.ok("get --raw /api/v1/nodes/alpha/proxy/healthz"), "ok");
    assert_eq!(kubectl.ok(&format!("get --raw /api/v1/nodes/alpha:{port}/proxy/healthz")), "ok");
    let pods = kubectl.ok("get --raw /api/v1/nodes/alpha/proxy/pods");
    assert!(pods.contains("\"guest\""), "{pods}");
    let log = "get --raw /api/v1/nodes/alpha/proxy/containerLogs/default/guest/main";
    assert_eq!(kubectl.ok(log), "x\n");

    let proxy = kubectl.start("proxy --port=0");
    let local = proxy.until(|text| {
        text.trim()
            .strip_prefix("Starting to serve on 127.0.0.1:")
            .and_then(|port| port.parse().ok())
    });
    let answer = get(local, "/api/v1/nodes/alpha/proxy/metrics");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("kubelet_running_pods 1"), "{answer}");

    cluster.kubelet("alpha").set_certificate(&cluster.certificate("beta")).unwrap();
    cluster.kubelet("alpha").close_connections();
    let refusal = "x509: kubelet serving certificate common name \"system:node:beta\" does not match expected \"system:node:alpha\"";
    kubectl.refused("get --raw /api/v1/nodes/alpha/proxy/healthz", refusal);
    let answer = get(local, "/api/v1/nodes/alpha/proxy/healthz");
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
}

#[test]
fn nobody_is_led_to_the_servers_own_machine() {
    let cluster = Cluster::start();
    cluster.kubectl.refused("get --raw /api/v1/nodes/alpha/proxy/healthz", "address not allowed");
}
