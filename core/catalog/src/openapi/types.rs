//! The definitions of an OpenAPI document: types as data, before they are written in one format or
//! another.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::resources::Gvk;

/// A text that is mostly static.
pub(crate) type Text = Cow<'static, str>;

/// A named schema.
pub(crate) struct Definition<'k> {
    /// What it looks like.
    pub(crate) body: Body,
    /// What it is for.
    pub(crate) description: Text,
    /// The kinds that look like this.
    pub(crate) kinds: Vec<Named<'k>>,
}

/// The full name of a kind; that of a list of a kind stands nowhere, so it may be owned.
pub(crate) struct Named<'k> {
    pub(crate) group: &'k str,
    pub(crate) version: &'k str,
    pub(crate) kind: Cow<'k, str>,
}

impl<'k> From<Gvk<'k>> for Named<'k> {
    fn from(gvk: Gvk<'k>) -> Self {
        Self { group: gvk.group, version: gvk.version, kind: Cow::Borrowed(gvk.kind) }
    }
}

/// What a definition looks like.
pub(crate) enum Body {
    /// An object with these fields.
    Object(Vec<Field>),
    /// An object with any fields, as far as this document knows.
    Open,
    /// One of the few types that are not plain objects.
    Leaf(&'static Leaf),
}

/// A field of an object.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) ty: Ty,
    pub(crate) description: Text,
    pub(crate) required: bool,
    /// How a strategic merge patch changes it: strategy and key, either may be empty.
    pub(crate) merge: Option<(&'static str, &'static str)>,
}

/// What a value looks like.
pub(crate) enum Ty {
    /// A type and a format of JSON schema; the format may be empty.
    Plain(&'static str, &'static str),
    /// What the definition with this id says.
    Ref(Cow<'static, str>),
    /// A list of such values.
    List(Box<Self>),
    /// An object with free keys and such values.
    Map(Box<Self>),
}

/// A type that is not a plain object, with its name and what it may be.
pub(crate) struct Leaf {
    pub(crate) id: &'static str,
    /// The type by which version 2 names it, empty for any.
    pub(crate) ty: &'static str,
    pub(crate) format: &'static str,
    /// The types one of which it must have, for version 3.
    pub(crate) one_of: &'static [&'static str],
}

impl Ty {
    /// A string.
    pub(crate) const STRING: Self = Self::Plain("string", "");

    /// A list of these.
    pub(crate) fn list(self) -> Self {
        Self::List(Box::new(self))
    }

    /// The definition it leads to, through lists and maps.
    pub(crate) fn leads_to(&self) -> Option<&str> {
        match self {
            Self::Plain(..) => None,
            Self::Ref(id) => Some(id),
            Self::List(inner) | Self::Map(inner) => inner.leads_to(),
        }
    }
}

/// The names of the fields that must be there.
pub(crate) fn required(fields: &[Field]) -> Vec<&'static str> {
    fields.iter().filter(|field| field.required).map(|field| field.name).collect()
}

/// Where definitions stand in a document, such as `#/definitions/`, followed by the id.
pub(crate) fn reference(place: &str, id: &str) -> String {
    let mut text = String::with_capacity(place.len() + id.len());
    text.push_str(place);
    text.push_str(id);
    text
}
