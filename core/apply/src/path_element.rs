//! Path elements: one step from a value to one below it, as field sets name it.

use crate::value::{self, InPath, compare};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt::{self, Write};
use ratchet_object::{Entry, Limits, Node, Value, decode_json, write_text};

/// One step of a field path. Elements are ordered as they are written: fields, keys, values, indices.
#[derive(Clone, Debug)]
pub enum PathElement<'a> {
    /// A field, or a key of a map: `f:NAME`.
    Field(&'a str),
    /// An item of a list with keys, sorted by name: `k:{"name":"c"}`.
    Key(Box<[KeyField<'a>]>),
    /// An item of a set: `v:"example.com/f"`.
    Value(Value<'a>),
    /// An item of a list: `i:0`.
    Index(i64),
}

/// One of the members that identify an item of a list.
#[derive(Clone, Debug)]
pub struct KeyField<'a> {
    /// The name of the member.
    pub name: Cow<'a, str>,
    /// What the member must be for an item to be the one that is meant.
    pub value: Value<'a>,
}

/// Why a text is no path element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementError {
    /// Its prefix is unknown: a later version may have written it, so it is passed over.
    Unknown,
    /// It cannot be read.
    Malformed,
}

/// Texts of elements are part of an object that is within its limits already.
const LIMITS: Limits = Limits { depth: 20, ..Limits::DEFAULT };

/// The largest integer up to which Go's floats hold every integer.
const EXACT: u64 = 1 << 53;

impl<'a> PathElement<'a> {
    /// The element of a list item with these keys.
    pub(crate) fn key(mut fields: Vec<KeyField<'a>>) -> Self {
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        Self::Key(fields.into())
    }

    /// Reads an element as `fieldsV1` has it.
    pub(crate) fn parse(text: &'a str) -> Result<Self, ElementError> {
        let malformed = ElementError::Malformed;
        let (prefix, content) = text.split_at_checked(2).ok_or(malformed)?;
        if !prefix.ends_with(':') {
            return Err(malformed);
        }
        match prefix {
            "f:" => Ok(Self::Field(content)),
            "i:" => content.parse().map(Self::Index).map_err(|_| malformed),
            "v:" => Ok(Self::Value(untyped(json(content)?.value))),
            "k:" => match json(content)?.value {
                Value::Map(entries) => {
                    let field = |entry: Entry<'a>| KeyField {
                        name: entry.key,
                        value: untyped(entry.node.value),
                    };
                    Ok(Self::key(entries.into_iter().map(field).collect()))
                }
                Value::Null => Ok(Self::Key(Box::default())),
                _ => Err(malformed),
            },
            _ => Err(ElementError::Unknown),
        }
    }

    /// Appends the element as `fieldsV1` has it.
    pub(crate) fn write(&self, out: &mut String) {
        // Writing to a String cannot fail.
        let _ = match self {
            Self::Field(name) => {
                out.push_str("f:");
                out.write_str(name)
            }
            Self::Index(index) => write!(out, "i:{index}"),
            Self::Value(value) => write!(out, "v:{}", Json(value)),
            Self::Key(fields) => {
                out.push_str("k:{");
                for (index, field) in fields.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { "," });
                    let _ = write_text(out, &field.name);
                    let _ = write!(out, ":{}", Json(&field.value));
                }
                out.write_char('}')
            }
        };
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Field(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        }
    }
}

/// A value as JSON.
struct Json<'v>(&'v Value<'v>);

impl fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Text(text) => write_text(f, text),
            Value::Int(number) => write!(f, "{number}"),
            Value::Bool(truth) => write!(f, "{truth}"),
            // Rare enough for a copy.
            other => Node::new(other.clone()).fmt(f),
        }
    }
}

fn json(text: &str) -> Result<Node<'_>, ElementError> {
    let decoded = decode_json(text, LIMITS).map_err(|_| ElementError::Malformed)?;
    let mut documents = decoded.documents;
    documents.pop().ok_or(ElementError::Malformed)
}

