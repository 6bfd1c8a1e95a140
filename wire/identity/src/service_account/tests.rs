//! Tokens are valid for their audiences and lifetimes, and verified with the right keys.

use super::*;
use crate::{SecretUsage, TokenCounter};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ratchet_object::{GroupVersionKind, GroupVersionResource, Node, RestMapping};
use std::collections::HashMap;

const ISSUER: &str = "https://kubernetes.default.svc";
const ACCOUNT: Account<'_> = Account { namespace: "ns", name: "bot", uid: "u1" };

#[derive(Clone, Default)]
struct Objects {
    uids: HashMap<(String, String), String>,
    token: String,
    labels: Vec<(&'static str, &'static str)>,
    listed: bool,
    deleted: bool,
}

impl Objects {
    fn with(mut self, resource: &str, name: &str, uid: &str) -> Self {
        self.uids.insert((resource.into(), name.into()), uid.into());
        self
    }

    fn new() -> Self {
        Self::default().with("serviceaccounts", "bot", "u1")
    }
}

impl Objects {
    fn metadata(&self, resource: &str, name: &str) -> Option<Node<'static>> {
        let uid = self.uids.get(&(resource.into(), name.into())).cloned();
        Some(Node::map([("uid", Node::string(uid?))]))
    }

    fn secret(&self) -> Node<'static> {
        let token = Node::string(BASE64_STANDARD.encode(&self.token));
        let labels = Node::map(self.labels.iter().map(|(key, value)| (*key, Node::string(*value))));
        let metadata = Node::map([("uid", Node::string("u5")), ("labels", labels)]);
        Node::map([("metadata", metadata), ("data", Node::map([("token", token)]))])
    }
}

impl ClusterReader for Objects {
    fn get(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        assert_eq!(namespace, if resource.resource == "nodes" { "" } else { "ns" });
        if (resource.resource, name) == ("secrets", "kept") {
            return Some(self.secret());
        }
        let mut metadata = self.metadata(resource.resource, name)?;
        if self.deleted {
            metadata.set("deletionTimestamp", Node::string("2026-01-01T00:00:00Z"));
        }
        let names = if self.listed {
            vec![Node::map([("name", Node::string("kept"))])]
        } else {
            Vec::new()
        };
        Some(Node::map([("metadata", metadata), ("secrets", Node::list(names))]))
    }

    fn list(&self, _: &GroupVersionResource<'_>, _: &str, _: usize) -> Vec<Node<'static>> {
        Vec::new()
    }

    fn rest_mapping(&self, _: &GroupVersionKind<'_>) -> Option<RestMapping> {
        None
    }
}

fn accounts() -> ServiceAccounts {
    let (key, _) = SigningKey::generate().expect("a key");
    ServiceAccounts::new(ISSUER, Some(key), Vec::new())
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).expect("a time")
}

fn request<'a>(bound: Option<Bound<'a>>, audiences: &'a [String], seconds: i64) -> Issuing<'a> {
    Issuing { account: ACCOUNT, bound, audiences, seconds }
}

fn claims(token: &str) -> Value {
    Token::parse(token).expect("a token").claims
}

fn verify(
    accounts: &ServiceAccounts,
    token: &str,
    audiences: &[&str],
    objects: &Objects,
    now: Timestamp,
) -> Result<User, String> {
    let audiences: Vec<_> = audiences.iter().map(ToString::to_string).collect();
    let usage = &mut TokenUsage::default();
    let verified = accounts.verify(token, &audiences, objects, now, usage);
    let verified = verified.expect("a token of ours");
    verified.map(|verified| verified.user)
}

