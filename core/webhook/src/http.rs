//! HTTP responses of webhooks, read as the client of the reference reads them.

use crate::decode::{Decoded, Family, decode_answer};
use crate::denial::message_of;
use crate::review::ReviewVersion;
use alloc::format;
use alloc::string::{String, ToString};
use ratchet_net::Quoted;
use ratchet_object::Node;

/// A call that failed: the error, and the code that the metrics count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallError {
    pub(crate) text: String,
    pub(crate) code: i64,
}

impl CallError {
    /// An error that is no Status.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), code: 503 }
    }
}

/// The codes with a message of their own.
const MESSAGES: &[(u16, &str)] = &[
    (400, "the server rejected our request for an unknown reason"),
    (401, "the server has asked for the client to provide credentials"),
    (404, "the server could not find the requested resource"),
    (405, "the server does not allow this method on the requested resource"),
    (409, "the server reported a conflict"),
    (422, "the server rejected our request due to an error in our request"),
    (429, "the server has received too many requests and has asked us to try again later"),
    (503, "the server is currently unable to handle the request"),
    (
        504,
        "the server was unable to return a response in the time allotted, but may still be processing the request",
    ),
];
/// The codes whose message is the body, if it is text.
const EXCERPT_CODES: [u16; 3] = [403, 406, 415];
/// How much of a body an error shows.
const MAX_EXCERPT: usize = 2048;

/// The review in a response.
pub(crate) fn review(
    status: u16,
    content_type: &str,
    body: &[u8],
    family: &'static Family,
    version: ReviewVersion,
) -> Result<Node<'static>, CallError> {
    if !(200..=206).contains(&status) {
        return Err(error_of(status, content_type, body, family));
    }
    if body.is_empty() {
        let content_type = if content_type.is_empty() { "application/json" } else { content_type };
        return Err(CallError::new(format!(
            "0-length response with status code: {status} and content type: {content_type}"
        )));
    }
    let into = format!("{}.{}", version.as_str(), family.kind());
    let convert =
        |from: &str| CallError::new(format!("converting ({from}) to ({into}): unknown conversion"));
    match decode_answer(body, family, Some(version)).map_err(CallError::new)? {
        Decoded::Review(node) => Ok(node),
        Decoded::Status(_) => Err(convert("v1.Status")),
        Decoded::Other(from) => Err(convert(&from)),
    }
}