/// Go reads JSON without a type: every number is a float, and large integers lose their last digits.
fn untyped(value: Value<'_>) -> Value<'_> {
    match value {
        Value::Int(number) if number.unsigned_abs() > EXACT => Value::Float(number as f64),
        other => other,
    }
}

impl Ord for PathElement<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Field(one), Self::Field(other)) => one.cmp(other),
            (Self::Index(one), Self::Index(other)) => one.cmp(other),
            (Self::Value(one), Self::Value(other)) => compare(one, other),
            (Self::Key(one), Self::Key(other)) => {
                let pairs = one
                    .iter()
                    .zip(other)
                    .map(|(a, b)| a.name.cmp(&b.name).then_with(|| compare(&a.value, &b.value)));
                value::first_difference(pairs).then(one.len().cmp(&other.len()))
            }
            (one, other) => one.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for PathElement<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathElement<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PathElement<'_> {}

/// Displayed as in messages: `.spec`, `[name="c"]`, `[="x"]`, `[0]`.
impl fmt::Display for PathElement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Index(index) => write!(f, "[{index}]"),
            Self::Value(value) => write!(f, "[={}]", InPath(value)),
            Self::Key(fields) => {
                f.write_char('[')?;
                for (index, field) in fields.iter().enumerate() {
                    let before = if index == 0 { "" } else { "," };
                    write!(f, "{before}{}={}", field.name, InPath(&field.value))?;
                }
                f.write_char(']')
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn round_trip(text: &str) -> String {
        let mut out = String::new();
        PathElement::parse(text).unwrap().write(&mut out);
        out
    }

    #[test]
    fn elements_are_read_and_written() {
        let texts = [
            "f:spec",
            "f:",
            "f:a.b/c\"d",
            r#"k:{"containerPort":80,"protocol":"TCP"}"#,
            r#"k:{"name":"a\u003cb"}"#,
            "k:{}",
            r#"v:"example.com/f""#,
            "v:1",
            "v:1.5",
            "v:true",
            "v:null",
            r#"v:{"a":[1]}"#,
            "i:0",
            "i:-3",
        ];
        for text in texts {
            assert_eq!(round_trip(text), text);
        }
        assert_eq!(round_trip(r#"k:{"b":1,"a":2}"#), r#"k:{"a":2,"b":1}"#, "keys are sorted");
        assert_eq!(round_trip("v:9007199254740993"), "v:9007199254740992", "Go read a float");
    }

    #[test]
    fn what_is_no_element() {
        for text in ["", "f", "fs", "i:x", "i:", "v:", "v:{", "k:[]", "k:7", "k:{", "é:"] {
            assert_eq!(PathElement::parse(text).err(), Some(ElementError::Malformed), "{text}");
        }
        for text in ["x:a", "F:a", "::"] {
            assert_eq!(PathElement::parse(text).err(), Some(ElementError::Unknown), "{text}");
        }
    }

    #[test]
    fn elements_are_ordered_by_sort_and_content() {
        let texts = [
            "f:a",
            "f:b",
            r#"k:{"a":1}"#,
            r#"k:{"a":1,"b":1}"#,
            r#"k:{"a":1.5}"#,
            r#"k:{"a":10}"#,
            r#"k:{"a":"1"}"#,
            r#"k:{"b":0}"#,
            "v:2",
            r#"v:"a""#,
            "v:false",
            "v:true",
            "v:[]",
            "v:{}",
            "v:null",
            "i:0",
            "i:1",
        ];
        let elements = texts.map(|text| PathElement::parse(text).unwrap());
        assert!(elements.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn elements_are_displayed_as_in_messages() {
        for (text, displayed) in [
            ("f:example.com/a", ".example.com/a"),
            (r#"k:{"containerPort":80,"protocol":"TCP"}"#, r#"[containerPort=80,protocol="TCP"]"#),
            (r#"v:"x""#, r#"[="x"]"#),
            ("v:1000000", "[=1e+06]"),
            ("i:4", "[4]"),
        ] {
            assert_eq!(PathElement::parse(text).unwrap().to_string(), displayed);
        }
    }
}