#[test]
fn a_token_says_what_upstream_says() {
    let accounts = accounts();
    let bound = Bound::Pod("p", "u2", Some(("n", "u3")));
    let issued = accounts.issue(&request(Some(bound), &[], 600), at(0)).expect("issued");
    let mut claims = claims(&issued.token);
    let id = claims["jti"].as_str().expect("there").to_owned();
    assert_eq!(issued.credential, format!("JTI={id}"));
    claims["jti"] = "id".into();
    assert_eq!(
        claims.to_string(),
        r#"{"aud":["https://kubernetes.default.svc"],"exp":1800000600,"iat":1800000000,"iss":"https://kubernetes.default.svc","jti":"id","kubernetes.io":{"namespace":"ns","node":{"name":"n","uid":"u3"},"pod":{"name":"p","uid":"u2"},"serviceaccount":{"name":"bot","uid":"u1"}},"nbf":1800000000,"sub":"system:serviceaccount:ns:bot"}"#
    );
    let objects = Objects::new().with("pods", "p", "u2");
    let user = verify(&accounts, &issued.token, &[], &objects, at(0)).expect("believed");
    assert_eq!((user.name.as_str(), user.uid.as_str()), ("system:serviceaccount:ns:bot", "u1"));
    assert_eq!(user.groups, ["system:serviceaccounts", "system:serviceaccounts:ns"]);
    let extra = |key: &str| user.extra_value(&format!("authentication.kubernetes.io/{key}"));
    assert_eq!(extra("pod-name"), Some("p"));
    assert_eq!(extra("pod-uid"), Some("u2"));
    assert_eq!(extra("node-name"), Some("n"));
    assert_eq!(extra("node-uid"), Some("u3"));
    assert_eq!(extra("credential-id"), Some(issued.credential.as_str()));
}

#[test]
fn a_token_has_its_time() {
    let (accounts, objects) = (accounts(), Objects::new());
    let issued = accounts.issue(&request(None, &[], 600), at(0)).expect("issued");
    assert_eq!(issued.expires, at(600));
    for (now, error) in [
        (-61, Some("service account token is not valid yet")),
        (-60, None),
        (0, None),
        (660, None),
        (661, Some("service account token has expired")),
    ] {
        let result = verify(&accounts, &issued.token, &[], &objects, at(now));
        assert_eq!(result.err().as_deref(), error, "{now}");
    }
}

#[test]
fn lives_are_bounded() {
    let mut accounts = accounts();
    let issue = |accounts: &ServiceAccounts, seconds| {
        accounts.issue(&request(None, &[], seconds), at(0)).expect("issued")
    };
    assert_eq!(issue(&accounts, 1).seconds, 600);
    assert_eq!(issue(&accounts, 1 << 32).seconds, 1 << 32);
    accounts.longest = Some(3600);
    let issued = issue(&accounts, 7200);
    assert_eq!((issued.seconds, issued.expires), (3600, at(3600)));
    let warning = "requested expiration of 7200 seconds shortened to 3600 seconds";
    assert_eq!(issued.warning.as_deref(), Some(warning));
    assert_eq!(issue(&accounts, 3600).warning, None);
}

#[test]
fn tokens_of_pods_live_on_with_a_warning() {
    let accounts = accounts();
    let pod = Some(Bound::Pod("p", "u2", None));
    let issued = accounts.issue(&request(pod, &[], 3607), at(0)).expect("issued");
    let result = claims(&issued.token);
    assert_eq!(result["kubernetes.io"]["warnafter"], 1_800_003_607);
    assert_eq!(result["exp"], 1_800_000_000 + EXTENDED);
    assert_eq!(issued.expires, at(3607));
    let others = ["vault".to_owned()];
    for (bound, audiences, seconds) in
        [(None, &[][..], 3607), (pod, &others[..], 3607), (pod, &[][..], 3608)]
    {
        let issued = accounts.issue(&request(bound, audiences, seconds), at(0)).expect("issued");
        assert_eq!(claims(&issued.token)["exp"], 1_800_000_000 + seconds);
    }
}

