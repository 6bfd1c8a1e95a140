//! Tests of writes: names, dry runs, strictness, warnings, conflicts, deletion.

use crate::client::{old_protocol, text};
use crate::server::{ADMIN, Server};
use hyper::Method;
use serde_json::{Value, json};

const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn names_are_given_made_or_missed() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let base = format!("{}-", "long".repeat(20));
    let made = client.post(&maps, json!({"metadata": {"generateName": base}})).await;
    let name = text(&made.json()["metadata"]["name"]);
    assert_eq!((made.code, name.len(), &name[..58]), (201, 63, &base[..58]));
    assert!(name[58..].chars().all(|letter| "bcdfghjklmnpqrstvwxz2456789".contains(letter)));
    assert_eq!(made.header("location"), "");
    let rows: [(Value, u16, &str); 4] = [
        (
            json!({}),
            422,
            "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required",
        ),
        (json!({"name": name}), 409, &format!("configmaps \"{name}\" already exists")),
        (
            json!({"name": "x", "namespace": "default"}),
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            json!({"name": "x", "resourceVersion": "1"}),
            500,
            "resourceVersion should not be set on objects to be created",
        ),
    ];
    for (metadata, code, message) in rows {
        let answer = client.post(&maps, json!({"metadata": metadata})).await;
        assert_eq!(answer.refusal(), (code, message.to_owned()));
    }
    let zero = json!({"metadata": {"name": "zero", "resourceVersion": "0"}});
    assert_eq!(client.post(&maps, zero).await.code, 201);
    let nowhere = client
        .post("/api/v1/namespaces/nowhere/configmaps", json!({"metadata": {"name": "x"}}))
        .await;
    assert_eq!(nowhere.refusal(), (404, "namespaces \"nowhere\" not found".into()));
}

#[tokio::test]
async fn what_the_server_owns_is_not_for_clients_to_write() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let wish = json!({"name": "a", "uid": "mine", "creationTimestamp": "2001-01-01T00:00:00Z",
        "generation": 7, "selfLink": "/x", "deletionTimestamp": "2001-01-01T00:00:00Z"});
    let made = client.post(&maps, json!({"metadata": wish})).await.json();
    let metadata = made["metadata"].as_object().unwrap();
    assert_eq!(text(&metadata["uid"]).len(), 36);
    assert!(!text(&metadata["creationTimestamp"]).starts_with("2001"));
    // As in the reference, a generation that nobody counts is nobody's business.
    for name in ["selfLink", "deletionTimestamp"] {
        assert!(!metadata.contains_key(name), "{name}");
    }
    assert_eq!(metadata["generation"], 7, "of config maps nobody counts it, the reference neither");
}

/// A copy of what was read may be created by a dry run: only the store refuses its version.
#[tokio::test]
async fn versions_of_new_objects_are_refused_last_and_not_by_a_dry_run() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let dry = format!("{maps}?dryRun=All");
    let of =
        |name: &str, version: &str| json!({"metadata": {"name": name, "resourceVersion": version}});
    let tried = client.post(&dry, of("dry", "7")).await;
    assert_eq!((tried.code, tried.version()), (201, 7));
    assert_eq!(client.get(&format!("{maps}/dry")).await.code, 404);
    client.map(&maps, "kept").await;
    let why = |text: &str| format!("configmaps \"kept\" {text}");
    assert_eq!(client.post(&dry, of("kept", "7")).await.refusal(), (409, why("already exists")));
    let last = "resourceVersion should not be set on objects to be created".to_owned();
    assert_eq!(client.post(&maps, of("kept", "7")).await.refusal(), (500, last));
    // What is invalid is said before.
    assert_eq!(client.post(&maps, of("No Name", "7")).await.code, 422);
    // These name no version.
    for (name, version) in [("zero", "0"), ("word", "abc"), ("signed", "+7")] {
        let made = client.post(&maps, of(name, version)).await;
        assert_eq!(made.code, 201, "{version}");
        assert!(made.version() > 7, "{version}");
    }
    // A PUT that creates has the version ignored, if it is one.
    let lease = format!(
        "{}/leases/a",
        maps.replace("/api/v1/", "/apis/coordination.k8s.io/v1/").replace("/configmaps", "")
    );
    let of = |version: &str| json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "a", "resourceVersion": version}});
    let dry = client.put(&format!("{lease}?dryRun=All"), of("7")).await;
    assert_eq!((dry.code, dry.version()), (201, 7));
    let why = "strconv.ParseUint: parsing \"abc\": invalid syntax".to_owned();
    assert_eq!(client.put(&lease, of("abc")).await.refusal(), (500, why));
    let made = client.put(&lease, of("7")).await;
    assert!(made.code == 201 && made.version() > 7);
}

