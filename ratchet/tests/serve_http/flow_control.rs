//! Tests of API Priority and Fairness: classification, queues, rejections, and that greed of one is not felt by others.

use crate::client::{Answer, Client, unfinished};
use crate::server::{ADMIN, ALICE, BOB, Server};
use hyper::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const API: &str = "/apis/flowcontrol.apiserver.k8s.io/v1";
const SCHEMA: &str = "x-kubernetes-pf-flowschema-uid";
const LEVEL: &str = "x-kubernetes-pf-prioritylevel-uid";
const LEADER: &str = "system:serviceaccount:kube-system:leader";

/// Asks again until what is read is right.
async fn until<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = ask().await {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "not yet: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn uid(client: &Client, plural: &str, name: &str) -> String {
    let found = client.get(&format!("{API}/{plural}/{name}")).await.json();
    found["metadata"]["uid"].as_str().unwrap().to_owned()
}

/// The schema and the level of an answer are those of these names.
async fn assert_classified(admin: &Client, answer: &Answer, schema: &str, level: &str) {
    let wanted = (
        uid(admin, "flowschemas", schema).await,
        uid(admin, "prioritylevelconfigurations", level).await,
    );
    assert_eq!(
        (answer.header(SCHEMA), answer.header(LEVEL)),
        (wanted.0.as_str(), wanted.1.as_str())
    );
}

/// The value of a metric of a schema; none if there is no such series.
async fn metric(admin: &Client, name: &str, schema: &str, more: &str) -> Option<f64> {
    let page = admin.get("/metrics").await;
    let is_it = |line: &&str| {
        line.starts_with(&format!("apiserver_flowcontrol_{name}{{"))
            && line.contains(&format!("flow_schema=\"{schema}\""))
            && line.contains(more)
    };
    page.text().lines().find(is_it)?.rsplit(' ').next()?.parse().ok()
}

/// A server with forty seats, on which alice, bob and a leader may do everything.
async fn small_server() -> (&'static Server, Client) {
    let server: &'static Server = Box::leak(Box::new(Server::start_with(|config| {
        (config.limits.reads, config.limits.writes) = (20, 20);
    })));
    let admin = Client::connect(server, Some(ADMIN)).await;
    let user =
        |name: &str| json!({"kind": "User", "name": name, "apiGroup": "rbac.authorization.k8s.io"});
    let binding = json!({
        "metadata": {"name": "all"},
        "roleRef": {"kind": "ClusterRole", "name": "cluster-admin", "apiGroup": "rbac.authorization.k8s.io"},
        "subjects": [user("alice"), user("bob"), user(LEADER)],
    });
    let path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    assert_eq!(admin.post(path, binding).await.code, 201);
    (server, admin)
}

/// Adds a level with one seat, and a schema that leads these users to it.
async fn add_narrow(admin: &Client, queuing: Value, users: &[&str]) {
    let level = json!({
        "metadata": {"name": "narrow"},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 1, "lendablePercent": 0, "borrowingLimitPercent": 0,
            "limitResponse": {"type": "Queue", "queuing": queuing},
        }},
    });
    let made = admin.post(&format!("{API}/prioritylevelconfigurations"), level).await;
    assert_eq!(made.code, 201, "{}", made.text());
    let subjects: Vec<Value> =
        users.iter().map(|name| json!({"kind": "User", "user": {"name": name}})).collect();
    let schema = json!({
        "metadata": {"name": "narrow"},
        "spec": {
            "matchingPrecedence": 50,
            "priorityLevelConfiguration": {"name": "narrow"},
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [{
                "subjects": subjects,
                "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": true}],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
            }],
        },
    });
    let made = admin.post(&format!("{API}/flowschemas"), schema).await;
    assert_eq!(made.code, 201, "{}", made.text());
}

#[tokio::test]
async fn every_answer_says_how_it_was_classified() {
    let server = Server::shared();
    let admin = server.admin().await;
    let alice = Client::connect(server, Some(ALICE)).await;
    assert_classified(&admin, &admin.get("/api/v1/nodes").await, "exempt", "exempt").await;
    assert_classified(&admin, &alice.get("/livez").await, "probes", "exempt").await;
    let refused = alice.get("/api/v1/nodes").await;
    assert_eq!(refused.code, 403);
    assert_classified(&admin, &refused, "global-default", "global-default").await;
    let unknown = Client::connect(server, Some("nobody's")).await.get("/api/v1/nodes").await;
    assert_eq!((unknown.code, unknown.headers.get(SCHEMA)), (401, None), "nobody knows who asks");
}

