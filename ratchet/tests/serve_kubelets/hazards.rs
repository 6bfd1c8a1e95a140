//! Tests of attempts to bypass the name check: shared addresses, moved nodes, changed certificates, odd spellings of
//! ports.

use crate::client::Answer;
use crate::notices;
use crate::world::{Mode, NAMESPACE, World, here, kubelet, of_pod, own_address, saying};
use kubelet_peer::Kubelet;
use kubelet_peer::authority::{Authority, Leaf};
use serde_json::json;

const BOTH: [bool; 2] = [true, false];

/// The error for a certificate of one node that was presented for another.
fn mismatch(presented: &str, wanted: &str) -> String {
    format!(
        "x509: kubelet serving certificate common name \"system:node:{presented}\" does not match expected \"system:node:{wanted}\""
    )
}

fn fails_with(answer: &Answer, why: &str) {
    assert_eq!(answer.code, 500, "{}", answer.text());
    assert!(answer.refusal().1.ends_with(why), "{} instead of {why}", answer.text());
}

/// A kubelet with the certificate of a node and pods of these names.
async fn with_pods(world: &World, node: &str, pods: &[&str], http2: bool) -> Kubelet {
    let kubelet = kubelet(world.right(node), |options| options.http2 = http2).await;
    for pod in pods {
        kubelet.add_container(NAMESPACE, pod, "main", saying("hello\n")).unwrap();
    }
    kubelet
}

/// Number of mismatches, where all matching names came over one connection. With HTTP/1.1 there may be more of
/// those: a connection returns to its pool only a moment after its client has read everything.
async fn wrong_names(world: &World, http2: bool) -> u64 {
    let (right, wrong) = world.names().await.unwrap();
    assert!(right == 1 || !http2 && right > 1, "{right}");
    wrong
}

async fn log(world: &World, pod: &str) -> Answer {
    world.admin.get(&of_pod(pod, "log")).await
}

#[tokio::test]
async fn two_nodes_of_one_address_do_not_share_a_connection() {
    for http2 in BOTH {
        for first_is_right in BOTH {
            let world = World::new(Mode::Enforce).await;
            let kubelet = with_pods(&world, "a", &["on-a", "on-b"], http2).await;
            for (node, pod) in [("a", "on-a"), ("b", "on-b")] {
                world.node(node, kubelet.address()).await;
                world.pod(pod, node).await;
            }
            let order = if first_is_right { ["on-a", "on-b"] } else { ["on-b", "on-a"] };
            for pod in order.into_iter().chain(order) {
                let answer = log(&world, pod).await;
                match pod {
                    "on-a" => assert_eq!(answer.text(), "hello\n"),
                    _ => fails_with(&answer, &mismatch("a", "b")),
                }
            }
            assert_eq!(wrong_names(&world, http2).await, 2, "a wrong one is not kept");
            assert!(kubelet.requests().iter().all(|request| request.path.contains("/on-a/")));
            let proxied = world.admin.get("/api/v1/nodes/b/proxy/healthz").await;
            assert_eq!(proxied.code, 503, "{}", proxied.text());
            assert_eq!(world.admin.get("/api/v1/nodes/a/proxy/healthz").await.code, 200);
            assert_eq!(wrong_names(&world, http2).await, 3, "the proxy has the same pool");
        }
    }
}

#[tokio::test]
async fn an_address_that_moves_to_another_node_takes_no_connection_with_it() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = with_pods(&world, "a", &["on-a", "on-b"], true).await;
    world.node("a", kubelet.address()).await;
    world.node("b", (own_address(), 1).into()).await;
    world.pod("on-a", "a").await;
    world.pod("on-b", "b").await;
    assert_eq!(log(&world, "on-a").await.code, 200);
    let port = kubelet.address().port();
    let moved = json!({"status": {"daemonEndpoints": {"kubeletEndpoint": {"Port": port}}}});
    assert_eq!(world.admin.patch("/api/v1/nodes/b/status", moved).await.code, 200);
    let away = json!({"status": {"daemonEndpoints": {"kubeletEndpoint": {"Port": 1}}}});
    assert_eq!(world.admin.patch("/api/v1/nodes/a/status", away).await.code, 200);
    fails_with(&log(&world, "on-b").await, &mismatch("a", "b"));
    let refused = log(&world, "on-a").await;
    fails_with(&refused, &format!("dial tcp {}:1: connect: connection refused", own_address()));
}