#[tokio::test]
async fn a_dry_run_leaves_nothing_behind() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let before = client.get(&maps).await.version();
    let dry =
        client.post(&format!("{maps}?dryRun=All"), json!({"metadata": {"name": "dry"}})).await;
    assert_eq!(dry.code, 201);
    assert!(dry.json()["metadata"]["resourceVersion"].is_null());
    assert_eq!(client.get(&format!("{maps}/dry")).await.code, 404);
    let stored = client.map(&maps, "kept").await;
    let path = format!("{maps}/kept");
    let patched = client.patch(&format!("{path}?dryRun=All"), json!({"data": {"a": "dry"}})).await;
    assert_eq!(patched.json()["data"]["a"], "dry");
    assert_eq!(client.delete(&format!("{path}?dryRun=All")).await.code, 200);
    let now = client.get(&path).await;
    assert_eq!((now.json(), now.version()), (stored.json(), stored.version()));
    assert!(before < now.version());
    let odd = client.post(&format!("{maps}?dryRun=foo"), json!({"metadata": {"name": "x"}})).await;
    let text = "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"foo\"]: supported values: \"All\"";
    assert_eq!(odd.refusal(), (422, text.into()));
}

#[tokio::test]
async fn unknown_and_duplicate_fields_are_named_in_the_order_of_the_body() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    for line in include_str!("../strict_decoding.txt").lines().skip(1) {
        let (body, error) = line.split_once(" => ").unwrap();
        let path = format!("{maps}?dryRun=All&fieldValidation=Strict");
        let (code, message) = client.send(Method::POST, &path, &[JSON], body).await.refusal();
        assert_eq!(code, 400);
        assert!(message.ends_with(&format!("strict decoding error: {error}")), "{message}");
    }
}

#[tokio::test]
async fn unknown_fields_are_refused_told_or_passed_over() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let body = r#"{"metadata":{"name":"odd","foo":1},"data":{"a":"1","a":"2"},"bar":1}"#;
    let send = async |query: &str| {
        client.send(Method::POST, &format!("{maps}?dryRun=All&{query}"), &[JSON], body).await
    };
    let strict = send("fieldValidation=Strict").await;
    let text = "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: unknown field \"metadata.foo\", duplicate field \"data.a\", unknown field \"bar\"";
    assert_eq!(strict.refusal(), (400, text.into()));
    for query in ["", "fieldValidation=Warn"] {
        let warned = send(query).await;
        let warnings: Vec<&str> =
            warned.headers.get_all("warning").iter().map(|text| text.to_str().unwrap()).collect();
        assert_eq!(warned.code, 201);
        assert_eq!(
            warnings,
            [
                r#"299 - "unknown field \"metadata.foo\"""#,
                r#"299 - "duplicate field \"data.a\"""#,
                r#"299 - "unknown field \"bar\"""#
            ]
        );
    }
    let silent = send("fieldValidation=Ignore").await;
    assert_eq!((silent.code, silent.header("warning")), (201, ""));
    assert_eq!(silent.json()["data"]["a"], "2", "the last one counts");
    let bad = send("fieldValidation=Bad").await;
    let text = "CreateOptions.meta.k8s.io \"\" is invalid: fieldValidation: Unsupported value: \"Bad\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"";
    assert_eq!(bad.refusal(), (422, text.into()));
}

#[tokio::test]
async fn who_was_slower_is_told() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let stale = client.map(&maps, "a").await.json();
    let path = format!("{maps}/a");
    let same = client.put(&path, stale.clone()).await;
    assert_eq!(same.json(), stale, "nothing changed, so nothing was written");
    client.patch(&path, json!({"data": {"a": "other"}})).await;
    let late = "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your changes to the latest version and try again";
    assert_eq!(client.put(&path, stale.clone()).await.refusal(), (409, late.into()));
    let patch = json!({"metadata": {"resourceVersion": stale["metadata"]["resourceVersion"]}, "data": {"a": "x"}});
    assert_eq!(client.patch(&path, patch).await.refusal(), (409, late.into()));
    let mut blind = stale.clone();
    blind["metadata"].as_object_mut().unwrap().remove("resourceVersion");
    assert_eq!(client.put(&path, blind.clone()).await.code, 200);
    blind["metadata"]["name"] = json!("b");
    let text = "the name of the object (b) does not match the name on the URL (a)";
    assert_eq!(client.put(&path, blind).await.refusal(), (400, text.into()));
}