#[tokio::test]
async fn the_objects_of_the_release_are_there_and_say_whether_their_level_exists() {
    let server = Server::start();
    let admin = server.admin().await;
    let levels = admin.get(&format!("{API}/prioritylevelconfigurations")).await.names();
    assert_eq!(
        levels,
        [
            "catch-all",
            "exempt",
            "global-default",
            "leader-election",
            "node-high",
            "system",
            "workload-high",
            "workload-low"
        ]
    );
    let condition = async |name: &str| {
        let found = admin.get(&format!("{API}/flowschemas/{name}")).await.json();
        let condition = found["status"]["conditions"][0].clone();
        (condition["type"] == "Dangling").then_some(condition)
    };
    for name in admin.get(&format!("{API}/flowschemas")).await.names() {
        let found = until(&name, async || condition(&name).await).await;
        assert_eq!(
            (&found["status"], &found["reason"]),
            (&json!("False"), &json!("Found")),
            "{name}"
        );
        let object = admin.get(&format!("{API}/flowschemas/{name}")).await.json();
        let annotation = &object["metadata"]["annotations"]["apf.kubernetes.io/autoupdate-spec"];
        assert_eq!((annotation, &object["metadata"]["generation"]), (&json!("true"), &json!(1)));
    }
    let schema = json!({"metadata": {"name": "lost"}, "spec": {"priorityLevelConfiguration": {"name": "absent"}}});
    assert_eq!(admin.post(&format!("{API}/flowschemas"), schema).await.code, 201);
    let found = until("lost", async || condition("lost").await).await;
    assert_eq!((&found["status"], &found["reason"]), (&json!("True"), &json!("NotFound")));
    let message = "This FlowSchema references the PriorityLevelConfiguration object named \"absent\" but there is no such object";
    assert_eq!(found["message"], message);
}

#[tokio::test]
async fn greed_is_rejected_and_not_felt_by_others() {
    let (server, admin) = small_server().await;
    let queuing = json!({"queues": 1, "handSize": 1, "queueLengthLimit": 2});
    add_narrow(&admin, queuing, &["alice"]).await;
    let (namespace, maps) = admin.namespace().await;
    let alice = Client::connect(server, Some(ALICE)).await;
    let bob = Client::connect(server, Some(BOB)).await;
    let take = || {
        let maps = maps.clone();
        tokio::spawn(async move { unfinished(server, ALICE, &maps).await })
    };
    let count = async |name: &str, wanted: f64| {
        let what = format!("{name} {wanted}");
        until(&what, async || {
            metric(&admin, name, "narrow", "").await.filter(|found| *found >= wanted)
        })
        .await;
    };
    let mut taken = vec![take()];
    count("current_executing_requests", 1.0).await;
    // A quarter of its time is for the queue.
    let late = alice.get(&format!("{maps}?timeout=4s")).await;
    assert_eq!((late.code, late.header("retry-after")), (429, "1"), "{}", late.text());
    assert_eq!(metric(&admin, "rejected_requests_total", "narrow", "time-out").await, Some(1.0));
    taken.extend([take(), take()]);
    count("current_inqueue_requests", 2.0).await;
    let refused = alice.get(&maps).await;
    assert_eq!(refused.code, 429);
    assert_eq!(refused.text(), "Too many requests, please try again later.\n");
    assert!(refused.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0));
    assert_classified(&admin, &refused, "narrow", "narrow").await;
    assert_eq!(metric(&admin, "rejected_requests_total", "narrow", "queue-full").await, Some(1.0));
    // Health, others, leases and administrators have seats of their own.
    for path in ["/livez", "/readyz", "/healthz", "/livez/ping"] {
        assert_eq!(alice.get(path).await.code, 200, "{path}");
    }
    assert_eq!(bob.get(&maps).await.code, 200);
    assert_eq!(admin.get(&maps).await.code, 200);
    let lease = json!({"metadata": {"name": "leader"}, "spec": {"holderIdentity": "a"}});
    let path = format!("/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases");
    let headers = [("content-type", "application/json"), ("impersonate-user", LEADER)];
    let made = admin.send(Method::POST, &path, &headers, lease.to_string()).await;
    assert_eq!(made.code, 201, "{}", made.text());
    assert_classified(&admin, &made, "system-leader-election", "leader-election").await;
    let page =
        admin.get("/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1").await;
    let rows: Vec<&str> = page.text().lines().filter(|line| line.contains("alice,")).collect();
    assert_eq!(rows.len(), 3, "{}", page.text());
    assert!(rows.iter().all(|row| row.contains("create,") && row.contains(&maps)), "{rows:?}");
    let page = admin.get("/debug/api_priority_and_fairness/dump_priority_levels").await;
    let row = page.text().lines().find(|line| line.starts_with("narrow,")).unwrap();
    let row: Vec<&str> = row.split_whitespace().take(6).collect();
    assert_eq!(row, ["narrow,", "1,", "false,", "false,", "2,", "1,"]);
    let forbidden = Client::connect(server, None).await;
    let page = forbidden.get("/debug/api_priority_and_fairness/dump_queues").await;
    assert_eq!(page.code, 403, "it is authorized as any path");
    for request in taken {
        request.abort();
    }
    until("served again", async || (alice.get(&maps).await.code == 200).then_some(())).await;
}

