//! JSON encoding of `Status` objects.

use super::{About, Details, StatusError};
use ratchet_object::write_text;
use std::fmt::Write;

impl StatusError {
    /// The `Status` object, with members in the order of the reference.
    pub fn to_json(&self) -> String {
        if let Some(status) = &self.status_json {
            return status.to_string();
        }
        let mut out = String::with_capacity(256 + self.message.len() * 2);
        out.push_str(r#"{"kind":"Status","apiVersion":"v1","metadata":{"#);
        if !self.continue_token.is_empty() {
            member(&mut out, "continue", &self.continue_token);
        }
        out.push_str(r#"},"status":"Failure""#);
        if !self.message.is_empty() {
            out.push(',');
            member(&mut out, "message", &self.message);
        }
        if !self.reason.is_empty() {
            out.push(',');
            member(&mut out, "reason", self.reason);
        }
        if let Some(details) = &self.details {
            out.push_str(r#","details":{"#);
            details.write(&mut out);
            out.push('}');
        }
        let _ = write!(out, r#","code":{}}}"#, self.code);
        out
    }
}

impl Details {
    fn write(&self, out: &mut String) {
        let start = out.len();
        let texts = [
            ("name", &self.name),
            ("group", &self.group),
            ("kind", &self.kind),
            ("uid", &self.uid),
        ];
        for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            comma(out, start);
            member(out, name, text);
        }
        if !self.causes.is_empty() {
            comma(out, start);
            out.push_str(r#""causes":["#);
            let first = out.len();
            for cause in &self.causes {
                comma(out, first);
                out.push('{');
                let inner = out.len();
                for (name, text) in
                    [("reason", cause.reason), ("message", &cause.message), ("field", &cause.field)]
                {
                    if !text.is_empty() {
                        comma(out, inner);
                        member(out, name, text);
                    }
                }
                out.push('}');
            }
            out.push(']');
        }
        if let Some(seconds) = self.retry_after {
            comma(out, start);
            let _ = write!(out, r#""retryAfterSeconds":{seconds}"#);
        }
    }
}

fn comma(out: &mut String, start: usize) {
    if out.len() > start {
        out.push(',');
    }
}

fn member(out: &mut String, name: &str, text: &str) {
    let _ = write!(out, "\"{name}\":");
    let _ = write_text(out, text);
}

/// The success `Status` of a completed deletion, for kinds that do not return the object.
pub(crate) fn success(about: About<'_>, uid: &str) -> String {
    let mut details = about.details();
    uid.clone_into(&mut details.uid);
    let mut out = String::from(
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"#,
    );
    details.write(&mut out);
    out.push_str("}}");
    out
}
