//! CertificateSigningRequests: approval, signing, and deletion.

use crate::fake::{Fake, pass};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ratchet_certificate::CertificateRequest;
use ratchet_controllers::{CertificateSigner, NoopMetrics, Settings, Signing};
use ratchet_object::Node;
use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, SanType};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const SIGNING: &str = "certificatesigningrequest-signing-controller";
const APPROVING: &str = "certificatesigningrequest-approving-controller";
const CLEANING: &str = "certificatesigningrequest-cleaner-controller";

fn encoded_request(serves: bool) -> String {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::OrganizationName, "system:nodes");
    params.distinguished_name.push(DnType::CommonName, "system:node:a");
    if serves {
        params.subject_alt_names = vec![SanType::IpAddress("10.0.0.1".parse().expect("reads"))];
    }
    let made = params.serialize_request(&KeyPair::generate().expect("made")).expect("made");
    BASE64_STANDARD.encode(made.pem().expect("written"))
}

fn serving(usages: &str, conditions: &str) -> String {
    format!(
        "{{spec: {{signerName: kubernetes.io/kubelet-serving, usages: [{usages}], expirationSeconds: 3600, request: {}}}, status: {{conditions: [{conditions}]}}}}",
        encoded_request(true)
    )
}

fn joining(user: &str) -> String {
    format!(
        "{{spec: {{signerName: kubernetes.io/kube-apiserver-client-kubelet, username: {user}, usages: [digital signature, client auth], request: {}}}}}",
        encoded_request(false)
    )
}

const APPROVED: &str = "{type: Approved, status: 'True'}";

/// Common names, usages, and the lifetime in seconds.
type Signature = (Vec<String>, Vec<String>, u64);

/// Signs with plain text and records the requests; fails when told to.
#[derive(Default)]
struct FakeSigner {
    signed: Mutex<Vec<Signature>>,
    refusals: Mutex<usize>,
}

impl CertificateSigner for FakeSigner {
    fn sign(
        &self,
        request: &CertificateRequest,
        usages: &[&str],
        life: Duration,
    ) -> Result<String, String> {
        let mut refusals = self.refusals.lock().expect("no panic");
        if *refusals > 0 {
            *refusals -= 1;
            return Err("the key is on holiday".to_owned());
        }
        let usages = usages.iter().map(|&usage| usage.to_owned()).collect();
        let signed = (request.common_names.clone(), usages, life.as_secs());
        self.signed.lock().expect("no panic").push(signed);
        Ok("signed".to_owned())
    }
}

fn settings(signer: &Arc<FakeSigner>) -> Settings {
    let signing = Signing { signer: signer.clone(), longest: Duration::from_secs(7200) };
    Settings { signing: Some(signing), ..Settings::default() }
}

fn status(fake: &Fake, name: &str) -> Node<'static> {
    let request = fake.get(&format!("{REQUESTS}/{name}")).expect("there");
    request.get("status").cloned().unwrap_or_else(Node::empty_map)
}

