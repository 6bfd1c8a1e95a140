//! The API catalog: built-in resources, discovery and OpenAPI documents.
#![no_std]
extern crate alloc;

mod descriptions;
pub mod discovery;
mod json;
pub mod openapi;
mod resources;

pub use resources::{GroupVersionKind, RESOURCES, Resource, Subresource, lookup, of_kind};
