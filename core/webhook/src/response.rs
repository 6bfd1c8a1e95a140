//! The response in a review: checked against the request, and taken apart.

use crate::call::WebhookCall;
use crate::configuration::AdmissionType;
use crate::review::ReviewVersion;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::{GroupVersionKind, Node, decode_base64};

/// A response that belongs to its request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Response {
    pub(crate) is_allowed: bool,
    /// The Status, if there is one.
    pub(crate) status: Option<Node<'static>>,
    pub(crate) patch: Vec<u8>,
    pub(crate) patch_type: String,
    pub(crate) annotations: Vec<(String, String)>,
    pub(crate) warnings: Vec<String>,
}

impl Response {
    /// Takes the response of a review; the error is why it does not belong to the call. Types have been checked.
    pub(crate) fn verify(
        review: &Node<'_>,
        call: &WebhookCall,
        admission: AdmissionType,
    ) -> Result<Self, String> {
        let is_set = |node: &&Node<'_>| !node.is_null();
        let response = review
            .get("response")
            .filter(is_set)
            .ok_or_else(|| "webhook response was absent".to_string())?;
        let patch = patch_of(response);
        let patch_type = response.get("patchType").filter(is_set).and_then(Node::text);
        let patch_type = match call.version {
            ReviewVersion::V1 => {
                check_identity(review, response, call)?;
                check_patch(&patch, patch_type, admission)?;
                patch_type.unwrap_or_default()
            }
            // Nothing of this was checked in this version.
            ReviewVersion::V1Beta1 => "JSONPatch",
        };
        let is_mutating = admission == AdmissionType::Mutating;
        let text = |node: &Node<'_>| node.text().unwrap_or_default().to_string();
        let annotations = response.get("auditAnnotations").map(Node::entries).unwrap_or_default();
        let warnings = response.get("warnings").map(Node::items).unwrap_or_default();
        Ok(Self {
            is_allowed: response.get("allowed").and_then(Node::as_bool).unwrap_or_default(),
            status: response.get("status").filter(is_set).map(|node| node.clone().into_owned()),
            patch: if is_mutating { patch } else { Vec::new() },
            patch_type: patch_type.to_string(),
            annotations: annotations
                .iter()
                .map(|entry| (entry.key.to_string(), text(&entry.node)))
                .collect(),
            warnings: warnings.iter().map(text).collect(),
        })
    }
}

fn patch_of(response: &Node<'_>) -> Vec<u8> {
    let text = response.text_at(&["patch"]);
    decode_base64(text).unwrap_or_default()
}

/// Checks that a response is about the request, and that its review says what it is.
fn check_identity(
    review: &Node<'_>,
    response: &Node<'_>,
    call: &WebhookCall,
) -> Result<(), String> {
    let uid = response.text_at(&["uid"]);
    if uid != call.uid {
        let (expected, found) = (Quoted(&call.uid), Quoted(uid));
        return Err(format!("expected response.uid={expected}, got {found}"));
    }
    let expected =
        GroupVersionKind::from_api_version(call.version.api_version(), "AdmissionReview");
    let api_version = review.text_at(&["apiVersion"]);
    let found = GroupVersionKind::from_api_version(api_version, review.text_at(&["kind"]));
    if found != expected {
        return Err(format!("expected webhook response of {expected}, got {found}"));
    }
    Ok(())
}

fn check_patch(
    patch: &[u8],
    patch_type: Option<&str>,
    admission: AdmissionType,
) -> Result<(), String> {
    let text = match (admission, patch.is_empty(), patch_type) {
        (AdmissionType::Validating, false, _) => "validating webhook may not return response.patch",
        (AdmissionType::Validating, true, Some(_)) => {
            "validating webhook may not return response.patchType"
        }
        (AdmissionType::Mutating, false, None) => {
            "webhook returned response.patch but not response.patchType"
        }
        (AdmissionType::Mutating, true, Some(_)) => {
            "webhook returned response.patchType but not response.patch"
        }
        (AdmissionType::Mutating, false, Some("")) => {
            "webhook returned invalid response.patchType of \"\""
        }
        _ => return Ok(()),
    };
    Err(text.to_string())
}
