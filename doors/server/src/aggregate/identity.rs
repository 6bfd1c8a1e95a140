//! The request-header identity: who a forwarded request is from, in headers that only this server may set.

use http::{HeaderMap, HeaderName, HeaderValue};
use ratchet_access::User;
use std::fmt::Write;

const USER: HeaderName = HeaderName::from_static("x-remote-user");
const UID: HeaderName = HeaderName::from_static("x-remote-uid");
const GROUP: HeaderName = HeaderName::from_static("x-remote-group");
const EXTRA_PREFIX: &str = "x-remote-extra-";

/// Replaces every header of the identity by those of this user. On an error some are missing: the request must not go out.
pub(super) fn set(headers: &mut HeaderMap, user: &User) -> Result<(), String> {
    let is_extra = |name: &&HeaderName| name.as_str().starts_with(EXTRA_PREFIX);
    let extra: Vec<HeaderName> = headers.keys().filter(is_extra).cloned().collect();
    for name in extra.iter().chain([&USER, &UID, &GROUP]) {
        headers.remove(name);
    }
    headers.insert(USER, value(&USER, &user.name)?);
    if !user.uid.is_empty() {
        headers.insert(UID, value(&UID, &user.uid)?);
    }
    for group in &user.groups {
        headers.append(GROUP, value(&GROUP, group)?);
    }
    for (key, values) in &user.extra {
        let name = format!("{EXTRA_PREFIX}{}", escape_key(&key.to_ascii_lowercase()));
        let invalid = |_| format!("net/http: invalid header field name \"{name}\"");
        let name: HeaderName = name.parse().map_err(invalid)?;
        for text in values {
            headers.append(&name, value(&name, text)?);
        }
    }
    Ok(())
}

fn value(name: &HeaderName, text: &str) -> Result<HeaderValue, String> {
    HeaderValue::from_bytes(text.as_bytes())
        .map_err(|_| format!("net/http: invalid header field value for \"{name}\""))
}

/// Percent-encodes what no header name may contain, and the percent sign.
fn escape_key(key: &str) -> String {
    let mut out = String::with_capacity(key.len());
    for byte in key.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&'*+-.^_`|~".contains(&byte) {
            out.push(byte.into());
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_else_says_who_a_request_is_from() {
        let mut headers = HeaderMap::new();
        for name in ["x-remote-user", "x-remote-uid", "x-remote-group", "x-remote-extra-scopes"] {
            headers.append(name, HeaderValue::from_static("root"));
            headers.append(name, HeaderValue::from_static("system:masters"));
        }
        headers.append("accept", HeaderValue::from_static("*/*"));
        let user = User {
            name: "jürgen".into(),
            uid: "7".into(),
            groups: vec!["a".into(), "b".into()],
            extra: vec![("Example.org/50%".into(), vec!["x".into(), "y".into()])],
        };
        set(&mut headers, &user).unwrap();
        let all = |name: &str| {
            let values = headers.get_all(name).iter();
            values.map(|value| value.as_bytes().to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(all("x-remote-user"), ["jürgen".as_bytes()]);
        assert_eq!(all("x-remote-uid"), [b"7"]);
        assert_eq!(all("x-remote-group"), [b"a", b"b"]);
        assert_eq!(all("x-remote-extra-example.org%2f50%25"), [b"x", b"y"]);
        assert!(all("x-remote-extra-scopes").is_empty());
        assert_eq!(all("accept"), [b"*/*"]);
    }

    #[test]
    fn an_identity_that_no_header_can_tell_is_an_error() {
        let user = User { name: "a\nb".into(), ..User::default() };
        let error = set(&mut HeaderMap::new(), &user).unwrap_err();
        assert_eq!(error, "net/http: invalid header field value for \"x-remote-user\"");
    }
}
