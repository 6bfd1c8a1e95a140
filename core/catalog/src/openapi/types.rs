//! Definitions of an OpenAPI document as data, before they are written in one format or another.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::resources::GroupVersionKind;
use ratchet_object::Node;

/// The strategic merge patch rules of fields: from the id of a type and the name of a field to
/// strategy and merge key, either of which may be empty.
pub type MergeRules<'m> = &'m dyn Fn(&str, &str) -> Option<(&'static str, &'static str)>;

/// A string that is mostly static.
pub(crate) type Text = Cow<'static, str>;

/// A named schema.
pub(crate) struct Definition<'k> {
    /// The structure of the type.
    pub(crate) body: Body<'k>,
    pub(crate) description: Text,
    /// The kinds with this schema.
    pub(crate) kinds: Vec<OwnedKind<'k>>,
}

/// Group, version and kind; that of a list is not in any table, so it may be owned.
pub(crate) struct OwnedKind<'k> {
    pub(crate) group: &'k str,
    pub(crate) version: &'k str,
    pub(crate) kind: Cow<'k, str>,
}

impl<'k> From<GroupVersionKind<'k>> for OwnedKind<'k> {
    fn from(gvk: GroupVersionKind<'k>) -> Self {
        Self { group: gvk.group, version: gvk.version, kind: Cow::Borrowed(gvk.kind) }
    }
}

/// The structure of a definition.
pub(crate) enum Body<'k> {
    /// An object with these fields.
    Object(Vec<Field>),
    /// An object with unknown fields.
    Open,
    /// One of the few types that are not plain objects.
    Leaf(&'static Leaf),
    /// A whole schema, with its description and its kind.
    Schema(&'k Node<'static>),
}

/// A field of an object.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) ty: Ty,
    pub(crate) description: Text,
    pub(crate) required: bool,
    /// The strategic merge patch rule: strategy and key, either may be empty.
    pub(crate) merge: Option<(&'static str, &'static str)>,
}

/// The type of a value.
pub(crate) enum Ty {
    /// A type and a format of JSON schema; the format may be empty.
    Plain(&'static str, &'static str),
    /// A reference to the definition with this id.
    Ref(Cow<'static, str>),
    /// A list of such values.
    List(Box<Self>),
    /// An object with free keys and such values.
    Map(Box<Self>),
}

/// A type that is not a plain object.
pub(crate) struct Leaf {
    pub(crate) id: &'static str,
    /// The type in version 2, empty for any.
    pub(crate) ty: &'static str,
    pub(crate) format: &'static str,
    /// The alternative types in version 3.
    pub(crate) one_of: &'static [&'static str],
}

impl Ty {
    /// A string.
    pub(crate) const STRING: Self = Self::Plain("string", "");

    /// A list of these.
    pub(crate) fn list(self) -> Self {
        Self::List(Box::new(self))
    }

    /// The definition it refers to, through lists and maps.
    pub(crate) fn referenced_id(&self) -> Option<&str> {
        match self {
            Self::Plain(..) => None,
            Self::Ref(id) => Some(id),
            Self::List(inner) | Self::Map(inner) => inner.referenced_id(),
        }
    }
}

/// The names of the required fields.
pub(crate) fn required(fields: &[Field]) -> Vec<&'static str> {
    fields.iter().filter(|field| field.required).map(|field| field.name).collect()
}

/// A reference to a definition: the prefix, such as `#/definitions/`, and the id.
pub(crate) fn reference(prefix: &str, id: &str) -> String {
    let mut text = String::with_capacity(prefix.len() + id.len());
    text.push_str(prefix);
    text.push_str(id);
    text
}
