//! `Scope`: the part of a resource that a list or watch is about, as far as keys and indexes tell it.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::sync::Arc;

/// The part of a resource that selectors leave. Everything that they select is in it; what is in it may still not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The objects with this key prefix: a namespace with its slash, or nothing for all objects.
    Prefix {
        /// The prefix.
        prefix: String,
    },
    /// One object.
    Object {
        /// Its cache key.
        key: String,
    },
    /// The objects of one name in all namespaces.
    Name {
        /// The name.
        name: String,
    },
    /// The objects with one value of the indexed field, and with this key prefix.
    Index {
        /// The value of the field.
        value: String,
        /// The prefix.
        prefix: String,
    },
}

/// A field by which the objects of a resource are indexed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct IndexedField {
    /// The storage name of the resource.
    resource: &'static str,
    /// The field, as selectors name it.
    pub(crate) field: &'static str,
    /// Where its value stands.
    pub(super) path: &'static [&'static str],
}

/// The value of an object's indexed field. All objects with the same value share one.
#[derive(Clone, Debug)]
pub(crate) struct IndexValue(Arc<(Box<str>, &'static IndexedField)>);

impl IndexValue {
    pub(super) fn new(value: &str, row: &'static IndexedField) -> Self {
        Self(Arc::new((value.into(), row)))
    }

    pub(super) fn text(&self) -> &str {
        &self.0.0
    }

    /// The value of the field, if this is the one.
    pub(super) fn of_field(&self, field: &str) -> Option<&str> {
        (self.0.1.field == field).then_some(self.text())
    }

    #[cfg(test)]
    pub(super) fn is_shared_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

// In the map of a resource all values are of one field.
impl Borrow<str> for IndexValue {
    fn borrow(&self) -> &str {
        self.text()
    }
}

impl PartialEq for IndexValue {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for IndexValue {}

impl PartialOrd for IndexValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for IndexValue {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text().cmp(other.text())
    }
}

/// The indexed fields, as in the reference: every kubelet lists and watches the pods of its node.
static INDEXED_FIELDS: &[IndexedField] =
    &[IndexedField { resource: "pods", field: "spec.nodeName", path: &["spec", "nodeName"] }];

/// The field by which a resource is indexed, by its storage name.
pub(crate) fn index_of(resource: &str) -> Option<&'static IndexedField> {
    INDEXED_FIELDS.iter().find(|row| row.resource == resource)
}