#[test]
fn a_token_is_for_its_audience() {
    let (accounts, objects) = (accounts(), Objects::new());
    let vault = ["vault".to_owned()];
    let issued = accounts.issue(&request(None, &vault, 600), at(0)).expect("issued");
    assert_eq!(
        verify(&accounts, &issued.token, &[], &objects, at(0)).expect_err("refused"),
        r#"token audiences ["vault"] is invalid for the target audiences ["https://kubernetes.default.svc"]"#
    );
    assert!(verify(&accounts, &issued.token, &["x", "vault"], &objects, at(0)).is_ok());
}

#[test]
fn a_token_dies_with_what_it_is_bound_to() {
    let accounts = accounts();
    let gone = "service account token has been invalidated";
    let cases = [
        (Bound::Pod("o", "u2", Some(("n", "u3"))), "pods", "pod"),
        (Bound::Secret("o", "u2"), "secrets", "secret"),
        (Bound::Node("o", "u2"), "nodes", "node"),
    ];
    for (bound, kind, what) in cases {
        let issued = accounts.issue(&request(Some(bound), &[], 600), at(0)).expect("issued");
        let verify_with = |objects: &Objects| verify(&accounts, &issued.token, &[], objects, at(0));
        assert!(verify_with(&Objects::new().with(kind, "o", "u2")).is_ok());
        assert_eq!(verify_with(&Objects::new()).expect_err("gone"), gone);
        assert_eq!(
            verify_with(&Objects::new().with(kind, "o", "u9")).expect_err("another"),
            format!("{what} UID (u9) does not match service account {what} ref claim (u2)")
        );
        assert!(verify_with(&Objects::default()).is_err());
        let other = Objects::new().with("serviceaccounts", "bot", "u9");
        let error = "service account UID (u9) does not match claim (u1)";
        assert_eq!(verify_with(&other.with(kind, "o", "u2")).expect_err("another"), error);
    }
}

#[test]
fn only_own_tokens_are_looked_at() {
    let (accounts, objects) = (accounts(), Objects::new());
    let unknown_issuer =
        ServiceAccounts::new("https://other", SigningKey::generate().ok().map(|k| k.0), Vec::new());
    let token = unknown_issuer.issue(&request(None, &[], 600), at(0)).expect("issued").token;
    assert!(accounts.verify(&token, &[], &objects, at(0), &mut TokenUsage::default()).is_none());
    assert!(accounts.verify("abc", &[], &objects, at(0), &mut TokenUsage::default()).is_none());
    let forger = tests::accounts();
    let token = forger.issue(&request(None, &[], 600), at(0)).expect("issued").token;
    for _ in 0..2 {
        let result = verify(&accounts, &token, &[], &objects, at(0));
        assert_eq!(result.expect_err("forged"), "invalid signature, no keys found");
    }
    let own = accounts.issue(&request(None, &[], 600), at(0)).expect("issued").token;
    assert!(verify(&accounts, &own, &[], &objects, at(0)).is_ok());
    let (body, _) = own.rsplit_once('.').expect("a token");
    let (_, signature) = token.rsplit_once('.').expect("a token");
    let tampered = format!("{body}.{signature}");
    let result = verify(&accounts, &tampered, &[], &objects, at(0));
    assert_eq!(result.expect_err("tampered"), "invalid signature");
    let silent = ServiceAccounts::new(ISSUER, None, Vec::new());
    assert_eq!(silent.issue(&request(None, &[], 600), at(0)), Err(KeyError::None));
}

/// A token that the secret `kept` contains, and the accounts that signed it.
fn lasting() -> (ServiceAccounts, String) {
    let accounts = accounts();
    let token = accounts.issue_lasting(ACCOUNT, "kept").expect("signed");
    (accounts, token)
}

