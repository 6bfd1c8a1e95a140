//! `AdmissionResponse`: the answer to a request, and the AdmissionReview that carries it.

use crate::mode::Mode;
use crate::request::{API_VERSION, KIND};
use ratchet_engine::pod_security::PodSecurityMetrics;
use ratchet_engine::{Rule, Status, StatusCause, Verdict, warning_texts};
use ratchet_object::{Node, encode_base64};

/// The answer to the request of a review.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdmissionResponse {
    /// The id of the request.
    pub uid: String,
    /// The Status of a refusal; `None` admits the request.
    pub status: Option<Status>,
    /// Warnings for the client, within the limits of the API.
    pub warnings: Vec<String>,
    /// Annotations of the audit event: key and value. The API server puts the name of the webhook before the key, which
    /// has no slash for that reason.
    pub audit_annotations: Vec<(String, String)>,
    /// A JSON patch of the object, as text.
    pub patch: Option<String>,
    /// What was found, for metrics and logs.
    pub findings: Vec<Finding>,
    /// Why the request was not judged, if it was exempt.
    pub exempt: Option<&'static str>,
    /// Evaluations of Pod Security, for metrics.
    pub pod_security: Vec<PodSecurityMetrics>,
}

/// What a rule found in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The mode of the rule there.
    pub mode: Mode,
    /// What became of it.
    pub verdict: FindingVerdict,
    /// The path of the field; empty for the object as a whole.
    pub field: String,
    /// What is wrong, with the field.
    pub message: String,
}

/// What became of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingVerdict {
    /// The request is refused for it.
    Denied,
    /// The client is warned.
    Warned,
    /// The audit event has an annotation.
    Audited,
}

impl FindingVerdict {
    /// The name in metrics, logs and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::Warned => "warned",
            Self::Audited => "audited",
        }
    }
}

impl AdmissionResponse {
    /// The answer to a request about which there is nothing to say.
    pub fn allowed(uid: String) -> Self {
        Self { uid, ..Self::default() }
    }

    /// The answer to a request that is not judged for this reason.
    pub(crate) fn exempt(uid: String, reason: &'static str) -> Self {
        let audit_annotations = vec![("exempt".to_owned(), reason.to_owned())];
        Self { uid, audit_annotations, exempt: Some(reason), ..Self::default() }
    }

    /// The answer that says what a verdict says; `status` is the Status of its refusal, and `more` are warnings besides
    /// its own.
    pub(crate) fn of(
        uid: String,
        verdict: &Verdict,
        status: Option<Status>,
        more: &[String],
    ) -> Self {
        let own = verdict.warnings.iter().map(|warning| warning.text.as_str());
        let warnings: Vec<&str> = own.chain(more.iter().map(String::as_str)).collect();
        let annotation = |(key, value): &(&'static str, String)| {
            let name = key.rsplit_once('/').map_or(*key, |(_, name)| name);
            (name.to_owned(), value.clone())
        };
        Self {
            uid,
            status,
            warnings: warning_texts(&warnings),
            audit_annotations: verdict.audit.iter().map(annotation).collect(),
            pod_security: verdict.metrics.clone(),
            ..Self::default()
        }
    }

    /// Whether the request is admitted.
    pub fn is_allowed(&self) -> bool {
        self.status.is_none()
    }

