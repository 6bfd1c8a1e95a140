//! An etcd that does not answer, whole or for want of a leader: what is refused meanwhile, and that all goes on afterwards.

use crate::server::Server;
use crate::takeover::works;
use crate::{IN_TIME, MAPS, READ_IN_TIME, create, eventually, fails_in_time, map, read, start};
use crate::{version, watched};
use etcd_peer::{Cluster, required_programs};
use ratchet_etcd::{EtcdConfig, EtcdStore};
use ratchet_store::{Query, Store};
use serde_json::{Value, json};

/// Asserts that a server is neither ready nor alive, and says of which part.
fn is_neither_ready_nor_alive(server: &Server) {
    for endpoint in ["/readyz", "/livez"] {
        eventually("a server without etcd fails its checks", || {
            let (code, text) = server.get(endpoint);
            code == 500 && text.contains("[-]etcd")
        });
    }
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn an_etcd_that_goes_away_comes_back() {
    for program in required_programs() {
        let mut cluster = Cluster::start(&program, 1, &[]);
        let home = tempfile::tempdir().unwrap();
        let flags = ["--etcd-prefix=/one", "--etcd-compaction-interval=1s"];
        let server = start(home.path(), &cluster, &flags);
        let version = version(&create(&server, MAPS, &map("before")));
        let path = format!("{MAPS}?watch=true&resourceVersion={version}");
        let mut watch = server.stream("GET", &path, "");
        assert!(watch.head().starts_with("HTTP/1.1 200"));
        assert_eq!(server.get("/readyz").0, 200);

        cluster.member(0).power_off();
        let before = format!("{MAPS}/before");
        fails_in_time(&server, "POST", MAPS, &map("lost"), IN_TIME);
        fails_in_time(&server, "DELETE", &before, "", IN_TIME);
        fails_in_time(&server, "GET", &before, "", READ_IN_TIME);
        fails_in_time(&server, "GET", MAPS, "", READ_IN_TIME);
        fails_in_time(&server, "GET", &format!("{MAPS}?watch=true"), "", READ_IN_TIME);
        is_neither_ready_nor_alive(&server);
        // What the cache has is read on, as of now or of a revision that it has reached.
        for query in ["resourceVersion=0".to_owned(), format!("resourceVersion={version}")] {
            assert_eq!(server.get(&format!("{before}?{query}")).0, 200, "{query}");
            let list = read(&server, &format!("{MAPS}?{query}"));
            let names = list["items"].as_array().unwrap().iter();
            assert!(names.into_iter().any(|item| item["metadata"]["name"] == "before"), "{list}");
        }
        // A watch from a revision begins, and tells what comes when etcd is back.
        let mut second_watch = server.stream("GET", &path, "");
        assert!(second_watch.head().starts_with("HTTP/1.1 200"));

        cluster.member(0).restart();
        eventually("the server is ready again", || server.get("/readyz").0 == 200);
        create(&server, MAPS, &map("after"));
        for watch in [&mut watch, &mut second_watch] {
            assert_eq!(watched(watch, 1)[0].0, "after", "the watch goes on");
        }
        works(&server, "again");
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
        fails_in_time(&server, "POST", MAPS, &body.to_string(), IN_TIME);
        fails_in_time(&server, "GET", &format!("{MAPS}/before"), "", READ_IN_TIME);
        is_neither_ready_nor_alive(&server);
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
        works(&server, "again");
    }
}
