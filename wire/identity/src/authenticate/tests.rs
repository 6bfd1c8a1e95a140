//! Whole requests: certificates, proxies and tokens in their order.

use super::*;
use crate::{Account, Issuing, SigningKey};
use http::{HeaderName, HeaderValue};
use ratchet_object::{GroupVersionKind, GroupVersionResource, Node, RestMapping};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, CustomExtension, DnType,
    ExtendedKeyUsagePurpose, IsCa, KeyPair, SanType,
};

struct Nothing;

/// Every service account exists, and nothing else.
impl ClusterReader for Nothing {
    fn get(&self, resource: &GroupVersionResource<'_>, _: &str, _: &str) -> Option<Node<'static>> {
        let account = || Node::map([("metadata", Node::map([("uid", Node::string("u1"))]))]);
        (resource.resource == "serviceaccounts").then(account)
    }

    fn list(&self, _: &GroupVersionResource<'_>, _: &str, _: usize) -> Vec<Node<'static>> {
        Vec::new()
    }

    fn rest_mapping(&self, _: &GroupVersionKind<'_>) -> Option<RestMapping> {
        None
    }
}

fn now() -> Timestamp {
    "2026-06-01T00:00:00Z".parse().expect("a time")
}

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "an authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        Self(CertifiedIssuer::self_signed(params, key).expect("made"))
    }

    fn sign(&self, change: impl FnOnce(&mut CertificateParams)) -> CertificateDer<'static> {
        let mut params = CertificateParams::default();
        params.not_before = rcgen::date_time_ymd(2026, 1, 1);
        params.not_after = rcgen::date_time_ymd(2027, 1, 1);
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        change(&mut params);
        let key = KeyPair::generate().expect("a key");
        params.signed_by(&key, &self.0).expect("made").der().clone()
    }

    fn client(&self, name: &str) -> CertificateDer<'static> {
        self.sign(|params| params.distinguished_name.push(DnType::CommonName, name))
    }

    fn open(&self) -> Arc<Reloading<Authorities>> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), self.0.pem()).expect("written");
        Arc::new(Authorities::open(file.path()).expect("read"))
    }
}

fn config() -> Config {
    Config {
        clients: None,
        proxy: None,
        tokens: None,
        accounts: None,
        bootstrap_tokens: false,
        anonymous: true,
        cluster: Arc::new(Nothing),
    }
}

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let value = HeaderValue::from_str(value).expect("a value");
        headers.append(HeaderName::from_static(name), value);
    }
    headers
}

fn authenticate(
    authenticators: &Authenticators,
    headers: &HeaderMap,
    chain: &[CertificateDer<'_>],
    now: Timestamp,
) -> Verdict {
    authenticators.authenticate(headers, chain, now, &mut TokenUsage::default())
}

fn is_rejected(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Rejected { .. })
}

