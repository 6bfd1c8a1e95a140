//! An etcd that does not answer, whole or for want of a leader: what is refused meanwhile, and that all goes on afterwards.

use crate::server::Server;
use crate::{MAPS, create, eventually, map, start, watched};
use etcd_peer::{Cluster, required_programs};
use ratchet_etcd::{EtcdConfig, EtcdStore};
use ratchet_store::{Query, Store};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The ten seconds in which a request fails, and two for a machine with much to do.
const IN_TIME: Duration = Duration::from_secs(12);

/// Asserts that a request is refused because of etcd, and in time.
fn fails_in_time(server: &Server, method: &str, path: &str, body: &str) {
    let began = Instant::now();
    let (code, text) = server.request(method, path, body);
    let took = began.elapsed();
    assert_eq!(code, 500, "{method} {path}: {text}");
    assert!(took < IN_TIME, "{method} {path} took {took:?}");
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn an_etcd_that_goes_away_comes_back() {
    for program in required_programs() {
        let mut cluster = Cluster::start(&program, 1, &[]);
        let home = tempfile::tempdir().unwrap();
        let flags = ["--etcd-prefix=/one", "--etcd-compaction-interval=1s"];
        let server = start(home.path(), &cluster, &flags);
        let version = create(&server, MAPS, &map("before"))["metadata"]["resourceVersion"].clone();
        let path = format!("{MAPS}?watch=true&resourceVersion={}", version.as_str().unwrap());
        let mut watch = server.stream("GET", &path, "");
        assert!(watch.head().starts_with("HTTP/1.1 200"));
        assert_eq!(server.get("/readyz").0, 200);

        cluster.member(0).power_off();
        let before = format!("{MAPS}/before");
        fails_in_time(&server, "POST", MAPS, &map("lost"));
        fails_in_time(&server, "DELETE", &before, "");
        fails_in_time(&server, "GET", &before, "");
        fails_in_time(&server, "GET", MAPS, "");
        assert_eq!(server.get(&format!("{before}?resourceVersion=0")).0, 200);
        assert_eq!(server.get(&format!("{MAPS}?resourceVersion=0")).0, 200);
        // Such a server is neither ready nor alive, and says of which part.
        for endpoint in ["/readyz", "/livez"] {
            eventually("a server without etcd fails its checks", || {
                let (code, text) = server.get(endpoint);
                code == 500 && text.contains("[-]etcd")
            });
        }

        cluster.member(0).restart();
        eventually("the server is ready again", || server.get("/readyz").0 == 200);
        create(&server, MAPS, &map("after"));
        let seen = watched(&mut watch, 1);
        assert_eq!(seen[0].0, "after", "the watch goes on");
        assert_eq!(server.get(&format!("{MAPS}/lost")).0, 404);
        assert_eq!(server.get(&before).0, 200);
        assert_eq!(server.get("/livez").0, 200);

        // Another server finds everything, and all of it below the prefix.
        let second = tempfile::tempdir().unwrap();
        let other = start(second.path(), &cluster, &flags);
        assert_eq!(other.get(&format!("{MAPS}/after")).0, 200);
        let config = EtcdConfig {
            root: String::new(),
            prefix: "/one".to_owned(),
            ..EtcdConfig::new(cluster.urls())
        };
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let store = EtcdStore::connect(config).await.unwrap();
            let maps = store.list(Query::under("/configmaps/default/")).await.unwrap().records;
            let keys: Vec<&str> = maps.iter().map(|record| &*record.key).collect();
            assert!(keys.contains(&"/configmaps/default/after"), "{keys:?}");
        });
    }
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn a_member_alone_takes_no_write_and_goes_on_with_the_others() {
    for program in required_programs() {
        let mut cluster = Cluster::start(&program, 3, &[]);
        let home = tempfile::tempdir().unwrap();
        let server = start(home.path(), &cluster, &[]);
        create(&server, MAPS, &map("before"));

        // The leader stays: it may have written to its own log what nobody agrees to.
        let leader = cluster.leader().expect("a leader");
        let others: Vec<usize> = (0..3).filter(|index| *index != leader).collect();
        others.iter().for_each(|index| cluster.member(*index).power_off());
        let data = json!({"a": "whole", "b": "object"});
        let body = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "lost"}, "data": data,
        });
        fails_in_time(&server, "POST", MAPS, &body.to_string());
        fails_in_time(&server, "GET", &format!("{MAPS}/before"), "");
        assert_eq!(server.get(&format!("{MAPS}/before?resourceVersion=0")).0, 200);

        others.iter().for_each(|index| cluster.member(*index).restart());
        eventually("the server writes again", || {
            matches!(server.request("POST", MAPS, &map("after")).0, 201 | 409)
        });
        // Nobody heard whether the write happened; all of it did or none.
        let (code, text) = server.get(&format!("{MAPS}/lost"));
        if code == 200 {
            let found: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(found["data"], data);
        } else {
            assert_eq!(code, 404, "{text}");
        }
        assert_eq!(server.get(&format!("{MAPS}/before")).0, 200);
        eventually("the server is ready again", || server.get("/readyz").0 == 200);
        create(&server, MAPS, &map("more"));
    }
}
