//! `Sorted`: the entries of a node of the tree in key order, searched without looking at their keys.
//!
//! A key is behind two pointers, and the keys of a node begin with the same letters: a namespace, the name of a
//! workload. Beside every entry stand the eight bytes that follow what is common to all but a few at the ends, and only
//! entries that are equal in these, and those few, are compared as a whole.

use std::ops::Range;
use std::slice;
use std::sync::Arc;

/// An entry with the key by which it is sorted.
pub(super) trait Keyed {
    /// The key.
    fn key(&self) -> &Arc<str>;
}

/// Entries in key order.
#[derive(Clone, Debug)]
pub(super) struct Sorted<T> {
    entries: Vec<T>,
    /// For every entry the eight bytes of its key after the first `common` ones, as a big-endian number.
    heads: Vec<u64>,
    /// The bytes with which the keys of `alike` begin, and no others; they may have more in common.
    common: Prefix,
    /// Nearly all: a ConfigMap of the cluster stands before those of a workload, and another namespace behind them.
    alike: Range<usize>,
}

/// The first bytes of a key, in the node itself: what is behind a pointer is rarely in the processor's cache.
#[derive(Clone, Copy, Debug)]
struct Prefix {
    length: u8,
    bytes: [u8; Self::MOST],
}

impl Prefix {
    const MOST: usize = 95;
    const EMPTY: Self = Self { length: 0, bytes: [0; Self::MOST] };

    /// What two keys have in common, or as much of it as fits.
    fn of(one: &[u8], other: &[u8]) -> Self {
        let mut prefix = Self::EMPTY;
        let pairs = prefix.bytes.iter_mut().zip(one.iter().zip(other));
        for (byte, (one, _)) in pairs.take_while(|(_, (one, other))| one == other) {
            *byte = *one;
            prefix.length += 1;
        }
        prefix
    }

    fn len(&self) -> usize {
        self.length.into()
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len()).unwrap_or_default()
    }
}

impl<T> Default for Sorted<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), heads: Vec::new(), common: Prefix::EMPTY, alike: 0..0 }
    }
}

impl<T: Keyed> Sorted<T> {
    /// Entries that are in order.
    pub(super) fn new(entries: Vec<T>) -> Self {
        let mut sorted = Self { entries, ..Self::default() };
        sorted.index();
        sorted
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn iter(&self) -> slice::Iter<'_, T> {
        self.entries.iter()
    }

    pub(super) fn as_slice(&self) -> &[T] {
        &self.entries
    }

    pub(super) fn get(&self, at: usize) -> Option<&T> {
        self.entries.get(at)
    }

    /// An entry to change, but for its key.
    pub(super) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.entries.get_mut(at)
    }

    /// The position of the entry with this key, or where it belongs.
    pub(super) fn position(&self, key: &str) -> Result<usize, usize> {
        let range = self.range_of(key);
        let start = range.start;
        let candidates = self.entries.get(range).unwrap_or_default();
        let found = candidates.binary_search_by(|entry| (**entry.key()).cmp(key));
        found.map(|at| start + at).map_err(|at| start + at)
    }

    /// Adds an entry where it belongs.
    pub(super) fn insert(&mut self, at: usize, entry: T) {
        self.entries.insert(at, entry);
        // Now and then what they have in common is found anew: while there were few, it may have been less.
        let count = self.entries.len();
        match self.entries.get(at).map(Keyed::key) {
            Some(key) if !count.is_power_of_two() => {
                let (key, common) = (key.as_bytes(), self.common.as_bytes());
                let (is_alike, is_before) = (key.starts_with(common), key < common);
                self.heads.insert(at, head(key, common.len()));
                self.alike.start += usize::from(is_before);
                self.alike.end += usize::from(is_before || is_alike);
            }
            _ => self.index(),
        }
    }

    pub(super) fn remove(&mut self, at: usize) -> T {
        self.heads.remove(at);
        self.alike.start -= usize::from(at < self.alike.start);
        self.alike.end -= usize::from(at < self.alike.end);
        self.entries.remove(at)
    }

    /// Removes the entries from a position on.
    pub(super) fn split_off(&mut self, at: usize) -> Self {
        let rest = Self::new(self.entries.split_off(at));
        self.entries.shrink_to_fit();
        self.index();
        rest
    }

    /// Adds entries whose keys are greater than all others.
    pub(super) fn append(&mut self, next: &Self)
    where
        T: Clone,
    {
        self.entries.extend_from_slice(&next.entries);
        self.index();
    }

    /// Notes that the key of an entry has changed, but not its place.
    pub(super) fn rekeyed(&mut self) {
        self.index();
    }

    /// The entries among which a key is or belongs: all before are less, all behind are greater.
    fn range_of(&self, key: &str) -> Range<usize> {
        let key = key.as_bytes();
        let common = self.common.as_bytes();
        let begin = key.get(..common.len()).unwrap_or(key);
        if begin != common {
            return if key < common {
                0..self.alike.start
            } else {
                self.alike.end..self.entries.len()
            };
        }
        let head = head(key, common.len());
        let alike = self.heads.get(self.alike.clone()).unwrap_or_default();
        let start = alike.partition_point(|other| *other < head);
        let more = alike.get(start..).unwrap_or_default();
        let start = self.alike.start + start;
        start..start + more.iter().take_while(|other| **other == head).count()
    }

    /// Finds out what nearly all keys have in common, and their heads. Of keys in order the first and the last differ
    /// first; an eighth of them at each end may begin otherwise.
    fn index(&mut self) {
        let ends = match self.entries.len() {
            0..4 => 0,
            count => (count / 8).max(1),
        };
        let inner = self.entries.get(ends..self.entries.len() - ends).unwrap_or_default();
        self.common = match inner {
            [first, .., last] => Prefix::of(first.key().as_bytes(), last.key().as_bytes()),
            _ => Prefix::EMPTY,
        };
        let common = self.common.as_bytes();
        let keys = || self.entries.iter().map(|entry| entry.key().as_bytes());
        let before = keys().take_while(|key| *key < common).count();
        let alike = keys().skip(before).take_while(|key| key.starts_with(common)).count();
        self.alike = before..before + alike;
        self.heads.clear();
        self.heads.extend(
            self.entries.iter().map(|entry| head(entry.key().as_bytes(), self.common.len())),
        );
    }
}

