//! Tests of the binary in place of envtest's kube-apiserver and etcd: its exact command lines, probes and signals.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::expect_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

mod client;
mod control_plane;
mod folder;
mod go;
mod many;
mod memory;
mod replay;
mod tiny_ca;
