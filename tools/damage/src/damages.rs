//! What is done to a field, by its shape: one row for each sort of damage.

use ratchet_object::schema::Shape;
use serde_json::{Value, json};

/// A sort of damage.
pub(crate) struct Damage {
    pub(crate) name: &'static str,
    /// The shapes of the fields that it is done to.
    pub(crate) fits: fn(&Shape) -> bool,
    /// The damaged value, made from the one that was there; none if this one cannot be damaged so.
    pub(crate) make: fn(Option<&Value>) -> Option<Value>,
}

/// A row whose value does not depend on the one that was there.
macro_rules! put {
    ($name:literal, $fits:expr, $($value:tt)+) => {
        Damage { name: $name, fits: $fits, make: |_| Some(json!($($value)+)) }
    };
}

/// All sorts of damage.
pub(crate) static DAMAGES: &[Damage] = &[
    // Of another type.
    put!("a null", any, null),
    put!("a string", not_text, "a"),
    put!("a number", not_number, 7),
    put!("a boolean", not_bool, true),
    put!("a fraction", any_number, 1.5),
    put!("a list of nothing", any, []),
    put!("a list of a null", is_list, [null]),
    put!("a list of an empty object", is_list, [{}]),
    put!("a list of an empty string", is_list, [""]),
    put!("a list of numbers", is_list, [1]),
    put!("an empty object", any, {}),
    put!("an unknown field", is_object, {"colour": "red"}),
    // Texts.
    put!("an empty string", any_text, ""),
    put!("a blank", any_text, " "),
    put!("a word", is_string, "Bogus"),
    put!("a small word", is_string, "changed"),
    put!("bad characters", any_text, "Not valid!_"),
    put!("a dash at the end", is_string, "a-"),
    put!("dots", is_string, "a..b"),
    put!("two dots", is_string, ".."),
    put!("a domain", is_string, "example.com"),
    put!("a prefixed name", is_string, "example.com/name"),
    put!("two slashes", is_string, "a/b/c"),
    put!("an absolute path", is_string, "/a/../b"),
    put!("a relative path", is_string, "../b"),
    put!("a leading zero", is_string, "010.0.0.1"),
    put!("an address", is_string, "192.0.2.1"),
    put!("a long address", is_string, "2001:DB8::1"),
    put!("a range", is_string, "192.0.2.1/24"),
    put!("a URL", is_string, "https://user@example.com:99999/a?b#c"),
    put!("letters of others", is_string, "naïve"),
    put!("a control character", is_string, "a\u{1}\nb"),
    put!("an expression", is_string, "object.spec.replicas > 1"),
    put!("a reference", is_string, "$(NAME)"),
    put!("digits", is_string, "123"),
    Damage { name: "64 letters", fits: is_string, make: |_| Some("a".repeat(64).into()) },
    Damage { name: "254 letters", fits: is_string, make: |_| Some("a".repeat(254).into()) },
    Damage { name: "5000 letters", fits: is_string, make: |_| Some("a".repeat(5000).into()) },
    Damage {
        name: "capitals",
        fits: is_string,
        make: |was| Some(text(was)?.to_uppercase().into()),
    },
    Damage {
        name: "a blank after it",
        fits: any_text,
        make: |was| Some(format!("{} ", text(was)?).into()),
    },
    Damage { name: "300 times", fits: any_text, make: |was| Some(text(was)?.repeat(300).into()) },
    Damage {
        name: "a mark before it",
        fits: any_text,
        make: |was| Some(format!("!{}", text(was)?).into()),
    },
    Damage {
        name: "capitals and a line",
        fits: any_text,
        make: |was| Some(format!("{}_", text(was)?).to_uppercase().into()),
    },
    // Numbers.
    put!("minus one", any_number, -1),
    put!("zero", any_number, 0),
    put!("one", any_number, 1),
    put!("101", any_number, 101),
    put!("65536", any_number, 65536),
    put!("the largest int32", any_number, i32::MAX),
    put!("beyond int32", any_number, 2_147_483_648_i64),
    put!("the smallest int32", any_number, i32::MIN),
    put!("beyond int64", any_number, 9_223_372_036_854_775_808_u64),
    put!("a number in quotes", any_number, "7"),
    Damage { name: "one more", fits: any_number, make: |was| Some((was?.as_i64()? + 1).into()) },
    // Booleans.
    put!("false", is_bool, false),
    put!("a word for true", is_bool, "true"),
    Damage { name: "the opposite", fits: is_bool, make: |was| Some((!was?.as_bool()?).into()) },
    // Quantities.
    put!("a negative amount", is_quantity, "-1"),
    put!("no amount", is_quantity, "0"),
    put!("an unknown unit", is_quantity, "1x"),
    put!("a small amount", is_quantity, "1n"),
    put!("half a thousandth", is_quantity, "0.5m"),
    put!("a fraction of an amount", is_quantity, "1.5"),
    put!("a huge amount", is_quantity, "1e100"),
    put!("another spelling", is_quantity, "1024Mi"),
    put!("a plus", is_quantity, "+1Gi"),
    // Numbers or texts.
    put!("a percentage", is_int_or_string, "50%"),
    put!("more than all", is_int_or_string, "150%"),
    put!("less than nothing", is_int_or_string, "-5%"),
    put!("no percentage", is_int_or_string, "0%"),
    put!("no number", is_int_or_string, "x%"),
    put!("a name", is_int_or_string, "http-alt"),
    put!("a name that is too long", is_int_or_string, "a-name-of-16-let"),
    put!("a name of digits", is_int_or_string, "8080"),
    put!("a name with two dashes", is_int_or_string, "a--b"),
    // Times.
    put!("a time", is_time, "2020-01-02T03:04:05Z"),
    put!("a time elsewhere", is_time, "2020-01-02T03:04:05+02:00"),
    put!("a time with a fraction", is_time, "2020-01-02T03:04:05.678901Z"),
    put!("a day", is_time, "2020-01-02"),
    put!("a day that is none", is_time, "2020-02-30T00:00:00Z"),
    // Bytes.
    put!("no padding", is_bytes, "YQ"),
    put!("other letters", is_bytes, "_-__"),
    put!("a line break", is_bytes, "YQ\n=="),
    // Lists.
    Damage { name: "the first item twice", fits: is_list, make: repeat_first },
    Damage {
        name: "without the first item",
        fits: is_list,
        make: |was| Some(was?.as_array()?.get(1..)?.into()),
    },
    // Maps.
    Damage { name: "a key that is empty", fits: is_map, make: |was| key(was, "") },
    Damage { name: "a key with bad characters", fits: is_map, make: |was| key(was, "Not valid!") },
    Damage { name: "a key with two slashes", fits: is_map, make: |was| key(was, "a/b/c") },
    Damage { name: "a key with a prefix", fits: is_map, make: |was| key(was, "example.com/a") },
    Damage { name: "a key of Kubernetes", fits: is_map, make: |was| key(was, "kubernetes.io/a") },
    Damage { name: "a key with a path", fits: is_map, make: |was| key(was, "../a") },
    Damage { name: "a key of 64 letters", fits: is_map, make: |was| key(was, &"k".repeat(64)) },
    Damage { name: "a key of 254 letters", fits: is_map, make: |was| key(was, &"k".repeat(254)) },
    put!("a map of nulls", is_map, {"a": null}),
    put!("a map of numbers", is_map, {"a": 1}),
    put!("a map of lists", is_map, {"a": []}),
];