#[tokio::test(start_paused = true)]
async fn what_is_approved_is_signed_once_and_what_is_not_is_left() {
    let (fake, signer) = (Fake::new(), Arc::new(FakeSigner::default()));
    *signer.refusals.lock().expect("no panic") = 2;
    let rows = [
        ("good", serving("digital signature, server auth", APPROVED)),
        ("waiting", serving("digital signature, server auth", "")),
        ("denied", serving("digital signature, server auth", "{type: Approved}, {type: Denied}")),
        ("wrong", serving("client auth", APPROVED)),
        (
            "over",
            serving(
                "server auth",
                "{type: Approved}, {type: Failed, reason: Before, status: 'True'}",
            ),
        ),
        (
            "foreign",
            "{spec: {signerName: example.com/x}, status: {conditions: [{type: Approved}]}}"
                .to_owned(),
        ),
    ];
    for (name, text) in &rows {
        fake.set(&format!("{REQUESTS}/{name}"), text);
    }
    let _running = fake.start_with(SIGNING, Arc::new(NoopMetrics), settings(&signer));
    pass(3600).await;
    assert_eq!(status(&fake, "good").text_at(&["certificate"]), BASE64_STANDARD.encode("signed"));
    let usages = vec!["digital signature".to_owned(), "server auth".to_owned()];
    let signed = signer.signed.lock().expect("no panic").clone();
    assert_eq!(signed, [(vec!["system:node:a".to_owned()], usages, 3600)]);
    let failed = status(&fake, "wrong");
    let failed = &failed.get("conditions").expect("there").items()[1];
    assert_eq!(failed.text_at(&["type"]), "Failed");
    assert_eq!(failed.text_at(&["reason"]), "SignerValidationFailure");
    assert_eq!(
        failed.text_at(&["message"]),
        "usages did not match [digital signature key encipherment server auth]"
    );
    let mut writes = fake.writes();
    writes.sort();
    let wanted = ["good", "wrong"].map(|name| format!("PUT {REQUESTS}/{name}/status"));
    assert_eq!(writes, wanted);
}

#[tokio::test(start_paused = true)]
async fn nodes_are_approved_when_they_may_join_and_as_soon_as_they_may() {
    let fake = Fake::new();
    let [join, own, bob] = ["join", "own", "bob"].map(|name| format!("{REQUESTS}/{name}"));
    fake.set(&join, &joining("system:bootstrap:x"));
    fake.set(&own, &joining("system:node:a"));
    fake.set(&bob, &joining("bob"));
    fake.set(&format!("{REQUESTS}/serving"), &serving("digital signature, server auth", ""));
    fake.allow("system:bootstrap:x", "nodeclient");
    // Permission to renew one's own certificate is not permission to request any node's.
    fake.allow("system:node:a", "selfnodeclient");
    fake.allow("bob", "selfnodeclient");
    let _running = fake.start(APPROVING);
    pass(60).await;
    let conditions_of = |name: &str| {
        let status = status(&fake, name);
        let conditions = status.get("conditions").map(Node::items).unwrap_or_default().to_vec();
        conditions.iter().map(|one| one.text_at(&["message"]).to_owned()).collect::<Vec<_>>()
    };
    let node = "Auto approving kubelet client certificate after SubjectAccessReview.";
    assert_eq!(conditions_of("join"), [node]);
    let self_node = "Auto approving self kubelet client certificate after SubjectAccessReview.";
    assert_eq!(conditions_of("own"), [self_node]);
    assert!(conditions_of("bob").is_empty() && conditions_of("serving").is_empty());
    fake.allow("bob", "nodeclient");
    pass(2000).await;
    assert_eq!(conditions_of("bob"), [node]);
    let settled = fake.writes().len();
    pass(3600).await;
    assert_eq!(fake.writes().len(), settled, "{:?}", fake.writes());
}

#[tokio::test(start_paused = true)]
async fn old_requests_go_and_new_ones_stay() {
    let fake = Fake::new();
    let old = "metadata: {creationTimestamp: '2020-01-01T00:00:00Z'}";
    let denied = |time: &str| {
        format!("{{{old}, status: {{conditions: [{{type: Denied, lastUpdateTime: '{time}'}}]}}}}")
    };
    let now = jiff::Timestamp::now().to_string();
    fake.set(&format!("{REQUESTS}/pending"), &format!("{{{old}}}"));
    fake.set(&format!("{REQUESTS}/denied"), &denied("2020-01-01T00:00:00Z"));
    fake.set(&format!("{REQUESTS}/just-denied"), &denied(&now));
    fake.set(&format!("{REQUESTS}/new"), &format!("{{metadata: {{creationTimestamp: '{now}'}}}}"));
    let _running = fake.start(CLEANING);
    pass(60).await;
    let left = ["just-denied", "new"].map(|name| format!("{REQUESTS}/{name}"));
    assert_eq!(fake.paths(REQUESTS), left);
}
