//! Tests of metrics and health, of expired objects, and of unsupported requests.

use crate::client::{Answer, Client};
use crate::server::{ALICE, Server};
use serde_json::json;
use std::time::{Duration, Instant};

/// Metric families with their type and help text.
const FAMILIES: &[(&str, &str, &str)] = &[
    (
        "apiserver_admission_controller_admission_duration_seconds",
        "histogram",
        "[STABLE] How long each admission plugin took, in seconds, by step and operation.",
    ),
    (
        "apiserver_admission_step_admission_duration_seconds",
        "histogram",
        "[STABLE] How long all admission plugins of a step took together, in seconds.",
    ),
    (
        "apiserver_current_inflight_requests",
        "gauge",
        "[STABLE] Requests that are being worked on, reads and writes apart.",
    ),
    (
        "apiserver_longrunning_requests",
        "gauge",
        "[STABLE] Watches and connections that are open, by what was asked for.",
    ),
    (
        "apiserver_request_duration_seconds",
        "histogram",
        "[STABLE] How long answers took, in seconds, by what was asked for.",
    ),
    (
        "apiserver_request_sli_duration_seconds",
        "histogram",
        "[ALPHA] How long answers took, in seconds, without the time spent in webhooks and queues.",
    ),
    (
        "apiserver_request_total",
        "counter",
        "[STABLE] Requests that were answered, by what they asked for and the HTTP status they got.",
    ),
    (
        "apiserver_resource_objects",
        "gauge",
        "[ALPHA] Objects that are stored, by group and resource.",
    ),
    (
        "apiserver_response_sizes",
        "histogram",
        "[STABLE] How large answers were, in bytes, by what was asked for.",
    ),
    (
        "apiserver_watch_events_total",
        "counter",
        "[ALPHA] Events that were sent to those who watch.",
    ),
    (
        "authentication_attempts",
        "counter",
        "[ALPHA] Requests by whether it could be found out who asks.",
    ),
    (
        "authorization_attempts_total",
        "counter",
        "[ALPHA] Decisions on whether somebody may, by result: allowed, denied, no-opinion or error.",
    ),
    (
        "kubernetes_feature_enabled",
        "gauge",
        "[BETA] Feature gates by stage: 1 where a gate is on, 0 where it is off.",
    ),
    ("process_resident_memory_bytes", "gauge", "Bytes of memory that the process holds."),
];
const OBJECTS: &str = "[STABLE] (Deprecated since 1.34.0) Objects that are stored, by resource; apiserver_resource_objects says the same.";

async fn metrics(client: &Client) -> Answer {
    let answer = client.get("/metrics").await;
    assert_eq!(answer.code, 200);
    answer
}

/// The value of a series, if it is exposed.
fn value(metrics: &str, series: &str) -> Option<f64> {
    let line = metrics.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.map(|number| number.parse().unwrap())
}

