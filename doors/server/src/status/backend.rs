//! Reasons and messages for error responses of backends.

use ratchet_net::Quoted;

/// Reason and message by status code; no message where the backend's own text is used.
const CODES: &[(u16, &str, Option<&str>)] = &[
    (400, "BadRequest", Some("the server rejected our request for an unknown reason")),
    (401, "Unauthorized", Some("the server has asked for the client to provide credentials")),
    (403, "Forbidden", None),
    (404, "NotFound", Some("the server could not find the requested resource")),
    (
        405,
        "MethodNotAllowed",
        Some("the server does not allow this method on the requested resource"),
    ),
    (406, "NotAcceptable", None),
    (409, "Conflict", Some("the server reported a conflict")),
    (415, "UnsupportedMediaType", None),
    (422, "Invalid", Some("the server rejected our request due to an error in our request")),
    (
        429,
        "TooManyRequests",
        Some("the server has received too many requests and has asked us to try again later"),
    ),
    (503, "ServiceUnavailable", Some("the server is currently unable to handle the request")),
    (
        504,
        "Timeout",
        Some(
            "the server was unable to return a response in the time allotted, but may still be processing the request",
        ),
    ),
];

/// The reason and message for a status code.
pub(super) fn reason_and_message(code: u16, text: &str) -> (&'static str, String) {
    match CODES.iter().find(|(known, ..)| *known == code) {
        Some((_, reason, Some(message))) => (reason, (*message).to_owned()),
        Some((_, reason, None)) => (reason, text.to_owned()),
        None if code >= 500 => {
            let text = Quoted(text);
            (
                "InternalError",
                format!(
                    "an error on the server ({text}) has prevented the request from succeeding"
                ),
            )
        }
        None => {
            let message = "the server responded with the status code";
            ("", format!("{message} {code} but did not return more information"))
        }
    }
}
