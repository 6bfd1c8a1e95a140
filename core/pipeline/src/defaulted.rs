//! `Defaulted`: the second stage, an object with the defaults of its type.

use crate::gated_fields::drop_gated_fields;
use crate::object_type::ObjectType;
use crate::paired::Paired;
use core::ops::{Deref, DerefMut};
use ratchet_engine::{Gates, Part};
use ratchet_object::{Node, Object};

/// An object with its defaults. Mutating admission and strategies still change it.
#[derive(Clone, Debug)]
pub struct Defaulted<'t, 'k> {
    object_type: &'k dyn ObjectType,
    node: Node<'t>,
}

/// The tree, for those who read it or change it before it is judged.
impl<'t> Deref for Defaulted<'t, '_> {
    type Target = Node<'t>;

    fn deref(&self) -> &Node<'t> {
        &self.node
    }
}

impl<'t> DerefMut for Defaulted<'t, '_> {
    fn deref_mut(&mut self) -> &mut Node<'t> {
        &mut self.node
    }
}

impl<'t, 'k> Defaulted<'t, 'k> {
    /// Applies the defaults of a type to a tree whose fields are those of the type: one that was
    /// [accepted](crate::Decoded::accept), or an edit of a stored object.
    pub fn new(object_type: &'k dyn ObjectType, mut node: Node<'t>) -> Self {
        object_type.apply_defaults(&mut node);
        Self { object_type, node }
    }

    /// The same with the defaults of what admission and strategies have added to it.
    #[must_use]
    pub fn with_defaults_of_additions(self) -> Self {
        Self::new(self.object_type, self.node)
    }

    /// A stored object, in the version of the type. `None` if nothing here can convert it to that version.
    pub fn stored(object_type: &'k dyn ObjectType, mut node: Node<'t>) -> Option<Self> {
        object_type.decode_stored(&mut node).then_some(Self { object_type, node })
    }

    /// An object that a server has read from its store: it has its defaults, and the version of the request.
    pub fn read(object_type: &'k dyn ObjectType, node: Node<'t>) -> Self {
        Self { object_type, node }
    }

    /// Does what the schema prescribes for a write of the object itself: the status is not the client's.
    #[must_use]
    pub fn prepared(mut self, old: Option<&Self>) -> Self {
        match old {
            None => self.object_type.prepare_for_create(&mut self.node),
            Some(old) => {
                self.object_type.prepare_for_update(&mut self.node, &old.node, Part::Main);
            }
        }
        self
    }

    /// Drops the fields whose feature gates are off, unless the stored object has them.
    #[must_use]
    pub fn without_gated_fields(mut self, old: Option<&Self>, gates: &Gates) -> Self {
        if let Some(kind) = self.object_type.kind() {
            drop_gated_fields(&mut self.node, old.map(|old| &old.node), &kind, gates);
        }
        self
    }

    /// Pairs the object with the stored one that it replaces.
    pub fn pair(self, old: Option<Self>) -> Paired<'t, 'k> {
        self.pair_through(Part::Main, old)
    }

    /// The same through a subresource.
    pub fn pair_through(self, part: Part, old: Option<Self>) -> Paired<'t, 'k> {
        let old = old.map(|old| Object::new(old.node));
        Paired::new(self.object_type, part, Object::new(self.node), old)
    }
}
