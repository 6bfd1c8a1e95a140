//! Equality and ordering of values.

use crate::decl::{Members, Topology, TypedMap};
use crate::list::positions;
use crate::{EvalError, List, Map, ObjectVal, Value};
use alloc::collections::BTreeMap;
use core::cmp::Ordering;
use ratchet_object::Node;

impl Value<'_> {
    /// Whether two values are equal, as by `==`: numbers compare across their types, nothing else
    /// does.
    pub fn equal(&self, other: &Value<'_>) -> bool {
        let mut work = u64::MAX;
        self.equal_within(other, &mut work)
    }

    /// The same, comparing no more than `work` values; once that is spent the answer is `false`.
    fn equal_within(&self, other: &Value<'_>, work: &mut u64) -> bool {
        *work = work.saturating_sub(1);
        match (self, other) {
            _ if *work == 0 => false,
            (Self::Null, Value::Null) => true,
            (Self::Bool(a), Value::Bool(b)) => a == b,
            (Self::Text(a), Value::Text(b)) => a.as_str() == b.as_str(),
            (Self::Bytes(a), Value::Bytes(b)) => a == b,
            (Self::Duration(a), Value::Duration(b)) => a == b,
            (Self::Timestamp(a), Value::Timestamp(b)) => a == b,
            (Self::List(a), Value::List(b)) => lists_equal(a, b, work),
            (Self::Map(a), Value::Map(b)) => maps_equal(a, b, work),
            (Self::Optional(a), Value::Optional(b)) => match (a, b) {
                (None, None) => true,
                (Some(a), Some(b)) => a.equal_within(b, work),
                _ => false,
            },
            (Self::Type(a), Value::Type(b)) => a.same_name(b),
            (Self::Opaque(a), Value::Opaque(b)) => a.equal(b.as_ref()),
            (Self::Object(a), Value::Object(b)) => objects_equal(a, b, work),
            _ => numbers(self, other) == Some(Ordering::Equal),
        }
    }

    /// Whether `==` is defined: an opaque value on the left compares with values of its own type only.
    pub(crate) fn meets(&self, other: &Value<'_>) -> bool {
        match (self, other) {
            (Self::Opaque(a), Value::Opaque(b)) => a.meets(b.as_ref()),
            (Self::Opaque(_), other) => matches!(other, Value::Null),
            _ => true,
        }
    }

    /// The order of two values; `None` if they cannot be compared.
    pub fn compare(&self, other: &Value<'_>) -> Option<Ordering> {
        match (self, other) {
            (Self::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
            (Self::Text(a), Value::Text(b)) => Some(a.as_str().cmp(b.as_str())),
            (Self::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
            (Self::Duration(a), Value::Duration(b)) => Some(a.cmp(b)),
            (Self::Timestamp(a), Value::Timestamp(b)) => Some(a.cmp(b)),
            _ => numbers(self, other),
        }
    }
}

/// The room that comparing one value takes.
const ROOM_PER_VALUE: u64 = 16;

/// Whether two values are equal, within the room that is left.
pub(crate) fn equal_in(
    room: &mut u64,
    one: &Value<'_>,
    other: &Value<'_>,
) -> Result<bool, EvalError> {
    let before = *room / ROOM_PER_VALUE;
    let mut work = before;
    let equal = one.equal_within(other, &mut work);
    *room -= before.saturating_sub(work) * ROOM_PER_VALUE;
    if work == 0 { Err(EvalError::over_budget()) } else { Ok(equal) }
}

fn objects_equal(a: &ObjectVal<'_>, b: &ObjectVal<'_>, work: &mut u64) -> bool {
    a.type_name() == b.type_name()
        && a.fields().len() == b.fields().len()
        && a.fields()
            .iter()
            .all(|(name, value)| b.field(name).is_some_and(|other| value.equal_within(other, work)))
}

fn lists_equal(a: &List<'_>, b: &List<'_>, work: &mut u64) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let topology = a.topology();
    if *topology == Topology::Atomic {
        return a.iter().zip(b.iter()).all(|(a, b)| a.equal_within(&b, work));
    }
    // Building an index is work as well.
    *work = work.saturating_sub(u64::try_from(a.len()).unwrap_or(u64::MAX).saturating_mul(4));
    if *work == 0 {
        return false;
    }
    let positions = positions(a, topology);
    b.iter().all(|item| {
        let own = positions.get(&topology.key(&item)).and_then(|position| a.get(position));
        own.is_some_and(|own| own.equal_within(&item, work))
    })
}

