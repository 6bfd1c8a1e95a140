//! OpenAPI documents of extension servers: which parts of them are about one version, and how they join those of this
//! server.

use crate::app::aggregator::documents::Parts;
use bytes::Bytes;
use ratchet_object::{Node, Value};
use std::collections::{BTreeSet, HashMap, HashSet};

const REFERENCE: &str = "#/definitions/";
/// The most fields of a protobuf message, each of which takes more memory than its bytes may be.
const MAX_FIELDS: usize = 1 << 16;

/// The documents about a version in an index of OpenAPI v3: the path and the URL with its hash.
pub(super) fn v3_paths(index: &Node<'_>, group: &str, version: &str) -> Vec<(String, String)> {
    let wanted = format!("apis/{group}/{version}");
    let paths = index.get("paths").map(Node::entries).unwrap_or_default();
    let own = paths.iter().filter(|entry| entry.key == wanted.as_str());
    own.map(|entry| (wanted.clone(), entry.node.text_at(&["serverRelativeURL"]).to_owned()))
        .collect()
}

/// The paths of a JSON document below a prefix, and the definitions that they need.
pub(super) fn json_parts(document: &Node<'_>, prefix: &str) -> Parts<String> {
    let paths = document.get("paths").map(Node::entries).unwrap_or_default();
    let own: Vec<_> = paths.iter().filter(|entry| entry.key.starts_with(prefix)).collect();
    let definitions = document.get("definitions").map(Node::entries).unwrap_or_default();
    let definitions: HashMap<&str, &Node<'_>> =
        definitions.iter().map(|entry| (&*entry.key, &entry.node)).collect();
    let mut needed: BTreeSet<&str> = BTreeSet::new();
    let mut pending: Vec<&str> = Vec::new();
    own.iter().for_each(|entry| references(&entry.node, &mut pending));
    while let Some(name) = pending.pop() {
        if let Some(definition) = definitions.get(name)
            && needed.insert(name)
        {
            references(definition, &mut pending);
        }
    }
    let found = |name: &&str| Some(((*name).to_owned(), definitions.get(name)?.to_json()));
    Parts {
        paths: own.iter().map(|entry| (entry.key.to_string(), entry.node.to_json())).collect(),
        definitions: needed.iter().filter_map(found).collect(),
    }
}

/// Adds the names of all definitions that a value refers to.
fn references<'n>(node: &'n Node<'_>, found: &mut Vec<&'n str>) {
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| references(item, found)),
        Value::Map(entries) => {
            for entry in entries {
                match entry.node.text().and_then(|text| text.strip_prefix(REFERENCE)) {
                    Some(name) if entry.is_named("$ref") => found.push(name),
                    _ => references(&entry.node, found),
                }
            }
        }
        _ => {}
    }
}

/// Adds parts to a document of this server, whose own paths and definitions stay.
pub(super) fn join_json<'p>(
    base: &str,
    parts: impl Iterator<Item = &'p Parts<String>> + Clone,
) -> Option<String> {
    let mut out = base.to_owned();
    for member in ["definitions", "paths"] {
        let start = format!("\"{member}\":{{");
        let at = out.find(&start)? + start.len();
        let mut added = String::new();
        let own = member_names(base.get(base.find(&start)? + start.len()..)?);
        let mut seen: HashSet<&str> = HashSet::new();
        for parts in parts.clone() {
            let named = if member == "paths" { &parts.paths } else { &parts.definitions };
            for (name, json) in named {
                let key = Node::string(name.as_str()).to_json();
                if seen.insert(name) && !own.contains(key.as_str()) {
                    added.push_str(&format!("{key}:{json},"));
                }
            }
        }
        if out.get(at..)?.starts_with('}') {
            added.pop();
        }
        out.insert_str(at, &added);
    }
    Some(out)
}

/// The names of the members of an object, as they are written, from its text after the brace.
fn member_names(text: &str) -> HashSet<&str> {
    let mut names = HashSet::new();
    let (mut depth, mut is_name, mut is_escape) = (0_u32, true, false);
    let mut string: Option<usize> = None;
    for (at, byte) in text.bytes().enumerate() {
        match (string, byte) {
            (Some(_), _) if is_escape => is_escape = false,
            (Some(_), b'\\') => is_escape = true,
            (Some(start), b'"') => {
                if depth == 0 && is_name {
                    names.extend(text.get(start..=at));
                    is_name = false;
                }
                string = None;
            }
            (Some(_), _) => {}
            (None, b'"') => string = Some(at),
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => break,
            },
            (None, b',') if depth == 0 => is_name = true,
            (None, _) => {}
        }
    }
    names
}

/// The number of the member `paths` in a protobuf document, and that of its entries.
const PATHS: (u32, u32) = (8, 2);
/// The same of `definitions`.
const DEFINITIONS: (u32, u32) = (9, 1);

/// The paths of a protobuf document below a prefix, and all its definitions.
pub(super) fn protobuf_parts(document: &Bytes, prefix: &str) -> Option<Parts<Bytes>> {
    let mut paths = named(document, PATHS)?;
    paths.retain(|(name, _)| name.starts_with(prefix));
    Some(Parts { paths, definitions: named(document, DEFINITIONS)? })
}

