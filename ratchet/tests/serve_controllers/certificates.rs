//! Tests of certificates: requested, approved, signed, and valid for their purpose.

use crate::cluster::{Cluster, text};
use crate::server::refused;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use kubelet_peer::{Container, Identity, Kubelet, Log, Options};
use ratchet_certificate::{Facts, Usage};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, KeyPair, SanType,
};
use serde_json::{Value, json};

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const BINDINGS: &str = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";

/// A certificate signing request that asks for a CA, and its key.
struct Wish {
    key: KeyPair,
    pem: String,
}

impl Wish {
    fn new(group: &str, name: &str, addresses: &[&str]) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::OrganizationName, group);
        params.distinguished_name.push(DnType::CommonName, name);
        let address = |text: &&str| SanType::IpAddress(text.parse().unwrap());
        params.subject_alt_names = addresses.iter().map(address).collect();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.serialize_request(&key).unwrap().pem().unwrap();
        Self { key, pem }
    }

    fn object(&self, name: &str, signer: &str, usages: &[&str]) -> Value {
        json!({
            "apiVersion": "certificates.k8s.io/v1",
            "kind": "CertificateSigningRequest",
            "metadata": {"name": name},
            "spec": {
                "request": BASE64_STANDARD.encode(&self.pem),
                "signerName": format!("kubernetes.io/{signer}"),
                "usages": usages,
            },
        })
    }
}

const SERVING: &[&str] = &["digital signature", "server auth"];
const CLIENT: &[&str] = &["digital signature", "client auth"];

impl Cluster {
    fn signing_request(&self, name: &str) -> Value {
        self.get(&format!("{REQUESTS}/{name}"))
    }

    fn approve(&self, name: &str) {
        let mut request = self.signing_request(name);
        let condition = json!({"type": "Approved", "status": "True", "reason": "Test"});
        request["status"]["conditions"] = json!([condition]);
        self.request("PUT", &format!("{REQUESTS}/{name}/approval"), &request);
    }

    /// The certificate issued for a request, in PEM.
    fn issued(&self, name: &str) -> Vec<u8> {
        self.until("a certificate", || {
            !self.signing_request(name)["status"]["certificate"].is_null()
        });
        BASE64_STANDARD.decode(text(&self.signing_request(name)["status"]["certificate"])).unwrap()
    }

    /// The condition of a failed request.
    fn failure(&self, name: &str) -> (String, String) {
        let failed = || {
            let conditions = self.signing_request(name)["status"]["conditions"].clone();
            let all = conditions.as_array().cloned().unwrap_or_default();
            all.into_iter().find(|one| one["type"] == "Failed")
        };
        self.until("a failure", || failed().is_some());
        let failed = failed().unwrap();
        assert_eq!(failed["status"], "True");
        (text(&failed["reason"]), text(&failed["message"]))
    }

    fn make_as(&self, user: &str, group: &str, object: &Value) {
        let headers = format!("Impersonate-User: {user}\r\nImpersonate-Group: {group}\r\n");
        let (code, answer) =
            self.server.request_with_headers(&headers, "POST", REQUESTS, &object.to_string());
        assert_eq!(code, 201, "{answer}");
    }

    fn bind(&self, role: &str, group: &str) {
        let binding = json!({
            "metadata": {"generateName": "test-"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}],
        });
        self.make(BINDINGS, &binding);
    }

    /// A node whose kubelet is there, and a pod on it.
    fn node(&self, name: &str, kubelet: &Kubelet) {
        let address = kubelet.address();
        let node = json!({
            "metadata": {"name": name},
            "status": {
                "addresses": [{"type": "InternalIP", "address": address.ip().to_string()}],
                "daemonEndpoints": {"kubeletEndpoint": {"Port": address.port()}},
            },
        });
        self.make("/api/v1/nodes", &node);
        let spec = json!({"nodeName": name, "containers": [{"name": "main", "image": "image"}]});
        let pod = json!({"metadata": {"name": name}, "spec": spec});
        self.make("/api/v1/namespaces/default/pods", &pod);
    }
}

/// A kubelet with this certificate and logs for the pods of two nodes.
fn kubelet(certificate: &[u8], key: &KeyPair) -> Kubelet {
    let identity = Identity::from_pem(certificate, key.serialize_pem().as_bytes()).unwrap();
    let kubelet = Kubelet::start_with_runtime(Options::new(identity)).unwrap();
    for pod in ["a", "b"] {
        let log = Log::from("hello\n");
        log.end();
        kubelet.add_container("default", pod, "main", Container::saying(log)).unwrap();
    }
    kubelet
}

