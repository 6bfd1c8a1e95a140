//! The versions of a kind: their types, and conversion from one to another.

use crate::from_unstructured::conversion_error;
use crate::schema::TypeRef;
use alloc::format;
use alloc::string::String;
use ratchet_object::{GroupVersionKind, Node, complete, schema};

/// The versions of one kind.
pub trait Converter {
    /// The type of objects in a version; none if the kind has no such version.
    fn type_of(&self, api_version: &str) -> Option<TypeRef<'_>>;

    /// An object in another version that the kind has; or why it cannot be converted.
    fn convert(&self, object: &Node<'_>, api_version: &str) -> Result<Node<'static>, String>;

    /// An object of which nothing is set: for built-in kinds the fields that Go always encodes, for custom ones none.
    fn new_object(&self, kind: GroupVersionKind<'_>) -> Node<'static>;

    /// Whether stored objects fit their schemas without being asked: those of built-in kinds were decoded into types.
    fn is_typed(&self) -> bool {
        false
    }

    /// Why an object that fits the schema is still none of the kind; custom kinds have nothing but their schema.
    fn decode_error(&self, _object: &Node<'_>, _kind: GroupVersionKind<'_>) -> Option<String> {
        None
    }
}

/// `apiVersion` of a group and version.
#[must_use]
pub fn api_version(kind: GroupVersionKind<'_>) -> String {
    match kind.group {
        "" => String::from(kind.version),
        group => format!("{group}/{}", kind.version),
    }
}

/// Whether a text can be a group and version.
pub(crate) fn is_group_version(api_version: &str) -> bool {
    api_version.split('/').count() <= 2
}

/// Converts an object of a built-in kind to the version of this text.
pub type ConvertObject<'a> = dyn Fn(&Node<'_>, &str) -> Result<Node<'static>, String> + 'a;

/// A built-in kind. Entries of other groups are of no version of it, even if they have a kind of the same name.
pub struct BuiltInKind<'a> {
    /// The API group, which all its versions share; empty for the core group.
    pub group: &'a str,
    /// The name of the kind.
    pub kind: &'a str,
    /// Conversion between its versions; never called for a kind that has one.
    pub convert: &'a ConvertObject<'a>,
}

impl Converter for BuiltInKind<'_> {
    fn type_of(&self, api_version: &str) -> Option<TypeRef<'_>> {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        let row = schema::kind(group, version, self.kind).filter(|_| group == self.group)?;
        Some(TypeRef::built_in(row.ty))
    }

    fn convert(&self, object: &Node<'_>, api_version: &str) -> Result<Node<'static>, String> {
        (self.convert)(object, api_version)
    }

    fn new_object(&self, kind: GroupVersionKind<'_>) -> Node<'static> {
        let mut object = type_meta(kind);
        if let Some(row) = schema::kind(kind.group, kind.version, kind.kind) {
            complete(&mut object, row.ty);
        }
        object
    }

    fn is_typed(&self) -> bool {
        true
    }

    fn decode_error(&self, object: &Node<'_>, kind: GroupVersionKind<'_>) -> Option<String> {
        unstructured_error(object, kind)
    }
}

/// Why an object that fits the schema of a built-in kind cannot be decoded into its Go type.
#[must_use]
pub fn unstructured_error(object: &Node<'_>, kind: GroupVersionKind<'_>) -> Option<String> {
    let row = schema::kind(kind.group, kind.version, kind.kind)?;
    let reason = conversion_error(object, row.ty)?;
    Some(format!("unable to convert unstructured object to {kind}: {reason}"))
}

/// The version and kind of an object, without anything else.
pub(crate) fn type_meta(kind: GroupVersionKind<'_>) -> Node<'static> {
    Node::map([
        ("apiVersion", Node::string(api_version(kind))),
        ("kind", Node::string(String::from(kind.kind))),
    ])
}

/// A custom kind with one version, or with versions that differ in nothing but their names.
pub struct CustomKind<'a> {
    /// The versions, each with its schema.
    pub versions: &'a [(&'a str, TypeRef<'a>)],
    /// Conversion between them.
    pub convert: &'a ConvertObject<'a>,
}

impl Converter for CustomKind<'_> {
    fn type_of(&self, api_version: &str) -> Option<TypeRef<'_>> {
        let version = self.versions.iter().find(|version| version.0 == api_version);
        version.map(|version| version.1)
    }

    fn convert(&self, object: &Node<'_>, api_version: &str) -> Result<Node<'static>, String> {
        (self.convert)(object, api_version)
    }

    fn new_object(&self, kind: GroupVersionKind<'_>) -> Node<'static> {
        type_meta(kind)
    }
}

/// Conversion of a kind whose versions have the same fields: the version is all that changes.
pub fn rename_version(object: &Node<'_>, api_version: &str) -> Result<Node<'static>, String> {
    let mut object = crate::value::owned(object);
    object.set("apiVersion", Node::string(String::from(api_version)));
    Ok(object)
}
