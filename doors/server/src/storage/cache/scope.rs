//! `Scope`: the part of a resource that a list or watch is about, as far as keys and indexes tell it.

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

/// The indexed fields, as in the reference: every kubelet lists and watches the pods of its node.
static INDEXED_FIELDS: &[IndexedField] =
    &[IndexedField { resource: "pods", field: "spec.nodeName", path: &["spec", "nodeName"] }];

/// The field by which a resource is indexed, by its storage name.
pub(crate) fn index_of(resource: &str) -> Option<&'static IndexedField> {
    INDEXED_FIELDS.iter().find(|row| row.resource == resource)
}
