//! `--etcd-servers-overrides`: resources in etcds of their own, each with its own revisions, are one API all the same.

use crate::server::{Server, refused};
use crate::{MAPS, SECRETS, create, eventually, map, read, secret, start, version, watched};
use etcd_peer::{Cluster, required_programs};
use ratchet_etcd::{EtcdConfig, EtcdStore};
use ratchet_store::{Query, Store};
use serde_json::{Value, json};
use std::path::Path;

const NAMESPACES: &str = "/api/v1/namespaces";

/// ConfigMaps, and Leases, by which the servers elect one, are in the second etcd.
fn start_split(home: &Path, clusters: &[Cluster; 2], more: &[&str]) -> Server {
    let urls = clusters[1].urls().join(";");
    let overrides = format!(
        "--etcd-servers-overrides=/configmaps#{urls},coordination.k8s.io/leases#{urls},example.com/widgets#{urls}"
    );
    let mut flags = vec![overrides.as_str()];
    flags.extend(more);
    start(home, &clusters[0], &flags)
}

/// The keys of an etcd below a part of its prefix.
fn keys(cluster: &Cluster, part: &str) -> Vec<String> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = EtcdStore::connect(EtcdConfig::new(cluster.urls())).await.unwrap();
        let found = store.list(Query::under(&format!("/registry/{part}"))).await.unwrap();
        found.records.iter().map(|record| record.key.to_string()).collect()
    })
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn resources_have_etcds_and_revisions_of_their_own() {
    for program in required_programs() {
        let clusters = [(); 2].map(|()| Cluster::start(&program, 1, &[]));
        let homes = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let servers = [0, 1].map(|index| start_split(homes[index].path(), &clusters, &[]));

        create(&servers[0], MAPS, &map("a"));
        let made = create(&servers[1], SECRETS, &secret("s", "default"));
        let key = "/registry/configmaps/default/a".to_owned();
        assert!(keys(&clusters[1], "configmaps/").contains(&key));
        assert!(keys(&clusters[0], "configmaps/").is_empty());
        assert!(keys(&clusters[0], "leases.coordination.k8s.io/").is_empty());
        assert!(!keys(&clusters[0], "secrets/").is_empty());
        assert!(keys(&clusters[1], "secrets/").is_empty());

        // Revisions of one are nothing to the other: the first etcd is far ahead.
        for number in 0..100 {
            create(&servers[number % 2], SECRETS, &secret(&format!("s{number}"), "default"));
        }
        let (maps, secrets) = (read(&servers[1], MAPS), read(&servers[1], SECRETS));
        assert!(version(&secrets) >= version(&made) + 100);
        assert!(version(&maps) < version(&secrets), "{} {}", version(&maps), version(&secrets));
        let at = format!("?resourceVersion={}", version(&secrets));
        assert_eq!(servers[0].get(&format!("{SECRETS}{at}")).0, 200);
        let (code, text) = servers[0].get(&format!("{MAPS}{at}"));
        assert!(code == 504 && text.contains("Too large resource version"), "{code} {text}");

        // Each server sees the writes of the other in one order, and pages are of one revision.
        let path = format!("{MAPS}?watch=true&resourceVersion={}", version(&maps));
        let mut watches = servers.each_ref().map(|server| server.stream("GET", &path, ""));
        watches.iter_mut().for_each(|watch| assert!(watch.head().starts_with("HTTP/1.1 200")));
        let first = read(&servers[0], &format!("{MAPS}?limit=1"));
        for number in 0..10 {
            create(&servers[number % 2], MAPS, &map(&format!("w{number}")));
        }
        let seen = watches.each_mut().map(|watch| watched(watch, 10));
        assert!(seen[0].is_sorted_by_key(|(_, version)| *version));
        assert_eq!(seen[0], seen[1]);
        let token = first["metadata"]["continue"].as_str().unwrap();
        let rest = read(&servers[1], &format!("{MAPS}?continue={token}"));
        assert_eq!(version(&rest), version(&first), "a page of the state of before");
        let names = |list: &Value| list["items"].as_array().unwrap().len();
        assert_eq!(names(&rest) + 1, names(&maps));
    }
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn what_spans_etcds_is_done_in_all_of_them() {
    for program in required_programs() {
        let clusters = [(); 2].map(|()| Cluster::start(&program, 1, &[]));
        let home = tempfile::tempdir().unwrap();
        let server = start_split(home.path(), &clusters, &[]);

        // A dependent in the second etcd of an owner in the first.
        let owner = create(&server, SECRETS, &secret("owner", "default"));
        let reference = json!([{"apiVersion": "v1", "kind": "Secret", "name": "owner",
            "uid": owner["metadata"]["uid"]}]);
        let metadata = json!({"name": "dependent", "ownerReferences": reference});
        let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
        create(&server, MAPS, &body.to_string());
        assert_eq!(server.request("DELETE", &format!("{SECRETS}/owner"), "").0, 200);
        eventually("the dependent is collected", || {
            server.get(&format!("{MAPS}/dependent")).0 == 404
        });

        // A namespace with objects in both.
        create(&server, NAMESPACES, r#"{"metadata": {"name": "both"}}"#);
        let maps = format!("{NAMESPACES}/both/configmaps");
        let secrets = format!("{NAMESPACES}/both/secrets");
        create(&server, &maps, &map("a"));
        create(&server, &secrets, &secret("a", "both"));

        eventually("a controller has made its own", || {
            server.get(&format!("{maps}/kube-root-ca.crt")).0 == 200
        });

        // A quota in the first etcd counts what is in the second, and nothing is counted that was refused.
        let hard = json!({"count/configmaps": "4"});
        let body = json!({"metadata": {"name": "q"}, "spec": {"hard": hard}}).to_string();
        let quotas = format!("{NAMESPACES}/both/resourcequotas");
        create(&server, &quotas, &body);
        let used = || {
            let quota = read(&server, &format!("{quotas}/q"));
            quota["status"]["used"]["count/configmaps"].as_str().unwrap_or_default().to_owned()
        };
        assert_eq!(server.request("POST", &maps, &map("a")).0, 409, "it is there already");
        create(&server, &maps, &map("b"));
        create(&server, &maps, &map("c"));
        let (code, text) = server.request("POST", &maps, &map("d"));
        assert!(code == 403 && text.contains("exceeded quota"), "{code} {text}");
        assert_eq!(used(), "4");

        assert_eq!(server.request("DELETE", &format!("{NAMESPACES}/both"), "").0, 200);
        eventually("the namespace goes", || server.get(&format!("{NAMESPACES}/both")).0 == 404);
        assert!(keys(&clusters[0], "secrets/both/").is_empty());
        assert!(keys(&clusters[1], "configmaps/both/").is_empty());
    }
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn one_etcd_may_be_away_or_forget_without_the_other() {
    for program in required_programs() {
        let mut clusters = [(); 2].map(|()| Cluster::start(&program, 1, &[]));
        let home = tempfile::tempdir().unwrap();
        let server = start_split(home.path(), &clusters, &["--etcd-compaction-interval=1s"]);
        let old = version(&create(&server, MAPS, &map("old")));
        let exact = format!("{MAPS}?resourceVersion={old}&resourceVersionMatch=Exact");
        assert_eq!(server.get(&exact).0, 200);
        // Only what came before another write can be forgotten.
        let count = std::cell::Cell::new(0);
        eventually("the second etcd is compacted by its own revisions", || {
            count.set(count.get() + 1);
            create(&server, MAPS, &map(&format!("next{}", count.get())));
            server.get(&exact).0 == 410
        });

        let maps = read(&server, MAPS);
        let path = format!("{MAPS}?watch=true&resourceVersion={}", version(&maps));
        let mut watch = server.stream("GET", &path, "");
        assert!(watch.head().starts_with("HTTP/1.1 200"));
        clusters[1].member(0).power_off();
        let (code, text) = server.request("POST", MAPS, &map("lost"));
        assert_eq!(code, 500, "{text}");
        assert_eq!(server.get(&format!("{MAPS}/old?resourceVersion=0")).0, 200);
        eventually("others are written", || {
            server.request("POST", SECRETS, &secret("meanwhile", "default")).0 == 201
        });
        assert_eq!(server.get("/readyz").0, 200, "the main etcd is there");
        clusters[1].member(0).restart();
        eventually("all is written again", || {
            matches!(server.request("POST", MAPS, &map("after")).0, 201 | 409)
        });
        assert_eq!(watched(&mut watch, 1)[0].0, "after", "the watch goes on");
    }
}

#[test]
fn malformed_overrides_are_refused() {
    let error = "--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated";
    for flag in ["/events/http://127.0.0.1:4002", "events#http://127.0.0.1:4002"] {
        let flag = format!("--etcd-servers-overrides={flag}");
        let text = refused(&["--etcd-servers=http://127.0.0.1:1", &flag]);
        assert!(text.contains(error), "{text}");
    }
    let overrides = "--etcd-servers-overrides=/events#http://127.0.0.1:1";
    let text = refused(&["--data-dir=:memory:", overrides]);
    assert!(text.contains("--etcd-servers-overrides needs --etcd-servers"), "{text}");
}