#[test]
fn tokens_of_secrets_are_believed_while_the_secret_holds_them() {
    let (accounts, token) = lasting();
    let objects_with_token = Objects { token: token.clone(), ..Objects::new() };
    let user = verify(&accounts, &token, &[], &objects_with_token, at(0)).expect("believed");
    assert_eq!(user.name, "system:serviceaccount:ns:bot");
    let result = verify(&accounts, &token, &[], &Objects::new(), at(0));
    assert_eq!(result.expect_err("replaced"), "Token does not match server's copy");
    let deleted = Objects { deleted: true, ..objects_with_token.clone() };
    let result = verify(&accounts, &token, &[], &deleted, at(0));
    assert_eq!(result.expect_err("deleted"), "ServiceAccount ns/bot has been deleted");
    let key = accounts.signing_key.as_ref().expect("a key");
    let claim = |name: &str| format!("kubernetes.io/serviceaccount/{name}");
    for (name, value, error) in [
        ("sub".into(), json!("system:serviceaccount:ns:root"), "sub claim is invalid"),
        ("sub".into(), json!(""), "sub claim is missing"),
        (claim("namespace"), json!(""), "namespace claim is missing"),
        (claim("secret.name"), Value::Null, "secretName claim is missing"),
        (claim("service-account.name"), json!(""), "serviceAccountName claim is missing"),
        (claim("service-account.uid"), json!(""), "serviceAccountUID claim is missing"),
        (
            claim("service-account.uid"),
            json!("u9"),
            "ServiceAccount UID (u1) does not match claim (u9)",
        ),
    ] {
        let mut wrong = claims(&token);
        wrong[&name] = value;
        let token = sign(key, &wrong).expect("signed");
        let objects_with_token = Objects { token: token.clone(), ..Objects::new() };
        assert_eq!(
            verify(&accounts, &token, &[], &objects_with_token, at(0)).expect_err(&name),
            error
        );
    }
}

#[test]
fn a_secret_that_is_marked_invalid_lends_its_token_no_more() {
    let (accounts, token) = lasting();
    let verify_with = |labels: Vec<(&'static str, &'static str)>, listed| {
        let objects_with_token = Objects { token: token.clone(), labels, listed, ..Objects::new() };
        let mut usage = TokenUsage::default();
        let result =
            accounts.verify(&token, &[], &objects_with_token, at(0), &mut usage).expect("ours");
        (result.map(|verified| verified.user.name), usage)
    };
    let legacy = ("authentication.k8s.io/legacy-token", "system:serviceaccount:ns:bot".to_owned());
    let (result, usage) =
        verify_with(vec![("kubernetes.io/legacy-token-invalid-since", "2027-01-01")], true);
    assert_eq!(
        result.expect_err("invalid"),
        "the token in secret ns/kept for service account ns/bot has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the 'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token"
    );
    let invalidated = ("authentication.k8s.io/legacy-token-invalidated", "kept/ns".to_owned());
    assert_eq!(usage.annotations, [legacy.clone(), invalidated]);
    assert_eq!(usage.counters, [TokenCounter::Legacy, TokenCounter::Invalidated]);
    assert!(usage.secret.is_some(), "who tries is written down as well");

    let (result, usage) = verify_with(vec![("kubernetes.io/legacy-token-invalid-since", "")], true);
    assert!(result.is_ok(), "an empty label marks nothing");
    let listed = ("authentication.k8s.io/legacy-token-autogenerated-secret", "kept".to_owned());
    assert_eq!(usage.annotations, [legacy.clone(), listed]);
    assert_eq!(usage.warnings.len(), 1);
    assert_eq!(usage.counters, [TokenCounter::Legacy, TokenCounter::AutoGenerated]);

    let (result, usage) = verify_with(Vec::new(), false);
    assert!(result.is_ok());
    let manual = ("authentication.k8s.io/legacy-token-manual-secret", "kept".to_owned());
    assert_eq!(usage.annotations, [legacy, manual]);
    assert_eq!(usage.warnings, [""; 0]);
    assert_eq!(usage.counters, [TokenCounter::Legacy, TokenCounter::Manual]);
}

