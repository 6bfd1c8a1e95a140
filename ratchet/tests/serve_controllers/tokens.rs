//! Tests of long-lived tokens: created for secrets that request them, accepted, and gone with their account.

use crate::cluster::{Cluster, text};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";

fn asking(name: &str, account: &str) -> Value {
    let annotations = json!({"kubernetes.io/service-account.name": account});
    json!({
        "metadata": {"name": name, "annotations": annotations},
        "type": "kubernetes.io/service-account-token",
    })
}

#[test]
fn a_secret_gets_a_token_and_goes_with_the_account() {
    let cluster = Cluster::start(&[]);
    let uid = cluster.make(ACCOUNTS, &json!({"metadata": {"name": "robot"}}));
    cluster.make(SECRETS, &asking("badge", "robot"));
    let path = format!("{SECRETS}/badge");
    cluster.until("a token", || !cluster.get(&path)["data"]["token"].is_null());
    let secret = cluster.get(&path);
    let data = |name: &str| {
        let text = text(&secret["data"][name]);
        String::from_utf8(BASE64_STANDARD.decode(text).unwrap()).unwrap()
    };
    assert_eq!(text(&secret["metadata"]["annotations"]["kubernetes.io/service-account.uid"]), uid);
    assert_eq!(data("namespace"), "default");
    assert!(data("ca.crt").contains("BEGIN CERTIFICATE"));
    let bearer = format!("Authorization: Bearer {}\r\n", data("token"));
    let (code, answer) = cluster.server.request_anonymously("GET", SECRETS, &bearer);
    assert_eq!(code, 403, "{answer}");
    assert!(answer.contains("system:serviceaccount:default:robot"), "{answer}");

    cluster.request("DELETE", &format!("{ACCOUNTS}/robot"), &Value::Null);
    cluster.until("the secret to go", || !cluster.is_there(&path));
    assert_eq!(cluster.server.request_anonymously("GET", SECRETS, &bearer).0, 401);
}

#[test]
fn a_secret_says_when_its_token_was_used_and_may_be_marked_invalid() {
    const LAST_USED: &str = "kubernetes.io/legacy-token-last-used";
    const INVALID: &str = "kubernetes.io/legacy-token-invalid-since";
    let cluster = Cluster::start(&[]);
    cluster.make(ACCOUNTS, &json!({"metadata": {"name": "robot"}}));
    cluster.make(SECRETS, &asking("badge", "robot"));
    let path = format!("{SECRETS}/badge");
    cluster.until("a token", || !cluster.get(&path)["data"]["token"].is_null());
    let secret = cluster.get(&path);
    assert!(secret["metadata"]["labels"].is_null(), "nobody has used it");
    let token = BASE64_STANDARD.decode(text(&secret["data"]["token"])).unwrap();
    let token = String::from_utf8(token).unwrap();
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let code = || cluster.server.request_anonymously("GET", SECRETS, &bearer).0;
    assert_eq!(code(), 403);
    let labels = cluster.get(&path)["metadata"]["labels"].clone();
    let day = text(&labels[LAST_USED]);
    assert_eq!(day.len(), "2026-01-01".len(), "{labels}");
    let version = cluster.get(&path)["metadata"]["resourceVersion"].clone();
    assert_eq!(code(), 403);
    assert_eq!(cluster.get(&path)["metadata"]["resourceVersion"], version, "once a day is enough");

    cluster.change(&path, |secret| {
        secret["metadata"]["labels"] = json!({INVALID: "2026-01-01", LAST_USED: "2020-01-01"});
    });
    assert_eq!(code(), 401);
    assert_eq!(cluster.get(&path)["metadata"]["labels"][LAST_USED], day, "who tries is noted too");
    let review = json!({"spec": {"token": token}});
    let path_of_reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
    let status = cluster.request("POST", path_of_reviews, &review)["status"].clone();
    let why = text(&status["error"]);
    assert!(why.contains("the token in secret default/badge for service account default/robot has been marked invalid."), "{why}");
    assert!(status["authenticated"].is_null());
    let (_, metrics) = cluster.server.get("/metrics");
    let counted = |name: &str| {
        let line =
            metrics.lines().find(|line| line.starts_with(&format!("serviceaccount_{name} ")));
        line.and_then(|line| line.rsplit(' ').next()).unwrap_or_default().to_owned()
    };
    assert_eq!(counted("invalid_legacy_auto_token_uses_total"), "2");
    assert_eq!(counted("legacy_manual_token_uses_total"), "2");
    assert_eq!(counted("legacy_tokens_total"), "4");
    assert_eq!(counted("stale_tokens_total"), "0");

    cluster.change(&path, |secret| secret["metadata"]["labels"] = json!({}));
    assert_eq!(code(), 403, "taken off, the mark is forgotten");
}

/// A request of openssl for `CN=system:node:a, O=system:nodes`.
const WISH: &str = include_str!("../../../doors/server/src/admission/node_client_csr.txt");

#[test]
fn a_node_asks_for_no_certificate_of_another() {
    let path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    let wish = |name: &str| {
        let usages = json!(["digital signature", "server auth"]);
        let spec = json!({"request": WISH.trim(), "signerName": "kubernetes.io/kubelet-serving", "usages": usages});
        json!({"metadata": {"name": name}, "spec": spec}).to_string()
    };
    let as_node = |name: &str| {
        format!("Impersonate-User: system:node:{name}\r\nImpersonate-Group: system:nodes\r\n")
    };
    let cluster = Cluster::start(&[]);
    let request_token = |node: &str, name: &str| {
        cluster.server.request_with_headers(&as_node(node), "POST", path, &wish(name))
    };
    let (code, answer) = request_token("b", "sly");
    assert_eq!(code, 403, "{answer}");
    assert!(answer.contains("can only create a node CSR with CN=system:node:b"), "{answer}");
    let (code, answer) = request_token("a", "own");
    assert_eq!(code, 201, "{answer}");
    let (code, answer) = cluster.server.request("POST", path, &wish("admin"));
    assert_eq!(code, 201, "an administrator is no node: {answer}");
    drop(cluster);

    let cluster = Cluster::start(&["--disable-admission-plugins=NodeRestriction"]);
    let (code, answer) =
        cluster.server.request_with_headers(&as_node("b"), "POST", path, &wish("sly"));
    assert_eq!(code, 201, "as in kube-apiserver without the plugin: {answer}");
}

#[test]
fn a_secret_of_nobody_goes_and_every_namespace_knows_the_authority() {
    let cluster = Cluster::start(&[]);
    cluster.make(SECRETS, &asking("lost", "nobody"));
    cluster.until("the secret to go", || !cluster.is_there(&format!("{SECRETS}/lost")));
    cluster.namespace("new");
    let map = "/api/v1/namespaces/new/configmaps/kube-root-ca.crt";
    cluster.until("the authority", || cluster.is_there(map));
    let authority = cluster.get(map)["data"].clone();
    assert!(text(&authority["ca.crt"]).contains("BEGIN CERTIFICATE"));
    // Who spoils it, or takes it away, does not get far.
    cluster.change(map, |map| map["data"] = json!({"ca.crt": "x", "more": "y"}));
    cluster.until("the authority", || cluster.get(map)["data"] == authority);
    cluster.request("DELETE", map, &Value::Null);
    cluster.until("the authority", || cluster.is_there(map));
}
