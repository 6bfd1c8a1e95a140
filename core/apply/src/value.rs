//! Values as structured-merge-diff compares, orders and prints them: numbers by size, whatever their type.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt::{self, Write};
use ratchet_net::Quoted;
use ratchet_object::{Entry, Node, Value};

/// Whether two values are equal. The order of members does not count, and `1` equals `1.0`.
pub(crate) fn equal(one: &Node<'_>, other: &Node<'_>) -> bool {
    match (&one.value, &other.value) {
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| equal(a, b))
        }
        (Value::Map(one), Value::Map(other)) => equal_maps(one, other),
        (one, other) => compare_scalars(one, other) == Ordering::Equal,
    }
}

fn equal_maps(one: &[Entry<'_>], other: &[Entry<'_>]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let is_same_order = one.iter().zip(other).all(|(a, b)| a.key == b.key);
    if is_same_order {
        return one.iter().zip(other).all(|(a, b)| equal(&a.node, &b.node));
    }
    let (one, other) = (sorted(one), sorted(other));
    one.iter().zip(&other).all(|(a, b)| a.key == b.key && equal(&a.node, &b.node))
}

/// The members of a map, sorted by name: a lookup in a map is a search from its beginning, and maps may be large.
pub(crate) fn sorted<'m, 't>(entries: &'m [Entry<'t>]) -> Vec<&'m Entry<'t>> {
    let mut entries: Vec<&Entry<'t>> = entries.iter().collect();
    if !entries.is_sorted_by(|a, b| a.key <= b.key) {
        entries.sort_by(|a, b| a.key.cmp(&b.key));
    }
    entries
}

/// A total order of values, as path elements are sorted by.
pub(crate) fn compare(one: &Value<'_>, other: &Value<'_>) -> Ordering {
    match (one, other) {
        (Value::List(one), Value::List(other)) => {
            let pairs = one.iter().zip(other).map(|(a, b)| compare(&a.value, &b.value));
            first_difference(pairs).then(one.len().cmp(&other.len()))
        }
        (Value::Map(one), Value::Map(other)) => {
            let (one, other) = (sorted(one), sorted(other));
            let pairs = one.iter().zip(&other).map(|(a, b)| {
                a.key.cmp(&b.key).then_with(|| compare(&a.node.value, &b.node.value))
            });
            first_difference(pairs).then(one.len().cmp(&other.len()))
        }
        (one, other) => compare_scalars(one, other),
    }
}

/// The first of these that is not `Equal`.
pub(crate) fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn compare_scalars(one: &Value<'_>, other: &Value<'_>) -> Ordering {
    match (one, other) {
        (Value::Int(one), Value::Int(other)) => one.cmp(other),
        (Value::Float(one), Value::Float(other)) => one.total_cmp(other),
        (Value::Int(one), Value::Float(other)) => compare_int(*one, *other),
        (Value::Float(one), Value::Int(other)) => compare_int(*other, *one).reverse(),
        (Value::Text(one), Value::Text(other)) => one.cmp(other),
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        (one, other) => rank(one).cmp(&rank(other)),
    }
}

/// Exact, so that this stays an order: as floats, two different integers can equal the same number.
fn compare_int(int: i64, float: f64) -> Ordering {
    let order = (int as f64).total_cmp(&float);
    order.then_with(|| i128::from(int).cmp(&(float as i128)))
}

fn rank(value: &Value<'_>) -> u8 {
    match value {
        Value::Int(_) | Value::Float(_) => 0,
        Value::Text(_) => 1,
        Value::Bool(_) => 2,
        Value::List(_) => 3,
        Value::Map(_) => 4,
        Value::Null => 5,
    }
}