#[tokio::test]
async fn metrics_have_their_names_and_words() {
    let server = Server::start();
    let client = server.admin().await;
    let (_, maps) = client.namespace().await;
    let mut watch = client.watch(&format!("{maps}?watch=true")).await;
    client.map(&maps, "a").await;
    watch.next().await.unwrap();
    let answer = metrics(&client).await;
    let wanted = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";
    assert_eq!(answer.header("content-type"), wanted);
    let text = answer.text();
    for (name, sort, help) in FAMILIES {
        let head = format!("# HELP {name} {help}\n# TYPE {name} {sort}\n{name}");
        assert!(text.contains(&head), "{head}\n{text}");
    }
    let names: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    assert!(names.is_sorted(), "{names:?}");
    assert!(!text.contains("pod_security_errors_total"), "families without series are not shown");
    let features = text.lines().filter(|line| line.starts_with("kubernetes_feature_enabled{"));
    let features: Vec<&str> = features.collect();
    for wanted in [
        r#"kubernetes_feature_enabled{name="AllowServiceExternalIPs",stage=""} 1"#,
        r#"kubernetes_feature_enabled{name="AllBeta",stage="BETA"} 0"#,
        r#"kubernetes_feature_enabled{name="RelaxedDNSSearchValidation",stage=""} 1"#,
        r#"kubernetes_feature_enabled{name="WatchList",stage="BETA"} 1"#,
        r#"kubernetes_feature_enabled{name="StrictIPCIDRValidation",stage="BETA"} 1"#,
    ] {
        assert!(features.contains(&wanted), "{wanted}: {features:?}");
    }
    // Those of kube-apiserver 1.36, two for whole stages, and one that no release has.
    assert_eq!(features.len(), 239 + 2 + 1, "{features:?}");
    assert!(
        value(text, r#"apiserver_resource_objects{group="",resource="configmaps"}"#) >= Some(1.0)
    );
    assert!(
        value(text, r#"apiserver_storage_objects{resource="roles.rbac.authorization.k8s.io"}"#)
            >= Some(1.0)
    );
    let watches = r#"{component="apiserver",group="",resource="configmaps",scope="namespace",subresource="",verb="WATCH",version="v1"}"#;
    assert_eq!(value(text, &format!("apiserver_longrunning_requests{watches}")), Some(1.0));
    let metric = r#"apiserver_watch_events_total{group="",resource="configmaps",version="v1"}"#;
    assert_eq!(value(text, metric), Some(1.0));
}

#[tokio::test]
async fn requests_are_counted_by_what_they_asked_and_got() {
    let server = Server::start();
    let client = server.admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    client.post(&format!("{maps}?dryRun=All"), json!({"metadata": {"name": "b"}})).await;
    client.get(&maps).await;
    client.get(&format!("{maps}/none")).await;
    client.delete(&format!("{maps}/a")).await;
    client.delete(&maps).await;
    client.get("/api/v1/configmaps").await;
    client.get("/apis/none.example.com/v1/things").await;
    client.get("/healthz").await;
    let alice = Client::connect(&server, Some(ALICE)).await;
    alice.get(&maps).await;
    let answer = metrics(&client).await;
    let text = answer.text();
    let resource = r#"group="",resource="configmaps""#;
    for (code, dry_run, what, scope, verb, version) in [
        (201, "", resource, "resource", "POST", "v1"),
        (201, "All", resource, "resource", "POST", "v1"),
        (200, "", resource, "namespace", "LIST", "v1"),
        (200, "", resource, "cluster", "LIST", "v1"),
        (403, "", resource, "namespace", "LIST", "v1"),
        (404, "", resource, "resource", "GET", "v1"),
        (200, "", resource, "resource", "DELETE", "v1"),
        (200, "", resource, "namespace", "DELETECOLLECTION", "v1"),
    ] {
        let labels =
            format!(r#"{what},scope="{scope}",subresource="",verb="{verb}",version="{version}""#);
        let series = format!(
            r#"apiserver_request_total{{code="{code}",component="apiserver",dry_run="{dry_run}",{labels}}}"#
        );
        assert_eq!(value(text, &series), Some(1.0), "{series}\n{text}");
        let timed = format!(
            r#"apiserver_request_duration_seconds_count{{component="apiserver",dry_run="{dry_run}",{labels}}}"#
        );
        assert!(value(text, &timed) >= Some(1.0), "{timed}");
    }
    let path = r#"apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="",scope="",subresource="/healthz",verb="GET",version=""}"#;
    assert_eq!(value(text, path), Some(1.0));
    assert!(!text.contains("none.example.com"), "strangers make no series");
    for bound in ["0.005", "0.025", "0.05", "0.1", "1.25", "45", "60", "+Inf"] {
        assert!(text.contains(&format!(r#"version="v1",le="{bound}"}}"#)), "{bound}");
    }
    assert!(value(text, r#"authorization_attempts_total{result="denied"}"#) >= Some(1.0));
    assert!(value(text, r#"authentication_attempts{result="success"}"#) >= Some(1.0));
}

#[tokio::test]
async fn what_is_deprecated_says_so() {
    let answer = metrics(&Server::shared().admin().await).await;
    let head = format!("# HELP apiserver_storage_objects {OBJECTS}\n");
    assert!(answer.text().contains(&head), "{head}");
}

#[tokio::test]
async fn health_is_told_check_by_check() {
    const HOOKS: &[&str] = &[
        "poststarthook/start-apiserver-admission-initializer",
        "poststarthook/generic-apiserver-start-informers",
        "poststarthook/start-apiextensions-informers",
        "poststarthook/start-apiextensions-controllers",
        "poststarthook/crd-informer-synced",
        "poststarthook/start-system-namespaces-controller",
        "poststarthook/start-cluster-authentication-info-controller",
        "poststarthook/storage-readiness",
        "poststarthook/start-service-ip-repair-controllers",
        "poststarthook/rbac/bootstrap-roles",
        "poststarthook/scheduling/bootstrap-system-priority-classes",
        "poststarthook/bootstrap-controller",
        "poststarthook/start-kube-aggregator-informers",
        "poststarthook/apiservice-status-local-available-controller",
        "poststarthook/apiservice-status-remote-available-controller",
        "poststarthook/apiservice-registration-controller",
        "poststarthook/apiservice-discovery-controller",
        "poststarthook/kube-apiserver-autoregistration",
        "autoregister-completion",
        "poststarthook/apiservice-openapi-controller",
        "poststarthook/apiservice-openapiv3-controller",
    ];
    let livez = [&["ping", "log", "etcd"], HOOKS].concat();
    let before = ["ping", "log", "etcd", "etcd-readiness", "informer-sync"];
    let readyz = [&before, HOOKS, &["shutdown"]].concat();
    let server = Server::shared();
    let (client, nobody) = (server.admin().await, Client::connect(server, None).await);
    for (endpoint, checks) in [("livez", &livez), ("healthz", &livez), ("readyz", &readyz)] {
        let brief = nobody.get(&format!("/{endpoint}")).await;
        assert_eq!((brief.code, brief.text()), (200, "ok"));
        assert_eq!(brief.header("content-type"), "text/plain; charset=utf-8");
        let lines: String = checks.iter().map(|check| format!("[+]{check} ok\n")).collect();
        let whole = nobody.get(&format!("/{endpoint}?verbose")).await;
        assert_eq!(whole.text(), format!("{lines}{endpoint} check passed\n"));
        let without = nobody.get(&format!("/{endpoint}?verbose&exclude=etcd&exclude=x")).await;
        let lines = lines.replace("[+]etcd ok", "[+]etcd excluded: ok");
        let warning = "warn: some health checks cannot be excluded: no matches for \"x\"\n";
        assert_eq!(without.text(), format!("{lines}{warning}{endpoint} check passed\n"));
        for check in checks {
            let path = format!("/{endpoint}/{check}");
            assert_eq!((client.get(&path).await.text(), nobody.get(&path).await.code), ("ok", 403));
        }
        assert_eq!(client.get(&format!("/{endpoint}/none")).await.code, 404);
    }
    assert_eq!(client.get("/livez/shutdown").await.code, 404, "it is not asked of the living");
}

#[tokio::test]
async fn events_are_forgotten_and_nothing_else_is() {
    let server = Server::start_with(|config| config.event_life = Duration::from_secs(2));
    let client = server.admin().await;
    let (namespace, maps) = client.namespace().await;
    client.map(&maps, "stays").await;
    let events = format!("/api/v1/namespaces/{namespace}/events");
    let about = json!({"kind": "ConfigMap", "namespace": namespace, "name": "stays"});
    let event =
        json!({"metadata": {"name": "e"}, "involvedObject": about, "reason": "Seen", "count": 1});
    let made = client.post(&events, event).await;
    assert_eq!(made.code, 201, "{}", made.text());
    let began = Instant::now();
    let mut watch =
        client.watch(&format!("{events}?watch=true&resourceVersion={}", made.version())).await;
    // Writing it again extends its life.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let again = client.patch(&format!("{events}/e"), json!({"count": 2})).await;
    assert_eq!(again.code, 200, "{}", again.text());
    assert_eq!(watch.short().await.0, "MODIFIED");
    let (sort, name, revision) = watch.short().await;
    assert_eq!((sort.as_str(), name.as_str()), ("DELETED", "e"));
    assert!(revision > again.version());
    assert!(began.elapsed() >= Duration::from_millis(2900), "{:?}", began.elapsed());
    assert_eq!(client.get(&format!("{events}/e")).await.code, 404);
    assert!(client.get(&events).await.names().is_empty());
    assert_eq!(client.get(&format!("{maps}/stays")).await.code, 200);
}

/// Number of calls and of rejections of a validating plugin.
async fn calls_and_rejections(client: &Client, plugin: &str) -> (u64, u64) {
    let metrics = client.get("/metrics").await;
    let count = |rejected: &str| -> u64 {
        let lines = metrics.text().lines().filter(|line| {
            line.starts_with("apiserver_admission_controller_admission_duration_seconds_count{")
                && line.contains(&format!("name=\"{plugin}\""))
                && line.contains(&format!("rejected=\"{rejected}\""))
                && line.contains("type=\"validate\"")
        });
        lines.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
    };
    (count("false") + count("true"), count("true"))
}

#[tokio::test]
async fn a_plugin_counts_what_reached_it() {
    let server = Server::start_with(|config| {
        config.plugins.extend(["PodSecurity", "DenyServiceExternalIPs"]);
        config.api_config.plugins.deny_external_ips = true;
    });
    let client = server.admin().await;
    let (namespace, _) = client.namespace().await;
    let restricted =
        json!({"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}});
    client.patch(&format!("/api/v1/namespaces/{namespace}"), restricted).await;
    let folder = format!("/api/v1/namespaces/{namespace}");
    let service = |name: &str, port: i32, addresses: &[&str]| json!({"metadata": {"name": name}, "spec": {"ports": [{"port": port}], "externalIPs": addresses}});
    let pod = json!({"metadata": {"name": "p"}, "spec": {"hostPID": true, "containers": [{"name": "c", "image": "i"}]}});
    for (path, object, code, requested, refused) in [
        ("services", service("good", 80, &[]), 201, 1, 0),
        ("services", service("denied", 80, &["192.0.2.1"]), 403, 1, 1),
        ("services", service("invalid", 0, &["192.0.2.1"]), 422, 0, 0),
        ("services", service("bad", 80, &["192.0.2.300"]), 422, 0, 0),
        // Refused by Pod Security, which comes before.
        ("pods", pod, 403, 0, 0),
    ] {
        let before = calls_and_rejections(&client, "DenyServiceExternalIPs").await;
        let security = calls_and_rejections(&client, "PodSecurity").await;
        let answer = client.post(&format!("{folder}/{path}"), object).await;
        assert_eq!(answer.code, code, "{}", answer.text());
        let after = calls_and_rejections(&client, "DenyServiceExternalIPs").await;
        let more = (after.0 - before.0, after.1 - before.1);
        assert_eq!(more, (requested, refused), "{path}: {}", answer.text());
        let more = calls_and_rejections(&client, "PodSecurity").await.0 - security.0;
        assert_eq!(more, u64::from(code != 422), "{path}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_watch_is_counted_with_its_time_when_it_has_ended() {
    let server = Server::start();
    let client = server.admin().await;
    let (_, maps) = client.namespace().await;
    let labels = r#"component="apiserver",dry_run="",group="",resource="configmaps",scope="namespace",subresource="",verb="WATCH",version="v1"}"#;
    let (total, timed) = (
        format!(r#"apiserver_request_total{{code="200",{labels}"#),
        format!("apiserver_request_duration_seconds_count{{{labels}"),
    );
    let answer = client.get(&format!("{maps}?watch=true&timeoutSeconds=1")).await;
    assert_eq!(answer.code, 200);
    // The last byte may be read before the server knows that it was sent.
    let mut counts = (None, None);
    for _ in 0..1000 {
        let text = metrics(&client).await.text().to_owned();
        counts = (value(&text, &total), value(&text, &timed));
        if counts == (Some(1.0), Some(1.0)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{counts:?}");
}
