//! One decoded object, and what every object says about itself.

use crate::{At, Kind, Node, kinds};

/// An object as it arrived. Unknown fields survive.
#[derive(Clone, Debug, PartialEq)]
pub struct Object<'t>(Node<'t>);

impl<'t> Object<'t> {
    /// Takes a decoded tree for an object.
    pub fn new(node: Node<'t>) -> Self {
        Self(node)
    }

    /// The tree.
    pub fn node(&self) -> &Node<'t> {
        &self.0
    }

    /// The tree itself, for those who change it.
    pub fn into_node(self) -> Node<'t> {
        self.0
    }

    /// The root, from which places are named.
    pub fn root(&self) -> At<'_> {
        At::root(&self.0)
    }

    /// `apiVersion`.
    pub fn api_version(&self) -> &str {
        self.word("apiVersion")
    }

    /// `kind`.
    pub fn kind_name(&self) -> &str {
        self.word("kind")
    }

    /// The row of the kind, if it is built in.
    pub fn kind(&self) -> Option<Kind<'static>> {
        kinds::find(self.api_version(), self.kind_name())
    }

    /// `metadata.name`.
    pub fn name(&self) -> &str {
        self.metadata("name")
    }

    /// `metadata.namespace`.
    pub fn namespace(&self) -> &str {
        self.metadata("namespace")
    }

    fn word(&self, name: &str) -> &str {
        self.0.get(name).and_then(Node::text).unwrap_or_default()
    }

    fn metadata(&self, name: &str) -> &str {
        let value = self.0.get("metadata").and_then(|metadata| metadata.get(name));
        value.and_then(Node::text).unwrap_or_default()
    }
}
