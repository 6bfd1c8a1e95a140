//! Printers of certificate requests and trust bundles.

use crate::age;
use crate::column::{AGE, Column, NAME, Row, text as column};
use crate::labels::labels;
use crate::printed_object::{Cells, NONE, PrintedObject, or, text};
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

fn signer(object: &PrintedObject<'_>) -> Node<'static> {
    text(or(object.text(&["spec", "signerName"]), NONE))
}

fn request(object: &PrintedObject<'_>) -> Cells {
    let seconds = object.at(&["spec", "expirationSeconds"]).and_then(Node::as_int);
    vec![
        object.name(),
        object.age(),
        signer(object),
        object.cell(&["spec", "username"]),
        text(seconds.map_or_else(|| NONE.into(), age::span)),
        text(condition(object)),
    ]
}

/// A denial outweighs an approval; the status of a condition does not matter, as it is always true.
fn condition(object: &PrintedObject<'_>) -> String {
    let has_condition = |kind| object.condition(kind).is_some();
    let decision = match (has_condition("Denied"), has_condition("Approved")) {
        (true, _) => "Denied",
        (false, true) => "Approved",
        (false, false) => "Pending",
    };
    let mut formatted = String::from(decision);
    if has_condition("Failed") {
        formatted.push_str(",Failed");
    }
    if !object.text(&["status", "certificate"]).is_empty() {
        formatted.push_str(",Issued");
    }
    formatted
}

fn bundle(object: &PrintedObject<'_>) -> Cells {
    vec![object.name(), signer(object)]
}

fn for_pod(object: &PrintedObject<'_>) -> Cells {
    let conditions = object.items(&["status", "conditions"]).iter();
    let state = conditions
        .map(|condition| condition.text_at(&["type"]))
        .rfind(|kind| ["Issued", "Denied", "Failed"].contains(kind));
    vec![
        object.name(),
        object.cell(&["spec", "podName"]),
        object.cell(&["spec", "serviceAccountName"]),
        object.cell(&["spec", "nodeName"]),
        object.cell(&["spec", "signerName"]),
        text(state.unwrap_or("Pending")),
        text(labels(object.at(&["spec", "unverifiedUserAnnotations"]))),
    ]
}

#[cfg(test)]
mod tests {
    use super::GROUP;
    use crate::testing::line;

    #[test]
    fn requests() {
        let text = "{spec: {signerName: s, username: u, expirationSeconds: 3600}, status: {certificate: eA==, \
            conditions: [{type: Approved}]}}";
        let formatted = line(GROUP, "CertificateSigningRequest", text);
        assert_eq!(formatted, "a | 5m | s | u | 60m | Approved,Issued");
        let formatted = line(GROUP, "CertificateSigningRequest", "{}");
        assert_eq!(formatted, "a | 5m | <none> |  | <none> | Pending");
        let text = "{status: {conditions: [{type: Approved}, {type: Denied}, {type: Failed}]}}";
        let formatted = line(GROUP, "CertificateSigningRequest", text);
        assert_eq!(formatted, "a | 5m | <none> |  | <none> | Denied,Failed");
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
        let formatted = line(GROUP, "PodCertificateRequest", text);
        assert_eq!(formatted, "a | p | sa | n | s | Issued | k=v");
        let formatted = line(GROUP, "PodCertificateRequest", "{}");
        assert_eq!(formatted, "a |  |  |  |  | Pending | <none>");
    }
}
