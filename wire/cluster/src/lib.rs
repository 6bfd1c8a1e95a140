//! Access to a live cluster through its kubeconfig.

mod client;
mod error;
mod pages;
mod way;

pub use client::{Answer, Cluster};
pub use error::ClusterError;
pub use pages::{Page, Pages};
pub use way::ConfigFlags;