/// Eight bytes of a key, as a number that is ordered as they are; a shorter key counts as if zeros followed.
fn head(key: &[u8], common: usize) -> u64 {
    let rest = key.get(common..).unwrap_or_default();
    match rest.first_chunk::<8>() {
        Some(eight) => u64::from_be_bytes(*eight),
        None => (0..8).fold(0, |head, at| (head << 8) | rest.get(at).copied().map_or(0, u64::from)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Keyed for Arc<str> {
        fn key(&self) -> &Arc<str> {
            self
        }
    }

    proptest! {
        #[test]
        fn every_key_is_found_where_a_plain_search_finds_it(
            keys in prop_oneof![
                proptest::collection::vec("(web-|web-0000000|w{94}|)[ab\u{0}]{0,10}", 0..70),
                proptest::collection::vec(
                    prop_oneof![8 => "web-0000000[ab\u{0}]{0,10}", 1 => "(a|web-)[ab]{0,2}", 1 => "(web-1|x)[ab]{0,2}"],
                    0..70,
                ),
            ],
            others in proptest::collection::vec("(web-|web-0000000|a|x|)[ab\u{0}]{0,10}", 0..20),
            removed in proptest::collection::vec(any::<proptest::sample::Index>(), 0..20),
        ) {
            let (mut sorted, mut plain) = (Sorted::default(), Vec::<Arc<str>>::new());
            for key in &keys {
                let key: Arc<str> = key.as_str().into();
                prop_assert_eq!(sorted.position(&key), plain.binary_search(&key));
                if let Err(at) = plain.binary_search(&key) {
                    plain.insert(at, Arc::clone(&key));
                    sorted.insert(at, key);
                }
            }
            for index in removed {
                if plain.is_empty() {
                    break;
                }
                let at = index.index(plain.len());
                prop_assert_eq!(sorted.remove(at), plain.remove(at));
            }
            for key in keys.iter().chain(&others) {
                let key: Arc<str> = key.as_str().into();
                prop_assert_eq!(sorted.position(&key), plain.binary_search(&key));
            }
            let rest = sorted.split_off(plain.len() / 2);
            let plain_rest = plain.split_off(plain.len() / 2);
            prop_assert_eq!(sorted.as_slice(), &plain);
            prop_assert_eq!(rest.as_slice(), &plain_rest);
            for key in keys.iter().chain(&others) {
                let key: Arc<str> = key.as_str().into();
                prop_assert_eq!(sorted.position(&key), plain.binary_search(&key));
                prop_assert_eq!(rest.position(&key), plain_rest.binary_search(&key));
            }
            sorted.append(&rest);
            plain.extend(plain_rest);
            prop_assert_eq!(sorted.as_slice(), &plain);
            prop_assert!(plain.iter().enumerate().all(|(at, key)| sorted.position(key) == Ok(at)));
        }
    }
}
