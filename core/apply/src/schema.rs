//! Types as the merge sees them: what a value may be, and whether it merges whole or by its parts.

mod built_in;
mod structural;

pub use built_in::BuiltInType;
pub use structural::{Additional, Structural, StructuralSchema, ValueType};

use built_in::OBJECT_META;
use ratchet_object::schema::topology::{KeyDefault, MapKey};
use ratchet_object::{Node, Value};

/// A reference to a type.
#[derive(Clone, Copy, Debug)]
pub enum TypeRef<'s> {
    /// Content without a schema, whose maps merge member by member: `__untyped_deduced_`.
    Deduced,
    /// Content without a schema that merges as a whole: `__untyped_atomic_`.
    Untyped,
    /// A type of the tables of built-in kinds.
    BuiltIn(BuiltInType),
    /// A schema of a custom resource definition.
    Structural(Structural<'s>),
}

/// What values of a type may be; each set member is one possibility.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Atom<'s> {
    pub(crate) scalar: Option<Scalar>,
    pub(crate) list: Option<ListType<'s>>,
    pub(crate) map: Option<MapType<'s>>,
}

/// A type of values without parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Numeric,
    String,
    Boolean,
    /// Any of them.
    Untyped,
}

/// What all items of a list are, and how they are told from each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListType<'s> {
    pub(crate) items: TypeRef<'s>,
    pub(crate) relation: Relation<'s>,
}

/// How the items of a list relate.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Relation<'s> {
    /// The list is one value.
    Atomic,
    /// Each item is its own key.
    Set,
    /// Items are identified by some of their members.
    Map(Keys<'s>),
}

/// The members that identify the items of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Keys<'s> {
    BuiltIn(&'static [MapKey]),
    Structural(&'s dyn StructuralSchema),
}

/// A type of maps and structs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MapType<'s> {
    fields: Fields<'s>,
    /// The type of members that are not declared; none if there may be none.
    pub(crate) element: Option<TypeRef<'s>>,
    pub(crate) is_atomic: bool,
}

#[derive(Clone, Copy, Debug)]
enum Fields<'s> {
    /// A map: any key.
    None,
    BuiltIn(u16),
    Structural(Structural<'s>),
}

impl<'s> TypeRef<'s> {
    /// The type of a built-in kind, by its index in the tables of `ratchet_object::schema`.
    #[must_use]
    pub const fn built_in(type_index: u16) -> Self {
        Self::BuiltIn(BuiltInType::object(type_index))
    }

    /// The type of objects of a custom resource with this schema.
    #[must_use]
    pub const fn custom(schema: &'s dyn StructuralSchema) -> Self {
        Self::Structural(Structural::root(schema))
    }

    pub(crate) fn atom(self) -> Atom<'s> {
        match self {
            Self::Deduced => Atom {
                scalar: Some(Scalar::Untyped),
                list: Some(ListType { items: Self::Untyped, relation: Relation::Atomic }),
                map: Some(MapType::free(Self::Deduced, false)),
            },
            Self::Untyped => Atom {
                scalar: Some(Scalar::Untyped),
                list: Some(ListType { items: Self::Untyped, relation: Relation::Atomic }),
                map: Some(MapType::free(Self::Untyped, true)),
            },
            Self::BuiltIn(ty) => ty.atom(),
            Self::Structural(ty) => ty.atom(),
        }
    }
}

impl<'s> Atom<'s> {
    fn of_scalar(scalar: Scalar) -> Self {
        Self { scalar: Some(scalar), ..Self::default() }
    }

    fn of_list(list: ListType<'s>) -> Self {
        Self { list: Some(list), ..Self::default() }
    }

    fn of_map(map: MapType<'s>) -> Self {
        Self { map: Some(map), ..Self::default() }
    }

