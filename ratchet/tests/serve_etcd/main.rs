//! `ratchet serve` on real etcd: several servers are one API, what is written at one is in force at all, an etcd that goes
//! away comes back, resources have etcds of their own, and a full etcd is read on.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    dead_code,
    reason = "a helper of a test may fail like a test, and not every test uses all of them"
)]

mod away;
mod contended;
mod cut_off;
mod events;
mod in_force;
mod large;
mod overrides;
mod paused;
#[path = "../server/mod.rs"]
mod server;
mod space;
mod takeover;
mod tls;

use etcd_peer::{Cluster, required_programs};
use serde_json::{Value, json};
use server::Server;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const SERVICES: &str = "/api/v1/namespaces/default/services";
/// The ten seconds in which a write is refused without etcd, and four for a machine with much to do.
const IN_TIME: Duration = Duration::from_secs(14);
/// The five seconds in which a read is, and three more.
const READ_IN_TIME: Duration = Duration::from_secs(8);
/// The objects that each server creates at the same time as the others.
const ROUNDS: usize = 6;

fn start(home: &Path, cluster: &Cluster, more: &[&str]) -> Server {
    let servers = format!("--etcd-servers={}", cluster.urls().join(","));
    let mut arguments = vec![servers.as_str()];
    arguments.extend(more);
    Server::start_at_home(home, &arguments)
}

/// The URLs of a cluster behind one that nobody listens on.
fn with_a_dead_one(cluster: &Cluster) -> String {
    let dead = format!("http://127.0.0.1:{}", server::free_port());
    [vec![dead], cluster.urls()].concat().join(",")
}

fn map(name: &str) -> String {
    let metadata = json!({"name": name});
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}).to_string()
}

fn create(server: &Server, path: &str, body: &str) -> Value {
    let (code, text) = server.request("POST", path, body);
    assert_eq!(code, 201, "{text}");
    serde_json::from_str(&text).unwrap()
}

fn secret(name: &str, namespace: &str) -> String {
    let metadata = json!({"name": name, "namespace": namespace});
    json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata}).to_string()
}

fn read(server: &Server, path: &str) -> Value {
    let (code, text) = server.get(path);
    assert_eq!(code, 200, "{path}: {text}");
    serde_json::from_str(&text).unwrap()
}

fn version(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
}

/// Asserts that a request is refused because of etcd, in the words for it, and in time.
fn fails_in_time(server: &Server, method: &str, path: &str, body: &str, limit: Duration) {
    let began = Instant::now();
    let (code, text) = server.request(method, path, body);
    let took = began.elapsed();
    assert_eq!(code, 500, "{method} {path}: {text}");
    let status: Value = serde_json::from_str(&text).unwrap();
    let found = (&status["reason"], &status["message"]);
    let words = (json!("InternalError"), json!("Internal error occurred: the store failed"));
    assert_eq!(found, (&words.0, &words.1), "{method} {path}");
    assert!(took < limit, "{method} {path} took {took:?}");
}

fn eventually(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..600 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("{what} does not come to hold");
}

/// Whether a server runs the controllers.
fn leads(server: &Server) -> bool {
    let (_, metrics) = server.get("/metrics");
    let line = metrics.lines().find(|line| line.starts_with("leader_election_master_status"));
    line.is_some_and(|line| line.ends_with(" 1"))
}

/// The next event of a watch, without the sizes of its chunks.
fn event(watch: &mut server::OpenStream) -> Value {
    loop {
        let text = watch.until("\n");
        if let Some(start) = text.find('{') {
            return serde_json::from_str(&text[start..]).unwrap();
        }
    }
}