/// Adds parts to a protobuf document of this server: messages of one number that follow each other are one.
pub(super) fn join_protobuf<'p>(
    base: &Bytes,
    parts: impl Iterator<Item = &'p Parts<Bytes>> + Clone,
) -> Option<Vec<u8>> {
    let mut out = base.to_vec();
    for (number, entries) in [PATHS, DEFINITIONS] {
        let own = named(base, (number, entries))?;
        let mut seen: HashSet<&str> = own.iter().map(|(name, _)| name.as_str()).collect();
        let mut message = Vec::new();
        for parts in parts.clone() {
            let named = if number == PATHS.0 { &parts.paths } else { &parts.definitions };
            for (name, entry) in named {
                if seen.insert(name) {
                    put(&mut message, entries, entry);
                }
            }
        }
        if !message.is_empty() {
            put(&mut out, number, &message);
        }
    }
    Some(out)
}

/// The named entries of a member of a document, each as its whole message.
fn named(document: &Bytes, (number, entry): (u32, u32)) -> Option<Vec<(String, Bytes)>> {
    let mut found = Vec::new();
    for member in fields(document)?.into_iter().filter(|(own, _)| *own == number) {
        for (_, message) in fields(&member.1)?.into_iter().filter(|(own, _)| *own == entry) {
            let name = fields(&message)?.into_iter().find(|(own, _)| *own == 1)?.1;
            found.push((std::str::from_utf8(&name).ok()?.to_owned(), message));
        }
    }
    Some(found)
}

/// The fields of a message that have a length, without copying; none if it is no message.
fn fields(message: &Bytes) -> Option<Vec<(u32, Bytes)>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < message.len() {
        let key = varint(message, &mut at)?;
        let length = match key & 7 {
            0 => {
                varint(message, &mut at)?;
                continue;
            }
            1 => 8,
            5 => 4,
            2 => usize::try_from(varint(message, &mut at)?).ok()?,
            _ => return None,
        };
        let end = at.checked_add(length).filter(|end| *end <= message.len())?;
        if key & 7 == 2 {
            if found.len() >= MAX_FIELDS {
                return None;
            }
            found.push((u32::try_from(key >> 3).ok()?, message.slice(at..end)));
        }
        at = end;
    }
    Some(found)
}

fn varint(message: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = *message.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn put(out: &mut Vec<u8>, number: u32, message: &[u8]) {
    put_varint(out, u64::from(number << 3 | 2));
    put_varint(out, message.len() as u64);
    out.extend_from_slice(message);
}

#[allow(clippy::cast_possible_truncation, reason = "the lowest seven bits are wanted")]
fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    #[test]
    fn a_version_takes_its_paths_and_what_they_need() {
        let text = r##"{"paths":{"/apis/a/v1/":{"get":{"schema":{"$ref":"#/definitions/X"}}},"/apis/a/v2/":{},"/version/":{}},
            "definitions":{"X":{"items":[{"$ref":"#/definitions/Y"}]},"Y":{"$ref":"#/definitions/X"},"Z":{}}}"##;
        let document = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
        let parts = json_parts(&document, "/apis/a/v1/");
        let names = |named: &[(String, String)]| {
            named.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&parts.paths), ["/apis/a/v1/"]);
        assert_eq!(names(&parts.definitions), ["X", "Y"]);
        let base = r#"{"swagger":"2.0","paths":{"/api/":{}},"definitions":{"Y":{"own":1}}}"#;
        let joined = join_json(base, [&parts].into_iter()).unwrap();
        let joined = decode(&joined, Limits::DEFAULT).unwrap().documents.remove(0);
        assert!(joined.find(&["paths", "/apis/a/v1/", "get"]).is_some());
        assert!(joined.find(&["paths", "/api/"]).is_some());
        assert!(joined.find(&["definitions", "X"]).is_some());
        assert!(joined.find(&["definitions", "Y", "own"]).is_some(), "ours stays");
        let empty = r#"{"paths":{},"definitions":{}}"#;
        assert_eq!(
            member_names(r#""a\"}":{"b":["},{"],"c":1},"d":{}"#).len(),
            2,
            "texts and values are no names"
        );
        let joined = join_json(empty, [&parts].into_iter()).unwrap();
        assert!(decode(&joined, Limits::DEFAULT).is_ok(), "{joined}");
    }

    fn document(paths: &[&str], definitions: &[&str]) -> Bytes {
        let mut out = Vec::new();
        for (names, (number, entry)) in [(paths, PATHS), (definitions, DEFINITIONS)] {
            let mut message = Vec::new();
            for name in names {
                let mut named = Vec::new();
                put(&mut named, 1, name.as_bytes());
                put(&mut message, entry, &named);
            }
            put(&mut out, number, &message);
        }
        out.into()
    }

    #[test]
    fn protobuf_documents_join_by_following_each_other() {
        let theirs = document(&["/apis/a/v1/x", "/version"], &["X", "Y"]);
        let parts = protobuf_parts(&theirs, "/apis/a/v1/").unwrap();
        let ours = document(&["/api/"], &["Y"]);
        let joined = Bytes::from(join_protobuf(&ours, [&parts].into_iter()).unwrap());
        let names = |which| {
            let found = named(&joined, which).unwrap();
            found.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names(PATHS), ["/api/", "/apis/a/v1/x"]);
        assert_eq!(names(DEFINITIONS), ["Y", "X"]);
    }

    #[test]
    fn hostile_protobuf_is_no_document() {
        for bytes in
            [&b"\xff"[..], b"\x42\xff\xff\xff\xff\x0f", b"\x43", b"\x42\x05ab", &[0xff; 40]]
        {
            assert_eq!(protobuf_parts(&Bytes::copy_from_slice(bytes), "/"), None, "{bytes:?}");
        }
        assert_eq!(protobuf_parts(&Bytes::new(), "/"), Some(Parts::default()));
        // Each of these bytes would need twenty.
        let many = Bytes::from(b"\x42\x00".repeat(MAX_FIELDS + 1));
        assert_eq!(protobuf_parts(&many, "/"), None);
    }
}
