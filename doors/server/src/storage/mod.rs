//! Storage: objects of the storage version enter the store in commits; they leave through the watch cache, converted to
//! the version of a request.

pub(crate) mod cache;
pub(crate) mod convert;
pub(crate) mod health;
pub(crate) mod held_revisions;
pub(crate) mod parts;
