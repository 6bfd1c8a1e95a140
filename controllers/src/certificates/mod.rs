//! Controllers of CertificateSigningRequests: approving those of nodes, signing approved ones,
//! deleting old ones.

mod approving;
mod cleaning;
mod signer;
mod signing;

pub(crate) use approving::ROW as APPROVING;
pub(crate) use cleaning::ROW as CLEANING;
pub use signer::{CertificateSigner, Signing};
pub(crate) use signing::ROW as SIGNING;

use crate::{RetryDelay, Setup};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ratchet_certificate::CertificateRequest;
use ratchet_object::{Node, percent_encode};
use std::time::Duration;

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

const RETRY_DELAY: RetryDelay =
    RetryDelay { first: Duration::from_millis(200), longest: Duration::from_secs(1000) };

/// Enqueues every request that is created or changed.
fn listen(setup: &mut Setup<'_>) {
    let queue = setup.queue.clone();
    setup.listen(REQUESTS, move |change| {
        if change.new.is_some() {
            queue.add(&change.key);
        }
    });
}

fn subresource_path(name: &str, subresource: &str) -> String {
    format!("{REQUESTS}/{}/{subresource}", percent_encode(name))
}

fn conditions<'n, 't>(request: &'n Node<'t>) -> &'n [Node<'t>] {
    request.find(&["status", "conditions"]).map(Node::items).unwrap_or_default()
}

/// Whether there is a condition of this type, whatever its status.
fn has_condition(request: &Node<'_>, kind: &str) -> bool {
    conditions(request).iter().any(|condition| condition.text_at(&["type"]) == kind)
}

fn is_issued(request: &Node<'_>) -> bool {
    !request.text_at(&["status", "certificate"]).is_empty()
}

fn usages<'n>(request: &'n Node<'_>) -> Vec<&'n str> {
    let list = request.find(&["spec", "usages"]).map(Node::items).unwrap_or_default();
    list.iter().filter_map(Node::text).collect()
}

/// Parses the PKCS#10 request in `spec.request`.
fn parse_csr(request: &Node<'_>) -> Result<CertificateRequest, String> {
    let pem = BASE64_STANDARD.decode(request.text_at(&["spec", "request"])).unwrap_or_default();
    CertificateRequest::from_pem(&pem)
        .map_err(|why| format!("unable to parse csr {:?}: {why}", request.metadata().name()))
}

/// The request with one more condition.
fn with_condition(request: &Node<'static>, condition: Node<'static>) -> Node<'static> {
    let mut new = typed(request);
    let mut all = conditions(request).to_vec();
    all.push(condition);
    new.map_mut("status").set("conditions", Node::list(all));
    new
}

/// The request with `apiVersion` and `kind`, as it is sent.
fn typed(request: &Node<'static>) -> Node<'static> {
    let mut new = request.clone();
    new.set("apiVersion", Node::string("certificates.k8s.io/v1"));
    new.set("kind", Node::string("CertificateSigningRequest"));
    new
}
