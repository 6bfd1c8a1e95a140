//! The API catalog: built-in resources, discovery and OpenAPI documents.
//!
//! ```
//! use ratchet_catalog::{discovery, lookup};
//!
//! let pods = lookup("", "v1", "pods").unwrap();
//! assert_eq!((pods.kind, pods.namespaced), ("Pod", true));
//! assert!(pods.allows("watch") && pods.subresource("log").is_some());
//! let document = discovery::api_resource_list(&[pods], "", "v1").unwrap();
//! assert!(document.contains(r#""name":"pods/log""#));
//! ```
#![no_std]
extern crate alloc;

mod descriptions;
pub mod discovery;
mod json;
pub mod openapi;
mod resources;

pub use resources::{
    CUSTOM_VERBS, GroupVersionKind, Names, PRERELEASES, Prerelease, RESOURCES, Resource, SCALE,
    STATUS, Servable, Subresource, TERMINATING_VERBS, lookup, of_kind, servable,
};