#[tokio::test]
async fn a_node_that_comes_back_under_another_name_is_another_node() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = with_pods(&world, "a", &["pod", "other"], true).await;
    world.node("a", kubelet.address()).await;
    world.pod("pod", "a").await;
    world.pod("other", "renamed").await;
    assert_eq!(log(&world, "pod").await.code, 200);
    assert_eq!(world.admin.delete("/api/v1/nodes/a").await.code, 200);
    assert_eq!(log(&world, "pod").await.refusal(), (404, "pods \"a\" not found".into()));
    world.node("renamed", kubelet.address()).await;
    fails_with(&log(&world, "other").await, &mismatch("a", "renamed"));
    world.node("a", kubelet.address()).await;
    assert_eq!(log(&world, "pod").await.code, 200, "the same name at the same address is the same");
    assert_eq!(world.names().await, Some((1, 1)));
    kubelet.set_certificate(&world.right("renamed")).unwrap();
    assert_eq!(log(&world, "other").await.code, 200, "its new certificate is its own");
}

#[tokio::test]
async fn a_changed_certificate_is_seen_with_the_next_connection() {
    for http2 in BOTH {
        let world = World::new(Mode::Enforce).await;
        let kubelet = with_pods(&world, "a", &["pod"], http2).await;
        world.node("a", kubelet.address()).await;
        world.pod("pod", "a").await;
        assert_eq!(log(&world, "pod").await.code, 200);
        kubelet.set_certificate(&world.right("b")).unwrap();
        if http2 {
            for _ in 0..3 {
                assert_eq!(log(&world, "pod").await.code, 200, "the connection was made before");
            }
            assert_eq!((kubelet.connections(), world.names().await), (1, Some((1, 0))));
        }
        kubelet.close_connections();
        fails_with(&log(&world, "pod").await, &mismatch("b", "a"));
        assert_eq!(world.names().await, Some((1, 1)));
        kubelet.set_certificate(&world.right("a")).unwrap();
        assert_eq!(log(&world, "pod").await.code, 200);
        assert_eq!(world.names().await, Some((2, 1)));
    }
}

#[tokio::test]
async fn many_requests_at_once_count_their_connections_and_nothing_else() {
    for http2 in BOTH {
        let world = World::new(Mode::Observe).await;
        let kubelet = with_pods(&world, "b", &["pod"], http2).await;
        world.node("a", kubelet.address()).await;
        world.pod("pod", "a").await;
        let path = of_pod("pod", "log");
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let (admin, path) = (world.admin.clone(), path.clone());
            tasks.spawn(async move { admin.get(&path).await.code });
        }
        assert_eq!(tasks.join_all().await, [200; 20]);
        let connections = kubelet.connections() as u64;
        assert_eq!(world.names().await, Some((0, connections)));
        if http2 {
            assert_eq!(connections, 1);
        }
    }
}

#[tokio::test]
async fn a_log_that_nobody_verifies_lends_its_connection_to_nobody() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = with_pods(&world, "b", &["pod"], true).await;
    world.node("a", kubelet.address()).await;
    world.pod("pod", "a").await;
    for _ in 0..2 {
        let skipped = of_pod("pod", "log?insecureSkipTLSVerifyBackend=true");
        assert_eq!(world.admin.get(&skipped).await.text(), "hello\n");
        fails_with(&log(&world, "pod").await, &mismatch("b", "a"));
    }
    assert_eq!(world.names().await, Some((0, 2)));
    let usage = "kube_apiserver_pod_logs_insecure_backend_total";
    assert_eq!(world.metric(&format!("{usage}{{usage=\"skip_tls_allowed\"}}")).await, Some(2));
    assert_eq!(world.metric(&format!("{usage}{{usage=\"enforce_tls\"}}")).await, Some(2));
    assert_eq!(world.metric("kube_apiserver_pod_logs_backend_tls_failure_total").await, Some(2));
}