/// The names and versions of the next events of a watch, without those of the object that a controller makes.
fn watched(watch: &mut server::OpenStream, count: usize) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    while found.len() < count {
        let event = event(watch);
        let metadata = &event["object"]["metadata"];
        let version = metadata["resourceVersion"].as_str().unwrap().parse().unwrap();
        let name = metadata["name"].as_str().unwrap();
        if name != "kube-root-ca.crt" {
            found.push((name.to_owned(), version));
        }
    }
    found
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn servers_on_one_etcd_are_one_api() {
    for program in required_programs() {
        let mut cluster = Cluster::start(&program, 3, &[]);
        let homes = [(); 3].map(|()| tempfile::tempdir().unwrap());
        // The last one has a member in its list that is not there.
        let there = format!("--etcd-servers={}", cluster.urls().join(","));
        let flags = [there.clone(), there, format!("--etcd-servers={}", with_a_dead_one(&cluster))];
        let servers =
            [0, 1, 2].map(|index| Server::start_at_home(homes[index].path(), &[&flags[index]]));

        // What one server has acknowledged, the others read at once, and their lists do not go back.
        let mut last = 0;
        for round in 0..3 {
            let name = format!("m{round}");
            let made = create(&servers[round % 3], MAPS, &map(&name));
            for server in &servers {
                let (code, text) = server.get(&format!("{MAPS}/{name}"));
                assert_eq!(code, 200, "{text}");
                let read: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(read, made);
                let (_, list) = server.get(&format!("{MAPS}?limit=1"));
                let list: Value = serde_json::from_str(&list).unwrap();
                let version = list["metadata"]["resourceVersion"].as_str().unwrap();
                let version: u64 = version.parse().unwrap();
                assert!(version >= last, "{version} after {last}");
                last = version;
            }
        }

        // Each watch sees the writes of all servers once, in one order.
        let path = format!("{MAPS}?watch=true&resourceVersion={last}");
        let mut watches = servers.each_ref().map(|server| server.stream("GET", &path, ""));
        watches.iter_mut().for_each(|watch| assert!(watch.head().starts_with("HTTP/1.1 200")));
        // Addresses and ports are given once, though all servers give them at the same time.
        let services: Vec<Value> = std::thread::scope(|scope| {
            let tasks: Vec<_> = servers
                .iter()
                .enumerate()
                .map(|(index, server)| {
                    scope.spawn(move || {
                        let service = |number: usize| {
                            create(server, MAPS, &map(&format!("w{index}-{number}")));
                            let body = json!({
                                "apiVersion": "v1", "kind": "Service",
                                "metadata": {"name": format!("s{index}-{number}")},
                                "spec": {"type": "NodePort", "ports": [{"port": 80}]},
                            });
                            create(server, SERVICES, &body.to_string())
                        };
                        (0..ROUNDS).map(service).collect::<Vec<_>>()
                    })
                })
                .collect();
            tasks.into_iter().flat_map(|task| task.join().unwrap()).collect()
        });
        let of = |pointer: &str| {
            services.iter().map(|service| service.pointer(pointer).unwrap().to_string()).collect()
        };
        let (addresses, ports): (BTreeSet<String>, BTreeSet<String>) =
            (of("/spec/clusterIP"), of("/spec/ports/0/nodePort"));
        assert_eq!((addresses.len(), ports.len()), (3 * ROUNDS, 3 * ROUNDS));
        let seen = watches.each_mut().map(|watch| watched(watch, 3 * ROUNDS));
        assert!(seen[0].is_sorted_by_key(|(_, version)| *version));
        assert!(seen[0] == seen[1] && seen[1] == seen[2], "{seen:?}");

        contended::addresses_and_ports_are_given_once(&servers);

        // The controllers run once.
        eventually("one server runs the controllers", || {
            servers.iter().filter(|server| leads(server)).count() == 1
        });

        // The leader of etcd goes; the servers stay.
        let leader = cluster.leader().expect("a leader");
        cluster.member(leader).power_off();
        for (index, server) in servers.iter().enumerate() {
            eventually("a server writes again", || {
                let code = server.request("POST", MAPS, &map(&format!("after-{index}"))).0;
                matches!(code, 201 | 409)
            });
        }
        for server in &servers {
            assert_eq!(server.get(&format!("{MAPS}/after-0")).0, 200);
            assert_eq!(server.get("/readyz").0, 200);
        }
    }
}