fn any(_: &Shape) -> bool {
    true
}

fn is_string(shape: &Shape) -> bool {
    matches!(shape, Shape::String)
}

fn any_text(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::String
            | Shape::Bytes
            | Shape::Time
            | Shape::MicroTime
            | Shape::Quantity
            | Shape::IntOrString
    )
}

fn not_text(shape: &Shape) -> bool {
    !matches!(shape, Shape::String)
}

fn any_number(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::Int32 | Shape::Int64 | Shape::Float | Shape::IntOrString | Shape::Quantity
    )
}

fn not_number(shape: &Shape) -> bool {
    !matches!(shape, Shape::Int32 | Shape::Int64 | Shape::Float)
}

fn is_bool(shape: &Shape) -> bool {
    matches!(shape, Shape::Bool)
}

fn not_bool(shape: &Shape) -> bool {
    !matches!(shape, Shape::Bool)
}

fn is_quantity(shape: &Shape) -> bool {
    matches!(shape, Shape::Quantity)
}

fn is_int_or_string(shape: &Shape) -> bool {
    matches!(shape, Shape::IntOrString)
}

fn is_time(shape: &Shape) -> bool {
    matches!(shape, Shape::Time | Shape::MicroTime)
}

fn is_bytes(shape: &Shape) -> bool {
    matches!(shape, Shape::Bytes)
}

fn is_list(shape: &Shape) -> bool {
    matches!(shape, Shape::List(_))
}

fn is_map(shape: &Shape) -> bool {
    matches!(shape, Shape::Map(_))
}

fn is_object(shape: &Shape) -> bool {
    matches!(shape, Shape::Object(_))
}

fn text(was: Option<&Value>) -> Option<&str> {
    was?.as_str().filter(|text| !text.is_empty())
}

fn repeat_first(was: Option<&Value>) -> Option<Value> {
    let mut items = was?.as_array()?.clone();
    items.push(items.first()?.clone());
    Some(items.into())
}

/// The map with its first value under another key besides; an empty one gets a text.
fn key(was: Option<&Value>, key: &str) -> Option<Value> {
    let mut map = was.and_then(Value::as_object).cloned().unwrap_or_default();
    let value = map.values().next().cloned().unwrap_or_else(|| "1".into());
    map.insert(key.to_owned(), value);
    Some(map.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_damage_has_a_name_of_its_own() {
        let names: BTreeSet<_> = DAMAGES.iter().map(|damage| damage.name).collect();
        assert_eq!(names.len(), DAMAGES.len());
    }

    #[test]
    fn every_shape_can_be_damaged() {
        static TEXT: Shape = Shape::String;
        for shape in [
            Shape::String,
            Shape::Bytes,
            Shape::Int32,
            Shape::Int64,
            Shape::Float,
            Shape::Bool,
            Shape::Time,
            Shape::MicroTime,
            Shape::Quantity,
            Shape::IntOrString,
            Shape::Any,
            Shape::Object(0),
            Shape::List(&TEXT),
            Shape::Map(&TEXT),
        ] {
            let count = DAMAGES.iter().filter(|damage| (damage.fits)(&shape)).count();
            assert!(count >= 5, "{shape:?}");
        }
    }

    #[test]
    fn what_was_there_is_damaged() {
        let named = |name: &str| DAMAGES.iter().find(|damage| damage.name == name).unwrap().make;
        assert_eq!(named("the first item twice")(Some(&json!([1, 2]))), Some(json!([1, 2, 1])));
        assert_eq!(named("the first item twice")(Some(&json!([]))), None);
        assert_eq!(named("without the first item")(Some(&json!([1, 2]))), Some(json!([2])));
        assert_eq!(
            named("a key that is empty")(Some(&json!({"a": "b"}))),
            Some(json!({"a": "b", "": "b"}))
        );
        assert_eq!(named("one more")(Some(&json!(3))), Some(json!(4)));
        assert_eq!(named("capitals")(None), None);
    }
}
