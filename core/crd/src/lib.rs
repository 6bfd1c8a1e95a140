//! CustomResourceDefinitions and the objects that they define, as pure functions.
#![no_std]
extern crate alloc;

mod errors;
mod formats;
mod names;
mod path;
mod rules;
pub mod schema;
pub mod structural;
#[cfg(test)]
mod testing;
mod value;

pub use rules::Environments;
