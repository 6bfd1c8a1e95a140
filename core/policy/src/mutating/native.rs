//! Values of mutations as the trees that patches consist of, with the errors of the Go values behind them.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_cel::{List, Map, ObjectVal, Timestamp, Value};
use ratchet_object::{Node, Value as Tree, encode_base64};

/// The largest integer that JSON numbers express exactly; larger ones become strings.
const JSON_SAFE: u64 = (1 << 53) - 1;

/// A value as JSON, as a JSON patch has it; the error is that of the conversion.
pub(super) fn to_json(value: &Value<'_>) -> Result<Node<'static>, String> {
    Ok(match value {
        Value::Null => Node::new(Tree::Null),
        Value::Bool(truth) => Node::bool(*truth),
        Value::Int(number) if number.unsigned_abs() <= JSON_SAFE => Node::int(*number),
        Value::Int(number) => Node::string(number.to_string()),
        Value::Uint(number) => match i64::try_from(*number) {
            Ok(safe) if *number <= JSON_SAFE => Node::int(safe),
            _ => Node::string(number.to_string()),
        },
        Value::Double(number) => double(*number)?,
        Value::Text(text) => Node::string(text.as_str().to_owned()),
        Value::Bytes(bytes) => Node::string(encode_base64(bytes)),
        Value::Duration(nanos) => Node::string(seconds(*nanos)),
        Value::Timestamp(time) => Node::string(time.to_string()),
        Value::List(List::Tree(items)) => Node::list(owned(items)),
        Value::List(list) => {
            Node::list(list.iter().map(|item| to_json(&item)).collect::<Result<_, _>>()?)
        }
        Value::Map(map) => {
            let mut members = Vec::with_capacity(map.len());
            for (key, value) in map.iter() {
                let Some(name) = key.as_text() else {
                    let ty = key.type_of();
                    let name = ty.name();
                    return Err(format!("unsupported type conversion from '{name}' to string"));
                };
                members.push((name.to_owned(), to_json(&value)?));
            }
            Node::map(members)
        }
        Value::Optional(Some(value)) => to_json(value)?,
        Value::Optional(None) => return Err("optional.none() dereference".into()),
        Value::Type(_) => return Err("type conversion not supported for 'type'".into()),
        Value::Opaque(opaque) => {
            let name = opaque.type_name();
            return Err(format!("unable to convert {name} to *structpb.Value"));
        }
        Value::Object(object) => object_to_json(object)?,
        Value::Invalid(message) => return Err(message.to_string()),
    })
}

fn owned(items: &[Node<'_>]) -> Vec<Node<'static>> {
    items.iter().map(|item| item.clone().into_owned()).collect()
}

/// JSON has one type of numbers: a whole one is an integer to everybody who reads it.
fn double(number: f64) -> Result<Node<'static>, String> {
    if !number.is_finite() {
        return Err("google.protobuf.Value.number_value cannot be NaN or infinite".into());
    }
    let whole = number as i64;
    let is_whole = number.abs() < 1e15 && whole as f64 == number;
    Ok(if is_whole { Node::int(whole) } else { Node::new(Tree::Float(number)) })
}

/// A duration in seconds, as CEL writes it.
fn seconds(nanos: i64) -> String {
    let (whole, rest) =
        (nanos.unsigned_abs() / 1_000_000_000, nanos.unsigned_abs() % 1_000_000_000);
    let sign = if nanos < 0 { "-" } else { "" };
    if rest == 0 {
        return format!("{sign}{whole}s");
    }
    format!("{sign}{whole}.{}s", format!("{rest:09}").trim_end_matches('0'))
}

/// An object as JSON: what is inside it is not converted by CEL, but by its native Go value.
fn object_to_json(object: &ObjectVal<'_>) -> Result<Node<'static>, String> {
    let mut natives = Natives::default();
    let tree = natives.object(object).map_err(|_| "unable to convert to map".to_string())?;
    match natives.all.first() {
        None => Ok(tree),
        Some(native) if native.type_name == "[]uint8" && natives.all.len() == 1 => {
            Ok(natives.resolved(&tree, &|native| native.json.clone()))
        }
        Some(native) => Err(format!("proto: invalid type: {}", native.type_name)),
    }
}

/// A Go value that has no place in a tree.
#[derive(Clone, Debug)]
pub(super) struct Native {
    /// As `%v` prints it.
    pub(super) plain: String,
    /// As `%#v` prints it.
    pub(super) syntax: String,
    /// As `%T` prints it.
    pub(super) type_name: &'static str,
    /// As `json.Marshal` writes it.
    json: Node<'static>,
}

/// The key under which a native value stands in a tree until it is resolved: no JSON member is named so.
const MARK: &str = "\u{0}native";

/// The native values of a tree, which has a mark in the place of each.
#[derive(Debug, Default)]
pub(super) struct Natives {
    pub(super) all: Vec<Native>,
}

/// A conversion that fails in Go; the error is never shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inconvertible;

impl Natives {
    /// The native value of an object: a map of its fields.
    pub(super) fn object(
        &mut self,
        object: &ObjectVal<'_>,
    ) -> Result<Node<'static>, Inconvertible> {
        let mut members = Vec::with_capacity(object.fields().len());
        for (name, value) in object.fields() {
            members.push((name.to_string(), self.field(value)?));
        }
        Ok(Node::map(members))
    }

    /// The value of a field: lists and maps are converted one level deep.
    fn field(&mut self, value: &Value<'_>) -> Result<Node<'static>, Inconvertible> {
        match value {
            Value::List(List::Tree(items)) => Ok(Node::list(owned(items))),
            Value::List(list) => {
                let items = list.iter().map(|item| self.element(&item));
                Ok(Node::list(items.collect::<Result<_, _>>()?))
            }
            Value::Map(Map::Shared(_)) => {
                let mut members = Vec::new();
                for (key, value) in value.as_map().into_iter().flat_map(Map::iter) {
                    let name = key.as_text().ok_or(Inconvertible)?;
                    members.push((name.to_owned(), self.element(&value)?));
                }
                Ok(Node::map(members))
            }
            other => self.element(other),
        }
    }

    /// The native value of a value: lists and maps that the expression made stay CEL's own.
    fn element(&mut self, value: &Value<'_>) -> Result<Node<'static>, Inconvertible> {
        let json = || to_json(value).unwrap_or_else(|_| Node::new(Tree::Null));
        let native = |plain: String, syntax: String, type_name| Native {
            plain,
            syntax,
            type_name,
            json: json(),
        };
        Ok(match value {
            Value::Bool(_) | Value::Int(_) | Value::Text(_) => match value {
                Value::Int(number) => Node::int(*number),
                _ => json(),
            },
            Value::Double(number) => Node::new(Tree::Float(*number)),
            Value::List(List::Tree(_)) | Value::Map(Map::Tree(_)) => json(),
            Value::Object(object) => self.object(object)?,
            Value::Optional(None) => Node::new(Tree::Null),
            Value::Optional(Some(inner)) => self.element(inner)?,
            Value::Type(ty) => Node::string(ty.name().to_owned()),
            Value::Null => self.mark(native("NULL_VALUE".into(), "0".into(), "structpb.NullValue")),
            Value::Uint(number) => {
                self.mark(native(number.to_string(), format!("{number:#x}"), "uint64"))
            }
            Value::Bytes(bytes) => {
                let decimal: Vec<String> = bytes.iter().map(ToString::to_string).collect();
                let hex: Vec<String> = bytes.iter().map(|byte| format!("0x{byte:x}")).collect();
                let plain = format!("[{}]", decimal.join(" "));
                self.mark(native(plain, format!("[]uint8{{{}}}", hex.join(", ")), "[]uint8"))
            }
            Value::Duration(nanos) => {
                self.mark(native(go_duration(*nanos), nanos.to_string(), "time.Duration"))
            }
            Value::Timestamp(time) => {
                self.mark(native(go_time(time), time.to_string(), "time.Time"))
            }
            Value::List(_) => self.mark(native(go_text(value), go_text(value), "[]ref.Val")),
            Value::Map(_) => {
                self.mark(native(go_text(value), go_text(value), "map[ref.Val]ref.Val"))
            }
            Value::Opaque(opaque) => {
                let name = opaque.type_name();
                self.mark(native(name.to_owned(), name.to_owned(), name))
            }
            Value::Invalid(message) => {
                self.mark(native(message.to_string(), message.to_string(), "*types.Err"))
            }
        })
    }

    fn mark(&mut self, native: Native) -> Node<'static> {
        let index = i64::try_from(self.all.len()).unwrap_or(i64::MAX);
        self.all.push(native);
        Node::map([(MARK, Node::int(index))])
    }

    /// A tree with its marks replaced.
    pub(super) fn resolved(
        &self,
        tree: &Node<'static>,
        replace: &dyn Fn(&Native) -> Node<'static>,
    ) -> Node<'static> {
        match &tree.value {
            Tree::List(items) => {
                Node::list(items.iter().map(|item| self.resolved(item, replace)).collect())
            }
            Tree::Map(entries) => match tree.get(MARK).and_then(Node::as_int) {
                Some(index) => {
                    let native = usize::try_from(index).ok().and_then(|index| self.all.get(index));
                    native.map_or_else(|| tree.clone(), replace)
                }
                None => Node::map(
                    entries
                        .iter()
                        .map(|entry| (entry.key.clone(), self.resolved(&entry.node, replace))),
                ),
            },
            _ => tree.clone(),
        }
    }
}

impl Native {
    /// The JSON that the value has in the end, where nothing minds its type.
    pub(super) fn json(&self) -> Node<'static> {
        self.json.clone()
    }
}

/// A list or a map of CEL values as Go's `%v` prints it.
fn go_text(value: &Value<'_>) -> String {
    match value {
        Value::Text(text) => text.as_str().to_owned(),
        Value::List(list) => {
            let items: Vec<String> = list.iter().map(|item| go_text(&item)).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Map(map) => {
            let mut entries: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{}:{}", go_text(&key), go_text(&value)))
                .collect();
            entries.sort_unstable();
            format!("map[{}]", entries.join(" "))
        }
        other => to_json(other).map_or_else(|_| String::new(), |node| node.to_json()),
    }
}

/// A duration as Go prints it: `1h0m0.5s`.
fn go_duration(nanos: i64) -> String {
    let (sign, total) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
    const UNITS: [(u64, &str); 2] = [(1_000, "ns"), (1_000_000, "µs")];
    if total == 0 {
        return "0s".into();
    }
    for (index, (limit, unit)) in UNITS.iter().enumerate() {
        if total < *limit {
            let number = if index == 0 { total as f64 } else { total as f64 / 1e3 };
            return format!("{sign}{number}{unit}");
        }
    }
    if total < 1_000_000_000 {
        return format!("{sign}{}ms", total as f64 / 1e6);
    }
    let (minutes, rest) = (total / 60_000_000_000, total % 60_000_000_000);
    let seconds = seconds(i64::try_from(rest).unwrap_or_default());
    match (minutes / 60, minutes % 60) {
        (0, 0) => format!("{sign}{seconds}"),
        (0, minutes) => format!("{sign}{minutes}m{seconds}"),
        (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}"),
    }
}

/// A time as Go prints it, in UTC.
fn go_time(time: &Timestamp) -> String {
    let utc = Timestamp { offset: 0, ..*time }.to_string();
    let plain = utc.trim_end_matches('Z').replacen('T', " ", 1);
    format!("{plain} +0000 UTC")
}

/// The names of types that do not match the path of the fields they stand in, as errors.
pub(super) fn type_name_errors(object: &ObjectVal<'_>) -> Vec<String> {
    let mut errors = Vec::new();
    check_object(object, object.type_name(), &mut errors);
    errors
}

fn check_object(object: &ObjectVal<'_>, expected: &str, errors: &mut Vec<String>) {
    let name = object.type_name();
    if name != expected {
        errors.push(format!(
            "unexpected type name \"{name}\", expected \"{expected}\", which matches field name path from root Object type"
        ));
    }
    for (field, value) in object.fields() {
        check_value(value, &format!("{expected}.{field}"), errors);
    }
}

fn check_value(value: &Value<'_>, expected: &str, errors: &mut Vec<String>) {
    match value {
        Value::Object(object) => check_object(object, expected, errors),
        Value::List(list @ (List::Shared(_) | List::Joined(_))) => {
            list.iter().for_each(|item| check_value(&item, expected, errors));
        }
        Value::Map(map @ Map::Shared(_)) => {
            map.iter().for_each(|(_, value)| check_value(&value, expected, errors));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_json() {
        for (value, json) in [
            (Value::Int(1 << 53), "\"9007199254740992\""),
            (Value::Int(-9_007_199_254_740_991), "-9007199254740991"),
            (Value::Uint(7), "7"),
            (Value::Double(1.0), "1"),
            (Value::Double(1.5), "1.5"),
            (Value::Duration(3_600_000_000_000), "\"3600s\""),
            (Value::Duration(-1_500_000_000), "\"-1.5s\""),
            (Value::bytes(b"abc".to_vec()), "\"YWJj\""),
            (Value::some(Value::Bool(true)), "true"),
        ] {
            assert_eq!(to_json(&value).unwrap().to_json(), json);
        }
        assert!(to_json(&Value::Optional(None)).is_err());
        let keys = Value::map(alloc::vec![(Value::Int(1), Value::Int(2))]);
        assert_eq!(to_json(&keys).unwrap_err(), "unsupported type conversion from 'int' to string");
    }

    #[test]
    fn durations_are_printed_as_go_prints_them() {
        for (nanos, text) in [
            (0, "0s"),
            (5, "5ns"),
            (1_500, "1.5µs"),
            (2_000_000, "2ms"),
            (1_500_000_000, "1.5s"),
            (90_000_000_000, "1m30s"),
            (3_600_000_000_000, "1h0m0s"),
            (-60_000_000_000, "-1m0s"),
        ] {
            assert_eq!(go_duration(nanos), text);
        }
    }
}
