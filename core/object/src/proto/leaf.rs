//! Values that are messages in protobuf and texts or numbers in JSON.

use super::ProtoError;
use super::read::each;
use super::time::Moment;
use crate::{Entry, Node, Span, Value};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

type Tree = Node<'static>;
type Outcome<T> = Result<T, ProtoError>;

/// Bytes as JSON shows them.
pub(super) fn base64(bytes: &[u8]) -> String {
    crate::base64::encode(bytes)
}

/// The bytes that JSON shows; as in Go, line ends in them do not count.
pub(super) fn from_base64(text: &str) -> Option<Vec<u8>> {
    crate::base64::decode(text).ok()
}

/// A number of 32 bits; like every reader of protobuf, this one drops the higher ones.
pub(super) fn int32(number: u64) -> i64 {
    let [a, b, c, d, ..] = number.to_le_bytes();
    i64::from(i32::from_le_bytes([a, b, c, d]))
}

/// A number as JSON reads it: whole if it is written without a point.
pub(super) fn float(number: f64) -> Outcome<Tree> {
    if !number.is_finite() {
        return Err(ProtoError::new("a number that JSON cannot write"));
    }
    // Beyond this, a float's text may not fit a whole number.
    const WHOLE: f64 = 9.0e18;
    let whole = (number.abs() < WHOLE).then(|| format!("{number}").parse::<i64>().ok()).flatten();
    Ok(Node::new(whole.map_or(Value::Float(number), Value::Int)))
}

/// A Time: nothing at all if the message is empty.
pub(super) fn time(bytes: &[u8]) -> Outcome<Tree> {
    written(bytes, Moment::in_seconds)
}

/// A MicroTime.
pub(super) fn micro_time(bytes: &[u8]) -> Outcome<Tree> {
    written(bytes, Moment::in_micros)
}

fn written(bytes: &[u8], write: fn(Moment) -> Option<String>) -> Outcome<Tree> {
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
    let moment = Moment {
        seconds: i64::saturating_add(seconds, nanos.div_euclid(SECOND)),
        nanos: u32::try_from(nanos.rem_euclid(SECOND)).unwrap_or_default(),
    };
    let text =
        write(moment).ok_or_else(|| ProtoError::new("a time outside the years 1 to 9999"))?;
    Ok(Node::string(text))
}

/// A Quantity; without a text it is zero.
pub(super) fn quantity(bytes: &[u8]) -> Outcome<Tree> {
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
pub(super) fn int_or_string(bytes: &[u8]) -> Outcome<Tree> {
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

/// The same tree, with nothing pointing into a text that nobody has.
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

/// How many values a tree has.
pub(super) fn count(node: &Node<'_>) -> usize {
    let below = node.entries().iter().map(|entry| &entry.node).chain(node.items());
    below.map(count).sum::<usize>() + 1
}
