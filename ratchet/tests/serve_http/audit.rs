//! Tests of the audit log: events, stages, and what it must never contain.

use crate::client::{Answer, Client, text};
use crate::server::{ALICE, Server};
use hyper::Method;
use ratchet_server::Audit;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The audit policy: level RequestResponse for one namespace, Request for another, None for a third.
const POLICY: &str = "
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- {level: None, nonResourceURLs: [/version]}
- {level: None, namespaces: [hidden]}
- {level: RequestResponse, namespaces: [whole], omitManagedFields: true}
- {level: Request, namespaces: [asked], omitStages: [RequestReceived]}
- {level: RequestResponse, resources: [{group: authentication.k8s.io}]}
- {level: Metadata}
";

const SECRET: &str = "aHVzaC1odXNo";
const HUSH: &str = "hush-hush";

/// A server with an audit log.
struct AuditedServer {
    server: Server,
    log: PathBuf,
    _folder: TempDir,
}

static AUDITED: LazyLock<AuditedServer> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let (policy, log) = (folder.path().join("policy.yaml"), folder.path().join("audit.log"));
    std::fs::write(&policy, POLICY).unwrap();
    let there = log.clone();
    let server = Server::start_with(move |config| {
        let (max_megabytes, max_files, max_days) = (0, 0, 0);
        config.audit = Some(Audit { policy, log: there, max_megabytes, max_files, max_days });
    });
    AuditedServer { server, log, _folder: folder }
});

impl AuditedServer {
    async fn admin(&self) -> Client {
        self.server.admin().await
    }

    fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// The audit events of a request, once this many stages are written.
    async fn events(&self, id: &str, stages: usize) -> Vec<Value> {
        let began = Instant::now();
        loop {
            let log = self.log();
            let lines = log.lines().filter(|line| line.contains(&format!("\"auditID\":\"{id}\"")));
            let lines: Vec<Value> =
                lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
            if lines.len() >= stages {
                return lines;
            }
            assert!(began.elapsed() < Duration::from_secs(20), "{id}: {lines:#?}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Sends a request; returns the response and its last audit event.
    async fn send_audited(
        &self,
        client: &Client,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl ToString,
    ) -> (Answer, Value) {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let id = format!("ask-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let kind = match method {
            Method::PATCH => "application/merge-patch+json",
            _ => "application/json",
        };
        let mut all = vec![("audit-id", id.as_str()), ("content-type", kind)];
        all.extend(headers);
        let answer = client.send(method, path, &all, body.to_string()).await;
        let stages = if path.contains("/asked") { 1 } else { 2 };
        let last = self.events(&id, stages).await.pop().unwrap();
        assert_eq!(last["stage"], "ResponseComplete", "{last}");
        (answer, last)
    }

    /// Creates the namespace if it is absent; returns the path of a resource in it.
    async fn path(&self, client: &Client, namespace: &str, resource: &str) -> String {
        let made =
            client.post("/api/v1/namespaces", json!({"metadata": {"name": namespace}})).await;
        assert!(matches!(made.code, 201 | 409), "{}", made.text());
        format!("/api/v1/namespaces/{namespace}/{resource}")
    }
}

fn map(name: &str) -> Value {
    json!({"metadata": {"name": name}, "data": {"a": "b"}})
}

#[tokio::test]
async fn a_request_is_told_when_it_comes_and_when_it_is_answered() {
    let client = AUDITED.admin().await;
    let maps = AUDITED.path(&client, "whole", "configmaps").await;
    let headers = [
        ("audit-id", "stages"),
        ("content-type", "application/json"),
        ("user-agent", "tester/1.0"),
        ("x-forwarded-for", "192.0.2.7"),
    ];
    let made = client.send(Method::POST, &maps, &headers, map("stages").to_string()).await;
    assert_eq!((made.code, made.header("audit-id")), (201, "stages"));
    let events = AUDITED.events("stages", 2).await;
    let [came, answered] = events.as_slice() else { panic!("{events:#?}") };
    for event in [came, answered] {
        assert_eq!(event["kind"], "Event");
        assert_eq!(event["apiVersion"], "audit.k8s.io/v1");
        assert_eq!(event["level"], "RequestResponse");
        assert_eq!((&event["verb"], &event["requestURI"]), (&json!("create"), &json!(maps)));
        assert_eq!(event["user"]["username"], "root");
        assert_eq!(event["user"]["groups"], json!(["system:masters", "system:authenticated"]));
        assert_eq!(event["sourceIPs"], json!(["192.0.2.7", "127.0.0.1"]));
        assert_eq!(event["userAgent"], "tester/1.0");
        assert_eq!(event["requestReceivedTimestamp"], came["requestReceivedTimestamp"]);
        assert_eq!(text(&event["stageTimestamp"]).len(), "2026-01-01T00:00:00.000000Z".len());
    }
    assert_eq!(came["stage"], "RequestReceived");
    assert_eq!(came["stageTimestamp"], came["requestReceivedTimestamp"]);
    let about = json!({"resource": "configmaps", "namespace": "whole", "apiVersion": "v1"});
    assert_eq!(came["objectRef"], about, "the URL does not say the name");
    for absent in ["responseStatus", "requestObject", "responseObject", "annotations"] {
        assert!(came[absent].is_null(), "{absent}");
    }
    assert_eq!(answered["stage"], "ResponseComplete");
    assert_eq!(answered["objectRef"]["name"], "stages");
    assert_eq!(answered["responseStatus"], json!({"metadata": {}, "code": 201}));
    assert_eq!(answered["requestObject"]["data"], json!({"a": "b"}));
    assert_eq!(answered["responseObject"], {
        let mut object = made.json();
        object["metadata"].as_object_mut().unwrap().remove("managedFields");
        object
    });
    let decided = &answered["annotations"];
    assert_eq!(decided["authorization.k8s.io/decision"], "allow");
    assert_eq!(decided["authorization.k8s.io/reason"], "");
}

#[tokio::test]
async fn the_policy_says_how_much_is_told() {
    let client = AUDITED.admin().await;
    let collection = AUDITED.path(&client, "asked", "configmaps").await;
    let (_, event) = AUDITED.send_audited(&client, Method::POST, &collection, &[], map("a")).await;
    assert_eq!(
        (&event["level"], &event["requestObject"]["data"]["a"]),
        (&json!("Request"), &json!("b"))
    );
    assert!(event["responseObject"].is_null());
    let (_, event) = AUDITED
        .send_audited(
            &client,
            Method::PATCH,
            &format!("{collection}/a"),
            &[],
            r#"{"data":{"c":"d"}}"#,
        )
        .await;
    assert_eq!(
        event["requestObject"],
        json!({"data": {"c": "d"}}),
        "a patch is told as it was sent"
    );
    assert_eq!(event["verb"], "patch");
    assert!(
        !AUDITED
            .log()
            .lines()
            .any(|line| line.contains("/asked/") && line.contains("RequestReceived"))
    );

    let (_, event) =
        AUDITED.send_audited(&client, Method::GET, "/api/v1/nodes?limit=1", &[], "").await;
    assert_eq!((&event["level"], &event["verb"]), (&json!("Metadata"), &json!("list")));
    assert_eq!(event["requestURI"], "/api/v1/nodes?limit=1");
    assert_eq!(event["objectRef"], json!({"resource": "nodes", "apiVersion": "v1"}));
    assert!(event["responseObject"].is_null() && event["requestObject"].is_null());
    let (_, event) = AUDITED.send_audited(&client, Method::GET, "/healthz", &[], "").await;
    assert!(event["objectRef"].is_null() && event["responseStatus"]["code"] == 200);

    let hidden = AUDITED.path(&client, "hidden", "configmaps").await;
    client.map(&hidden, "a").await;
    client.get("/version").await;
    // Later stages are written later.
    AUDITED.send_audited(&client, Method::GET, "/livez", &[], "").await;
    let log = AUDITED.log();
    assert!(!log.contains("/namespaces/hidden/") && !log.contains("\"/version\""));
}

#[tokio::test]
async fn a_watch_is_told_when_it_begins_and_when_it_ends() {
    let client = AUDITED.admin().await;
    let maps = AUDITED.path(&client, "whole", "configmaps").await;
    let path = format!("{maps}?watch=true&timeoutSeconds=1");
    client.send(Method::GET, &path, &[("audit-id", "watched")], "").await;
    let events = AUDITED.events("watched", 3).await;
    let stages: Vec<String> = events.iter().map(|event| text(&event["stage"])).collect();
    assert_eq!(stages, ["RequestReceived", "ResponseStarted", "ResponseComplete"]);
    assert!(
        events.iter().all(|event| event["verb"] == "watch" && event["responseObject"].is_null())
    );
    assert_eq!(events[1]["responseStatus"]["code"], 200);
}

#[tokio::test]
async fn refusals_are_told() {
    let (client, alice) =
        (AUDITED.admin().await, Client::connect(&AUDITED.server, Some(ALICE)).await);
    let maps = AUDITED.path(&client, "whole", "configmaps").await;
    let (answer, event) = AUDITED.send_audited(&alice, Method::GET, &maps, &[], "").await;
    assert_eq!((answer.code, &event["user"]["username"]), (403, &json!("alice")));
    assert_eq!(event["annotations"]["authorization.k8s.io/decision"], "forbid");
    let status = &event["responseStatus"];
    assert_eq!((&status["code"], &status["reason"]), (&json!(403), &json!("Forbidden")));
    assert_eq!(status["message"], answer.json()["message"]);
    assert_eq!(event["responseObject"], answer.json());

    let (answer, event) =
        AUDITED.send_audited(&client, Method::POST, &maps, &[], map("No Name")).await;
    assert_eq!((answer.code, &event["responseStatus"]["reason"]), (422, &json!("Invalid")));
    assert_eq!(event["responseStatus"]["details"], answer.json()["details"]);
    assert_eq!(event["annotations"]["authorization.k8s.io/decision"], "allow");
    let (_, event) =
        AUDITED.send_audited(&client, Method::GET, &format!("{maps}/none"), &[], "").await;
    assert_eq!(event["responseStatus"]["code"], 404);

    let stranger = Client::connect(&AUDITED.server, Some("no-such-token")).await;
    let (answer, event) = AUDITED.send_audited(&stranger, Method::GET, &maps, &[], "").await;
    assert_eq!((answer.code, &event["responseStatus"]["code"]), (401, &json!(401)));
    assert_eq!(event["user"], json!({}), "nobody knows who it is");
    let nobody = Client::connect(&AUDITED.server, None).await;
    let (_, event) = AUDITED.send_audited(&nobody, Method::GET, &maps, &[], "").await;
    assert_eq!(event["user"]["username"], "system:anonymous");
    assert!(!AUDITED.log().contains("no-such-token"));
}

#[tokio::test]
async fn refusals_are_told_at_every_level() {
    let alice = Client::connect(&AUDITED.server, Some(ALICE)).await;
    for namespace in ["asked", "short"] {
        let path = format!("/api/v1/namespaces/{namespace}/configmaps");
        let (answer, event) = AUDITED.send_audited(&alice, Method::GET, &path, &[], "").await;
        assert_eq!((answer.code, &event["responseStatus"]["reason"]), (403, &json!("Forbidden")));
        assert!(event["responseObject"].is_null());
    }
}

#[tokio::test]
async fn the_name_of_what_is_made_is_told_at_every_level() {
    let client = AUDITED.admin().await;
    let short = AUDITED.path(&client, "short", "configmaps").await;
    let (_, event) = AUDITED.send_audited(&client, Method::POST, &short, &[], map("named")).await;
    assert_eq!(
        (&event["level"], &event["objectRef"]["name"]),
        (&json!("Metadata"), &json!("named"))
    );
    assert!(event["requestObject"].is_null());
}

#[tokio::test]
async fn refusals_of_strangers_and_pretenders_say_why() {
    let stranger = Client::connect(&AUDITED.server, Some("no-such-token")).await;
    let path = "/api/v1/namespaces/whole/configmaps";
    let (_, event) = AUDITED.send_audited(&stranger, Method::GET, path, &[], "").await;
    assert_eq!(event["responseStatus"]["reason"], "Unauthorized");
    let alice = Client::connect(&AUDITED.server, Some(ALICE)).await;
    let as_root = [("impersonate-user", "root")];
    let (answer, event) = AUDITED.send_audited(&alice, Method::GET, path, &as_root, "").await;
    assert_eq!((answer.code, &event["responseStatus"]["reason"]), (403, &json!("Forbidden")));
    let client = AUDITED.admin().await;
    let unwritable = [("accept", "text/html")];
    let (answer, event) = AUDITED.send_audited(&client, Method::GET, path, &unwritable, "").await;
    assert_eq!((answer.code, &event["responseStatus"]["reason"]), (406, &json!("NotAcceptable")));
    let large = "x".repeat(4 << 20);
    let (answer, event) = AUDITED.send_audited(&client, Method::POST, path, &[], large).await;
    assert_eq!(
        (answer.code, &event["responseStatus"]["reason"]),
        (413, &json!("RequestEntityTooLarge"))
    );
}

#[tokio::test]
async fn who_waited_too_long_is_told_as_it_was_answered() {
    let folder = tempfile::tempdir().unwrap();
    let (policy, log) = (folder.path().join("policy.yaml"), folder.path().join("audit.log"));
    std::fs::write(&policy, POLICY).unwrap();
    let there = log.clone();
    let server = Server::start_with(move |config| {
        config.limits.timeout = Duration::from_millis(50);
        config.audit =
            Some(Audit { policy, log: there, max_megabytes: 0, max_files: 0, max_days: 0 });
    });
    let audited = AuditedServer { server, log, _folder: folder };
    let client = audited.admin().await;
    for _ in 0..20 {
        let path = "/api/v1/namespaces/whole/configmaps?resourceVersion=1000000000";
        let (answer, event) = audited.send_audited(&client, Method::GET, path, &[], "").await;
        assert_eq!((answer.code, &event["responseStatus"]["code"]), (504, &json!(504)), "{event}");
    }
}

#[tokio::test]
async fn an_answer_in_any_form_is_told_as_json() {
    let client = AUDITED.admin().await;
    let maps = AUDITED.path(&client, "whole", "configmaps").await;
    client.post(&maps, map("form")).await;
    let one = format!("{maps}/form");
    for accept in ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"] {
        let (_, event) =
            AUDITED.send_audited(&client, Method::GET, &one, &[("accept", accept)], "").await;
        assert_eq!(event["responseObject"]["data"], json!({"a": "b"}), "{accept}");
    }
}

#[tokio::test]
async fn who_acts_as_another_is_told_with_both_names() {
    let client = AUDITED.admin().await;
    let as_bob = [("impersonate-user", "bob"), ("impersonate-group", "builders")];
    let (answer, event) =
        AUDITED.send_audited(&client, Method::GET, "/api/v1/pods", &as_bob, "").await;
    assert_eq!(answer.code, 403);
    assert_eq!(event["user"]["username"], "root");
    assert_eq!(event["impersonatedUser"]["username"], "bob");
    assert_eq!(event["impersonatedUser"]["groups"], json!(["builders", "system:authenticated"]));
    let alice = Client::connect(&AUDITED.server, Some(ALICE)).await;
    let (answer, event) =
        AUDITED.send_audited(&alice, Method::GET, "/api/v1/pods", &as_bob, "").await;
    assert_eq!((answer.code, &event["responseStatus"]["code"]), (403, &json!(403)));
    assert_eq!(event["user"]["username"], "alice");
    assert!(event["impersonatedUser"].is_null(), "she did not become him");
}

#[tokio::test]
async fn secrets_and_tokens_are_never_told() {
    let client = AUDITED.admin().await;
    let secrets = AUDITED.path(&client, "whole", "secrets").await;
    let note = "kubectl.kubernetes.io/last-applied-configuration";
    let secret = json!({
        "metadata": {"name": "s", "annotations": {note: format!("{{\"data\":{{\"k\":\"{SECRET}\"}}}}")}},
        "data": {"k": SECRET},
        "stringData": {"other": HUSH},
    });
    let one = format!("{secrets}/s");
    let (made, event) = AUDITED.send_audited(&client, Method::POST, &secrets, &[], &secret).await;
    assert_eq!((made.code, &event["objectRef"]["name"]), (201, &json!("s")));
    assert_eq!(event["requestObject"]["metadata"]["name"], "s", "all else is told");
    assert_eq!(event["requestObject"]["data"], json!({"k": "[redacted]"}));
    let (_, event) = AUDITED.send_audited(&client, Method::GET, &secrets, &[], "").await;
    assert_eq!(event["responseObject"]["items"][0]["metadata"]["name"], "s");
    for accept in ["application/json;as=Table;v=v1;g=meta.k8s.io", "application/yaml"] {
        AUDITED
            .send_audited(
                &client,
                Method::GET,
                &format!("{one}?includeObject=Object"),
                &[("accept", accept)],
                "",
            )
            .await;
    }
    AUDITED.send_audited(&client, Method::PATCH, &one, &[], json!({"data": {"k": SECRET}})).await;
    let operations = json!([{"op": "add", "path": "/data/new", "value": SECRET}]);
    let json_patch = [("content-type", "application/json-patch+json"), ("audit-id", "operations")];
    client.send(Method::PATCH, &one, &json_patch, operations.to_string()).await;
    AUDITED.events("operations", 2).await;
    let mistaken = json!({"metadata": {"name": "S!"}, "Data": {"k": SECRET}, "data": HUSH});
    let (answer, _) = AUDITED.send_audited(&client, Method::POST, &secrets, &[], mistaken).await;
    assert_eq!(answer.code, 400);
    // As an object of another kind, at another path.
    let maps = AUDITED.path(&client, "whole", "configmaps").await;
    let smuggled = json!({"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "x"}, "data": {"k": SECRET}});
    AUDITED.send_audited(&client, Method::POST, &maps, &[], smuggled).await;

    let accounts = AUDITED.path(&client, "whole", "serviceaccounts").await;
    client.post(&accounts, json!({"metadata": {"name": "robot"}})).await;
    let token = format!("{accounts}/robot/token");
    let (made, event) =
        AUDITED.send_audited(&client, Method::POST, &token, &[], r#"{"spec":{}}"#).await;
    let token = text(&made.json()["status"]["token"]);
    assert!(made.code == 201 && !token.is_empty());
    assert_eq!(event["responseObject"]["status"]["token"], "[redacted]");
    assert!(!event["responseObject"]["status"]["expirationTimestamp"].is_null());
    let reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
    let review = json!({"spec": {"token": token}});
    let (made, event) = AUDITED.send_audited(&client, Method::POST, reviews, &[], review).await;
    assert_eq!(made.json()["status"]["authenticated"], true, "{}", made.text());
    assert_eq!(event["requestObject"]["spec"]["token"], "[redacted]");
    assert_eq!(
        event["responseObject"]["status"]["user"]["username"],
        "system:serviceaccount:whole:robot"
    );
    AUDITED
        .send_audited(&client, Method::GET, &format!("/api/v1/nodes?access_token={token}"), &[], "")
        .await;

    let log = AUDITED.log();
    for hidden in [SECRET, HUSH, &token, "admin-token", "alice-token"] {
        let line = log.lines().find(|line| line.contains(hidden));
        assert_eq!(line, None, "{hidden}");
    }
}

#[tokio::test]
async fn what_is_told_is_counted() {
    let client = AUDITED.admin().await;
    AUDITED.send_audited(&client, Method::GET, "/api/v1/nodes", &[], "").await;
    let metrics = client.get("/metrics").await;
    for line in [
        "# HELP apiserver_audit_event_total [ALPHA] Lines that were written to the audit log.\n# TYPE apiserver_audit_event_total counter\napiserver_audit_event_total ",
        "# HELP apiserver_audit_level_total [ALPHA] Requests by the level at which the audit policy wants them told.\n# TYPE apiserver_audit_level_total counter\n",
        "apiserver_audit_level_total{level=\"Metadata\"} ",
    ] {
        assert!(metrics.text().contains(line), "{line}");
    }
}
