//! Tests of metrics of long-running requests and connections, after they have ended, with any names.

use crate::client::{receive, send_channel};
use crate::world::{Mode, NAMESPACE, World, command, of_pod};
use serde_json::json;
use std::time::Duration;

impl World {
    /// Waits until a metric has a value.
    async fn counts(&self, line: &str, wanted: u64) {
        for _ in 0..1000 {
            if self.metric(line).await == Some(wanted) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{line} is {:?}, not {wanted}", self.metric(line).await);
    }

    async fn connections(&self) -> (u64, u64) {
        let line = |result: &str| {
            format!("kube_apiserver_kubelet_connections_total{{result=\"{result}\"}}")
        };
        let success = self.metric(&line("success")).await;
        (success.unwrap(), self.metric(&line("failure")).await.unwrap())
    }
}

fn labels(part: &str) -> String {
    format!(
        "component=\"apiserver\",dry_run=\"\",group=\"\",resource=\"pods\",scope=\"resource\",subresource=\"{part}\",verb=\"CONNECT\",version=\"v1\"}}"
    )
}

fn requests(code: &str, part: &str) -> String {
    format!("apiserver_request_total{{code=\"{code}\",{}", labels(part))
}

fn durations(part: &str) -> String {
    format!("apiserver_request_duration_seconds_count{{{}", labels(part))
}

#[tokio::test]
async fn connections_are_counted_also_where_nobody_looks_at_names() {
    for (mode, names) in [
        (Mode::Anyone, None),
        (Mode::Off, None),
        (Mode::Observe, Some((1, 0))),
        (Mode::Enforce, Some((1, 0))),
    ] {
        let world = World::new(mode).await;
        let kubelet = world.usual("a").await;
        assert_eq!(world.connections().await, (0, 0));
        for _ in 0..3 {
            assert_eq!(world.admin.get(&of_pod("pod", "log")).await.code, 200);
        }
        // Three requests, one connection: the number that a rollout must not raise.
        assert_eq!((world.connections().await, world.names().await), ((1, 0), names), "{mode:?}");
        drop(kubelet);
        let gone = json!({
            "metadata": {"name": "gone"},
            "status": {
                "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
                "daemonEndpoints": {"kubeletEndpoint": {"Port": 1}},
            },
        });
        world.make("/api/v1/nodes", gone).await;
        world.pod("lost", "gone").await;
        assert_eq!(world.admin.get(&of_pod("lost", "log")).await.code, 500);
        assert_eq!(world.connections().await, (1, 1), "{mode:?}");
    }
}

#[tokio::test]
async fn requests_that_last_are_counted_with_their_time_when_they_have_ended() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.usual("a").await;
    assert_eq!(world.admin.get(&of_pod("pod", "log")).await.code, 200);
    world.counts(&requests("200", "log"), 1).await;
    world.counts(&durations("log"), 1).await;
    let container = kubelet_peer::Container::saying("");
    kubelet.add_container(NAMESPACE, "pod", "main", container).unwrap();
    let path = of_pod("pod", &format!("exec?{}stdin=true&stdout=true", command(&["cat"])));
    for (number, protocol) in ["v5.channel.k8s.io", "v4.channel.k8s.io"].into_iter().enumerate() {
        let mut socket = world.admin.websocket(&path, protocol).await.unwrap();
        send_channel(&mut socket, 0, b"hi").await;
        assert_eq!(receive(&mut socket).await, (1, "hi".into()));
        let ended = u64::try_from(number).unwrap();
        // While it runs, it is counted only as running.
        assert_eq!(world.metric(&requests("0", "exec")).await.unwrap_or(0), ended, "{protocol}");
        drop(socket);
        world.counts(&requests("0", "exec"), ended + 1).await;
        world.counts(&durations("exec"), ended + 1).await;
    }
    // A refused request is counted at once, with its code.
    assert_eq!(world.admin.get(&of_pod("none", "log")).await.code, 404);
    assert_eq!(world.metric(&requests("404", "log")).await, Some(1));
    assert_eq!(world.metric(&durations("log")).await, Some(2));
}
