//! The kubelet on the wire, with the clients that servers and kubectl are.

mod client;
mod exec;
mod forward;
mod logs;
mod pages;
mod tls;
