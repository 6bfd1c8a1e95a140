//! `DeclType`: the type that a schema gives to a tree, with the sizes that cost estimates need.

mod escape;
#[cfg(test)]
mod tests;
mod typed;
mod types;
mod values;

pub use escape::escape;
pub(crate) use typed::Members;
pub use typed::{TypedList, TypedMap};
pub use types::SelfTypes;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use escape::is_reserved;

/// The largest request, in bytes: what no size exceeds.
pub const MAX_REQUEST_SIZE: u64 = 3 * 1024 * 1024;

/// The declared type of a value in a tree (apiserver's `DeclType`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclType {
    /// What sort of value it is.
    pub kind: DeclKind,
    /// Whether the value may be `null`.
    pub nullable: bool,
    /// The most bytes, items or entries that a value has.
    pub max_elements: u64,
    /// The fewest bytes that a value takes in JSON.
    pub min_serialized_size: u64,
}

/// The sorts of declared types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclKind {
    /// A boolean.
    Bool,
    /// A whole number.
    Int,
    /// Any number.
    Double,
    /// A string.
    String,
    /// A string of the format `byte`, which expressions see as bytes.
    Bytes,
    /// A string of the format `duration`.
    Duration,
    /// A string of the format `date`.
    Date,
    /// A string of the format `date-time`.
    DateTime,
    /// A number or a string, whose type is only known at evaluation.
    IntOrString,
    /// A list.
    List {
        /// The type of its items.
        items: Arc<DeclType>,
        /// How its items are told apart.
        topology: Topology,
    },
    /// A map with free keys.
    Map {
        /// The type of its values.
        values: Arc<DeclType>,
    },
    /// An object with declared fields.
    Object(Fields),
    /// A value that no expression can name; it can only be compared as a part of another.
    Preserved,
}

/// How the items of a list are told apart (`x-kubernetes-list-type`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    /// By their positions.
    Atomic,
    /// By their values: the order does not count.
    Set,
    /// By the values of these fields: the order does not count.
    Map(Box<[Box<str>]>),
}

/// The fields of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Sorted by name.
    by_name: Box<[DeclField]>,
    /// Positions in `by_name` of the fields that have an identifier, sorted by it.
    by_identifier: Box<[u32]>,
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclField {
    /// Its name in the tree.
    pub name: Box<str>,
    /// Its name in expressions; `None` if no identifier can be made of the name.
    pub identifier: Option<Box<str>>,
    /// Its type.
    pub ty: Arc<DeclType>,
}

impl DeclField {
    /// A field whose identifier is made from its name.
    pub fn new(name: &str, ty: Arc<DeclType>) -> Self {
        let identifier = escape(name).map(|identifier| identifier.as_ref().into());
        Self { name: name.into(), identifier, ty }
    }
}

impl Fields {
    /// These fields; of fields with one name the last counts.
    pub fn new(mut fields: Vec<DeclField>) -> Self {
        fields.reverse();
        fields.sort_by(|one, other| one.name.cmp(&other.name));
        fields.dedup_by(|one, other| one.name == other.name);
        let mut by_identifier: Vec<u32> =
            (0..fields.len()).filter_map(|index| u32::try_from(index).ok()).collect();
        let identifier = |index: &u32| {
            fields.get(usize::try_from(*index).ok()?).and_then(|field| field.identifier.as_deref())
        };
        by_identifier.retain(|index| identifier(index).is_some());
        by_identifier.sort_by(|one, other| identifier(one).cmp(&identifier(other)));
        Self { by_name: fields.into(), by_identifier: by_identifier.into() }
    }

    /// All fields, sorted by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &DeclField> {
        self.by_name.iter()
    }

    /// The field of a name in the tree.
    pub fn named(&self, name: &str) -> Option<&DeclField> {
        let index = self.by_name.binary_search_by(|field| (*field.name).cmp(name));
        self.by_name.get(index.ok()?)
    }

    /// The field of an identifier. Reserved words that the grammar takes as names need no escape.
    pub fn identified(&self, identifier: &str) -> Option<&DeclField> {
        self.find(identifier).or_else(|| {
            if !is_reserved(identifier) {
                return None;
            }
            self.find(&alloc::format!("__{identifier}__"))
        })
    }

    fn find(&self, identifier: &str) -> Option<&DeclField> {
        let field = |index: &u32| self.by_name.get(usize::try_from(*index).ok()?);
        let found = self.by_identifier.binary_search_by(|index| {
            field(index).and_then(|field| field.identifier.as_deref()).cmp(&Some(identifier))
        });
        field(self.by_identifier.get(found.ok()?)?)
    }
}

impl DeclType {
    /// A type of a fixed size.
    pub fn scalar(kind: DeclKind, min_serialized_size: u64) -> Self {
        Self { kind, nullable: false, max_elements: 0, min_serialized_size }
    }

    /// A type of at most `max_elements` bytes.
    pub fn sized(kind: DeclKind, max_elements: u64, min_serialized_size: u64) -> Self {
        Self { kind, nullable: false, max_elements, min_serialized_size }
    }

    /// Whether expressions can name values of this type.
    pub fn is_exposed(&self) -> bool {
        match &self.kind {
            DeclKind::Preserved => false,
            DeclKind::List { items, .. } => items.is_exposed(),
            DeclKind::Map { values } => values.is_exposed(),
            _ => true,
        }
    }

    /// The type below, by a path element of a cost estimate: a field, `@items`, `@values` or `@keys`.
    pub(crate) fn below(&self, element: &str) -> Option<&Self> {
        match (&self.kind, element) {
            (DeclKind::List { items, .. }, "@items" | "@values") => Some(items),
            (DeclKind::Map { values }, "@items" | "@values") => Some(values),
            (DeclKind::Map { .. }, "@keys") => Some(&KEY),
            (DeclKind::Object(fields), name) => {
                let field = fields.find(name)?;
                field.ty.is_exposed().then_some(&*field.ty)
            }
            _ => None,
        }
    }
}

/// The type of the keys of maps, for whose length there is no estimate.
static KEY: DeclType =
    DeclType { kind: DeclKind::String, nullable: false, max_elements: 0, min_serialized_size: 2 };

#[cfg(test)]
mod field_tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn fields_are_found_by_both_names() {
        let ty = Arc::new(DeclType::scalar(DeclKind::Int, 1));
        let fields = ["b", "a-b", "namespace", "0"].map(|name| DeclField::new(name, ty.clone()));
        let fields = Fields::new(fields.to_vec());
        assert_eq!(fields.iter().len(), 4);
        assert!(fields.named("a-b").is_some() && fields.named("0").is_some());
        let found = |name: &str| fields.identified(name).map(|field| &*field.name);
        assert_eq!(found("a__dash__b"), Some("a-b"));
        assert_eq!(found("namespace"), Some("namespace"));
        assert_eq!(found("__namespace__"), Some("namespace"));
        assert_eq!((found("0"), found("a-b"), found("c")), (None, None, None));
    }

    #[test]
    fn the_last_of_two_fields_counts() {
        let (int, bool) = (DeclType::scalar(DeclKind::Int, 1), DeclType::scalar(DeclKind::Bool, 4));
        let fields = Fields::new(vec![
            DeclField::new("a", Arc::new(int)),
            DeclField::new("a", Arc::new(bool.clone())),
        ]);
        assert_eq!(fields.iter().len(), 1);
        assert_eq!(*fields.named("a").expect("a field").ty, bool);
    }
}