    /// The possibility that a value takes. `null` takes none, and neither does a value that fits none: then all stay.
    pub(crate) fn deduce(self, node: Option<&Node<'_>>) -> Self {
        let Some(node) = node else { return self };
        let deduced = match (&node.value, self) {
            (Value::Null, _) => None,
            (Value::List(_), Self { list: Some(list), .. }) => Some(Self::of_list(list)),
            (Value::Map(_), Self { map: Some(map), .. }) => Some(Self::of_map(map)),
            (Value::List(_) | Value::Map(_), _) => None,
            (_, Self { scalar: Some(scalar), .. }) => Some(Self::of_scalar(scalar)),
            _ => None,
        };
        deduced.unwrap_or(self)
    }

    /// The possibility that counts first: a map, then a scalar, then a list.
    pub(crate) fn first(self) -> One<'s> {
        match self {
            Self { map: Some(map), .. } => One::Map(map),
            Self { scalar: Some(scalar), .. } => One::Scalar(scalar),
            Self { list: Some(list), .. } => One::List(list),
            _ => One::Nothing,
        }
    }

    /// Whether two possibilities of one type are the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let set = |atom: &Self| (atom.scalar.is_some(), atom.list.is_some(), atom.map.is_some());
        set(self) == set(other)
    }
}

/// One of the possibilities of an [`Atom`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum One<'s> {
    Map(MapType<'s>),
    Scalar(Scalar),
    List(ListType<'s>),
    /// No value fits.
    Nothing,
}

impl ListType<'_> {
    pub(crate) fn is_atomic(&self) -> bool {
        matches!(self.relation, Relation::Atomic)
    }
}

impl<'s> MapType<'s> {
    /// A map without declared fields.
    fn free(element: TypeRef<'s>, is_atomic: bool) -> Self {
        Self { fields: Fields::None, element: Some(element), is_atomic }
    }

    /// The type of a declared field.
    pub(crate) fn field(&self, name: &str) -> Option<TypeRef<'s>> {
        match self.fields {
            Fields::None => None,
            Fields::BuiltIn(type_index) => built_in::field(type_index, name),
            Fields::Structural(schema) => schema.field(name),
        }
    }

    /// The type of a member, declared or not; none if there may be no such member.
    pub(crate) fn member(&self, name: &str) -> Option<TypeRef<'s>> {
        self.field(name).or(self.element)
    }

    /// Whether nothing is known of its content.
    pub(crate) fn is_deduced(&self) -> bool {
        matches!((self.fields, self.element), (Fields::None, Some(TypeRef::Deduced)))
    }
}

impl<'s> Keys<'s> {
    /// The number of keys.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::BuiltIn(keys) => keys.len(),
            Self::Structural(list) => {
                (0..).take_while(|index| list.list_map_key(*index).is_some()).count()
            }
        }
    }

    /// The name of a key, by its place in the list.
    pub(crate) fn name(self, index: usize) -> Option<&'s str> {
        match self {
            Self::BuiltIn(keys) => keys.get(index).map(|key| key.name),
            Self::Structural(list) => list.list_map_key(index),
        }
    }

    /// The value that an item without the key has.
    pub(crate) fn default(self, index: usize) -> Option<Value<'s>> {
        match self {
            Self::BuiltIn(keys) => keys.get(index).and_then(key_default),
            Self::Structural(list) => {
                let property = list.items()?.property(list.list_map_key(index)?)?;
                let default = property.default_value().filter(|node| !node.is_null());
                default.map(|node| borrowed(&node.value))
            }
        }
    }
}

fn key_default(key: &MapKey) -> Option<Value<'static>> {
    Some(match key.default? {
        KeyDefault::Text(text) => Value::Text(text.into()),
        KeyDefault::Int(number) => Value::Int(number),
    })
}

/// The same value with its text borrowed.
pub(crate) fn borrowed<'a>(value: &'a Value<'_>) -> Value<'a> {
    match value {
        Value::Text(text) => Value::Text(text.as_ref().into()),
        other => other.clone(),
    }
}

/// The type of `metadata`.
fn object_meta<'s>() -> TypeRef<'s> {
    TypeRef::BuiltIn(BuiltInType::object(OBJECT_META))
}