#[test]
fn a_certificate_that_the_cluster_issued_is_let_through_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let authority = data.join("pki/ca.crt");
    let flags = [
        "--feature-gates=KubeletCertCNValidation=true",
        "--enable-kubelet-cert-cn-validation",
        "--kubelet-certificate-authority",
        authority.to_str().unwrap(),
    ];
    let server = crate::server::Server::start(&data, &flags);
    let cluster = Cluster { server, folder };
    cluster.until("an account", || {
        cluster.is_there("/api/v1/namespaces/default/serviceaccounts/default")
    });
    let wish = Wish::new("system:nodes", "system:node:a", &["127.0.0.1"]);
    cluster.make(REQUESTS, &wish.object("serving", "kubelet-serving", SERVING));
    cluster.approve("serving");
    let certificate = cluster.issued("serving");
    let facts = Facts::from_pem(&certificate).unwrap();
    assert!(!facts.is_ca);
    assert_eq!(facts.subject, "O=system:nodes,CN=system:node:a");
    assert_eq!((facts.usages, facts.dns_names.len()), (vec![Usage::ServerAuth], 0));
    assert_eq!(facts.addresses, ["127.0.0.1".parse::<std::net::IpAddr>().unwrap()]);
    let year = 365 * 24 * 3600;
    assert_eq!(facts.not_after - facts.not_before, year);

    let kubelet = kubelet(&certificate, &wish.key);
    cluster.node("a", &kubelet);
    cluster.node("b", &kubelet);
    let log = |pod: &str| cluster.server.get(&format!("/api/v1/namespaces/default/pods/{pod}/log"));
    let (code, answer) = log("a");
    assert!(code == 200 && answer.contains("hello"), "{code} {answer}");
    let (code, answer) = log("b");
    let wanted = r#"common name \"system:node:a\" does not match expected \"system:node:b\""#;
    assert!(code == 500 && answer.contains(wanted), "{code} {answer}");
    let (_, metrics) = cluster.server.get("/metrics");
    for line in [
        r#"kube_apiserver_validation_kubelet_cert_cn_total{result="success"} 1"#,
        r#"kube_apiserver_validation_kubelet_cert_cn_total{result="failure"} 1"#,
    ] {
        assert!(metrics.contains(line), "{line}");
    }
}

#[test]
fn requests_that_no_signer_signs_fail_and_those_of_others_wait() {
    let cluster = Cluster::start(&["--cluster-signing-duration=2h"]);
    let node = Wish::new("system:nodes", "system:node:a", &["127.0.0.1"]);
    cluster.make(REQUESTS, &node.object("unapproved", "kubelet-serving", SERVING));
    let mut foreign = node.object("foreign", "x", SERVING);
    foreign["spec"]["signerName"] = "example.com/signer".into();
    cluster.make(REQUESTS, &foreign);
    cluster.approve("foreign");
    cluster.make(REQUESTS, &node.object("wrong", "kubelet-serving", CLIENT));
    cluster.approve("wrong");
    let usages = "usages did not match [digital signature key encipherment server auth]";
    let reason = "SignerValidationFailure".to_owned();
    assert_eq!(cluster.failure("wrong"), (reason.clone(), usages.to_owned()));
    let stranger = Wish::new("readers", "system:node:a", &["127.0.0.1"]);
    cluster.make(REQUESTS, &stranger.object("stranger", "kubelet-serving", SERVING));
    cluster.approve("stranger");
    let nodes = "subject organization is not system:nodes".to_owned();
    assert_eq!(cluster.failure("stranger"), (reason, nodes));
    // What came before all of them was looked at, and nothing was done.
    for name in ["unapproved", "foreign"] {
        assert!(cluster.signing_request(name)["status"]["certificate"].is_null(), "{name}");
    }
    let mut short = node.object("short", "kubelet-serving", SERVING);
    short["spec"]["expirationSeconds"] = 3600.into();
    for (name, object, life) in
        [("long", node.object("long", "kubelet-serving", SERVING), 7200), ("short", short, 3600)]
    {
        cluster.make(REQUESTS, &object);
        cluster.approve(name);
        let facts = Facts::from_pem(&cluster.issued(name)).unwrap();
        assert_eq!(facts.not_after - facts.not_before, life + 300, "{name}");
    }
}

