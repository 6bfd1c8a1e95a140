//! The error of a failed request: the message of the API's Status, or a default for its code.

use crate::ApiResponse;
use ratchet_object::{Limits, Node, decode_json};
use std::fmt;

/// Why a request or a reconciliation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The status code; 0 if there was no response, or if no request failed.
    pub code: u16,
    /// The message of the Status, or a description of the failure.
    pub message: String,
}

/// Default messages for responses without a Status, as client-go has them.
const DEFAULT_MESSAGES: &[(u16, &str)] = &[
    (0, "the API did not answer"),
    (403, "the server does not allow this request"),
    (404, "the server could not find the requested resource"),
    (405, "the server does not allow this method on the requested resource"),
    (409, "the server reported a conflict"),
    (429, "the server has received too many requests and has asked us to try again later"),
    (503, "the server is currently unable to handle the request"),
];

impl Failure {
    /// A failure that is not a response of the API.
    pub fn new(message: impl Into<String>) -> Self {
        Self { code: 0, message: message.into() }
    }

    /// The failure in an unsuccessful response.
    pub fn of(response: &ApiResponse) -> Self {
        let code = response.status;
        let message = status_message(&response.body).unwrap_or_else(|| default_message(code));
        Self { code, message }
    }

    /// Whether the object, or the whole resource, does not exist.
    pub fn is_not_found(&self) -> bool {
        self.code == 404
    }

    /// Whether the object already exists or was changed concurrently.
    pub fn is_conflict(&self) -> bool {
        self.code == 409
    }

    /// Whether the API does not support the resource or the verb.
    pub fn is_not_offered(&self) -> bool {
        matches!(self.code, 404 | 405)
    }
}

/// The message of a Status.
fn status_message(body: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let decoded = decode_json(text, Limits::DEFAULT).ok()?;
    let message = decoded.documents.first()?.get("message").and_then(Node::text)?;
    (!message.is_empty()).then(|| message.to_owned())
}

fn default_message(code: u16) -> String {
    let default = DEFAULT_MESSAGES
        .iter()
        .find(|(status, _)| *status == code)
        .map(|(_, text)| (*text).to_owned());
    default.unwrap_or_else(|| {
        format!("an error on the server (code {code}) has prevented the request from succeeding")
    })
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(status: u16, body: &'static str) -> Failure {
        Failure::of(&ApiResponse { status, body: body.as_bytes().into() })
    }

    #[test]
    fn the_message_of_a_status_is_kept() {
        let refused = failure(409, r#"{"kind":"Status","message":"too late"}"#);
        assert_eq!((refused.to_string().as_str(), refused.is_conflict()), ("too late", true));
    }

    #[test]
    fn what_says_nothing_gets_a_plain_sentence() {
        let text = "the server is currently unable to handle the request";
        for body in ["", "no json", "{}", r#"{"message":""}"#, "[]"] {
            assert_eq!(failure(503, body).message, text, "{body}");
        }
        assert!(failure(500, "").message.contains("code 500"));
        assert!(failure(405, "").is_not_offered() && !failure(405, "").is_not_found());
    }
}