#[tokio::test]
async fn a_port_is_a_number_however_it_is_spelled() {
    let world = World::with(Mode::Enforce, |folder, config| {
        config.backends.client = Some(own_certificate(folder, "apiserver"));
    })
    .await;
    let kubelet = with_pods(&world, "b", &[], true).await;
    world.node("a", kubelet.address()).await;
    let port = kubelet.address().port();
    let get = |id: String| {
        let admin = world.admin.clone();
        async move { admin.get(&format!("/api/v1/nodes/{id}/proxy/echo")).await }
    };
    let mut failures = 0;
    for id in [
        "a".into(),
        "a:".into(),
        format!("a:{port}"),
        format!("https:a:{port}"),
        format!("http:a:{port}"),
        "https:a:".into(),
    ] {
        let answer = get(id.clone()).await;
        let why = format!("error trying to reach service: {}", mismatch("b", "a"));
        assert_eq!(answer.refusal(), (503, why), "{id}");
        failures += 1;
        assert_eq!(world.names().await, Some((0, failures)), "{id}");
    }
    for spelled in [
        format!("0{port}"),
        format!("%2B{port}"),
        format!("{port}%20"),
        "0".into(),
        "65536".into(),
        "x".into(),
    ] {
        for scheme in ["", "http:", "https:"] {
            let answer = get(format!("{scheme}a:{spelled}")).await;
            assert_eq!(answer.code, 400, "{scheme} {spelled}: {}", answer.text());
            assert!(answer.refusal().1.starts_with("invalid node request \""), "{}", answer.text());
        }
    }
    assert_eq!(world.names().await, Some((0, failures)));
    assert!(kubelet.requests().is_empty(), "nothing came past the check");
}

#[tokio::test]
async fn another_port_of_a_node_is_no_kubelet() {
    let world = World::with(Mode::Enforce, |folder, config| {
        config.backends.client = Some(own_certificate(folder, "apiserver"));
    })
    .await;
    let real = world.kubelet("a").await;
    let other = kubelet(Authority::new("nobody").kubelet("x"), |_| {}).await;
    world.node("a", real.address()).await;
    let id = format!("https:a:{}", other.address().port());
    let answer = world.admin.get(&format!("/api/v1/nodes/{id}/proxy/echo")).await;
    assert_eq!(answer.code, 200, "{}", answer.text());
    assert_eq!(answer.json()["client"], json!(null), "our certificate is for kubelets");
    assert_eq!(world.names().await, Some((0, 0)));
    let answer = world.admin.get("/api/v1/nodes/a/proxy/echo").await;
    assert_eq!(answer.json()["client"], "apiserver");
    assert_eq!(world.names().await, Some((1, 0)));
}

#[tokio::test]
async fn a_node_may_have_an_address_of_the_sixth_version() {
    let world = World::new(Mode::Enforce).await;
    let address = (std::net::Ipv6Addr::LOCALHOST, 0).into();
    let kubelet = kubelet(world.right("a"), |options| options.address = address).await;
    kubelet.add_container(NAMESPACE, "pod", "main", saying("six\n")).unwrap();
    world.node("a", kubelet.address()).await;
    world.pod("pod", "a").await;
    assert_eq!(log(&world, "pod").await.text(), "six\n");
    kubelet.set_certificate(&world.right("b")).unwrap();
    kubelet.close_connections();
    let port = kubelet.address().port();
    let why = format!(
        "Get \"https://[::1]:{port}/containerLogs/{NAMESPACE}/pod/main\": {}",
        mismatch("b", "a")
    );
    assert_eq!(log(&world, "pod").await.refusal(), (500, why));
    let answer = world.admin.get("/api/v1/nodes/a/proxy/healthz").await;
    assert_eq!(answer.refusal(), (400, "address not allowed".into()), "and is not proxied to");
}