#[test]
fn a_client_is_who_its_certificate_says() {
    let cluster = Cluster::start(&[]);
    let ada = Wish::new("readers", "ada", &[]);
    cluster.make(REQUESTS, &ada.object("ada", "kube-apiserver-client", CLIENT));
    cluster.approve("ada");
    let pki = cluster.folder.path().join("ada");
    std::fs::create_dir(&pki).unwrap();
    std::fs::write(pki.join("admin.crt"), cluster.issued("ada")).unwrap();
    std::fs::write(pki.join("admin.key"), ada.key.serialize_pem()).unwrap();
    let pods = "/api/v1/namespaces/default/pods";
    let (code, answer) = cluster.server.request_with_certificate(&pki, pods);
    assert!(code == 403 && answer.contains(r#"User \"ada\" cannot list"#), "{code} {answer}");
    cluster.bind("view", "readers");
    cluster.until("the role", || cluster.server.request_with_certificate(&pki, pods).0 == 200);
}

#[test]
fn machines_that_may_join_are_approved_without_anybody_looking() {
    // How the controllers treat a request that admission would refuse.
    let cluster = Cluster::start(&["--disable-admission-plugins=NodeRestriction"]);
    let (nodeclient, selfnodeclient) = (
        "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
        "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
    );
    for group in ["others", "system:bootstrappers", "system:nodes"] {
        cluster.bind("system:node-bootstrapper", group);
    }
    cluster.bind(nodeclient, "system:bootstrappers");
    cluster.bind(selfnodeclient, "system:nodes");
    let signer = "kube-apiserver-client-kubelet";
    let wish = Wish::new("system:nodes", "system:node:a", &[]);
    cluster.make_as("bob", "others", &wish.object("bob", signer, CLIENT));
    // A node renews its own certificate, and asks for no other node's.
    cluster.make_as("system:node:b", "system:nodes", &wish.object("other", signer, CLIENT));
    cluster.make_as("system:node:a", "system:nodes", &wish.object("own", signer, CLIENT));
    cluster.make_as(
        "system:bootstrap:x",
        "system:bootstrappers",
        &wish.object("join", signer, CLIENT),
    );
    for (name, message) in [
        ("own", "Auto approving self kubelet client certificate after SubjectAccessReview."),
        ("join", "Auto approving kubelet client certificate after SubjectAccessReview."),
    ] {
        let facts = Facts::from_pem(&cluster.issued(name)).unwrap();
        assert_eq!((facts.is_ca, facts.usages), (false, vec![Usage::ClientAuth]), "{name}");
        let approval = cluster.signing_request(name)["status"]["conditions"][0].clone();
        assert_eq!(
            (text(&approval["reason"]), text(&approval["message"])),
            ("AutoApproved".to_owned(), message.to_owned())
        );
    }
    for name in ["bob", "other"] {
        assert!(cluster.signing_request(name)["status"]["conditions"].is_null(), "{name}");
    }
}

#[test]
fn another_authority_signs_if_flags_name_it() {
    let lone = "--cluster-signing-cert-file=ca.crt";
    let why = "Error: --cluster-signing-cert-file and --cluster-signing-key-file must be specified together";
    assert_eq!(refused(&[lone]), why);
    let negative = refused(&["--cluster-signing-duration=-1s"]);
    assert_eq!(negative, "Error: --cluster-signing-duration must be greater than zero");
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "signer");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    std::fs::write(file("ca.crt"), params.self_signed(&key).unwrap().pem()).unwrap();
    std::fs::write(file("ca.key"), key.serialize_pem()).unwrap();
    let certificate = format!("--cluster-signing-cert-file={}", file("ca.crt"));
    let cluster =
        Cluster::start(&[&certificate, &format!("--cluster-signing-key-file={}", file("ca.key"))]);
    let wish = Wish::new("system:nodes", "system:node:a", &["127.0.0.1"]);
    cluster.make(REQUESTS, &wish.object("serving", "kubelet-serving", SERVING));
    cluster.approve("serving");
    let facts = Facts::from_pem(&cluster.issued("serving")).unwrap();
    assert_eq!(facts.issuer_common_names, ["signer"]);
}
