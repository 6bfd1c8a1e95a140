//! Keys in etcd: where each key of the store lies below the prefix, and which ranges a query means.
//!
//! A key `ROOT/pods/web` of the store is `PREFIX/pods/web` in etcd, everything in the one range from `PREFIX/` to its
//! end. Keys whose rest does not begin with a slash stand behind all others, after a byte that no text has; so do
//! the store's own keys.

use std::sync::Arc;

use crate::messages::KeyRange;

/// Before the rest of a key that does not begin with a slash.
const UNSLASHED: u8 = 0xfe;
/// Before the names of the store's own keys.
const OWN: u8 = 0xff;

/// Translates keys of the store to keys of etcd and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyMap {
    /// How all keys of the store begin.
    root: String,
    /// What stands for it in etcd, with a slash at its end.
    prefix: Vec<u8>,
}

impl KeyMap {
    pub(crate) fn new(root: &str, prefix: &str) -> Self {
        let mut prefix = format!("/{}", prefix.trim_matches('/')).into_bytes();
        if prefix.last() != Some(&b'/') {
            prefix.push(b'/');
        }
        Self { root: root.to_owned(), prefix }
    }

    /// The key in etcd; none if it does not begin with the root.
    pub(crate) fn to_etcd(&self, key: &str) -> Option<Vec<u8>> {
        key.strip_prefix(&self.root).map(|rest| self.below(rest))
    }

    fn below(&self, rest: &str) -> Vec<u8> {
        let mut key = self.prefix.clone();
        match rest.strip_prefix('/') {
            Some(rest) => key.extend_from_slice(rest.as_bytes()),
            None => {
                key.push(UNSLASHED);
                key.extend_from_slice(rest.as_bytes());
            }
        }
        key
    }

    /// The key of the store; none for the store's own keys, and for keys of others.
    pub(crate) fn to_store(&self, key: &[u8]) -> Option<Arc<str>> {
        let rest = key.strip_prefix(self.prefix.as_slice())?;
        let (slash, rest) = match rest.first() {
            Some(&OWN) => return None,
            Some(&UNSLASHED) => ("", rest.get(1..)?),
            _ => ("/", rest),
        };
        let rest = std::str::from_utf8(rest).ok()?;
        Some(format!("{}{slash}{rest}", self.root).into())
    }

    /// A key of the store's own, which no query finds.
    pub(crate) fn own(&self, name: &str) -> Vec<u8> {
        [&self.prefix, &[OWN][..], name.as_bytes()].concat()
    }

    /// All keys, the store's own included.
    pub(crate) fn everything(&self) -> KeyRange {
        KeyRange { start: self.prefix.clone(), end: successor(&self.prefix) }
    }

    /// The keys with a prefix that come after a key; none if there can be none.
    pub(crate) fn range(&self, prefix: &str, after: Option<&str>) -> Option<KeyRange> {
        let mut range = match prefix.strip_prefix(&self.root) {
            Some("") => KeyRange { start: self.prefix.clone(), end: self.own("") },
            Some(rest) => {
                let start = self.below(rest);
                // A slash alone means all keys that have one: the byte of the others ends them.
                let is_slash = start == self.prefix;
                let end = if is_slash { self.below("") } else { successor(&start) };
                KeyRange { start, end }
            }
            None if self.root.starts_with(prefix) => {
                KeyRange { start: self.prefix.clone(), end: self.own("") }
            }
            None => return None,
        };
        if let Some(after) = after {
            let next = match self.to_etcd(after) {
                Some(mut key) => {
                    key.push(0);
                    key
                }
                None if after < self.root.as_str() => return Some(range),
                None => return None,
            };
            range.start = range.start.max(next);
        }
        (range.start < range.end).then_some(range)
    }
}

/// The first key behind all keys with this prefix.
fn successor(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return end;
        }
    }
    // Nothing follows: etcd's word for the end of all keys.
    vec![0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_in_their_order() {
        let map = KeyMap::new("", "/registry");
        let keys = ["/", "/a", "/a/\u{10ffff}", "/ab", "0", "b", "\u{10ffff}"];
        let there: Vec<Vec<u8>> = keys.iter().map(|key| map.to_etcd(key).unwrap()).collect();
        assert!(there.is_sorted());
        let all = map.range("", None).unwrap();
        for (key, there) in keys.iter().zip(&there) {
            assert_eq!(map.to_store(there).as_deref(), Some(*key));
            assert!(all.start <= *there && *there < all.end);
        }
        let own = map.own("compact");
        assert_eq!(map.to_store(&own), None);
        assert!(own >= all.end && own < map.everything().end);
        assert_eq!(map.to_store(b"/registry2/a"), None);
    }

    #[test]
    fn the_prefix_stands_for_the_root() {
        let map = KeyMap::new("/registry", "/clusters/one/");
        assert_eq!(map.to_etcd("/registry/pods/x").unwrap(), b"/clusters/one/pods/x");
        assert_eq!(map.to_store(b"/clusters/one/pods/x").as_deref(), Some("/registry/pods/x"));
        assert_eq!(map.to_etcd("/else"), None);
        assert_eq!(map.range("\0", None), None);
        assert_eq!(map.range("/reg", None), map.range("", None));
        let pods = map.range("/registry/pods/", Some("/registry/pods/a")).unwrap();
        assert_eq!(pods.start, b"/clusters/one/pods/a\0");
        assert_eq!(pods.end, b"/clusters/one/pods0");
        assert_eq!(map.range("/registry/pods/", Some("/registry/q")), None);
        assert_eq!(map.range("/registry/pods/", Some("/a")), map.range("/registry/pods/", None));
        assert_eq!(KeyMap::new("", "").to_etcd("/a").unwrap(), b"/a");
    }

    #[test]
    fn a_range_ends_behind_its_prefix() {
        assert_eq!(successor(b"/a"), b"/b");
        assert_eq!(successor(b"/a\xff"), b"/b");
        assert_eq!(successor(b"\xff"), [0]);
    }
}
