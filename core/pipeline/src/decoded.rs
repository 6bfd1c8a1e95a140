//! `Decoded`: the first stage, an object whose fields were compared with those of its type.

use crate::defaulted::Defaulted;
use crate::fields::{FieldReport, FieldValidation, InvalidFields};
use crate::object_type::ObjectType;
use crate::strict::StrictErrors;
use crate::type_meta::{self, TypeMetaError};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Node, Object, Repeated};

/// An object as the decoder of its type left it: without unknown fields, which its report names.
#[derive(Debug)]
pub struct Decoded<'t, 'k> {
    object_type: &'k dyn ObjectType,
    object: Object<'t>,
    fields: FieldReport,
}

impl<'t, 'k> Decoded<'t, 'k> {
    /// Compares a tree with its type; `repeated` are the duplicate keys that the parser found in it.
    pub fn new(object_type: &'k dyn ObjectType, node: Node<'t>, repeated: &[Repeated]) -> Self {
        let mut node = node;
        let fields = object_type.decode(&mut node, repeated);
        Self { object_type, object: Object::new(node), fields }
    }

    /// The same for a tree that was sent to an endpoint, which knows the type: the tree need not state it, but may not
    /// state another one that nothing converts. A tree of another type without a Go type stays as it was sent.
    pub fn sent(
        object_type: &'k dyn ObjectType,
        mut node: Node<'t>,
        repeated: &[Repeated],
    ) -> Result<Self, TypeMetaError> {
        type_meta::check_texts(&node)?;
        if object_type.check_type_meta(&mut node)? {
            return Ok(Self::new(object_type, node, repeated));
        }
        Ok(Self { object_type, object: Object::new(node), fields: FieldReport::default() })
    }

    /// The same for an object that a configuration was applied to. The field manager has compared the configuration with
    /// the schema and refused what it does not know, so only the text of the configuration is left to complain about.
    pub fn applied(object_type: &'k dyn ObjectType, mut node: Node<'t>) -> Self {
        object_type.decode_applied(&mut node);
        Self { object_type, object: Object::new(node), fields: FieldReport::default() }
    }

    /// The same for a tree from a file, whose findings need positions.
    pub fn located(object_type: &'k dyn ObjectType, node: Node<'t>, repeated: &[Repeated]) -> Self {
        // Where a type names fields by their paths, only the tree before pruning says where they are.
        let before = (!object_type.reports_positions()).then(|| node.clone());
        let mut decoded = Self::new(object_type, node, repeated);
        if let Some(before) = before {
            decoded.fields.locate(&before);
        }
        decoded
    }

    /// The same object with what is wrong with the text that it was made from.
    #[must_use]
    pub fn with_strict_errors(mut self, errors: StrictErrors) -> Self {
        self.fields.strict = errors;
        self
    }

    /// The unknown, duplicate and mistyped fields.
    pub fn fields(&self) -> &FieldReport {
        &self.fields
    }

    /// The object so far.
    pub fn object(&self) -> &Object<'t> {
        &self.object
    }

    /// The same object in a namespace, unless it has one already.
    #[must_use]
    pub fn in_namespace(mut self, namespace: &'t str) -> Self {
        self.object = self.object.in_namespace(namespace);
        self
    }

    /// Applies the defaults; gives the object back if a value has the wrong type, for nothing can be said of it then.
    /// Unknown and duplicate fields do not stop a door that reports everything at once.
    pub fn with_defaults(self) -> Result<Defaulted<'t, 'k>, Box<Self>> {
        if !self.fields.mismatches.is_empty() {
            return Err(Box::new(self));
        }
        Ok(Defaulted::new(self.object_type, self.object.into_node()))
    }

    /// The tree and the warnings about its fields, for a door that stops at the first refusal.
    pub fn accept(
        self,
        validation: FieldValidation,
    ) -> Result<(Node<'t>, Vec<String>), InvalidFields> {
        let warnings = self.fields.accept(validation)?;
        Ok((self.object.into_node(), warnings))
    }
}
