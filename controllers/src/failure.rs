//! A request that failed: what the API said, or what a client says when the API said nothing.

use crate::ApiAnswer;
use ratchet_object::{Limits, Node, decode_json};
use std::fmt;

/// Why something could not be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The status code; 0 if there was no answer, or if no request failed.
    pub code: u16,
    /// What happened.
    pub message: String,
}

/// What clients say for answers that do not say it themselves.
const PLAIN: &[(u16, &str)] = &[
    (0, "the API did not answer"),
    (403, "the server does not allow this request"),
    (404, "the server could not find the requested resource"),
    (405, "the server does not allow this method on the requested resource"),
    (409, "the server reported a conflict"),
    (429, "the server has received too many requests and has asked us to try again later"),
    (503, "the server is currently unable to handle the request"),
];

impl Failure {
    /// A failure that is no answer of the API.
    pub fn new(message: impl Into<String>) -> Self {
        Self { code: 0, message: message.into() }
    }

    /// What an answer that is no success says.
    pub fn of(answer: &ApiAnswer) -> Self {
        let code = answer.status;
        let message = said(&answer.body).unwrap_or_else(|| plain(code));
        Self { code, message }
    }

    /// Whether the object, or the whole resource, is not there.
    pub fn is_not_found(&self) -> bool {
        self.code == 404
    }

    /// Whether somebody else was faster.
    pub fn is_conflict(&self) -> bool {
        self.code == 409
    }

    /// Whether the API does not offer this at all.
    pub fn is_not_offered(&self) -> bool {
        matches!(self.code, 404 | 405)
    }
}

/// The message of a Status.
fn said(body: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let decoded = decode_json(text, Limits::DEFAULT).ok()?;
    let message = decoded.documents.first()?.get("message").and_then(Node::text)?;
    (!message.is_empty()).then(|| message.to_owned())
}

fn plain(code: u16) -> String {
    let known = PLAIN.iter().find(|(of, _)| *of == code).map(|(_, text)| (*text).to_owned());
    known.unwrap_or_else(|| {
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
        Failure::of(&ApiAnswer { status, body: body.as_bytes().into() })
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
