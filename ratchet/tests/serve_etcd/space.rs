//! An etcd without room: writes are refused with what is to be done, reads go on, and so do writes once it is done.

use crate::server::Server;
use crate::{MAPS, create, eventually, map, start};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use etcd_peer::{Cluster, required_programs};
use ratchet_etcd::{EtcdConfig, EtcdStore};
use ratchet_store::Store;
use serde_json::{Value, json};

/// A quota that the objects of an empty cluster fit into.
const QUOTA: &str = "--quota-backend-bytes=8388608";

fn large(number: usize) -> String {
    let metadata = json!({"name": format!("large{number}")});
    let data = json!({"text": "x".repeat(500_000)});
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}).to_string()
}

fn readiness(server: &Server) -> String {
    let (code, text) = server.get("/readyz?verbose");
    assert_eq!(code, 200, "{text}");
    text
}

/// Does what `etcdctl alarm disarm` does.
fn disarm(cluster: &Cluster) {
    let alarms = cluster.post(0, "/v3/maintenance/alarm", r#"{"action": "GET"}"#).unwrap();
    let member = alarms.split_once("\"memberID\":\"").and_then(|(_, rest)| rest.split('"').next());
    if let Some(member) = member {
        let alarm = json!({"action": "DEACTIVATE", "memberID": member, "alarm": "NOSPACE"});
        cluster.post(0, "/v3/maintenance/alarm", &alarm.to_string()).unwrap();
    }
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn a_full_etcd_is_read_on_and_written_again_when_it_has_room() {
    for program in required_programs() {
        let cluster = Cluster::start(&program, 1, &[QUOTA]);
        let home = tempfile::tempdir().unwrap();
        let server = start(home.path(), &cluster, &["--etcd-compaction-interval=0"]);
        create(&server, MAPS, &map("small"));
        assert!(!readiness(&server).contains("no room"));

        let (number, refused) = (0..100)
            .map(|number| (number, server.request("POST", MAPS, &large(number))))
            .find(|(_, (code, _))| *code != 201)
            .expect("the quota is reached");
        assert_eq!(refused.0, 503, "{}", refused.1);
        let status: Value = serde_json::from_str(&refused.1).unwrap();
        assert_eq!(status["reason"], "ServiceUnavailable");
        let message = status["message"].as_str().unwrap();
        for part in ["alarm NOSPACE", "defragment", "--quota-backend-bytes", "etcdctl alarm disarm"]
        {
            assert!(message.contains(part), "{message}");
        }
        let (code, text) = server.request("POST", MAPS, &map("tiny"));
        assert_eq!(code, 503, "{text}");
        assert_eq!(server.get(&format!("{MAPS}/small")).0, 200, "reads go on");
        assert_eq!(server.get(&format!("{MAPS}/tiny")).0, 404, "nothing was written");
        assert_eq!(server.get(MAPS).0, 200);
        assert!(readiness(&server).contains("warn: the store has no room"));
        let (_, metrics) = server.get("/metrics");
        assert!(metrics.contains("ratchet_storage_state{state=\"full\"} 1"));

        // An operator frees room. That the server sees it, and that something is written, says nothing of the alarm.
        let key =
            |name: &str| BASE64_STANDARD.encode(format!("/registry/configmaps/default/{name}"));
        let range = json!({"key": key("large"), "range_end": key("largf")});
        cluster.post(0, "/v3/kv/deleterange", &range.to_string()).unwrap();
        eventually("the server sees it", || server.get(&format!("{MAPS}/large0")).0 == 404);
        assert!(readiness(&server).contains("warn: the store has no room"));

        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let store = EtcdStore::connect(EtcdConfig::new(cluster.urls())).await.unwrap();
            store.compact(store.latest().await.unwrap()).await.unwrap();
        });
        // The old values are removed a little later.
        eventually("the server writes again", || {
            cluster.post(0, "/v3/maintenance/defragment", "{}").unwrap();
            disarm(&cluster);
            matches!(server.request("POST", MAPS, &map("after")).0, 201 | 409)
        });
        eventually("readiness says so", || !readiness(&server).contains("no room"));
        create(&server, MAPS, &large(number));
    }
}
