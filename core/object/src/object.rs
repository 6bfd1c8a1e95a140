//! One decoded object and its type and object metadata.

use crate::{At, Entry, Kind, Node, Span, Value, kinds};

/// An object as it arrived, unknown fields included.
#[derive(Clone, Debug, PartialEq)]
pub struct Object<'t>(Node<'t>);

impl<'t> Object<'t> {
    /// Wraps a decoded tree.
    pub fn new(node: Node<'t>) -> Self {
        Self(node)
    }

    /// The underlying tree.
    pub fn node(&self) -> &Node<'t> {
        &self.0
    }

    /// The underlying tree by value, for callers that change it.
    pub fn into_node(self) -> Node<'t> {
        self.0
    }

    /// The root, from which rules walk to fields.
    pub fn root(&self) -> At<'_> {
        At::root(&self.0)
    }

    /// `apiVersion`.
    pub fn api_version(&self) -> &str {
        self.text_field("apiVersion")
    }

    /// `kind`.
    pub fn kind_name(&self) -> &str {
        self.text_field("kind")
    }

    /// The kind's row in the table of kinds, if it is built in.
    pub fn kind(&self) -> Option<Kind<'static>> {
        kinds::find(self.api_version(), self.kind_name())
    }

    /// `metadata.name`.
    pub fn name(&self) -> &str {
        self.0.metadata().name()
    }

    /// `metadata.namespace`.
    pub fn namespace(&self) -> &str {
        self.0.metadata().namespace()
    }

    /// The same object in `namespace`, unless it has a namespace already.
    #[must_use]
    pub fn in_namespace(mut self, namespace: &'t str) -> Self {
        if !self.namespace().is_empty() {
            return self;
        }
        let at = Span { start: self.0.span.start, end: self.0.span.start };
        let entry = |key: &'static str, value: Value<'t>| Entry {
            key: key.into(),
            key_span: at,
            node: Node { value, span: at },
        };
        let text = entry("namespace", Value::Text(namespace.into()));
        if let Value::Map(members) = &mut self.0.value {
            match members.iter_mut().find(|member| member.key == "metadata") {
                Some(Entry { node: Node { value: Value::Map(metadata), .. }, .. }) => {
                    metadata.retain(|member| member.key != "namespace");
                    metadata.push(text);
                }
                Some(_) => {}
                None => members.push(entry("metadata", Value::Map(alloc::vec![text]))),
            }
        }
        self
    }

    fn text_field(&self, name: &str) -> &str {
        self.0.get(name).and_then(Node::text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode};

    #[test]
    fn a_namespace_is_given_only_where_none_is_named() {
        let object = |text| Object::new(decode(text, Limits::DEFAULT).unwrap().documents.remove(0));
        for text in ["{kind: Pod}", "{metadata: {name: a}}", "{metadata: {namespace: null}}"] {
            assert_eq!(object(text).in_namespace("shop").namespace(), "shop", "{text}");
        }
        assert_eq!(object("{metadata: {namespace: x}}").in_namespace("shop").namespace(), "x");
    }
}
