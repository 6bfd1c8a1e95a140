//! Access: a user and the target of a request enter; the decision of the authorization modes leaves.
//!
//! The stored objects that authentication needs are here too.

pub(crate) mod authorize;
pub(crate) mod node_relations;
pub(crate) mod token_getter;
