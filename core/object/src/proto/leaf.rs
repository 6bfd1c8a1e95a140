//! Leaf types that are messages in protobuf and strings or numbers in JSON.

use super::error::{ProtoError, ProtoResult};
use super::time::Timestamp;
use super::wire::each;
use crate::{Entry, Node, Span, Value};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

type Tree = Node<'static>;

pub(super) fn base64(bytes: &[u8]) -> String {
    crate::base64::encode(bytes)
}

/// Decodes base64 as Go does; line ends are ignored.
pub(super) fn from_base64(text: &str) -> Option<Vec<u8>> {
    crate::base64::decode(text).ok()
}

/// A 32-bit integer; like every protobuf decoder, this one drops the higher bits.
pub(super) fn int32(number: u64) -> i64 {
    let [a, b, c, d, ..] = number.to_le_bytes();
    i64::from(i32::from_le_bytes([a, b, c, d]))
}

/// A number as JSON decoding gives it: an integer if it is written without a point.
pub(super) fn float(number: f64) -> ProtoResult<Tree> {
    if !number.is_finite() {
        return Err(ProtoError::new("a number that JSON cannot write"));
    }
    // Beyond this, a float's text may not fit an integer.
    const WHOLE: f64 = 9.0e18;
    let whole = (number.abs() < WHOLE).then(|| format!("{number}").parse::<i64>().ok()).flatten();
    Ok(Node::new(whole.map_or(Value::Float(number), Value::Int)))
}

/// A Time; null if the message is empty.
pub(super) fn time(bytes: &[u8]) -> ProtoResult<Tree> {
    format_time(bytes, Timestamp::to_rfc3339)
}

/// A MicroTime.
pub(super) fn micro_time(bytes: &[u8]) -> ProtoResult<Tree> {
    format_time(bytes, Timestamp::to_rfc3339_micros)
}

fn format_time(bytes: &[u8], format: fn(Timestamp) -> Option<String>) -> ProtoResult<Tree> {
    if bytes.is_empty() {
        return Ok(Node::new(Value::Null));
    }
    let (mut seconds, mut nanos) = (0, 0);
    each(bytes, |number, wire| {
        match number {
            1 => seconds = wire.varint()?.cast_signed(),
            2 => nanos = int32(wire.varint()?),
            _ => {}
        }
        Ok(())
    })?;
    const SECOND: i64 = 1_000_000_000;
    let timestamp = Timestamp {
        seconds: i64::saturating_add(seconds, nanos.div_euclid(SECOND)),
        nanos: u32::try_from(nanos.rem_euclid(SECOND)).unwrap_or_default(),
    };
    let text =
        format(timestamp).ok_or_else(|| ProtoError::new("a time outside the years 1 to 9999"))?;
    Ok(Node::string(text))
}

/// A Quantity; zero if the message has no string.
pub(super) fn quantity(bytes: &[u8]) -> ProtoResult<Tree> {
    let mut text = "0";
    each(bytes, |number, wire| {
        if number == 1 {
            text = wire.text()?;
        }
        Ok(())
    })?;
    Ok(Node::string(text.to_string()))
}

/// An IntOrString.
pub(super) fn int_or_string(bytes: &[u8]) -> ProtoResult<Tree> {
    let (mut kind, mut int, mut text) = (0, 0, "");
    each(bytes, |number, wire| {
        match number {
            1 => kind = wire.varint()?,
            2 => int = int32(wire.varint()?),
            3 => text = wire.text()?,
            _ => {}
        }
        Ok(())
    })?;
    match kind {
        0 => Ok(Node::int(int)),
        1 => Ok(Node::string(text.to_string())),
        _ => Err(ProtoError::new("neither a number nor a text")),
    }
}

/// The same tree without spans, which would point into a text that nobody has.
pub(super) fn without_spans(node: Node<'_>) -> Tree {
    let value = match node.into_owned().value {
        Value::List(items) => Value::List(items.into_iter().map(without_spans).collect()),
        Value::Map(entries) => {
            let entry = |entry: Entry<'static>| Entry {
                key_span: Span::default(),
                node: without_spans(entry.node),
                ..entry
            };
            Value::Map(entries.into_iter().map(entry).collect())
        }
        value => value,
    };
    Node::new(value)
}

/// The number of values in a tree.
pub(super) fn count(node: &Node<'_>) -> usize {
    let below = node.entries().iter().map(|entry| &entry.node).chain(node.items());
    below.map(count).sum::<usize>() + 1
}
