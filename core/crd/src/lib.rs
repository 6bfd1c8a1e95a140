//! CustomResourceDefinitions and the objects that they define, as pure functions.
#![no_std]
extern crate alloc;

pub mod definition;
mod errors;
mod formats;
mod json_path;
mod names;
mod path;
mod resource;
mod rules;
pub mod schema;
pub mod structural;
#[cfg(test)]
mod testing;
mod validation;
mod value;

pub use json_path::{Found, JsonPath};
pub use resource::{ConvertError, CustomResource, ScaleError, Strategy, TableColumn};
pub use rules::Environments;
pub use validation::validate as validate_definition;