    /// The verdict in one word, for metrics and traces.
    pub(crate) fn verdict(&self) -> &'static str {
        match (self.exempt, self.is_allowed()) {
            (Some(_), _) => "exempt",
            (None, true) => "allowed",
            (None, false) => "denied",
        }
    }

    /// The AdmissionReview with this response, as JSON.
    pub fn to_json(&self) -> String {
        let review = Node::map([
            ("kind", Node::string(KIND)),
            ("apiVersion", Node::string(API_VERSION)),
            ("response", self.to_node()),
        ]);
        review.to_json()
    }

    fn to_node(&self) -> Node<'_> {
        let mut node = Node::map([
            ("uid", Node::string(self.uid.as_str())),
            ("allowed", Node::bool(self.is_allowed())),
        ]);
        if let Some(status) = &self.status {
            node.set("status", status_node(status));
        }
        if let Some(patch) = &self.patch {
            node.set("patch", Node::string(encode_base64(patch.as_bytes())));
            node.set("patchType", Node::string("JSONPatch"));
        }
        if !self.audit_annotations.is_empty() {
            let annotations = self.audit_annotations.iter();
            let annotations =
                annotations.map(|(key, value)| (key.as_str(), Node::string(value.as_str())));
            node.set("auditAnnotations", Node::map(annotations));
        }
        if !self.warnings.is_empty() {
            let warnings = self.warnings.iter().map(|text| Node::string(text.as_str())).collect();
            node.set("warnings", Node::list(warnings));
        }
        node
    }
}

fn status_node(status: &Status) -> Node<'_> {
    let mut details = texts([
        ("name", status.name.as_str()),
        ("group", status.group.as_str()),
        ("kind", status.kind.as_str()),
    ]);
    if !status.causes.is_empty() {
        details.set("causes", Node::list(status.causes.iter().map(cause_node).collect()));
    }
    let mut node = Node::map([
        ("metadata", Node::empty_map()),
        ("status", Node::string("Failure")),
        ("message", Node::string(status.message.as_str())),
        ("reason", Node::string(status.reason)),
    ]);
    if !details.entries().is_empty() {
        node.set("details", details);
    }
    node.set("code", Node::int(status.code.into()));
    node
}

fn cause_node(cause: &StatusCause) -> Node<'_> {
    texts([
        ("reason", cause.reason),
        ("message", cause.message.as_str()),
        ("field", cause.field.as_str()),
    ])
}

/// A map of the texts that are not empty.
fn texts<'a>(members: [(&'static str, &'a str); 3]) -> Node<'a> {
    let present = members.into_iter().filter(|(_, text)| !text.is_empty());
    Node::map(present.map(|(name, text)| (name, Node::string(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_admitted_request_has_its_id_and_nothing_else() {
        let json = AdmissionResponse::allowed("u".into()).to_json();
        let wanted = r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u","allowed":true}}"#;
        assert_eq!(json, wanted);
    }

    #[test]
    fn a_refusal_has_the_status_of_the_api() {
        let response = AdmissionResponse {
            uid: "u".into(),
            status: Some(Status {
                code: 422,
                reason: "Invalid",
                message: "no <b>".into(),
                kind: "Pod".into(),
                group: String::new(),
                name: "p".into(),
                causes: vec![StatusCause {
                    reason: "FieldValueInvalid",
                    message: "m".into(),
                    field: "spec".into(),
                }],
            }),
            warnings: vec!["w".into()],
            audit_annotations: vec![("enforce-policy".into(), "baseline:latest".into())],
            ..AdmissionResponse::default()
        };
        let wanted = concat!(
            r#""response":{"uid":"u","allowed":false,"status":{"metadata":{},"status":"Failure","#,
            r#""message":"no \u003cb\u003e","reason":"Invalid","details":{"name":"p","kind":"Pod","#,
            r#""causes":[{"reason":"FieldValueInvalid","message":"m","field":"spec"}]},"code":422},"#,
            r#""auditAnnotations":{"enforce-policy":"baseline:latest"},"warnings":["w"]}}"#
        );
        assert!(response.to_json().ends_with(wanted), "{}", response.to_json());
    }

    #[test]
    fn a_failure_without_an_object_has_no_details() {
        let status = Status {
            code: 500,
            reason: "InternalError",
            message: "m".into(),
            kind: String::new(),
            group: String::new(),
            name: String::new(),
            causes: Vec::new(),
        };
        assert!(!status_node(&status).to_json().contains("details"));
    }
}