/// Whether an object or map of declared types equals another: members that are not declared count only where both
/// have them.
fn typed_equal(a: &TypedMap<'_>, b: &Map<'_>, work: &mut u64) -> bool {
    a.entries.iter().all(|entry| {
        let declared = match a.members {
            Members::Values(_) => Some(&*entry.key),
            Members::Fields(fields) => fields
                .named(&entry.key)
                .map(|field| field.identifier.as_deref().unwrap_or(&field.name)),
        };
        match (declared, b) {
            (Some(name), _) => match (a.get(name), b.get_text(name)) {
                (Some(one), Some(other)) => one.equal_within(&other, work),
                (None, None) => true,
                _ => false,
            },
            (None, Map::Typed(other)) => {
                let other = other.entries.iter().find(|other| other.key == entry.key);
                other.is_none_or(|other| {
                    Value::of(&entry.node).equal_within(&Value::of(&other.node), work)
                })
            }
            (None, _) => false,
        }
    })
}

fn maps_equal(a: &Map<'_>, b: &Map<'_>, work: &mut u64) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if let Map::Typed(a) = a {
        return typed_equal(a, b, work);
    }
    let mut rest = a.iter().enumerate();
    // Objects mostly have their members in the same order.
    for (index, (key, value)) in rest.by_ref() {
        match b.entry(index).filter(|(other, _)| key.equal(other)) {
            Some((_, other)) if value.equal_within(&other, work) => {}
            Some(_) => return false,
            None => return contains_entries(a, b, index, work),
        }
    }
    true
}

/// Whether the entries of one map from an index on are anywhere in another.
fn contains_entries(a: &Map<'_>, b: &Map<'_>, from: usize, work: &mut u64) -> bool {
    // Building an index is work as well.
    *work = work.saturating_sub(u64::try_from(b.len()).unwrap_or(u64::MAX).saturating_mul(4));
    if *work == 0 {
        return false;
    }
    let index: BTreeMap<&str, &Node<'_>> = match b {
        Map::Tree(entries) => entries.iter().map(|entry| (&*entry.key, &entry.node)).collect(),
        Map::Shared(_) | Map::Typed(_) => BTreeMap::new(),
    };
    a.iter().skip(from).all(|(key, value)| match (b, key.as_text()) {
        (Map::Tree(_), Some(name)) => {
            index.get(name).is_some_and(|node| value.equal_within(&Value::of(node), work))
        }
        _ => b.get(&key).is_some_and(|other| value.equal_within(&other, work)),
    })
}

/// Numbers of any types, compared by value; `None` with NaN or a value that is not a number.
fn numbers(a: &Value<'_>, b: &Value<'_>) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Uint(a), Value::Uint(b)) => Some(a.cmp(b)),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (Value::Int(a), Value::Uint(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Uint(a), Value::Int(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Double(a), Value::Int(b)) => {
            double_and_integer(*a, *b as f64, (i64::MIN as f64, i64::MAX as f64))
        }
        (Value::Double(a), Value::Uint(b)) => {
            double_and_integer(*a, *b as f64, (0.0, u64::MAX as f64))
        }
        (Value::Int(_) | Value::Uint(_), Value::Double(_)) => numbers(b, a).map(Ordering::reverse),
        _ => None,
    }
}

/// Outside the range of the integer type a double is larger or smaller than all integers; within it the
/// integer is compared as a double.
fn double_and_integer(a: f64, b: f64, (low, high): (f64, f64)) -> Option<Ordering> {
    if a.is_nan() {
        None
    } else if a < low {
        Some(Ordering::Less)
    } else if a > high {
        Some(Ordering::Greater)
    } else {
        a.partial_cmp(&b)
    }
}
