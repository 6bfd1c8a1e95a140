//! `Change`, a proposed write: the new object and, on update, the stored one that it replaces.

use alloc::vec::Vec;
use ratchet_object::{At, Kind, Object};

/// A proposed write to an object, or to one of its subresources.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The kind of the object.
    pub kind: Kind<'a>,
    /// The object itself or a subresource of it.
    pub part: Part,
    /// Create or update, with the objects.
    pub step: Step<'a>,
}

/// The operation and its objects; an update without an old object cannot be expressed.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// No object is stored yet.
    Create {
        /// The proposed object.
        new: &'a Object<'a>,
    },
    /// `old` is stored; `new` would replace it.
    Update {
        /// The stored object.
        old: &'a Object<'a>,
        /// The proposed object.
        new: &'a Object<'a>,
    },
}

/// The object itself, or the subresource through which it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The object.
    Main,
    /// A subresource, by its name in the URL: `status`, `scale`, `ephemeralcontainers`.
    Sub(&'static str),
}

impl Part {
    /// The status subresource.
    pub const STATUS: Self = Self::Sub("status");
}

impl<'a> Change<'a> {
    /// A create of `new`; `None` if its kind is not built in.
    pub fn create(new: &'a Object<'a>) -> Option<Self> {
        Some(Self { kind: new.kind()?, part: Part::Main, step: Step::Create { new } })
    }

    /// An update of `old` to `new`; `None` if the kind is not built in.
    pub fn update(old: &'a Object<'a>, new: &'a Object<'a>) -> Option<Self> {
        Some(Self { kind: new.kind()?, part: Part::Main, step: Step::Update { old, new } })
    }

    /// The same change through a subresource.
    #[must_use]
    pub fn through(self, part: Part) -> Self {
        Self { part, ..self }
    }

    /// The proposed object.
    pub fn new_object(&self) -> &'a Object<'a> {
        match self.step {
            Step::Create { new } | Step::Update { new, .. } => new,
        }
    }

    /// The stored object, if there is one.
    pub fn old_object(&self) -> Option<&'a Object<'a>> {
        match self.step {
            Step::Create { .. } => None,
            Step::Update { old, .. } => Some(old),
        }
    }

    /// The root of the proposed object.
    pub fn new_root(&self) -> At<'a> {
        self.new_object().root()
    }

    /// The root of the stored object, if there is one.
    pub fn old_root(&self) -> Option<At<'a>> {
        self.old_object().map(Object::root)
    }

    /// Whether this is a create.
    pub fn is_create(&self) -> bool {
        matches!(self.step, Step::Create { .. })
    }
}

/// Sorted values of the stored object. This is the ratchet: a tightened rule accepts them.
#[derive(Clone, Debug, Default)]
pub struct StoredValues<'a>(Vec<&'a str>);

impl<'a> StoredValues<'a> {
    /// No stored values.
    pub const NOTHING: Self = Self(Vec::new());

    /// Whether `text` is stored, at any position, byte for byte.
    pub fn holds(&self, text: &str) -> bool {
        self.0.binary_search(&text).is_ok()
    }
}

impl<'a> FromIterator<&'a str> for StoredValues<'a> {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut sorted: Vec<&'a str> = texts.into_iter().collect();
        sorted.sort_unstable();
        Self(sorted)
    }
}
