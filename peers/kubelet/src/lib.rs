//! A small kubelet for tests: real TLS with any certificate, real logs, real processes, real sockets.

pub mod authority;

mod connection;
mod container;
mod exec;
mod forward;
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
mod shown;
mod spdy;
mod state;
mod streams;
mod tls;
mod websocket;

pub use container::Container;
pub use kubelet::{Kubelet, Options};
pub use log::{Log, Source};
pub use respond::Answer;
pub use shown::Shown;
pub use state::Seen;
