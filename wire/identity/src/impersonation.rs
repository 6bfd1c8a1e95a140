//! The user that a request wants to impersonate, from its headers.

use crate::headers::{IMPERSONATE, IMPERSONATE_ANY, IMPERSONATE_EXTRA, all, extras, first};
use http::HeaderMap;
use ratchet_access::User;
use ratchet_net::Quoted;

/// The requested user; `None` without impersonation headers. [`ratchet_access::impersonate`]
/// decides whether it is allowed. The error is the message of a 400.
pub fn impersonation(headers: &HeaderMap) -> Result<Option<User>, String> {
    if !headers.keys().any(|name| name.as_str().starts_with(IMPERSONATE_ANY)) {
        return Ok(None);
    }
    let [user, uid, group] = IMPERSONATE;
    let has_extra = headers.keys().any(|name| name.as_str().starts_with(IMPERSONATE_EXTRA));
    let requested = User {
        name: first(headers, user),
        uid: first(headers, uid),
        groups: all(headers, group),
        extra: extras(headers, IMPERSONATE_EXTRA),
    };
    if !requested.name.is_empty() {
        return Ok(Some(requested));
    }
    if requested.uid.is_empty() && requested.groups.is_empty() && !has_extra {
        return Ok(None);
    }
    Err(format!("requested {} without impersonating a user name", format_as_go(&requested)))
}

/// The user as Go formats the structure in the error message.
fn format_as_go(user: &User) -> String {
    let texts = |texts: &[String]| {
        let texts: Vec<_> = texts.iter().map(|text| Quoted(text).to_string()).collect();
        format!("[]string{{{}}}", texts.join(", "))
    };
    let groups = if user.groups.is_empty() { "[]string(nil)".into() } else { texts(&user.groups) };
    let extra = if user.extra.is_empty() {
        "map[string][]string(nil)".into()
    } else {
        let members = user.extra.iter();
        let members = members.map(|(key, values)| format!("{}:{}", Quoted(key), texts(values)));
        format!("map[string][]string{{{}}}", members.collect::<Vec<_>>().join(", "))
    };
    let uid = Quoted(&user.uid);
    format!("&user.DefaultInfo{{Name:\"\", UID:{uid}, Groups:{groups}, Extra:{extra}}}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strip_impersonation;
    use http::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn all_parts_are_read() {
        let mut headers = headers(&[
            ("impersonate-user", "bob"),
            ("impersonate-group", "a"),
            ("impersonate-group", "b"),
            ("impersonate-uid", "7"),
            ("impersonate-extra-acme.com%2fproject", "x"),
            ("impersonate-extra-acme.com%2fproject", "y"),
            ("accept", "z"),
        ]);
        let user = impersonation(&headers).expect("fine").expect("asked");
        assert_eq!((user.name.as_str(), user.uid.as_str()), ("bob", "7"));
        assert_eq!(user.groups, ["a", "b"]);
        assert_eq!(user.extra, [("acme.com/project".into(), vec!["x".into(), "y".into()])]);
        strip_impersonation(&mut headers);
        assert_eq!(headers.len(), 1);
        assert_eq!(impersonation(&headers), Ok(None));
    }

    #[test]
    fn a_user_must_be_named() {
        let error = |pairs| impersonation(&headers(pairs)).expect_err("refused");
        assert_eq!(
            error(&[("impersonate-group", "a")]),
            r#"requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a"}, Extra:map[string][]string(nil)} without impersonating a user name"#
        );
        assert_eq!(
            error(&[("impersonate-uid", "7"), ("impersonate-extra-a", "b")]),
            r#"requested &user.DefaultInfo{Name:"", UID:"7", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"b"}}} without impersonating a user name"#
        );
    }
}
