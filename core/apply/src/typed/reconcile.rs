//! Field sets against the types of today: a type may have become atomic since a set was written.

use crate::field_set::{FieldSet, SetBuilder};
use crate::path_element::PathElement;
use crate::schema::{One, TypeRef};

/// The set with fields below what is atomic now replaced by the field itself. Unknown fields stay.
pub(crate) fn reconcile<'a>(set: FieldSet<'a>, ty: TypeRef<'_>) -> FieldSet<'a> {
    match below(&set, ty) {
        Outcome::Changed(set) => set,
        // The whole object is never owned as one.
        Outcome::Unchanged | Outcome::Collapsed => set,
    }
}

enum Outcome<'a> {
    Unchanged,
    Changed(FieldSet<'a>),
    /// The field has become atomic.
    Collapsed,
}

/// `set` has the fields below a value of the type, and is not empty.
fn below<'a>(set: &FieldSet<'a>, ty: TypeRef<'_>) -> Outcome<'a> {
    let atom = ty.atom().first();
    match &atom {
        One::Scalar(_) | One::Nothing => return Outcome::Unchanged,
        One::Map(map) if map.is_deduced() => return Outcome::Unchanged,
        One::Map(map) if map.is_atomic => return Outcome::Collapsed,
        One::List(list) if list.is_atomic() => return Outcome::Collapsed,
        One::Map(_) | One::List(_) => {}
    }
    let type_below = |element: &PathElement<'_>| match (&atom, element) {
        (One::Map(map), PathElement::Field(name)) => map.member(name),
        (One::Map(map), _) => map.element,
        (One::List(list), _) => Some(list.items),
        _ => None,
    };
    let mut is_changed = false;
    let mut builder = SetBuilder::default();
    for (element, is_member, children) in set.iter() {
        let outcome = match type_below(element) {
            Some(ty) if !children.is_empty() => below(children, ty),
            _ => Outcome::Unchanged,
        };
        match outcome {
            Outcome::Unchanged => builder.push(element.clone(), is_member, children.clone()),
            Outcome::Changed(children) => {
                is_changed = true;
                builder.push(element.clone(), is_member, children);
            }
            Outcome::Collapsed => {
                is_changed = true;
                builder.push(element.clone(), true, FieldSet::EMPTY);
            }
        }
    }
    if is_changed { Outcome::Changed(builder.build()) } else { Outcome::Unchanged }
}

/// The set with all declared fields above its fields: `a` of `a.b.c`, but not `a.b` if `a` is a map.
pub(crate) fn name_fields<'a>(set: &FieldSet<'a>, ty: TypeRef<'_>) -> FieldSet<'a> {
    let atom = ty.atom();
    let mut builder = SetBuilder::default();
    for (element, is_member, children) in set.iter() {
        if children.is_empty() {
            builder.push(element.clone(), is_member, FieldSet::EMPTY);
            continue;
        }
        let field = match (element, &atom.map) {
            (PathElement::Field(name), Some(map)) => map.field(name),
            _ => None,
        };
        let below = match (element, &atom.map, &atom.list) {
            (PathElement::Field(_), Some(map), _) => field.or(map.element),
            (PathElement::Key(_), _, Some(list)) => Some(list.items),
            _ => None,
        };
        let children = match below {
            Some(ty) => name_fields(children, ty),
            None => children.clone(),
        };
        builder.push(element.clone(), is_member || field.is_some(), children);
    }
    builder.build()
}
