//! Tests of the end of a connection: audit events, and no request left counted as running.

use crate::client::{channels, pair, piece, receive, send_channel, stream, with_timeout};
use crate::service;
use crate::world::{Mode, NAMESPACE, World, command, kubelet, of_pod};
use hyper::Method;
use kubelet_peer::{Container, Kubelet, Log};
use ratchet_server::Audit;
use serde_json::Value;
use std::time::Duration;

const POLICY: &str = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n";

/// A server that audits everything, and a pod `pod` with a growing log.
async fn furnished() -> (World, Kubelet, Log) {
    let world = World::with(Mode::Enforce, |folder, config| {
        let policy = folder.join("policy.yaml");
        std::fs::write(&policy, POLICY).unwrap();
        let log = folder.join("audit.log");
        config.audit = Some(Audit { policy, log, max_megabytes: 0, max_files: 0, max_days: 0 });
    })
    .await;
    let kubelet = kubelet(world.right("a"), |_| {}).await;
    world.node("a", kubelet.address()).await;
    world.pod("pod", "a").await;
    let container = Container::saying("one\n");
    let log = container.log.clone();
    kubelet.add_container(NAMESPACE, "pod", "main", container).unwrap();
    (world, kubelet, log)
}

impl World {
    /// Stages and codes of the audit events of a pod subresource.
    fn audit_events(&self, part: &str) -> Vec<(String, u64)> {
        let text = std::fs::read_to_string(self.server.folder.path().join("audit.log"));
        let text = text.unwrap_or_default();
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let events = whole.map(|line| serde_json::from_str::<Value>(line).unwrap());
        let of_part = events.filter(|event| event["objectRef"]["subresource"] == part);
        let short = |event: Value| {
            let stage = event["stage"].as_str().unwrap().to_owned();
            (stage, event["responseStatus"]["code"].as_u64().unwrap_or_default())
        };
        of_part.map(short).collect()
    }

    /// Number of running requests for a subresource.
    async fn running(&self, part: &str) -> u64 {
        let metrics = self.admin.get("/metrics").await.text();
        let lines =
            metrics.lines().filter(|line| line.starts_with("apiserver_longrunning_requests{"));
        let label = format!("subresource=\"{part}\"");
        let values = lines.filter(|line| line.contains(&label)).map(|line| line.rsplit(' ').next());
        values.map(|value| value.unwrap().parse::<u64>().unwrap()).sum()
    }

    /// Waits until a subresource has this many running requests and audit events.
    async fn settles(&self, part: &str, running: u64, stages: &[(&str, u64)]) {
        let stages: Vec<_> =
            stages.iter().map(|(stage, code)| ((*stage).to_owned(), *code)).collect();
        for _ in 0..1000 {
            if self.running(part).await == running && self.audit_events(part) == stages {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{part}: {} run, {:?}", self.running(part).await, self.audit_events(part));
    }
}

const RECEIVED: (&str, u64) = ("RequestReceived", 0);

#[tokio::test]
async fn a_command_is_over_when_its_streams_are() {
    let path = of_pod("pod", &format!("exec?{}stdin=true&stdout=true", command(&["cat"])));
    for protocol in ["v5.channel.k8s.io", "v4.channel.k8s.io"] {
        let (world, _kubelet, _) = furnished().await;
        let mut socket = world.admin.websocket(&path, protocol).await.unwrap();
        send_channel(&mut socket, 0, b"hi").await;
        assert_eq!(receive(&mut socket).await, (1, "hi".into()));
        let begun = [RECEIVED, ("ResponseStarted", 101)];
        world.settles("exec", 1, &begun).await;
        match protocol {
            "v5.channel.k8s.io" => {
                send_channel(&mut socket, 255, &[0]).await;
                assert_eq!(channels(&mut socket).await.status()["status"], "Success");
            }
            _ => drop(socket),
        }
        world.settles("exec", 0, &[begun[0], begun[1], ("ResponseComplete", 101)]).await;
    }
}

#[tokio::test]
async fn a_session_is_over_when_either_end_has_left() {
    for client_leaves in [true, false] {
        let (world, kubelet, _) = furnished().await;
        kubelet.forward_port(NAMESPACE, "pod", 80, service::echo().await);
        let path = of_pod("pod", "portforward");
        let session = world.admin.spdy(&path, &["portforward.k8s.io"]).await.unwrap();
        let streams = pair(&session, "80", "0").await;
        let begun = [RECEIVED, ("ResponseStarted", 101)];
        world.settles("portforward", 1, &begun).await;
        match client_leaves {
            true => drop((session, streams)),
            false => {
                kubelet.close_connections();
                with_timeout(session.closed()).await;
            }
        }
        world.settles("portforward", 0, &[begun[0], begun[1], ("ResponseComplete", 101)]).await;
    }
}

#[tokio::test]
async fn a_log_is_over_when_nobody_reads_it_or_it_has_ended() {
    for client_leaves in [true, false] {
        let (world, _kubelet, log) = furnished().await;
        let path = of_pod("pod", "log?follow=true");
        let mut follower = world.admin.request(Method::GET, &path, &[], "").await;
        assert_eq!(piece(&mut follower).await.unwrap(), "one\n");
        let begun = [RECEIVED, ("ResponseStarted", 200)];
        world.settles("log", 1, &begun).await;
        match client_leaves {
            true => drop(follower),
            false => {
                log.end();
                assert_eq!(piece(&mut follower).await, None);
            }
        }
        world.settles("log", 0, &[begun[0], begun[1], ("ResponseComplete", 200)]).await;
    }
}

#[tokio::test]
async fn a_proxied_connection_is_over_when_it_is_closed() {
    let (world, _kubelet, _) = furnished().await;
    let path =
        format!("/api/v1/nodes/a/proxy/exec/{NAMESPACE}/pod/main?command=cat&input=1&output=1");
    let session = world.admin.spdy(&path, &["v4.channel.k8s.io"]).await.unwrap();
    let error = stream(&session, "error").await;
    let begun = [RECEIVED, ("ResponseStarted", 101)];
    world.settles("proxy", 1, &begun).await;
    drop((session, error));
    world.settles("proxy", 0, &[begun[0], begun[1], ("ResponseComplete", 101)]).await;
}

#[tokio::test]
async fn what_never_began_is_over_at_once() {
    let (world, kubelet, _) = furnished().await;
    kubelet.set_certificate(&world.right("b")).unwrap();
    let path = of_pod("pod", "exec?command=id&stdout=true");
    let refused = world.admin.spdy(&path, &["v4.channel.k8s.io"]).await.unwrap_err();
    assert_eq!(refused.code, 500);
    world.settles("exec", 0, &[RECEIVED, ("ResponseComplete", 500)]).await;
    assert_eq!(world.admin.get(&of_pod("pod", "log")).await.code, 500);
    world.settles("log", 0, &[RECEIVED, ("ResponseComplete", 500)]).await;
}
