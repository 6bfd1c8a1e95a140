//! What a certificate says of itself: whose it is, for whom it speaks, until when, and whether it bears a node's name.
#![no_std]

extern crate alloc;

mod facts;
mod name;
mod subject;

pub use name::{NameFault, NodeName, Presented};
