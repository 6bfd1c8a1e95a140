//! What admission does with objects of a resource: conversion from its other versions, decoding of what was patched.

use super::ServedResource;
use crate::storage::convert;
use ratchet_object::{GroupVersionKind, Node};
use ratchet_policy::{decode_built_in, with_type};

impl ServedResource {
    /// An object of any of its versions in this one; none if it cannot be converted without a webhook.
    pub(crate) fn converted(&self, object: &Node<'_>) -> Option<Node<'static>> {
        let mut node = object.clone().into_owned();
        if let Some(defined) = self.defined() {
            let (resource, version) = (defined.definition.compiled(), self.row().version);
            resource.set_version(&mut node, version);
            return resource.finish_conversion(&mut node, version).ok().map(|()| node);
        }
        let (version, name) =
            (object.text_at(&["apiVersion"]).to_owned(), object.text_at(&["kind"]).to_owned());
        convert::to_stored(&mut node, &version, &name);
        self.convert_stored(&mut node);
        node.set("apiVersion", Node::string(self.api_version()));
        node.set("kind", Node::string(self.row().kind.to_owned()));
        self.canonicalize(&mut node);
        Some(node)
    }

    /// Decodes what a policy or a webhook made of one of its objects; the error is that of the decoder. Unknown fields
    /// are dropped, or errors if it is `strict`.
    pub(crate) fn decode_patched(
        &self,
        object: Node<'static>,
        kind: &GroupVersionKind<'_>,
        strict: bool,
    ) -> Result<Node<'static>, String> {
        if self.defined().is_none() {
            return decode_built_in(object, kind, strict);
        }
        let mut object = with_type(object, kind)?;
        // A map has no type that fields could be unknown to: what the schema does not know goes.
        let report = self.object_type.decode(&mut object, &[]);
        match report.mismatches.into_iter().next() {
            Some(mismatch) => Err(mismatch.message),
            None => Ok(object),
        }
    }
}
