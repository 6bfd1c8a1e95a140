//! Access to a live cluster through its kubeconfig.
//!
//! ```
//! use ratchet_cluster::{Cluster, ConfigFlags};
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let flags = ConfigFlags { kubeconfig: Some("/no/such/file".into()), ..ConfigFlags::default() };
//! let Err(error) = Cluster::connect(&flags).await else { panic!("there is no such kubeconfig") };
//! assert!(error.to_string().contains("cannot read the kubeconfig /no/such/file"));
//! # });
//! ```

mod client;
mod download;
mod error;
mod pages;
mod way;

pub use client::{Answer, Cluster};
pub use download::Download;
pub use error::ClusterError;
pub use pages::{Page, Pages};
pub use way::ConfigFlags;
