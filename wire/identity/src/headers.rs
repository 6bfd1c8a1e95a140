//! Reading headers as Go's server does: first values, all values, and names that hide a key.

use http::{HeaderMap, HeaderName, HeaderValue};

/// Before the name of an extra in an impersonation header.
pub(crate) const IMPERSONATE_EXTRA: &str = "impersonate-extra-";
/// The impersonation headers that are no extras: user, uid, group.
pub(crate) const IMPERSONATE: [&str; 3] =
    ["impersonate-user", "impersonate-uid", "impersonate-group"];

/// The text of a header's value. Bytes that are no UTF-8 are replaced: no name holds them.
pub(crate) fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

/// The first value of the header; empty if there is none.
pub(crate) fn first(headers: &HeaderMap, name: &str) -> String {
    headers.get(name).map(text).unwrap_or_default()
}

/// All values of the header.
pub(crate) fn all(headers: &HeaderMap, name: &str) -> Vec<String> {
    headers.get_all(name).iter().map(text).collect()
}

/// The extras in headers whose names begin with `prefix`: keys in order, values as they came.
pub(crate) fn extras(headers: &HeaderMap, prefix: &str) -> Vec<(String, Vec<String>)> {
    let prefix = prefix.to_ascii_lowercase();
    let mut extras: Vec<(String, Vec<String>)> = Vec::new();
    for name in headers.keys() {
        let Some(key) = name.as_str().strip_prefix(&prefix).map(unescaped) else { continue };
        let values = all(headers, name.as_str());
        match extras.iter_mut().find(|(own, _)| *own == key) {
            Some((_, there)) => there.extend(values),
            None => extras.push((key, values)),
        }
    }
    extras.sort_by(|(a, _), (b, _)| a.cmp(b));
    extras
}

/// Takes out every header whose name begins with `prefix`.
pub(crate) fn remove_prefixed(headers: &mut HeaderMap, prefix: &str) {
    let prefix = prefix.to_ascii_lowercase();
    let named = headers.keys().filter(|name| name.as_str().starts_with(&prefix));
    let named: Vec<HeaderName> = named.cloned().collect();
    for name in named {
        headers.remove(name);
    }
}

/// Takes the impersonation headers out, so that nothing behind acts on them again.
pub fn strip_impersonation(headers: &mut HeaderMap) {
    for name in IMPERSONATE {
        headers.remove(name);
    }
    remove_prefixed(headers, IMPERSONATE_EXTRA);
}

/// The key with `%2f` and the like spelled out; as it is if that makes no sense.
fn unescaped(key: &str) -> String {
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
            assert_eq!(unescaped(key), plain);
        }
    }

    proptest! {
        #[test]
        fn unescaping_never_fails(key in ".*") {
            let plain = unescaped(&key);
            prop_assert!(key.contains('%') || plain == key);
        }
    }
}
