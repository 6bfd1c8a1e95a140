//! Fuzz target `proto`: bytes that look like Kubernetes' protobuf are decoded or refused, and survive a round trip.

use ratchet_fuzz::{Choices, tree};
use ratchet_object::{Limits, Node, Value, decode, proto, schema};

const WORDS: &[&str] = &[
    "k8s\0",
    "\n\u{2}v1",
    "\u{12}\u{3}Pod",
    "\n",
    "\u{12}",
    "\u{1a}",
    "\u{8}\u{1}",
    "\u{0}",
    "\u{7f}",
    "apiVersion: v1\nkind: Pod\n",
    "apiVersion: v1\nkind: Secret\n",
    "apiVersion: apps/v1\nkind: Deployment\n",
    "metadata: {name: a}\n",
    "spec: {replicas: 0}\n",
    "data: {a: AAE=}\n",
    "metadata",
    "creationTimestamp",
    "2026-01-02T03:04:05Z",
    "labels",
    "1Gi",
];

const LIMITS: Limits = Limits { nodes: 5_000, ..Limits::DEFAULT };

#[test]
fn proto() {
    ratchet_fuzz::fuzz!("proto", WORDS, check);
}

fn check(text: &str) {
    let mut choices = Choices::hashed(text.as_bytes());
    check_bytes(text.as_bytes());
    check_message(text.as_bytes(), &mut choices);
    for node in decode(text, LIMITS).map(|decoded| decoded.documents).unwrap_or_default() {
        let Ok(bytes) = proto::encode(&node) else { continue };
        assert!(proto::is_enveloped(&bytes));
        // What a quantity or a time may be is not asked when it is written, only when it is read.
        check_bytes(&bytes);
        for _ in 0..8 {
            check_bytes(&damaged(&bytes, &mut choices));
        }
    }
}

/// Anything at all as the message of some kind.
fn check_message(raw: &[u8], choices: &mut Choices<'_>) {
    let Some(row) = choices.pick(schema::KINDS) else { return };
    let slash = if row.group.is_empty() { "" } else { "/" };
    let named = format!("{}{slash}{}", row.group, row.version);
    let type_meta = [part(1, named.as_bytes()), part(2, row.kind.as_bytes())].concat();
    check_bytes(&[b"k8s\0".to_vec(), part(1, &type_meta), part(2, raw)].concat());
    let bare = [b"k8s\0".to_vec(), part(2, raw)].concat();
    // Read or refused; there is no name to write it again by.
    let _ = proto::decode_as(&bare, LIMITS, &named, row.kind);
}

fn check_bytes(bytes: &[u8]) {
    let Ok(node) = proto::decode(bytes, LIMITS) else { return };
    assert!(tree::count(&node) <= LIMITS.nodes + 3, "{node}");
    tree::assert_depth(&node, LIMITS.depth);
    let written = proto::encode(&node).unwrap_or_else(|why| panic!("{why}: {node}"));
    let again =
        proto::decode(&written, Limits::DEFAULT).unwrap_or_else(|why| panic!("{why}: {node}"));
    assert!(is_same(&node, &again), "{node} became {again}");
}

/// The same but for how numbers are spelled: JSON inside a message may say `1.0`.
fn is_same(one: &Node<'_>, other: &Node<'_>) -> bool {
    match (&one.value, &other.value) {
        (Value::Float(_) | Value::Int(_), Value::Float(_) | Value::Int(_)) => {
            one.to_json().trim_start_matches('-') == other.to_json().trim_start_matches('-')
        }
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Map(entries), Value::Map(others)) => {
            let same = |name: &str, node| other.get(name).is_some_and(|other| is_same(node, other));
            entries.len() == others.len()
                && entries.iter().all(|entry| same(&entry.key, &entry.node))
        }
        _ => one == other,
    }
}

/// A field with bytes in it, for lengths of any size.
fn part(number: u8, inside: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut length = inside.len();
    while length > 0x7f {
        out.push(u8::try_from(length & 0x7f).unwrap_or_default() | 0x80);
        length >>= 7;
    }
    out.push(u8::try_from(length).unwrap_or_default());
    out.extend(inside);
    out
}

/// Some bytes changed, taken out or put in.
fn damaged(bytes: &[u8], choices: &mut Choices<'_>) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=choices.below(3) {
        let at = choices.below(bytes.len());
        let byte = u8::try_from(choices.below(256)).unwrap_or_default();
        match choices.below(4) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, byte),
            _ => {
                if let Some(old) = bytes.get_mut(at) {
                    *old = byte;
                }
            }
        }
    }
    bytes
}