#[tokio::test]
async fn deletion_has_conditions() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let made = client.map(&maps, "a").await;
    let path = format!("{maps}/a");
    let delete = async |preconditions: Value| {
        let body = json!({"preconditions": preconditions}).to_string();
        client.send(Method::DELETE, &path, &[JSON], body).await
    };
    let (uid, version) = (text(&made.json()["metadata"]["uid"]), made.version());
    let text = format!(
        "Operation cannot be fulfilled on ConfigMap \"a\": the UID in the precondition (no) does not match the UID in record ({uid}). The object might have been deleted and then recreated"
    );
    assert_eq!(delete(json!({"uid": "no"})).await.refusal(), (409, text));
    let text = format!(
        "Operation cannot be fulfilled on ConfigMap \"a\": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record ({version}). The object might have been modified"
    );
    assert_eq!(delete(json!({"resourceVersion": "1"})).await.refusal(), (409, text));
    let gone = delete(json!({"uid": uid, "resourceVersion": version.to_string()})).await;
    let details = json!({"name": "a", "kind": "configmaps", "uid": uid});
    assert_eq!((gone.code, gone.json()["details"].clone()), (200, details));
}

#[tokio::test]
async fn finalizers_hold_an_object() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let metadata = json!({"name": "held", "finalizers": ["example.com/wait"]});
    client.post(&maps, json!({"metadata": metadata})).await;
    let path = format!("{maps}/held");
    let going = client.delete(&path).await.json();
    assert!(going["metadata"]["deletionTimestamp"].is_string());
    let more = json!({"metadata": {"finalizers": ["example.com/wait", "example.com/more"]}});
    assert_eq!(client.patch(&path, more).await.code, 422);
    assert_eq!(client.get(&path).await.code, 200);
    assert_eq!(client.patch(&path, json!({"metadata": {"finalizers": null}})).await.code, 200);
    assert_eq!(client.get(&path).await.code, 404);
    let odd = client.delete(&format!("{path}?propagationPolicy=Foo")).await;
    assert!(
        odd.code == 422 && odd.text().contains(r#"Unsupported value: \"Foo\""#),
        "{}",
        odd.text()
    );
}

#[tokio::test]
async fn a_collection_goes_by_selection() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    for (name, label) in [("a", "x"), ("b", "y"), ("c", "x")] {
        client.post(&maps, json!({"metadata": {"name": name, "labels": {"l": label}}})).await;
    }
    let gone = client.delete(&format!("{maps}?labelSelector=l%3Dx")).await;
    assert_eq!((gone.code, gone.names()), (200, vec!["a".into(), "c".into()]));
    assert_eq!(client.get(&maps).await.names(), ["b"]);
}

#[tokio::test]
async fn bodies_have_a_limit_and_the_sender_hears_of_it() {
    let server = Server::shared();
    let client = server.admin().await;
    let (_, maps) = client.namespace().await;
    let text = "Request entity too large: limit is 3145728";
    for size in [3_145_729_usize, 3_300_000, 8_000_000] {
        let body = format!("{{\"data\":{{\"a\":\"{}\"}}}}", "x".repeat(size));
        let new = client.send(Method::POST, &maps, &[JSON], body.clone()).await;
        assert_eq!(new.refusal(), (413, text.into()), "{size}");
        let old = old_protocol(server, ADMIN, &maps, body.into()).await;
        assert_eq!(old.refusal(), (413, text.into()), "{size}");
    }
}

#[tokio::test]
async fn bodies_of_another_kind_are_refused() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let rows = [
        (
            r#"{"kind":"Secret","apiVersion":"v1"}"#,
            "Secret in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion",
        ),
        (
            r#"{"kind":"ConfigMap","apiVersion":"v2"}"#,
            "ConfigMap in version \"v2\" cannot be handled as a ConfigMap: no kind \"ConfigMap\" is registered for version \"v2\" in scheme \"pkg/api/legacyscheme/scheme.go:30\"",
        ),
        (
            "{",
            "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({)",
        ),
        (
            r#"{"kind":5,"apiVersion":"v1"}"#,
            r#"the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5,"apiVersion":"v1"})"#,
        ),
    ];
    for (body, message) in rows {
        let answer = client.send(Method::POST, &maps, &[JSON], body).await;
        assert_eq!(answer.refusal(), (400, message.to_owned()), "{body}");
    }
}

#[tokio::test]
async fn patches_leave_an_object_of_its_kind() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let created = client.post(&maps, json!({"metadata": {"name": "a"}})).await;
    assert_eq!(created.code, 201);
    for (patch, why) in [
        (
            json!({"kind": 5}),
            "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
        ),
        (
            json!({"kind": "Secret"}),
            "converting (v1.Secret) to (core.ConfigMap): unknown conversion",
        ),
    ] {
        let (code, message) = client.patch(&format!("{maps}/a"), patch).await.refusal();
        assert_eq!(code, 422, "{message}");
        assert!(message.ends_with(why), "{message}");
    }
}
