//! Header access as in Go's server: first values, all values, and keys encoded in names.

use http::{HeaderMap, HeaderName, HeaderValue};

/// The prefix of all impersonation headers.
pub(crate) const IMPERSONATE_ANY: &str = "impersonate-";
/// The prefix of impersonation headers with an extra.
pub(crate) const IMPERSONATE_EXTRA: &str = "impersonate-extra-";
/// The other impersonation headers: user, uid, group.
pub(crate) const IMPERSONATE: [&str; 3] =
    ["impersonate-user", "impersonate-uid", "impersonate-group"];

/// The text of a header value. Invalid UTF-8 is replaced: no name contains it.
pub(crate) fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

/// The first value of the header; empty if there is none.
pub(crate) fn first(headers: &HeaderMap, name: &str) -> String {
    headers.get(name).map(text).unwrap_or_default()
}

pub(crate) fn all(headers: &HeaderMap, name: &str) -> Vec<String> {
    headers.get_all(name).iter().map(text).collect()
}

/// The extras in headers with this prefix: keys sorted, values in their order.
pub(crate) fn extras(headers: &HeaderMap, prefix: &str) -> Vec<(String, Vec<String>)> {
    let prefix = prefix.to_ascii_lowercase();
    let mut extras: Vec<(String, Vec<String>)> = Vec::new();
    for name in headers.keys() {
        let Some(key) = name.as_str().strip_prefix(&prefix).map(percent_decode) else { continue };
        let values = all(headers, name.as_str());
        match extras.iter_mut().find(|(own, _)| *own == key) {
            Some((_, existing)) => existing.extend(values),
            None => extras.push((key, values)),
        }
    }
    extras.sort_by(|(a, _), (b, _)| a.cmp(b));
    extras
}

/// Removes every header with this prefix.
pub(crate) fn remove_prefixed(headers: &mut HeaderMap, prefix: &str) {
    let prefix = prefix.to_ascii_lowercase();
    let named = headers.keys().filter(|name| name.as_str().starts_with(&prefix));
    let named: Vec<HeaderName> = named.cloned().collect();
    for name in named {
        headers.remove(name);
    }
}

/// Removes the impersonation headers, so that no backend acts on them again.
pub fn strip_impersonation(headers: &mut HeaderMap) {
    for name in IMPERSONATE {
        headers.remove(name);
    }
    remove_prefixed(headers, IMPERSONATE_EXTRA);
}

/// The key with percent-encoding decoded; unchanged if that is invalid.
fn percent_decode(key: &str) -> String {
    let mut bytes = Vec::with_capacity(key.len());
    let mut rest = key.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16));
        let (Some(high), Some(low)) = (digit(), digit()) else { return key.into() };
        match u8::try_from(high * 16 + low) {
            Ok(byte) => bytes.push(byte),
            Err(_) => return key.into(),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| key.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_are_unescaped_or_left_alone() {
        for (key, plain) in [
            ("acme.com%2fproject", "acme.com/project"),
            ("a%2", "a%2"),
            ("a%zz", "a%zz"),
            ("a%ff", "a%ff"),
            ("a+b", "a+b"),
            ("%25", "%"),
        ] {
            assert_eq!(percent_decode(key), plain);
        }
    }

    proptest! {
        #[test]
        fn unescaping_never_fails(key in ".*") {
            let plain = percent_decode(&key);
            prop_assert!(key.contains('%') || plain == key);
        }
    }
}
