//! An object that etcd does not take for its size is refused, and nothing else suffers.

use crate::{MAPS, create, map, start};
use etcd_peer::{Cluster, required_programs};
use serde_json::{Value, json};

/// Objects whose data may have any size: of ConfigMaps, a mebibyte is the limit.
const REVISIONS: &str = "/apis/apps/v1/namespaces/default/controllerrevisions";

fn revision(name: &str, size: usize) -> String {
    let metadata = json!({"name": name});
    let data = json!({"text": "x".repeat(size)});
    json!({"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": metadata,
        "revision": 1, "data": data})
    .to_string()
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn an_object_above_the_limit_of_etcd_is_refused() {
    for program in required_programs() {
        let cluster = Cluster::start(&program, 1, &[]);
        let home = tempfile::tempdir().unwrap();
        let server = start(home.path(), &cluster, &[]);
        create(&server, REVISIONS, &revision("fits", 1_400_000));

        // Above 1.5 MiB etcd refuses the request; above 2 MiB it does not even read the message.
        for size in [1_700_000, 2_500_000] {
            let (code, text) = server.request("POST", REVISIONS, &revision("large", size));
            assert_eq!(code, 500, "{size}: {text}");
            let status: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(status["message"], "etcdserver: request is too large", "{size}");
            // Nothing of it is there, and the server goes on.
            assert_eq!(server.get(&format!("{REVISIONS}/large")).0, 404, "{size}");
            create(&server, MAPS, &map(&format!("after-{size}")));
            assert_eq!(server.get("/readyz").0, 200, "{size}");
        }
        assert_eq!(server.get(&format!("{REVISIONS}/fits")).0, 200);
    }
}
