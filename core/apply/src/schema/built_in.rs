//! Types of built-in kinds, from the tables of `ratchet_object::schema`.

use super::{Atom, Fields, Keys, ListType, MapType, Relation, Scalar, TypeRef};
use ratchet_object::schema::topology::{self, Topology};
use ratchet_object::schema::{self, Shape};

/// The index of ObjectMeta in the tables.
pub(super) const OBJECT_META: u16 = 650;

/// A type of the tables, with the marker of the field that refers to it.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInType {
    shape: Shape,
    topology: Option<Topology>,
}

impl BuiltInType {
    /// The object type at an index of the tables.
    pub(super) const fn object(type_index: u16) -> Self {
        Self { shape: Shape::Object(type_index), topology: None }
    }

    /// A text.
    pub(super) const STRING: Self = Self { shape: Shape::String, topology: None };

    pub(super) fn atom<'s>(self) -> Atom<'s> {
        match self.shape {
            Shape::String | Shape::Bytes => Atom::of_scalar(Scalar::String),
            Shape::Int32 | Shape::Int64 | Shape::Float => Atom::of_scalar(Scalar::Numeric),
            Shape::Bool => Atom::of_scalar(Scalar::Boolean),
            // Their schemas are texts with a format, which says nothing about what else may stand there.
            Shape::Time | Shape::MicroTime | Shape::Quantity => Atom::of_scalar(Scalar::Untyped),
            Shape::Any if self.topology == Some(Topology::Opaque) => TypeRef::Untyped.atom(),
            // Schemas without a type allow everything.
            Shape::IntOrString | Shape::Any | Shape::OneOf(_) => TypeRef::Deduced.atom(),
            Shape::Object(type_index) => Atom::of_map(self.structure(type_index)),
            Shape::List(items) => Atom::of_list(ListType {
                items: TypeRef::BuiltIn(Self { shape: *items, topology: None }),
                relation: match self.topology {
                    Some(Topology::Set) => Relation::Set,
                    Some(Topology::Map(keys)) => Relation::Map(Keys::BuiltIn(keys)),
                    _ => Relation::Atomic,
                },
            }),
            Shape::Map(values) => {
                let values = TypeRef::BuiltIn(Self { shape: *values, topology: None });
                Atom::of_map(MapType::free(values, self.topology == Some(Topology::Atomic)))
            }
        }
    }

    fn structure<'s>(self, type_index: u16) -> MapType<'s> {
        let has_fields = !schema::type_of(type_index).fields.is_empty();
        MapType {
            fields: if has_fields { Fields::BuiltIn(type_index) } else { Fields::None },
            // An object without properties may be anything.
            element: (!has_fields).then_some(TypeRef::Deduced),
            is_atomic: match self.topology {
                Some(Topology::Atomic) => true,
                Some(Topology::Granular) => false,
                _ => topology::is_atomic(type_index),
            },
        }
    }
}

/// The type of a field of the type at an index of the tables.
pub(super) fn field<'s>(type_index: u16, name: &str) -> Option<TypeRef<'s>> {
    let shape = schema::type_of(type_index).field(name)?.shape;
    let is_scalar = !matches!(
        shape,
        Shape::Object(_) | Shape::List(_) | Shape::Map(_) | Shape::Any | Shape::OneOf(_)
    );
    let topology = if is_scalar { None } else { topology::of_field(type_index, name) };
    Some(TypeRef::BuiltIn(BuiltInType { shape, topology }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_meta_is_where_it_is_expected() {
        assert_eq!(
            schema::type_of(OBJECT_META).id,
            "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
        );
    }
}