#[tokio::test]
async fn wrong_names_are_told_with_the_node_and_both_names() {
    for (mode, mode_name) in [(Mode::Observe, "observe"), (Mode::Enforce, "enforce")] {
        let world = World::new(mode).await;
        let node = format!("told-{mode_name}");
        let leaf = here(Leaf::named("evil\nname\" mode=\"off"));
        let kubelet = kubelet(world.authority.issue(&leaf), |_| {}).await;
        kubelet.add_container(NAMESPACE, "pod", "main", saying("hello\n")).unwrap();
        world.node(&node, kubelet.address()).await;
        world.pod("pod", &node).await;
        for _ in 0..3 {
            kubelet.close_connections();
            log(&world, "pod").await;
        }
        assert_eq!(world.names().await, Some((0, 3)));
        let lines = notices::about(&format!("system:node:{node}"));
        let [line] = &lines[..] else { panic!("one line, not {lines:?}") };
        let expected = format!("expected=\"system:node:{node}\"");
        let name = format!("node=\"{node}\"");
        let presented = r#"presented="\"evil\\nname\\\" mode=\\\"off\"""#;
        let mode = format!("mode=\"{mode_name}\"");
        for part in ["ERROR", &name, &expected, presented, &mode] {
            assert!(line.contains(part), "{part} is not in {line}");
        }
    }
}

/// Writes a client certificate of the server into its folder.
fn own_certificate(folder: &std::path::Path, name: &str) -> ratchet_server::ClientKeyFiles {
    let files = ratchet_server::ClientKeyFiles {
        certificate: folder.join("client.crt"),
        key: folder.join("client.key"),
    };
    let presented = Authority::new("clients").issue(&Leaf::client(name, &["system:masters"]));
    std::fs::write(&files.certificate, presented.chain_pem()).unwrap();
    std::fs::write(&files.key, presented.key_pem()).unwrap();
    files
}

#[tokio::test]
async fn the_servers_own_certificate_is_shown_and_follows_its_file() {
    let world = World::with(Mode::Enforce, |folder, config| {
        config.backends.client = Some(own_certificate(folder, "first"));
    })
    .await;
    let kubelet = world.usual("a").await;
    for _ in 0..2 {
        assert_eq!(log(&world, "pod").await.code, 200);
    }
    own_certificate(world.server.folder.path(), "second");
    world.server.reloads.now();
    assert_eq!(log(&world, "pod").await.code, 200);
    let requests = kubelet.requests();
    let clients: Vec<_> =
        requests.iter().map(|request| request.client.as_deref().unwrap()).collect();
    assert_eq!(clients, ["first", "first", "second"]);
    assert_eq!(kubelet.connections(), 2, "the connection of the old certificate is not used again");
}

#[tokio::test]
async fn a_kubelet_that_does_not_know_us_says_so() {
    let world = World::with(Mode::Enforce, |folder, config| {
        config.backends.client = Some(own_certificate(folder, "stranger"));
    })
    .await;
    let authority = Authority::new("clients-of-another").ca_pem();
    let kubelet =
        kubelet(world.right("a"), |options| options.client_authority = Some(authority)).await;
    world.node("a", kubelet.address()).await;
    world.pod("pod", "a").await;
    let answer = log(&world, "pod").await;
    assert_eq!(
        answer.refusal(),
        (401, "the server has asked for the client to provide credentials ( pods/log pod)".into())
    );
}

#[tokio::test]
async fn another_authority_is_believed_after_a_reload_and_names_still_count() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.usual("a").await;
    assert_eq!(log(&world, "pod").await.code, 200);
    let next = Authority::new("next");
    std::fs::write(world.server.folder.path().join("kubelets.crt"), next.ca_pem()).unwrap();
    world.server.reloads.now();
    let unknown =
        "tls: failed to verify certificate: x509: certificate signed by unknown authority";
    fails_with(&log(&world, "pod").await, unknown);
    kubelet.set_certificate(&next.issue(&here(Leaf::kubelet("a")))).unwrap();
    assert_eq!(log(&world, "pod").await.code, 200);
    kubelet.set_certificate(&next.issue(&here(Leaf::kubelet("b")))).unwrap();
    kubelet.close_connections();
    fails_with(&log(&world, "pod").await, &mismatch("b", "a"));
    std::fs::write(world.server.folder.path().join("kubelets.crt"), "nothing").unwrap();
    world.server.reloads.now();
    fails_with(&log(&world, "pod").await, &mismatch("b", "a"));
    assert_eq!(world.names().await, Some((2, 2)));
}
