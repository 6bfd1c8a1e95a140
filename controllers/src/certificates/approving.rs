//! Controller that approves client certificate requests of nodes, if the requesting user may have
//! them.

use super::{
    REQUESTS, RETRY_DELAY, has_condition, is_issued, listen, parse_csr, subresource_path, usages,
    with_condition,
};
use crate::{BoxFuture, Client, Failure, Outcome, Reconcile, Row, Setup, Store};
use ratchet_certificate::{CertificateRequest, Signer};
use ratchet_object::Node;
use std::sync::Arc;

pub(crate) const ROW: Row = Row {
    name: "certificatesigningrequest-approving-controller",
    aliases: &["csrapproving"],
    on_by_default: true,
    retry_delay: RETRY_DELAY,
    workers: 5,
    start,
};

const SIGNER: &str = "kubernetes.io/kube-apiserver-client-kubelet";
const REVIEWS: &str = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/// A kind of request that is approved automatically.
struct Recognizer {
    matches: fn(&Node<'_>, &CertificateRequest) -> bool,
    /// The subresource that the requesting user must be allowed to create.
    subresource: &'static str,
    message: &'static str,
}

/// The first that matches and is allowed decides.
static RECOGNIZERS: &[Recognizer] = &[
    Recognizer {
        matches: |request, csr| {
            csr.common_names
                .last()
                .is_some_and(|name| name == request.text_at(&["spec", "username"]))
        },
        subresource: "selfnodeclient",
        message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
    },
    Recognizer {
        matches: |_, _| true,
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
    fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            let Some(request) = self.requests.get(key) else { return Ok(Outcome::Done) };
            if is_issued(&request)
                || has_condition(&request, "Approved")
                || has_condition(&request, "Denied")
            {
                return Ok(Outcome::Done);
            }
            let recognized = recognized(&request).map_err(Failure::new)?;
            for recognizer in &recognized {
                if !self.is_allowed(&request, recognizer.subresource).await? {
                    continue;
                }
                let approved = with_condition(&request, approval(recognizer.message));
                match self.client.put(&subresource_path(key, "approval"), &approved).await {
                    Err(failure) if failure.is_not_found() => {}
                    answered => drop(answered?),
                }
                return Ok(Outcome::Done);
            }
            // The user may be granted the permission later.
            Ok(if recognized.is_empty() { Outcome::Done } else { Outcome::Retry })
        })
    }
}

/// The recognizers that match. Requests for other signers are not even parsed.
fn recognized(request: &Node<'_>) -> Result<Vec<&'static Recognizer>, String> {
    if request.text_at(&["spec", "signerName"]) != SIGNER {
        return Ok(Vec::new());
    }
    let csr = parse_csr(request)?;
    let is_node =
        Signer::named(SIGNER).is_some_and(|signer| signer.check(&csr, &usages(request)).is_ok());
    let all =
        RECOGNIZERS.iter().filter(|recognizer| is_node && (recognizer.matches)(request, &csr));
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
    /// Whether the user who made the request may create this subresource of requests.
    async fn is_allowed(
        &self,
        request: &Node<'static>,
        subresource: &str,
    ) -> Result<bool, Failure> {
        let attributes = Node::map([
            ("group", Node::string("certificates.k8s.io")),
            ("version", Node::string("*")),
            ("resource", Node::string("certificatesigningrequests")),
            ("subresource", Node::string(subresource.to_owned())),
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
        let review = self.client.post(REVIEWS, &review).await?;
        Ok(review
            .find(&["status", "allowed"])
            .is_some_and(|allowed| allowed.as_bool() == Some(true)))
    }
}
