//! How the lists and maps of built-in kinds merge: `x-kubernetes-list-type`, `-list-map-keys` and `-map-type`.
//!
//! What has no row has the default: lists are atomic, maps and structs granular. `tools/schemagen` writes the rows.

mod v1_36;

pub use v1_36::TOPOLOGIES;

/// The markers of one object type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeTopology {
    /// Its index in [`TYPES`](super::TYPES).
    pub ty: u16,
    /// Its id, so that a row that was not regenerated with the types is noticed.
    pub id: &'static str,
    /// Whether the struct merges as a whole, wherever a field does not say otherwise.
    pub is_atomic: bool,
    /// Its fields with markers, sorted by name.
    pub fields: &'static [(&'static str, Topology)],
}

/// The marker of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// A list whose items are unique scalars.
    Set,
    /// A list whose items are identified by these members.
    Map(&'static [MapKey]),
    /// A map or struct that merges as a whole.
    Atomic,
    /// A struct that merges member by member although its type is atomic.
    Granular,
    /// Content without a schema that merges as a whole: RawExtension.
    Opaque,
}

/// A member that identifies the items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapKey {
    /// Its name in JSON.
    pub name: &'static str,
    /// The value that an item without it has.
    pub default: Option<KeyDefault>,
}

/// The value that an item without the key has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyDefault {
    /// A text.
    Text(&'static str),
    /// A number.
    Int(i64),
}

/// Whether structs of the type at this index of [`TYPES`](super::TYPES) merge as a whole.
#[must_use]
pub fn is_atomic(type_index: u16) -> bool {
    row(type_index).is_some_and(|row| row.is_atomic)
}

/// The marker of a field, if it has one.
#[must_use]
pub fn of_field(type_index: u16, field: &str) -> Option<Topology> {
    let fields = row(type_index)?.fields;
    let index = fields.binary_search_by(|(name, _)| (*name).cmp(field)).ok()?;
    fields.get(index).map(|(_, topology)| *topology)
}

fn row(type_index: u16) -> Option<&'static TypeTopology> {
    let index = TOPOLOGIES.binary_search_by_key(&type_index, |row| row.ty).ok()?;
    TOPOLOGIES.get(index)
}

/// A row, short because the table has many.
const fn of(
    ty: u16,
    id: &'static str,
    is_atomic: bool,
    fields: &'static [(&'static str, Topology)],
) -> TypeTopology {
    TypeTopology { ty, id, is_atomic, fields }
}

/// A key without a default.
const fn key(name: &'static str) -> MapKey {
    MapKey { name, default: None }
}

/// A key that is a text.
const fn key_or(name: &'static str, default: &'static str) -> MapKey {
    MapKey { name, default: Some(KeyDefault::Text(default)) }
}

/// A key that is a number.
const fn key_or_int(name: &'static str, default: i64) -> MapKey {
    MapKey { name, default: Some(KeyDefault::Int(default)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::MERGE_RULES;
    use crate::schema::{Shape, type_of};

    #[test]
    fn rows_belong_to_their_types_and_are_found() {
        assert!(TOPOLOGIES.is_sorted_by(|a, b| a.ty < b.ty));
        for row in TOPOLOGIES {
            assert_eq!(type_of(row.ty).id, row.id, "run the generator again");
            assert!(row.fields.is_sorted_by(|a, b| a.0 < b.0), "{}", row.id);
            for (name, topology) in row.fields {
                assert_eq!(of_field(row.ty, name), Some(*topology));
            }
        }
        assert_eq!(of_field(u16::MAX, "name"), None);
        assert!(!is_atomic(u16::MAX));
    }

    #[test]
    fn markers_fit_the_shapes_of_their_fields() {
        for row in TOPOLOGIES {
            for (name, topology) in row.fields {
                let shape = type_of(row.ty).field(name).expect(name).shape;
                let fits = match (topology, shape) {
                    (Topology::Map(keys), Shape::List(Shape::Object(item))) => {
                        let has = |key: &MapKey| type_of(*item).field(key.name).is_some();
                        !keys.is_empty() && keys.iter().all(has)
                    }
                    (Topology::Set, Shape::List(item)) => !matches!(item, Shape::Object(_)),
                    (Topology::Atomic, Shape::Map(_) | Shape::Object(_)) => true,
                    (Topology::Granular, Shape::Object(ty)) => is_atomic(ty),
                    (Topology::Opaque, Shape::Any) => true,
                    _ => false,
                };
                assert!(fits, "{}.{name}: {topology:?}", row.id);
            }
        }
    }

    /// Strategic merge patches know one key, apply knows all: the first table never names a key that the second lacks.
    #[test]
    fn keys_include_those_of_strategic_merge_patches() {
        for rule in MERGE_RULES.iter().filter(|rule| !rule.rule.key.is_empty()) {
            let ty = crate::schema::TYPES.iter().position(|ty| ty.id == rule.type_id);
            let ty = ty.and_then(|index| u16::try_from(index).ok()).expect(rule.type_id);
            if let Some(Topology::Map(keys)) = of_field(ty, rule.field) {
                let found = keys.iter().any(|key| key.name == rule.rule.key);
                assert!(found, "{}.{}", rule.type_id, rule.field);
            }
        }
    }
}