/// The error of a response that is not a success: its own Status, or one made from its code.
fn error_of(status: u16, content_type: &str, body: &[u8], family: &'static Family) -> CallError {
    if !body.is_empty()
        && let Ok(Decoded::Status(node)) = decode_answer(body, family, None)
        && node.text_at(&["status"]) == "Failure"
    {
        let code = node.get("code").and_then(Node::as_int).unwrap_or_default();
        return CallError { text: message_of(&node), code };
    }
    let media = content_type.split(';').next().unwrap_or_default().trim();
    let is_text = content_type.is_empty() || media.to_ascii_lowercase().starts_with("text/");
    let excerpt = body.get(..MAX_EXCERPT.min(body.len())).unwrap_or_default();
    let excerpt = String::from_utf8_lossy(excerpt);
    let excerpt = if is_text { excerpt.trim() } else { "unknown" };
    let text = match MESSAGES.iter().find(|(code, _)| *code == status) {
        Some((_, message)) => (*message).to_string(),
        None if status == 406 && matches!(excerpt, "" | "unknown") => {
            "the server was unable to respond with a content type that the client supports".into()
        }
        None if EXCERPT_CODES.contains(&status) => excerpt.to_string(),
        None if status >= 500 => {
            let excerpt = Quoted(excerpt);
            format!("an error on the server ({excerpt}) has prevented the request from succeeding")
        }
        None => format!(
            "the server responded with the status code {status} but did not return more information"
        ),
    };
    CallError { text, code: i64::from(status) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::ADMISSION;

    fn error(status: u16, content_type: &str, body: &str) -> String {
        let result = review(status, content_type, body.as_bytes(), &ADMISSION, ReviewVersion::V1);
        let error = result.unwrap_err();
        format!("{} {}", error.code, error.text)
    }

    #[test]
    fn responses_that_are_no_reviews() {
        const STRUCT: &str = r#"struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;
        let array = format!(
            "503 couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type {STRUCT}"
        );
        for (status, content_type, body, text) in [
            (
                200,
                "application/json",
                "",
                "503 0-length response with status code: 200 and content type: application/json",
            ),
            (
                200,
                "",
                "{not json",
                "503 couldn't get version/kind; json parse error: invalid character 'n' looking for beginning of object key string",
            ),
            (200, "", "[]", array.as_str()),
            (
                200,
                "",
                r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v2"}"#,
                r#"503 no kind "AdmissionReview" is registered for version "admission.k8s.io/v2" in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71""#,
            ),
            (
                200,
                "",
                r#"{"kind":"Status","apiVersion":"v1"}"#,
                "503 converting (v1.Status) to (v1.AdmissionReview): unknown conversion",
            ),
            (
                200,
                "",
                r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"}"#,
                "503 converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion",
            ),
            (
                200,
                "",
                r#"{"response":{"allowed":"yes"}}"#,
                "503 json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool",
            ),
            (
                200,
                "",
                r#"{"response":{"status":{"code":"1"}}}"#,
                "503 json: cannot unmarshal string into Go struct field Status.response.status.code of type int32",
            ),
            (
                200,
                "",
                r#"{"response":{"status":{"details":{"causes":[{"field":1}]}}}}"#,
                "503 json: cannot unmarshal number into Go struct field StatusCause.response.status.details.causes.field of type string",
            ),
            (200, "", r#"{"response":{"patch":"!"}}"#, "503 illegal base64 data at input byte 0"),
            (
                200,
                "",
                r#"{"response":{"patchType":1}}"#,
                "503 json: cannot unmarshal number into Go struct field AdmissionResponse.response.patchType of type v1.PatchType",
            ),
            (
                200,
                "",
                r#"{"response":{"warnings":[1]}}"#,
                "503 json: cannot unmarshal number into Go struct field AdmissionResponse.response.warnings of type string",
            ),
            (
                200,
                "",
                r#"{"response":[]}"#,
                "503 json: cannot unmarshal array into Go struct field AdmissionReview.response of type v1.AdmissionResponse",
            ),
            (
                200,
                "",
                r#"{"kind":1}"#,
                "503 couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
            ),
            (200, "", r#"{"apiVersion":"a/b/c"}"#, "503 unexpected GroupVersion string: a/b/c"),
            (
                500,
                "application/json",
                "x",
                "500 an error on the server (\"unknown\") has prevented the request from succeeding",
            ),
            (
                500,
                "text/plain; charset=utf-8",
                " oh no\n",
                "500 an error on the server (\"oh no\") has prevented the request from succeeding",
            ),
            (404, "", "{}", "404 the server could not find the requested resource"),
            (
                400,
                "",
                r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}"#,
                "400 the server rejected our request for an unknown reason",
            ),
            (
                503,
                "",
                r#"{"apiVersion":"v1","kind":"Status","status":"Failure","message":"busy","reason":"ServiceUnavailable","code":503}"#,
                "503 busy",
            ),
            (
                503,
                "",
                r#"{"kind":"Status","status":"Success","message":"busy"}"#,
                "503 the server is currently unable to handle the request",
            ),
            (403, "text/plain", "not you", "403 not you"),
            (
                302,
                "",
                "",
                "302 the server responded with the status code 302 but did not return more information",
            ),
        ] {
            assert_eq!(error(status, content_type, body), text, "{status} {body}");
        }
    }

    #[test]
    fn whatever_says_that_it_is_a_review_is_one() {
        for (status, body) in [
            (200, r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","unknown":1}"#),
            (201, "{}"),
            (206, "  \n {}"),
            (200, "apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\n"),
        ] {
            let result =
                review(status, "text/html", body.as_bytes(), &ADMISSION, ReviewVersion::V1);
            assert!(result.is_ok(), "{body}");
        }
    }
}
