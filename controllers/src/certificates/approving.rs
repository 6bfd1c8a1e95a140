//! Requests of nodes for client certificates are approved, if those who ask may have them.

use super::{PACE, REQUESTS, has, is_issued, listen, part, usages, wish, with_condition};
use crate::{Client, Failure, Outcome, Reconcile, Row, Setup, Store, Waiting};
use ratchet_certificate::{CertificateRequest, Signer};
use ratchet_object::Node;
use std::sync::Arc;

/// The row of this controller.
pub(crate) const ROW: Row = Row {
    name: "certificatesigningrequest-approving-controller",
    aliases: &["csrapproving"],
    on_by_default: true,
    pace: PACE,
    workers: 5,
    start,
};

const SIGNER: &str = "kubernetes.io/kube-apiserver-client-kubelet";
const REVIEWS: &str = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/// A sort of request that is approved without anybody looking at it.
struct Recognizer {
    is: fn(&Node<'_>, &CertificateRequest) -> bool,
    /// What whoever asks must be allowed to create.
    subresource: &'static str,
    message: &'static str,
}

/// The first that is recognised and allowed counts.
static RECOGNIZERS: &[Recognizer] = &[
    Recognizer {
        is: |request, wish| {
            wish.common_names
                .last()
                .is_some_and(|name| name == request.text_at(&["spec", "username"]))
        },
        subresource: "selfnodeclient",
        message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
    },
    Recognizer {
        is: |_, _| true,
        subresource: "nodeclient",
        message: "Auto approving kubelet client certificate after SubjectAccessReview.",
    },
];

struct Approvals {
    client: Client,
    requests: Arc<Store>,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let requests = setup.collection(REQUESTS);
    listen(setup);
    Box::new(Approvals { client: setup.client.clone(), requests })
}

impl Reconcile for Approvals {
    fn reconcile<'a>(&'a self, key: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            let Some(request) = self.requests.get(key) else { return Ok(Outcome::Done) };
            if is_issued(&request) || has(&request, "Approved") || has(&request, "Denied") {
                return Ok(Outcome::Done);
            }
            let recognized = recognized(&request).map_err(Failure::new)?;
            for one in &recognized {
                if !self.is_allowed(&request, one.subresource).await? {
                    continue;
                }
                let approved = with_condition(&request, approval(one.message));
                match self.client.put(&part(key, "approval"), &approved).await {
                    Err(failure) if failure.is_not_found() => {}
                    answered => drop(answered?),
                }
                return Ok(Outcome::Done);
            }
            // Whoever asks may be allowed later.
            Ok(if recognized.is_empty() { Outcome::Done } else { Outcome::Retry })
        })
    }
}

/// Which sorts of request it is. Requests for other signers are not even read.
fn recognized(request: &Node<'_>) -> Result<Vec<&'static Recognizer>, String> {
    if request.text_at(&["spec", "signerName"]) != SIGNER {
        return Ok(Vec::new());
    }
    let wish = wish(request)?;
    let is_node =
        Signer::named(SIGNER).is_some_and(|signer| signer.check(&wish, &usages(request)).is_ok());
    let all = RECOGNIZERS.iter().filter(|one| is_node && (one.is)(request, &wish));
    Ok(all.collect())
}

fn approval(message: &str) -> Node<'static> {
    Node::map([
        ("type", Node::string("Approved")),
        ("status", Node::string("True")),
        ("reason", Node::string("AutoApproved")),
        ("message", Node::string(message.to_owned())),
    ])
}

impl Approvals {
    /// Whether whoever made the request may create this part of requests.
    async fn is_allowed(&self, request: &Node<'static>, part: &str) -> Result<bool, Failure> {
        let attributes = Node::map([
            ("group", Node::string("certificates.k8s.io")),
            ("version", Node::string("*")),
            ("resource", Node::string("certificatesigningrequests")),
            ("subresource", Node::string(part.to_owned())),
            ("verb", Node::string("create")),
        ]);
        let mut spec = Node::map([("resourceAttributes", attributes)]);
        for (from, to) in
            [("username", "user"), ("uid", "uid"), ("groups", "groups"), ("extra", "extra")]
        {
            if let Some(value) = request.find(&["spec", from]) {
                spec.set(to, value.clone());
            }
        }
        let review = Node::map([
            ("apiVersion", Node::string("authorization.k8s.io/v1")),
            ("kind", Node::string("SubjectAccessReview")),
            ("spec", spec),
        ]);
        let answer = self.client.post(REVIEWS, &review).await?;
        Ok(answer
            .find(&["status", "allowed"])
            .is_some_and(|allowed| allowed.as_bool() == Some(true)))
    }
}
