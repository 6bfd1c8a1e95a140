//! What a server says, without what differs from one request to the next.

use api_load::ApiAnswer;
use serde_json::{Map, Value, json};

/// Members that a server makes up.
const FLEETING: &[&str] = &["uid", "creationTimestamp", "resourceVersion", "managedFields"];

/// Members of a Service that a server chooses, if the request does not.
const ALLOCATED: &[&str] = &["clusterIP", "clusterIPs", "nodePort", "healthCheckNodePort"];

/// A settled answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) warnings: Vec<String>,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn settle(answer: &ApiAnswer) -> Self {
        let body = serde_json::from_slice(&answer.body)
            .unwrap_or_else(|_| String::from_utf8_lossy(&answer.body).into());
        Self { code: answer.code, warnings: answer.warnings.clone(), body: settle(body) }
    }

    /// Whether the request was granted.
    pub(crate) fn is_success(&self) -> bool {
        self.code < 300
    }

    /// The message of a refusal.
    pub(crate) fn message(&self) -> Option<&str> {
        self.body.get("message")?.as_str()
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({"code": self.code, "warnings": self.warnings, "body": self.body})
    }
}

fn settle(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let is_fleeting = |key: &str| FLEETING.contains(&key) || ALLOCATED.contains(&key);
            let lasting = map.into_iter().filter(|(key, _)| !is_fleeting(key));
            lasting.map(|(key, value)| (key, settle(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.into_iter().map(settle).collect(),
        Value::String(text) => settle_text(&text).into(),
        other => other,
    }
}

/// A text whose times of now and identities are made one; what the request gave is far in the past.
fn settle_text(text: &str) -> String {
    let mut settled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(time) = rest.get(..20).filter(|part| is_pattern(part, "dddd-dd-ddTdd:dd:ddZ"))
            && !time.starts_with("2020")
        {
            settled.push_str("TIME");
            rest = &rest[time.len()..];
        } else if let Some(uid) =
            rest.get(..36).filter(|part| is_pattern(part, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh"))
        {
            settled.push_str("UID");
            rest = &rest[uid.len()..];
        } else {
            settled.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    settled
}

/// Whether a text has a pattern, in which `d` is a digit and `h` a hexadecimal one.
fn is_pattern(text: &str, pattern: &str) -> bool {
    text.len() == pattern.len()
        && text.bytes().zip(pattern.bytes()).all(|(byte, want)| match want {
            b'd' => byte.is_ascii_digit(),
            b'h' => byte.is_ascii_hexdigit(),
            other => byte == other,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_makes_up_is_left_out() {
        let body = json!({
            "metadata": {"name": "a", "uid": "x", "managedFields": []},
            "spec": {"ports": [{"port": 80, "nodePort": 30001}], "since": "2020-01-02T03:04:05Z"},
            "message": "at 2031-01-02T03:04:05Z by 01234567-89ab-cdef-0123-456789abcdef",
        });
        let want = json!({
            "metadata": {"name": "a"},
            "spec": {"ports": [{"port": 80}], "since": "2020-01-02T03:04:05Z"},
            "message": "at TIME by UID",
        });
        assert_eq!(settle(body), want);
    }
}
