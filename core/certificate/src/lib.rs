//! What a certificate says of itself: whose it is, for whom it speaks, until when, and whether it bears a node's name.

mod facts;
mod name;
mod shape;
mod text;

pub use facts::{Facts, Key, Unreadable, Usage};
pub use name::{NameFault, NodeName};
pub use shape::{SHAPES, Shape};
