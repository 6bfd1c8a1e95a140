//! The members of an object that can be damaged: every field that its schema has, whether the object has it or not.

use crate::path::{Path, Step};
use ratchet_object::schema::{KindRow, Shape, type_of};
use serde_json::Value;
use std::collections::BTreeSet;

/// How many fields that an object does not have may stand above one that is damaged.
const ABSENT_DEPTH: usize = 3;

/// How often a type may hold itself on the way to a member, as a schema of a definition does.
const REPEATS: usize = 2;

/// A member, and what belongs there.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) path: Path,
    pub(crate) shape: &'static Shape,
    /// The value of the object there.
    pub(crate) value: Option<Value>,
    /// Whether an earlier kind had this field of this type.
    pub(crate) is_known: bool,
}

/// A field of a type, by the type's full name.
type Field = (&'static str, &'static str);

/// Finds members, and remembers which fields it has shown.
#[derive(Default)]
pub(crate) struct MemberWalk {
    /// Fields of earlier kinds.
    known: BTreeSet<Field>,
    /// Fields of this kind.
    seen: BTreeSet<Field>,
    found: Vec<Member>,
}

/// Where a walk is.
#[derive(Clone, Default)]
struct Walk {
    path: Path,
    types: Vec<u16>,
    absent: usize,
    is_known: bool,
}

impl MemberWalk {
    /// The members of the objects of one kind.
    pub(crate) fn of(&mut self, kind: &KindRow, object: &Value) -> Vec<Member> {
        self.fields(kind.ty, Some(object), &Walk::default());
        std::mem::take(&mut self.found)
    }

    /// Ends a kind: what it has shown is known from now on.
    pub(crate) fn end_kind(&mut self) {
        self.known.append(&mut self.seen);
    }

    fn fields(&mut self, ty: u16, value: Option<&Value>, walk: &Walk) {
        if walk.types.iter().filter(|above| **above == ty).count() >= REPEATS {
            return;
        }
        let row = type_of(ty);
        for field in row.fields {
            let child = value.and_then(|value| value.get(field.name));
            let key = (row.id, field.name);
            // A field that no object of this kind has is damaged once, not in every item of a list.
            if !self.seen.insert(key) && child.is_none() {
                continue;
            }
            let mut below = walk.clone();
            below.path = walk.path.join(Step::Field(field.name));
            below.types.push(ty);
            below.is_known = self.known.contains(&key);
            self.enter(&field.shape, child, below);
        }
    }

    fn enter(&mut self, shape: &'static Shape, value: Option<&Value>, mut walk: Walk) {
        let Some(shape) = alternative(shape, value) else { return };
        self.found.push(Member {
            path: walk.path.clone(),
            shape,
            value: value.cloned(),
            is_known: walk.is_known,
        });
        if value.is_none() {
            walk.absent += 1;
        }
        if walk.absent > ABSENT_DEPTH {
            return;
        }
        let below = |step| Walk { path: walk.path.join(step), ..walk.clone() };
        match shape {
            Shape::Object(ty) => self.fields(*ty, value, &walk),
            Shape::List(inner) => {
                match value.and_then(Value::as_array).filter(|list| !list.is_empty()) {
                    Some(items) => {
                        for (index, item) in items.iter().enumerate() {
                            self.enter(inner, Some(item), below(Step::Item(index)));
                        }
                    }
                    None => self.enter(inner, None, below(Step::Item(0))),
                }
            }
            Shape::Map(inner) => {
                match value.and_then(Value::as_object).filter(|map| !map.is_empty()) {
                    Some(map) => {
                        for (key, item) in map {
                            self.enter(inner, Some(item), below(Step::Key(key.clone())));
                        }
                    }
                    None => self.enter(inner, None, below(Step::Key("cpu".to_owned()))),
                }
            }
            _ => {}
        }
    }
}

/// The shape that fits a value, the first one if there is none.
fn alternative(shape: &'static Shape, value: Option<&Value>) -> Option<&'static Shape> {
    let Shape::OneOf(shapes) = shape else { return Some(shape) };
    shapes.iter().find(|shape| match value {
        Some(Value::Array(_)) => matches!(shape, Shape::List(_)),
        Some(Value::Bool(_)) => matches!(shape, Shape::Bool),
        _ => true,
    })
}