#[tokio::test]
async fn users_of_one_level_take_turns() {
    let (server, admin) = small_server().await;
    let queuing = json!({"queues": 32, "handSize": 3, "queueLengthLimit": 50});
    add_narrow(&admin, queuing, &["alice", "bob"]).await;
    let (_, maps) = admin.namespace().await;
    let is_over = Arc::new(AtomicBool::new(false));
    let greedy = |_| {
        let (maps, is_over) = (maps.clone(), is_over.clone());
        tokio::spawn(async move {
            let alice = Client::connect(server, Some(ALICE)).await;
            let mut answered = 0;
            while !is_over.load(Ordering::Relaxed) {
                answered += usize::from(alice.get(&maps).await.code == 200);
            }
            answered
        })
    };
    let greed: Vec<_> = (0..24).map(greedy).collect();
    let name = "request_queue_length_after_enqueue_count";
    until("somebody waits", async || {
        metric(&admin, name, "narrow", "").await.filter(|found| *found > 24.0)
    })
    .await;
    let bob = Client::connect(server, Some(BOB)).await;
    for number in 0..20 {
        let answer = bob.get(&maps).await;
        assert_eq!(answer.code, 200, "{number}: {}", answer.text());
    }
    is_over.store(true, Ordering::Relaxed);
    let mut answered = 0;
    for task in greed {
        answered += task.await.unwrap();
    }
    assert!(answered > 24, "who asks without end is served, too: {answered}");
}

#[tokio::test]
async fn a_watch_has_a_seat_only_until_it_begins() {
    let (server, admin) = small_server().await;
    let queuing = json!({"queues": 1, "handSize": 1, "queueLengthLimit": 1});
    add_narrow(&admin, queuing, &["alice"]).await;
    let (_, maps) = admin.namespace().await;
    let alice = Client::connect(server, Some(ALICE)).await;
    let mut watches = Vec::new();
    for _ in 0..5 {
        watches.push(alice.watch(&format!("{maps}?watch=true")).await);
    }
    assert_eq!(alice.get(&maps).await.code, 200);
    admin.map(&maps, "a").await;
    for watch in &mut watches {
        let mut event = watch.next().await.unwrap();
        while event["object"]["metadata"]["name"] != "a" {
            event = watch.next().await.unwrap();
        }
    }
    let name = "request_execution_seconds_count";
    let count = metric(&admin, name, "narrow", "type=\"watch\"").await;
    assert_eq!(count, Some(5.0));
}

#[tokio::test]
async fn without_it_there_are_plain_limits() {
    let server = Server::start_with(|config| config.limits.is_fair = false);
    let admin = server.admin().await;
    let answer = admin.get("/api/v1/nodes").await;
    assert_eq!((answer.code, answer.headers.get(SCHEMA)), (200, None));
    let page = "/debug/api_priority_and_fairness/dump_priority_levels";
    assert_eq!(admin.get(page).await.code, 404);
    assert!(!admin.get("/metrics").await.text().contains("apiserver_flowcontrol_"));
    assert_eq!(admin.get(&format!("{API}/flowschemas")).await.names().len(), 11);
}
