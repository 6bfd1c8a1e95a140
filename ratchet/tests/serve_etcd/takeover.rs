//! A server that holds the Lease of the controllers is killed: another one runs them.

use crate::server::Server;
use crate::{create, eventually, leads, start};
use etcd_peer::{Cluster, required_programs};
use serde_json::{Value, json};
use std::cell::Cell;

const NAMESPACES: &str = "/api/v1/namespaces";
const LEASE: &str =
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/ratchet-controllers";
/// Times with which a Lease is soon anybody's.
pub(crate) const QUICK: [&str; 3] = [
    "--leader-elect-lease-duration=3s",
    "--leader-elect-renew-deadline=2s",
    "--leader-elect-retry-period=500ms",
];

/// Makes a namespace and waits for what a controller makes in it.
pub(crate) fn works(server: &Server, name: &str) {
    create(server, NAMESPACES, &json!({"metadata": {"name": name}}).to_string());
    let account = format!("{NAMESPACES}/{name}/serviceaccounts/default");
    eventually("a namespace has its ServiceAccount", || server.get(&account).0 == 200);
}

pub(crate) fn holder(server: &Server) -> String {
    let (code, text) = server.get(LEASE);
    assert_eq!(code, 200, "{text}");
    let lease: Value = serde_json::from_str(&text).unwrap();
    lease["spec"]["holderIdentity"].as_str().unwrap().to_owned()
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn the_controllers_of_a_killed_server_run_in_another() {
    for program in required_programs() {
        let cluster = Cluster::start(&program, 1, &[]);
        let homes = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let mut servers: Vec<Server> =
            homes.iter().map(|home| start(home.path(), &cluster, &QUICK)).collect();
        let leading = Cell::new(None);
        eventually("one server runs the controllers", || {
            leading.set(servers.iter().position(leads));
            leading.get().is_some()
        });
        let mut killed = servers.remove(leading.get().unwrap());
        let left = servers.remove(0);
        works(&left, "before");
        let before = holder(&left);
        assert!(!before.is_empty());
        assert!(!leads(&left), "the controllers run once");

        // It has no time to give the Lease up.
        killed.signal("KILL");
        assert_eq!(killed.wait().0, None);
        works(&left, "after");
        assert!(leads(&left));
        assert_ne!(holder(&left), before);
    }
}
