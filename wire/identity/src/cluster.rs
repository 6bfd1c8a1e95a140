//! Cluster objects that token validation depends on.

use ratchet_object::Node;

/// The kinds of objects that a token can be bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bindable {
    /// The service account of the token.
    ServiceAccount,
    /// A pod that runs as the service account.
    Pod,
    /// A secret.
    Secret,
    /// A node; it has no namespace.
    Node,
}

/// Access to stored objects. It is used for every token, so it should be served from memory.
pub trait Cluster: Send + Sync {
    /// The uid of the object. `None` if it does not exist, or if its deletion was requested more
    /// than a minute ago.
    fn uid(&self, kind: Bindable, namespace: &str, name: &str) -> Option<String>;

    /// The secret, for bootstrap tokens and tokens stored in secrets; `None` if it does not exist
    /// or is being deleted.
    fn secret(&self, namespace: &str, name: &str) -> Option<Node<'static>>;

    /// The service account, for tokens stored in secrets; it may be being deleted.
    fn account(&self, namespace: &str, name: &str) -> Option<Node<'static>>;
}
