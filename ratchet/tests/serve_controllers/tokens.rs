//! Tokens that do not end: made for secrets that ask, believed, and gone with their account.

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
    let (code, answer) = cluster.server.ask_as_nobody("GET", SECRETS, &bearer);
    assert_eq!(code, 403, "{answer}");
    assert!(answer.contains("system:serviceaccount:default:robot"), "{answer}");

    cluster.ask("DELETE", &format!("{ACCOUNTS}/robot"), &Value::Null);
    cluster.until("the secret to go", || !cluster.is_there(&path));
    assert_eq!(cluster.server.ask_as_nobody("GET", SECRETS, &bearer).0, 401);
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
    cluster.ask("DELETE", map, &Value::Null);
    cluster.until("the authority", || cluster.is_there(map));
}
