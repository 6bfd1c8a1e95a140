//! `Converter`: what converts objects between the versions of a definition, where a webhook is needed.

use crate::status::StatusError;
use ratchet_object::Node;
use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

/// Objects that are being converted.
pub(crate) type Conversion<'a> =
    Pin<Box<dyn Future<Output = Result<Vec<Node<'static>>, StatusError>> + Send + 'a>>;

/// Converts objects to a version of their definition.
pub(crate) trait Converter: Debug + Send + Sync {
    /// The objects in the version, in the same order. Each has its `apiVersion` and `kind`.
    fn convert<'a>(&'a self, objects: Vec<Node<'static>>, api_version: &'a str) -> Conversion<'a>;
}
