//! What must be known about the cluster to believe a token.

use ratchet_object::Node;

/// The kinds of objects with which a token lives and dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bindable {
    /// The service account that the token speaks for.
    ServiceAccount,
    /// A pod that runs as the service account.
    Pod,
    /// A secret.
    Secret,
    /// A node; it has no namespace.
    Node,
}

/// Answers about stored objects. They are asked for every token, so they should come from memory.
pub trait Cluster: Send + Sync {
    /// The uid of the object. None if it is not there, or if its deletion was asked for more than a
    /// minute ago.
    fn uid(&self, kind: Bindable, namespace: &str, name: &str) -> Option<String>;

    /// The secret, for bootstrap tokens and tokens that are kept in secrets; none if it is not
    /// there or being deleted.
    fn secret(&self, namespace: &str, name: &str) -> Option<Node<'static>>;

    /// The service account, for tokens that are kept in secrets; it may be on its way out.
    fn account(&self, namespace: &str, name: &str) -> Option<Node<'static>>;
}
