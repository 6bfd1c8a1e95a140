//! What a certificate says of itself: whose it is, for whom it speaks, until when, and whether it bears a node's name.
#![no_std]

extern crate alloc;

mod facts;
mod name;
mod shape;
mod subject;
mod text;

pub use facts::{Facts, Key, Unreadable, Usage};
pub use name::{NameFault, NodeName, Presented};
pub use shape::{SHAPES, Shape};
