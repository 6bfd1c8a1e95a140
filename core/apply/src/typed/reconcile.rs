//! Field sets against the types of today: a type may have become atomic since a set was written.

use crate::field_set::{FieldSet, SetBuilder};
use crate::path_element::PathElement;
use crate::schema::{One, TypeRef};

/// Replaces fields below what is atomic now by the field itself. Unknown fields stay.
pub(crate) fn reconcile(set: &mut FieldSet<'_>, ty: TypeRef<'_>) {
    // The whole object is never owned as one, whatever its type has become.
    let _ = below(set, ty);
}

/// Whether a value of this type, of which the set has parts, is owned as a whole now.
fn below(set: &mut FieldSet<'_>, ty: TypeRef<'_>) -> bool {
    let atom = ty.atom().first();
    match &atom {
        One::Scalar(_) | One::Nothing => return false,
        One::Map(map) if map.is_deduced() => return false,
        One::Map(map) if map.is_atomic => return true,
        One::List(list) if list.is_atomic() => return true,
        One::Map(_) | One::List(_) => {}
    }
    let type_below = |element: &PathElement<'_>| match (&atom, element) {
        (One::Map(map), PathElement::Field(name)) => map.member(name),
        (One::Map(map), _) => map.element,
        (One::List(list), _) => Some(list.items),
        _ => None,
    };
    for (element, is_member, children) in set.iter_mut() {
        if !children.is_empty()
            && let Some(ty) = type_below(element)
            && below(children, ty)
        {
            *children = FieldSet::EMPTY;
            *is_member = true;
        }
    }
    false
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
