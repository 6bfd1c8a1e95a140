//! What a certificate says of itself: whose it is, for whom it speaks, until when, and whether it bears a node's name.

mod facts;
mod name;

pub use name::{NameFault, NodeName};
