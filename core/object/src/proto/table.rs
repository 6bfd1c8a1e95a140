//! How a type's fields stand in protobuf: their numbers, and when JSON leaves them out.

use super::more;
use super::v1_36::{DELETE_OPTIONS, TAGS};
use crate::schema::{self, TypeRow};

/// How one field stands in protobuf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    /// Its number; zero, which no message uses, if the field is not there.
    pub(super) number: u8,
    pub(super) presence: Presence,
    /// The numbers of the messages around it that JSON does not show, outermost first.
    pub(super) under: &'static [u8],
    pub(super) union: Union,
}

/// What happens to a field whose value is zero: the wire has all that are no pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// A pointer in Go: zero was said on purpose and stays.
    Pointer,
    /// A pointer without `omitempty`: JSON has `null` where it is nil.
    NullPointer,
    /// JSON leaves an empty text, zero and false out, but not an empty object.
    UnlessEmpty,
    /// JSON leaves everything out that is empty.
    UnlessZero,
    /// JSON always has it.
    Always,
}

/// A message that JSON shows as one of two things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Union {
    /// No union; JSON of any sort is one field with its text.
    No,
    /// A schema or a list of schemas.
    SchemaOrSchemas,
    /// True or false, or a schema.
    BoolOrSchema,
    /// A schema or a list of texts.
    SchemaOrTexts,
}

impl Tag {
    const fn new(number: u8, presence: Presence) -> Self {
        Self { number, presence, under: &[], union: Union::No }
    }

    /// The same field, inlined from the messages with these numbers.
    pub(super) const fn under(mut self, under: &'static [u8]) -> Self {
        self.under = under;
        self
    }

    /// The same field, holding one of two things.
    pub(super) const fn or(mut self, union: Union) -> Self {
        self.union = union;
        self
    }
}

/// A field that protobuf does not have: the envelope says it.
pub(super) const fn none() -> Tag {
    Tag::new(0, Presence::UnlessEmpty)
}

/// A pointer.
pub(super) const fn pointer(number: u8) -> Tag {
    Tag::new(number, Presence::Pointer)
}

/// A pointer without `omitempty`.
pub(super) const fn nullable(number: u8) -> Tag {
    Tag::new(number, Presence::NullPointer)
}

/// A field with `omitempty`.
pub(super) const fn empty(number: u8) -> Tag {
    Tag::new(number, Presence::UnlessEmpty)
}

/// A field with `omitzero`.
pub(super) const fn zero(number: u8) -> Tag {
    Tag::new(number, Presence::UnlessZero)
}

/// A field without either.
pub(super) const fn always(number: u8) -> Tag {
    Tag::new(number, Presence::Always)
}

/// A type: its fields, and beside each how it stands in protobuf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) row: &'static TypeRow,
    pub(super) tags: &'static [Tag],
}

/// The type at a place of the schema's table, or of the few types only protobuf needs.
pub(super) fn message(place: u16) -> Message {
    match TAGS.get(usize::from(place)) {
        Some(tags) => Message { row: schema::type_of(place), tags },
        None => more::message(place),
    }
}

/// What a body holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// One object of the type at this place.
    One(u16),
    /// A list of objects of the type at this place.
    Many(u16),
}

/// What a body of this kind holds, if the kind has a form in protobuf.
pub(super) fn body(api_version: &str, kind: &str) -> Option<Body> {
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    if let Some(row) = schema::kind(group, version, kind) {
        return Some(Body::One(row.ty));
    }
    match kind {
        // Clients write these two in the group and version of what they speak about.
        "DeleteOptions" => Some(Body::One(DELETE_OPTIONS)),
        "Status" => Some(Body::One(more::STATUS)),
        _ => {
            let item = schema::kind(group, version, kind.strip_suffix("List")?)?;
            Some(Body::Many(item.ty))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Shape, TYPES};

    #[test]
    fn every_field_has_a_number() {
        assert_eq!(TAGS.len(), TYPES.len());
        for (ty, tags) in TYPES.iter().zip(TAGS) {
            assert_eq!(ty.fields.len(), tags.len(), "{}", ty.id);
            for (field, tag) in ty.fields.iter().zip(*tags) {
                // What the envelope says is the one exception.
                let in_envelope = matches!(field.name, "apiVersion" | "kind");
                assert!(tag.number > 0 || in_envelope, "{}.{}", ty.id, field.name);
            }
        }
    }

    #[test]
    fn no_number_stands_for_two_fields() {
        for (ty, tags) in TYPES.iter().zip(TAGS) {
            for (at, tag) in tags.iter().enumerate().filter(|(_, tag)| tag.number > 0) {
                let is_same = |other: &Tag| (other.number, other.under) == (tag.number, tag.under);
                assert!(!tags[at + 1..].iter().any(is_same), "{} {tag:?}", ty.id);
                let mut place = tag.under.to_vec();
                place.push(tag.number);
                assert!(!tags.iter().any(|other| other.under.starts_with(&place)), "{}", ty.id);
            }
        }
    }

    /// Protobuf has no list of lists; the one nesting there is, lists in a map, is a message.
    #[test]
    fn nesting_that_protobuf_can_write() {
        for field in TYPES.iter().flat_map(|ty| ty.fields) {
            match field.shape {
                Shape::List(Shape::List(_) | Shape::Map(_)) | Shape::Map(Shape::Map(_)) => {
                    panic!("{}", field.name)
                }
                _ => {}
            }
        }
    }

    #[test]
    fn kinds_and_their_bodies() {
        assert!(matches!(body("v1", "Pod"), Some(Body::One(_))));
        assert!(matches!(body("apps/v1", "DeploymentList"), Some(Body::Many(_))));
        assert_eq!(body("apps/v1", "DeleteOptions"), body("v1", "DeleteOptions"));
        assert_eq!(body("v1", "Status"), Some(Body::One(more::STATUS)));
        assert_eq!(body("example.com/v1", "Thing"), None);
        assert_eq!(body("v1", "List"), None);
    }
}
