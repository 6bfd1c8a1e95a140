//! Owned trees that do not own the names of fields: these are found, by their hash, in the schemas.
//!
//! The keys by which `fieldsV1` names the same fields are beside them.

use crate::schema::{TYPES, TypeRow};
use crate::{Entry, Node, Value};
use alloc::borrow::Cow;

impl Node<'_> {
    /// The same tree with all texts owned, but for the keys that are names of fields. An object is copied several times
    /// on its way, and what everybody has costs nothing then.
    pub fn into_interned(self) -> Node<'static> {
        let value = match self.value {
            Value::List(items) => Value::List(items.into_iter().map(Node::into_interned).collect()),
            Value::Map(entries) => Value::Map(entries.into_iter().map(interned).collect()),
            value => return Node { value, span: self.span }.into_owned(),
        };
        Node { value, span: self.span }
    }
}

fn interned(entry: Entry<'_>) -> Entry<'static> {
    let key = match field_name(&entry.key) {
        Some(name) => Cow::Borrowed(name),
        None => Cow::Owned(entry.key.into_owned()),
    };
    Entry { key, key_span: entry.key_span, node: entry.node.into_interned() }
}

/// The number of places, several times that of names, so that most are where they are looked for first.
const PLACES: usize = 1 << 13;

/// The names, each at the first free place from that of its hash on.
static NAMES: [&str; PLACES] = collect(TYPES);

/// What stands before a name in `fieldsV1`.
const PREFIX: &str = "f:";

/// The keys of all names, one behind the other.
static KEYS_TEXT: [u8; keys_len(&NAMES)] = keys_text(&NAMES);

/// The keys, each at the place of its name.
static KEYS: [&str; PLACES] = keys(&NAMES, &KEYS_TEXT);

/// The name of a field as the schema has it; none if no type has such a field.
fn field_name(name: &str) -> Option<&'static str> {
    NAMES.get(place(name)?).copied()
}

/// The key of a field in `fieldsV1`, such as `f:spec`; none if no type has such a field.
#[must_use]
pub fn field_key(name: &str) -> Option<&'static str> {
    KEYS.get(place(name)?).copied()
}

/// The place of a name.
fn place(name: &str) -> Option<usize> {
    let mut place = place_of(name.as_bytes());
    loop {
        match NAMES.get(place).copied()? {
            "" => return None,
            found if found == name => return Some(place),
            _ => place = (place + 1) % PLACES,
        }
    }
}

/// Where a name is looked for first.
const fn place_of(name: &[u8]) -> usize {
    // Most names differ at their ends.
    let (mut hash, mut rest) = (name.len() as u64, name);
    while let Some((last, others)) = rest.split_last() {
        hash = (hash ^ *last as u64).wrapping_mul(0x0100_0000_01b3);
        rest = if name.len() - others.len() == 12 { &[] } else { others };
    }
    (hash ^ (hash >> 32)) as usize % PLACES
}

#[allow(clippy::indexing_slicing, reason = "it is computed by the compiler")]
const fn collect(types: &[TypeRow]) -> [&'static str; PLACES] {
    let mut names = [""; PLACES];
    let mut ty = 0;
    while ty < types.len() {
        let mut field = 0;
        while field < types[ty].fields.len() {
            let name = types[ty].fields[field].name;
            let mut place = place_of(name.as_bytes());
            while !names[place].is_empty() && !is_same(names[place], name) {
                place = (place + 1) % PLACES;
            }
            names[place] = name;
            field += 1;
        }
        ty += 1;
    }
    names
}

/// The length of all keys together.
#[allow(clippy::indexing_slicing, reason = "it is computed by the compiler")]
const fn keys_len(names: &[&str]) -> usize {
    let (mut len, mut place) = (0, 0);
    while place < names.len() {
        if !names[place].is_empty() {
            len += PREFIX.len() + names[place].len();
        }
        place += 1;
    }
    len
}

#[allow(clippy::indexing_slicing, reason = "it is computed by the compiler")]
const fn keys_text<const LEN: usize>(names: &[&str]) -> [u8; LEN] {
    let mut text = [0; LEN];
    let (mut at, mut place) = (0, 0);
    while place < names.len() {
        let mut parts: &[&str] =
            if names[place].is_empty() { &[] } else { &[PREFIX, names[place]] };
        while let [part, others @ ..] = parts {
            let mut byte = 0;
            while byte < part.len() {
                text[at] = part.as_bytes()[byte];
                (at, byte) = (at + 1, byte + 1);
            }
            parts = others;
        }
        place += 1;
    }
    text
}

#[allow(clippy::indexing_slicing, reason = "it is computed by the compiler")]
const fn keys(names: &[&str], text: &'static [u8]) -> [&'static str; PLACES] {
    let mut keys = [""; PLACES];
    let (mut rest, mut place) = (text, 0);
    while place < names.len() {
        if !names[place].is_empty() {
            let (key, others) = rest.split_at(PREFIX.len() + names[place].len());
            // A text and an ASCII one before it are a text.
            if let Ok(key) = core::str::from_utf8(key) {
                keys[place] = key;
            }
            rest = others;
        }
        place += 1;
    }
    keys
}

#[allow(clippy::indexing_slicing, reason = "it is computed by the compiler")]
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode};

    #[test]
    fn every_field_is_found_and_nothing_else() {
        for field in TYPES.iter().flat_map(|ty| ty.fields) {
            assert_eq!(field_name(field.name), Some(field.name));
            assert_eq!(field_key(field.name), Some(["f:", field.name].concat().as_str()));
        }
        for other in ["", "a.b/c", "metadata2", "Metadata", "f:metadata", &"x".repeat(300)] {
            assert_eq!((field_name(other), field_key(other)), (None, None), "{other}");
        }
    }

    #[test]
    fn an_interned_tree_is_the_same_tree() {
        let text =
            r#"{"metadata":{"name":"x","labels":{"a.b/c":"d"}},"spec":[{"name":1},null,true,"t"]}"#;
        let node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
        let interned = node.clone().into_interned();
        assert_eq!(interned.to_json(), text);
        let is_static = |entry: &Entry<'static>| matches!(entry.key, Cow::Borrowed(_));
        assert!(interned.entries().iter().all(is_static));
        let labels = interned.find(&["metadata", "labels"]).unwrap();
        assert!(!labels.entries().iter().any(is_static));
    }

    #[test]
    fn most_are_found_at_once() {
        let names = || NAMES.iter().enumerate().filter(|(_, name)| !name.is_empty());
        let moved = names().filter(|(place, name)| place_of(name.as_bytes()) != *place).count();
        assert!(names().count() < PLACES / 2 && moved < names().count() / 4, "{moved}");
    }
}
