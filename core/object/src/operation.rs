//! `Operation`: what a request does to an object, as admission names it.

/// An operation of admission (`admission.Operation`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Creation of an object, or a post to a subresource that is never stored.
    Create,
    /// An update or a patch.
    Update,
    /// A deletion.
    Delete,
    /// A connection to a subresource such as `exec`.
    Connect,
}

impl Operation {
    /// The name in rules, reviews, messages and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        }
    }
}
