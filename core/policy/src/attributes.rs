//! Admission attributes of an attempt, as policies see them.

use ratchet_access::User;
use ratchet_object::{GroupVersionKind, GroupVersionResource, Node, Operation};

/// The attributes of an admission request (`admission.Attributes`).
#[derive(Clone, Copy, Debug)]
pub struct Attributes<'a> {
    /// Create, update, delete or connect.
    pub operation: Operation,
    /// The kind of the object in the request: for subresources their own kind (`Scale`, `Binding`, `PodExecOptions`).
    pub kind: GroupVersionKind<'a>,
    /// The resource of the URL.
    pub resource: GroupVersionResource<'a>,
    /// The subresource in the URL: `status`, `scale`, `exec`; empty for the object itself.
    pub subresource: &'a str,
    /// The object's name; empty if it is yet to be generated.
    pub name: &'a str,
    /// The object's namespace; empty for cluster-scoped objects, namespaces included: that a namespace counts as being
    /// in itself is handled here.
    pub namespace: &'a str,
    /// The object as it would be stored: with defaults, `apiVersion` and `kind`. None for deletions.
    pub object: Option<&'a Node<'a>>,
    /// The stored object, with `apiVersion` and `kind`. None for creations and connections.
    pub old: Option<&'a Node<'a>>,
    /// The options of the request (`CreateOptions` and so on), with `apiVersion` and `kind`.
    pub options: Option<&'a Node<'a>>,
    /// The user of the request.
    pub user: &'a User,
    /// Whether nothing is stored, whatever the result.
    pub dry_run: bool,
}

impl<'a> Attributes<'a> {
    /// The namespace for matching and in reviews: a namespace is in itself.
    pub fn effective_namespace(&self) -> &'a str {
        let is_namespace = (self.resource.group, self.resource.resource) == ("", "namespaces");
        if is_namespace && self.namespace.is_empty() {
            self.name_of_object()
        } else {
            self.namespace
        }
    }

    fn name_of_object(&self) -> &'a str {
        if !self.name.is_empty() {
            return self.name;
        }
        self.object.map_or("", |object| object.metadata().name())
    }
}
