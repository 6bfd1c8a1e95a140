//! Access to a live cluster through its kubeconfig, or through the service account of a pod.
//!
//! [`Cluster`] gets, creates and replaces objects, [`Pages`] lists them, and a [`Reflector`] follows them: it lists, watches,
//! resumes, and lists again when the server has forgotten where it was.
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
mod reflector;
mod watch;
mod way;

pub use client::{Answer, Cluster};
pub use download::Download;
pub use error::ClusterError;
pub use pages::{Page, Pages};
pub use reflector::{Reflector, ReflectorEvent};
pub use way::ConfigFlags;