#[test]
fn a_secret_is_marked_as_used_once_a_day() {
    let (accounts, token) = lasting();
    let marks = |labels: Vec<(&'static str, &'static str)>| {
        let objects_with_token = Objects { token: token.clone(), labels, ..Objects::new() };
        let mut usage = TokenUsage::default();
        accounts
            .verify(&token, &[], &objects_with_token, at(0), &mut usage)
            .expect("ours")
            .expect("believed");
        usage.secret
    };
    let text = |text: &str| text.to_owned();
    let mark = SecretUsage {
        namespace: text("ns"),
        name: text("kept"),
        uid: text("u5"),
        day: text("2027-01-15"),
    };
    assert_eq!(marks(Vec::new()), Some(mark.clone()));
    for (day, annotation) in [
        ("2027-01-14", Some(mark.clone())),
        ("2027-01-15", None),
        ("2027-01-16", None),
        ("2027-01-17", Some(mark.clone())),
        ("nonsense", Some(mark)),
    ] {
        assert_eq!(marks(vec![(SecretUsage::LABEL, day)]), annotation, "{day}");
    }
}

#[test]
fn a_token_whose_times_make_no_sense_is_refused() {
    let (accounts, objects) = (accounts(), Objects::new());
    let key = accounts.signing_key.as_ref().expect("a key");
    let issued = accounts.issue(&request(None, &[], 600), at(0)).expect("issued").token;
    let (_, lasting_token) = lasting();
    for claim in ["exp", "nbf", "iat"] {
        for value in [json!("1800000600"), json!(1e30), json!(-1e30), json!([1]), json!(true)] {
            for token in [&issued, &lasting_token] {
                let mut wrong = claims(token);
                wrong[claim] = value.clone();
                let token = sign(key, &wrong).expect("signed");
                let objects_with_token = Objects { token: token.clone(), ..objects.clone() };
                let result = verify(&accounts, &token, &[], &objects_with_token, at(0));
                assert_eq!(
                    result.expect_err(claim),
                    "go-jose/go-jose/jwt: expected number value to unmarshal NumericDate",
                    "{claim}: {value}"
                );
            }
        }
    }
}

#[test]
fn a_token_that_is_read_too_seldom_is_told_of() {
    let accounts = accounts();
    let objects = Objects::new().with("pods", "p", "u2");
    let pod = Some(Bound::Pod("p", "u2", None));
    let token = accounts.issue(&request(pod, &[], 3607), at(0)).expect("issued").token;
    let usage_at = |seconds| {
        let mut usage = TokenUsage::default();
        let result = accounts.verify(&token, &[], &objects, at(seconds), &mut usage);
        assert!(result.expect("ours").is_ok());
        usage
    };
    let fresh = usage_at(3600);
    assert_eq!((fresh.annotations.len(), fresh.counters), (0, vec![TokenCounter::Valid]));
    let stale = usage_at(3700);
    let message = "subject: system:serviceaccount:ns:bot, seconds after warning threshold: 93";
    let annotation = ("authentication.k8s.io/stale-token", message.to_owned());
    assert_eq!((stale.annotations, stale.counters), (vec![annotation], vec![TokenCounter::Stale]));
}

#[test]
fn others_can_find_the_keys() {
    let mut accounts = accounts();
    assert_eq!(
        accounts.openid_configuration("https://1.2.3.4:6443/openid/v1/jwks").as_deref(),
        Some(
            r#"{"issuer":"https://kubernetes.default.svc","jwks_uri":"https://1.2.3.4:6443/openid/v1/jwks","response_types_supported":["id_token"],"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["ES256"]}"#
        )
    );
    let keys: Value = serde_json::from_str(&accounts.json_web_keys()).expect("JSON");
    let key = keys["keys"][0].as_object().expect("a key");
    let names: Vec<_> = key.keys().map(String::as_str).collect();
    assert_eq!(names, ["use", "kty", "kid", "crv", "alg", "x", "y"]);
    accounts.issuers = vec!["http://insecure".into()];
    assert_eq!(accounts.openid_configuration("x"), None);
}
