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

/// The converter of definitions whose webhook cannot be called: objects are served in the version in which they are
/// stored, and in no other.
#[derive(Debug)]
pub(super) struct Unavailable;

impl Converter for Unavailable {
    fn convert<'a>(&'a self, objects: Vec<Node<'static>>, _: &'a str) -> Conversion<'a> {
        let object = objects.first();
        let text = |name| object.map_or("", |object| object.text_at(&[name]));
        let (version, kind) = (text("apiVersion"), text("kind"));
        let why =
            format!("conversion webhook for {version}, Kind={kind} failed: it cannot be called");
        Box::pin(std::future::ready(Err(StatusError::unclassified(why))))
    }
}
