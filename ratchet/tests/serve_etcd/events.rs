//! Events go after `--event-ttl` by leases of etcd, and nothing else goes with them.

use crate::{MAPS, create, eventually, map, start};
use etcd_peer::{Cluster, required_programs};
use serde_json::json;

const EVENTS: &str = "/api/v1/namespaces/default/events";

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn an_event_goes_after_its_time_and_other_objects_stay() {
    for program in required_programs() {
        let cluster = Cluster::start(&program, 1, &[]);
        let homes = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let [one, other] =
            homes.each_ref().map(|home| start(home.path(), &cluster, &["--event-ttl=5s"]));
        create(&one, MAPS, &map("stays"));
        let about = json!({"kind": "ConfigMap", "namespace": "default", "name": "stays"});
        let event = json!({
            "apiVersion": "v1", "kind": "Event", "metadata": {"name": "passes"},
            "involvedObject": about, "reason": "Seen", "type": "Normal", "message": "seen",
        });
        create(&one, EVENTS, &event.to_string());
        let event = format!("{EVENTS}/passes");
        assert_eq!(other.get(&event).0, 200, "it is there for its time");

        // The caches of both servers learn it from etcd.
        for server in [&one, &other] {
            eventually("the event goes", || server.get(&event).0 == 404);
            assert_eq!(server.get(&format!("{event}?resourceVersion=0")).0, 404);
            assert_eq!(server.get(&format!("{MAPS}/stays")).0, 200);
        }
        create(&one, MAPS, &map("more"));
    }
}
