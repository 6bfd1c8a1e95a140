//! Resources of documents, with the schemas of those that are defined at run time.

use alloc::string::String;
use ratchet_object::Node;

use crate::resources::Resource;

/// A resource as documents publish it.
#[derive(Clone, Copy, Debug)]
pub struct Published<'r, 'k> {
    /// The row that paths and operations are made from.
    pub resource: &'r Resource<'k>,
    /// The schemas of its objects, if it is defined at run time; built-in ones are known.
    pub schemas: Option<&'r CustomSchemas>,
}

/// The schemas of a resource that is defined at run time.
#[derive(Clone, Debug)]
pub struct CustomSchemas {
    /// The schema of objects.
    pub object: Node<'static>,
    /// The id of the schema of lists.
    pub list_id: String,
    /// The schema of lists.
    pub list: Node<'static>,
}

impl<'r, 'k> Published<'r, 'k> {
    /// A resource that is built in.
    pub fn built_in(resource: &'r Resource<'k>) -> Self {
        Self { resource, schemas: None }
    }
}
