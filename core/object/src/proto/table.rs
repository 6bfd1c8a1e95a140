//! Protobuf field tables: the numbers of a type's fields, and when Go's JSON encoding omits them.

use super::response_types;
use super::v1_36::{DELETE_OPTIONS, TAGS};
use crate::schema::{self, TypeRow};

/// The protobuf encoding of one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    /// The field number; zero, which no message uses, if protobuf does not have the field.
    pub(super) number: u8,
    pub(super) presence: Presence,
    /// The numbers of the enclosing messages that JSON inlines, outermost first.
    pub(super) under: &'static [u8],
    pub(super) union: Union,
}

/// When JSON omits a zero value: the wire has all that are not pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// A pointer in Go: an explicit zero stays.
    Pointer,
    /// A pointer without `omitempty`: JSON has `null` where it is nil.
    NullPointer,
    /// `omitempty`: JSON omits an empty string, zero and false, but not an empty object.
    UnlessEmpty,
    /// `omitzero`: JSON omits everything that is empty.
    UnlessZero,
    /// JSON always has the field.
    Always,
}

/// A message that JSON encodes as one of two types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Union {
    /// No union; JSON of any type is one field with its text.
    No,
    /// A schema or a list of schemas.
    SchemaOrSchemas,
    /// A boolean or a schema.
    BoolOrSchema,
    /// A schema or a list of strings.
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

    /// The same field, encoded as a union.
    pub(super) const fn or(mut self, union: Union) -> Self {
        self.union = union;
        self
    }
}

/// A field that protobuf does not have: it is in the envelope.
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

/// A type: its fields, and the tag of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) row: &'static TypeRow,
    pub(super) tags: &'static [Tag],
}

/// The type at an index of the schema's table, or of the few types in [`response_types`](super::response_types).
pub(super) fn message(type_index: u16) -> Message {
    match TAGS.get(usize::from(type_index)) {
        Some(tags) => Message { row: schema::type_of(type_index), tags },
        None => response_types::message(type_index),
    }
}

/// The content of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// One object of the type at this index.
    One(u16),
    /// A list of objects of the type at this index.
    Many(u16),
    /// The same with the items before the metadata, as `meta.k8s.io/v1beta1` numbers them.
    ItemsFirst(u16),
}

impl Body {
    /// The field numbers of a list's metadata and items.
    pub(super) const fn list_numbers(self) -> (u8, u8) {
        match self {
            Self::ItemsFirst(_) => (2, 1),
            Self::One(_) | Self::Many(_) => (1, 2),
        }
    }
}

/// The group of partial metadata, which every resource can be asked for.
const META_GROUP: &str = "meta.k8s.io";

/// The content of a body of this kind, if the kind has a protobuf encoding.
pub(super) fn body(api_version: &str, kind: &str) -> Option<Body> {
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    if let Some(row) = schema::kind(group, version, kind) {
        return Some(Body::One(row.ty));
    }
    match kind {
        // Clients send these two in the group and version of the resource they are about.
        "DeleteOptions" => Some(Body::One(DELETE_OPTIONS)),
        "Status" => Some(Body::One(response_types::STATUS)),
        "PartialObjectMetadata" if group == META_GROUP => Some(Body::One(response_types::PARTIAL)),
        "PartialObjectMetadataList" if group == META_GROUP => Some(match version {
            "v1beta1" => Body::ItemsFirst(response_types::PARTIAL),
            _ => Body::Many(response_types::PARTIAL),
        }),
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
                // The fields in the envelope are the one exception.
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
                let mut path = tag.under.to_vec();
                path.push(tag.number);
                assert!(!tags.iter().any(|other| other.under.starts_with(&path)), "{}", ty.id);
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
    fn metadata_alone_is_a_message() {
        assert_eq!(
            schema::type_of(super::super::v1_36::OBJECT_META).id,
            "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
        );
        assert_eq!(
            body("meta.k8s.io/v1", "PartialObjectMetadata"),
            Some(Body::One(response_types::PARTIAL))
        );
        let list = |version| body(version, "PartialObjectMetadataList").map(Body::list_numbers);
        assert_eq!(list("meta.k8s.io/v1"), Some((1, 2)));
        assert_eq!(list("meta.k8s.io/v1beta1"), Some((2, 1)));
        assert_eq!(list("example.com/v1"), None);
    }

    #[test]
    fn kinds_and_their_bodies() {
        assert!(matches!(body("v1", "Pod"), Some(Body::One(_))));
        assert!(matches!(body("apps/v1", "DeploymentList"), Some(Body::Many(_))));
        assert_eq!(body("apps/v1", "DeleteOptions"), body("v1", "DeleteOptions"));
        assert_eq!(body("v1", "Status"), Some(Body::One(response_types::STATUS)));
        assert_eq!(body("example.com/v1", "Thing"), None);
        assert_eq!(body("v1", "List"), None);
    }
}