fn user(verdict: Verdict) -> User {
    match verdict {
        Verdict::User(user) => user,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_certificate_names_user_and_groups() {
    let authority = Authority::new();
    let authenticators =
        Authenticators::new(Config { clients: Some(authority.open()), ..config() });
    let uid = DnType::CustomDnType(vec![1, 3, 6, 1, 4, 1, 57683, 2]);
    let chain = [authority.sign(|params| {
        params.distinguished_name.push(DnType::CommonName, "alice");
        params.distinguished_name.push(DnType::OrganizationName, "devs");
        params.distinguished_name.push(uid, "u7");
    })];
    let user_found = user(authenticate(&authenticators, &HeaderMap::new(), &chain, now()));
    assert_eq!((user_found.name.as_str(), user_found.uid.as_str()), ("alice", "u7"));
    assert_eq!(user_found.groups, ["devs", "system:authenticated"]);
    let credential = user_found.extra_value("authentication.kubernetes.io/credential-id");
    let credential = credential.and_then(|id| id.strip_prefix("X509SHA256=")).expect("there");
    assert_eq!(credential.len(), 64);
    assert_eq!(user(authenticate(&authenticators, &HeaderMap::new(), &chain, now())), user_found);
    let later = "2027-01-02T00:00:00Z".parse().expect("a time");
    assert!(is_rejected(&authenticate(&authenticators, &HeaderMap::new(), &chain, later)));
    let earlier = "2025-01-02T00:00:00Z".parse().expect("a time");
    assert!(is_rejected(&authenticate(&authenticators, &HeaderMap::new(), &chain, earlier)));
}

#[test]
fn a_certificate_without_a_name_says_nothing() {
    let authority = Authority::new();
    let authenticators =
        Authenticators::new(Config { clients: Some(authority.open()), ..config() });
    let chain = [authority.sign(|params| {
        params.distinguished_name.push(DnType::OrganizationName, "devs");
    })];
    assert_eq!(authenticate(&authenticators, &HeaderMap::new(), &chain, now()), Verdict::Anonymous);
}

#[test]
fn strangers_and_servers_are_no_clients() {
    let authority = Authority::new();
    let authenticators =
        Authenticators::new(Config { clients: Some(authority.open()), ..config() });
    let result =
        |certificate| authenticate(&authenticators, &HeaderMap::new(), &[certificate], now());
    assert!(is_rejected(&result(Authority::new().client("alice"))));
    assert!(is_rejected(&result(CertificateDer::from(vec![1, 2, 3]))));
    let server = |params: &mut CertificateParams| {
        params.distinguished_name.push(DnType::CommonName, "alice");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    };
    assert!(is_rejected(&result(authority.sign(server))));
    let any = |params: &mut CertificateParams| {
        params.distinguished_name.push(DnType::CommonName, "alice");
        params.extended_key_usages = Vec::new();
        let harmless = CustomExtension::from_oid_content(&[1, 3, 9999], vec![5, 0]);
        params.custom_extensions.push(harmless);
    };
    assert_eq!(user(result(authority.sign(any))).name, "alice");
}

/// Every purpose that a certificate can have alone or beside another: for clients, for anything, or
/// not for clients.
#[test]
fn certificates_for_anything_are_for_clients_too() {
    use ExtendedKeyUsagePurpose::{
        Any, ClientAuth, CodeSigning, EmailProtection, OcspSigning, ServerAuth, TimeStamping,
    };
    let authority = Authority::new();
    let authenticators =
        Authenticators::new(Config { clients: Some(authority.open()), ..config() });
    let others = [ServerAuth, CodeSigning, EmailProtection, OcspSigning, TimeStamping];
    let is_client = |usages: Vec<ExtendedKeyUsagePurpose>| {
        let certificate = authority.sign(|params| {
            params.distinguished_name.push(DnType::CommonName, "alice");
            params.extended_key_usages = usages;
        });
        !is_rejected(&authenticate(&authenticators, &HeaderMap::new(), &[certificate], now()))
    };
    for good in [ClientAuth, Any] {
        assert!(is_client(vec![good.clone()]), "{good:?}");
        for other in &others {
            assert!(is_client(vec![other.clone(), good.clone()]), "{other:?} {good:?}");
        }
    }
    for other in others {
        assert!(!is_client(vec![other.clone()]), "{other:?}");
    }
}

#[test]
fn one_bad_proof_is_forgiven_by_a_good_one() {
    let authority = Authority::new();
    let tokens = TokenFile::parse("good,bob,1,ops").expect("fine");
    let clients = Some(authority.open());
    let authenticators = Authenticators::new(Config { clients, tokens: Some(tokens), ..config() });
    let unknown = [Authority::new().client("alice")];
    let good = headers(&[("authorization", "Bearer good")]);
    let user_found = user(authenticate(&authenticators, &good, &unknown, now()));
    assert_eq!((user_found.name.as_str(), user_found.groups.len()), ("bob", 2));
    let bad = headers(&[("authorization", "Bearer bad")]);
    assert!(is_rejected(&authenticate(&authenticators, &bad, &[], now())));
    let client = [authority.client("alice")];
    assert_eq!(user(authenticate(&authenticators, &bad, &client, now())).name, "alice");
    assert_eq!(user(authenticate(&authenticators, &good, &client, now())).name, "alice");
}

#[test]
fn silence_is_anonymous_where_that_is_allowed() {
    let authenticators = Authenticators::new(config());
    assert_eq!(authenticate(&authenticators, &HeaderMap::new(), &[], now()), Verdict::Anonymous);
    // Without a token authenticator, a token is ignored.
    let token = headers(&[("authorization", "Bearer x")]);
    assert_eq!(authenticate(&authenticators, &token, &[], now()), Verdict::Anonymous);
    let strict = Authenticators::new(Config { anonymous: false, ..config() });
    let verdict = authenticate(&strict, &HeaderMap::new(), &[], now());
    assert!(is_rejected(&verdict));
    assert_eq!(verdict.into_user(), None);
    assert_eq!(Verdict::Anonymous.into_user(), Some(User::anonymous()));
}

#[test]
fn a_believed_proxy_says_who_asks() {
    let authority = Authority::new();
    let mut proxy = Proxy::new(authority.open());
    proxy.allowed_names = vec!["front".into()];
    let authenticators = Authenticators::new(Config { proxy: Some(proxy), ..config() });
    let mut request = headers(&[
        ("x-remote-user", "carol"),
        ("x-remote-uid", "u3"),
        ("x-remote-group", "a"),
        ("x-remote-group", "b"),
        ("x-remote-extra-acme.com%2fkey", "v"),
        ("authorization", "Bearer x"),
        ("accept", "y"),
    ]);
    let front = [authority.client("front")];
    let user_found = user(authenticate(&authenticators, &request, &front, now()));
    assert_eq!((user_found.name.as_str(), user_found.uid.as_str()), ("carol", "u3"));
    assert_eq!(user_found.groups, ["a", "b", "system:authenticated"]);
    assert_eq!(user_found.extra_value("acme.com/key"), Some("v"));
    assert!(is_rejected(&authenticate(
        &authenticators,
        &request,
        &[authority.client("other")],
        now()
    )));
    assert!(is_rejected(&authenticate(
        &authenticators,
        &request,
        &[Authority::new().client("front")],
        now()
    )));
    assert_eq!(authenticate(&authenticators, &request, &[], now()), Verdict::Anonymous);
    assert_eq!(authenticate(&authenticators, &HeaderMap::new(), &front, now()), Verdict::Anonymous);
    authenticators.strip(&mut request);
    assert_eq!(request.len(), 1);
}

#[test]
fn service_accounts_are_reviewed_for_their_audience() {
    let (key, _) = SigningKey::generate().expect("a key");
    let accounts = Arc::new(ServiceAccounts::new("https://me", Some(key), Vec::new()));
    let vault = ["vault".to_owned()];
    let account = Account { namespace: "ns", name: "bot", uid: "u1" };
    let issue = |audiences| {
        let request = Issuing { account, bound: None, audiences, seconds: 600 };
        accounts.issue(&request, now()).expect("issued").token
    };
    let (own, other) = (issue(&[]), issue(&vault));
    let tokens = TokenFile::parse("fixed,bob,1").expect("fine");
    let accounts = Some(Arc::clone(&accounts));
    let authenticators = Authenticators::new(Config { accounts, tokens: Some(tokens), ..config() });
    let bearer = |token: &str| headers(&[("authorization", &format!("Bearer {token}"))]);
    let user_found = user(authenticate(&authenticators, &bearer(&own), &[], now()));
    assert_eq!(user_found.name, "system:serviceaccount:ns:bot");
    assert!(user_found.is_in("system:authenticated"));
    assert!(is_rejected(&authenticate(&authenticators, &bearer(&other), &[], now())));
    let usage = &mut TokenUsage::default();
    let reviewed = authenticators.review(&other, &vault, now(), usage).expect("known");
    assert_eq!(reviewed.audiences, vault);
    let reviewed = authenticators.review("fixed", &[], now(), usage).expect("known");
    assert_eq!(reviewed.audiences, ["https://me"]);
    assert!(authenticators.review("fixed", &vault, now(), usage).is_err());
    assert_eq!(
        authenticators.review("unknown", &[], now(), usage),
        Err("invalid bearer token".into())
    );
}

#[test]
fn new_authorities_are_believed_at_once() {
    let (old, new) = (Authority::new(), Authority::new());
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), old.0.pem()).expect("written");
    let authorities = Arc::new(Authorities::open(file.path()).expect("read"));
    let clients = Some(Arc::clone(&authorities));
    let authenticators = Authenticators::new(Config { clients, ..config() });
    let result = |certificate: &CertificateDer<'static>| {
        authenticate(&authenticators, &HeaderMap::new(), std::slice::from_ref(certificate), now())
    };
    let (alice, bob) = (old.client("alice"), new.client("bob"));
    assert_eq!(user(result(&alice)).name, "alice");
    assert!(is_rejected(&result(&bob)));
    std::fs::write(file.path(), format!("{}{}", old.0.pem(), new.0.pem())).expect("written");
    assert!(authorities.poll().expect("read"));
    assert_eq!(user(result(&bob)).name, "bob");
    std::fs::write(file.path(), new.0.pem()).expect("written");
    assert!(authorities.poll().expect("read"));
    assert!(is_rejected(&result(&alice)));
    assert!(Authorities::from_pem(b"").is_err());
}

#[test]
fn a_certificate_with_the_signature_of_another_is_not_believed() {
    let authority = Authority::new();
    let clients = Some(authority.open());
    let authenticators = Authenticators::new(Config { clients, ..config() });
    let result = |certificate: &CertificateDer<'static>| {
        authenticate(&authenticators, &HeaderMap::new(), std::slice::from_ref(certificate), now())
    };
    let alice = authority.client("alice");
    let mut forged = alice.to_vec();
    let name = forged.windows(5).position(|bytes| bytes == b"alice").expect("the name");
    forged[name..name + 5].copy_from_slice(b"admin");
    let forged = CertificateDer::from(forged);
    for _ in 0..2 {
        assert_eq!(user(result(&alice)).name, "alice");
        assert!(is_rejected(&result(&forged)));
    }
    // Nor one that is too large to be remembered.
    let large = authority.sign(|params| {
        params.distinguished_name.push(DnType::CommonName, "large");
        params.subject_alt_names = (0..900)
            .map(|n| SanType::DnsName(format!("n{n}.example").try_into().expect("a name")))
            .collect();
    });
    assert!(large.len() > 8 << 10);
    assert_eq!(user(result(&large)).name, "large");
}
