//! A small kubelet for tests, with real TLS and any certificate, real logs, real processes and real sockets.
//!
//! ```
//! use kubelet_peer::authority::Authority;
//! use kubelet_peer::{Kubelet, Options};
//!
//! let authority = Authority::new("kubelet-ca");
//! let kubelet = Kubelet::start_with_runtime(Options::new(authority.kubelet("node-a"))).unwrap();
//! assert!(kubelet.address().ip().is_loopback() && kubelet.address().port() != 0);
//! ```

pub mod authority;

mod connection;
mod container;
mod exec;
mod forward;
mod identity;
mod kubelet;
mod log;
mod logs;
mod outcome;
mod pages;
mod process;
mod query;
mod respond;
mod routes;
mod running;
mod spdy;
mod state;
mod streams;
mod tls;
mod websocket;

pub use container::Container;
pub use identity::Identity;
pub use kubelet::{Kubelet, Options};
pub use log::{Log, Source};
pub use respond::Answer;
pub use state::RecordedRequest;
