//! Requests for certificates, and who vouches for them.

use crate::age;
use crate::column::{AGE, Column, NAME, Row, text as column};
use crate::labels::labels;
use crate::shown::{Cells, NONE, Shown, or, text};
use alloc::string::String;
use alloc::vec;
use ratchet_object::Node;

const GROUP: &str = "certificates.k8s.io";

pub(crate) const ROWS: &[Row] = &[
    Row { group: GROUP, kind: "CertificateSigningRequest", columns: REQUEST, cells: request },
    Row { group: GROUP, kind: "ClusterTrustBundle", columns: BUNDLE, cells: bundle },
    Row { group: GROUP, kind: "PodCertificateRequest", columns: FOR_POD, cells: for_pod },
];

const SIGNER: Column = column("SignerName", "Who signs the certificates.");

const REQUEST: &[Column] = &[
    NAME,
    AGE,
    SIGNER,
    column("Requestor", "The user who asks for the certificate."),
    column("RequestedDuration", "How long the certificate should be valid."),
    column("Condition", "What became of the request."),
];

const BUNDLE: &[Column] = &[NAME, SIGNER];

const FOR_POD: &[Column] = &[
    NAME,
    column("PodName", "The pod that the certificate is for."),
    column("ServiceAccountName", "The service account of the pod."),
    column("NodeName", "The node of the pod."),
    SIGNER,
    column("State", "Whether the request is pending, issued, denied or failed."),
    column("UnverifiedUserAnnotations", "What the pod tells the signer; nobody has checked it."),
];

fn signer(shown: &Shown<'_>) -> Node<'static> {
    text(or(shown.text(&["spec", "signerName"]), NONE))
}

fn request(shown: &Shown<'_>) -> Cells {
    let seconds = shown.at(&["spec", "expirationSeconds"]).and_then(Node::as_int);
    vec![
        shown.name(),
        shown.age(),
        signer(shown),
        shown.cell(&["spec", "username"]),
        text(seconds.map_or_else(|| NONE.into(), age::span)),
        text(condition(shown)),
    ]
}

/// A denial outweighs an approval; whether a condition holds is not asked, for it always does.
fn condition(shown: &Shown<'_>) -> String {
    let has = |kind| shown.condition(kind).is_some();
    let decision = match (has("Denied"), has("Approved")) {
        (true, _) => "Denied",
        (false, true) => "Approved",
        (false, false) => "Pending",
    };
    let mut told = String::from(decision);
    if has("Failed") {
        told.push_str(",Failed");
    }
    if !shown.text(&["status", "certificate"]).is_empty() {
        told.push_str(",Issued");
    }
    told
}

fn bundle(shown: &Shown<'_>) -> Cells {
    vec![shown.name(), signer(shown)]
}

fn for_pod(shown: &Shown<'_>) -> Cells {
    let conditions = shown.items(&["status", "conditions"]).iter();
    let state = conditions
        .map(|condition| condition.text_at(&["type"]))
        .rfind(|kind| ["Issued", "Denied", "Failed"].contains(kind));
    vec![
        shown.name(),
        shown.cell(&["spec", "podName"]),
        shown.cell(&["spec", "serviceAccountName"]),
        shown.cell(&["spec", "nodeName"]),
        shown.cell(&["spec", "signerName"]),
        text(state.unwrap_or("Pending")),
        text(labels(shown.at(&["spec", "unverifiedUserAnnotations"]))),
    ]
}

#[cfg(test)]
mod tests {
    use super::GROUP;
    use crate::trial::line;

    #[test]
    fn requests() {
        let text = "{spec: {signerName: s, username: u, expirationSeconds: 3600}, status: {certificate: eA==, \
            conditions: [{type: Approved}]}}";
        let told = line(GROUP, "CertificateSigningRequest", text);
        assert_eq!(told, "a | 5m | s | u | 60m | Approved,Issued");
        let told = line(GROUP, "CertificateSigningRequest", "{}");
        assert_eq!(told, "a | 5m | <none> |  | <none> | Pending");
        let text = "{status: {conditions: [{type: Approved}, {type: Denied}, {type: Failed}]}}";
        let told = line(GROUP, "CertificateSigningRequest", text);
        assert_eq!(told, "a | 5m | <none> |  | <none> | Denied,Failed");
    }

    #[test]
    fn bundles() {
        assert_eq!(line(GROUP, "ClusterTrustBundle", "{spec: {signerName: s}}"), "a | s");
        assert_eq!(line(GROUP, "ClusterTrustBundle", "{}"), "a | <none>");
    }

    #[test]
    fn requests_for_pods() {
        let text = "{spec: {podName: p, serviceAccountName: sa, nodeName: 'n', signerName: s, \
            unverifiedUserAnnotations: {k: v}}, status: {conditions: [{type: Issued, status: 'True'}]}}";
        let told = line(GROUP, "PodCertificateRequest", text);
        assert_eq!(told, "a | p | sa | n | s | Issued | k=v");
        let told = line(GROUP, "PodCertificateRequest", "{}");
        assert_eq!(told, "a |  |  |  |  | Pending | <none>");
    }
}