/// A copy that borrows nothing, with members sorted by name. Spans are dropped, for they belong to another text.
pub(crate) fn owned(node: &Node<'_>) -> Node<'static> {
    Node::new(match &node.value {
        Value::Null => Value::Null,
        Value::Bool(truth) => Value::Bool(*truth),
        Value::Int(number) => Value::Int(*number),
        Value::Float(number) => Value::Float(*number),
        Value::Text(text) => Value::Text(String::from(text.as_ref()).into()),
        Value::List(items) => Value::List(items.iter().map(owned).collect()),
        Value::Map(entries) => Value::Map(
            sorted(entries)
                .iter()
                .map(|entry| Entry::new(String::from(entry.key.as_ref()), owned(&entry.node)))
                .collect(),
        ),
    })
}

/// A value in a path element: `value.ToString`.
pub(crate) struct InPath<'a>(pub(crate) &'a Value<'a>);

impl fmt::Display for InPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("null"),
            Value::Bool(truth) => write!(f, "{truth}"),
            // What was read as JSON without a type is a float in Go.
            Value::Int(number) => f.write_str(&float(*number as f64)),
            Value::Float(number) => f.write_str(&float(*number)),
            Value::Text(text) => Quoted(text).fmt(f),
            Value::List(items) => {
                f.write_char('[')?;
                for (index, item) in items.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { "," })?;
                    InPath(&item.value).fmt(f)?;
                }
                f.write_char(']')
            }
            Value::Map(entries) => sorted(entries)
                .iter()
                .try_for_each(|entry| write!(f, "{}={}", entry.key, InPath(&entry.node.value))),
        }
    }
}

/// A value as Go's `%v` prints what an apply body holds: `map[a:1 b:[x y]]`.
pub(crate) struct Plain<'a>(pub(crate) &'a Node<'a>);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.value {
            Value::Null => f.write_str("<nil>"),
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Int(number) => write!(f, "{number}"),
            Value::Float(number) => f.write_str(&float(*number)),
            Value::Text(text) => f.write_str(text),
            Value::List(items) => {
                f.write_char('[')?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{}", if index == 0 { "" } else { " " }, Plain(item))?;
                }
                f.write_char(']')
            }
            Value::Map(entries) => {
                f.write_str("map[")?;
                for (index, entry) in sorted(entries).iter().enumerate() {
                    let before = if index == 0 { "" } else { " " };
                    write!(f, "{before}{}:{}", entry.key, Plain(&entry.node))?;
                }
                f.write_char(']')
            }
        }
    }
}

/// A value as Go's `%#v` prints what an apply body holds: `map[string]interface {}{"a":1}`.
pub(crate) struct GoSyntax<'a>(pub(crate) &'a Node<'a>);

impl fmt::Display for GoSyntax<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.value {
            Value::Null => f.write_str("interface {}(nil)"),
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Int(number) => write!(f, "{number}"),
            Value::Float(number) => f.write_str(&float(*number)),
            Value::Text(text) => Quoted(text).fmt(f),
            Value::List(items) => {
                f.write_str("[]interface {}{")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{}", if index == 0 { "" } else { ", " }, GoSyntax(item))?;
                }
                f.write_char('}')
            }
            Value::Map(entries) => {
                f.write_str("map[string]interface {}{")?;
                for (index, entry) in sorted(entries).iter().enumerate() {
                    let before = if index == 0 { "" } else { ", " };
                    write!(f, "{before}{}:{}", Quoted(&entry.key), GoSyntax(&entry.node))?;
                }
                f.write_char('}')
            }
        }
    }
}

/// The Go type of a value without a schema.
pub(crate) fn go_type(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Float(_) => "float64",
        Value::Text(_) => "string",
        Value::List(_) => "[]interface {}",
        Value::Map(_) => "map[string]interface {}",
    }
}

/// A float as Go's `%v` prints it: with an exponent of at least two digits below 1e-4 and from 1e6 on.
fn float(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-4..1e6).contains(&size) {
        return format!("{number}");
    }
    let text = format!("{number:e}");
    let Some((digits, power)) = text.split_once('e') else { return text };
    let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
    format!("{digits}e{sign}{power:0>2}")
}
