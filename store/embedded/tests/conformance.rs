//! The embedded store passes the conformance suite, on every kind of runtime.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper of a test may fail like a test"
)]

use std::sync::{Arc, Mutex};

use ratchet_embedded::{Embedded, Options};
use ratchet_store::{Store, conformance};
use tempfile::TempDir;

async fn run_suite(options: Options) {
    let dirs: Mutex<Vec<TempDir>> = Mutex::default();
    conformance::run_all(|| {
        let dir = tempfile::tempdir().unwrap();
        let store = Embedded::open(dir.path(), options.clone()).unwrap();
        dirs.lock().unwrap().push(dir);
        std::future::ready(Arc::new(store) as Arc<dyn Store>)
    })
    .await;
}

#[tokio::test]
async fn passes_on_one_thread() {
    run_suite(Options::default()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn passes_on_many_threads() {
    run_suite(Options::default()).await;
}

/// Watches then read everything from the file.
#[tokio::test]
async fn passes_without_memory() {
    run_suite(Options { cache: 64 << 10, recent: 0, ..Options::default() }).await;
}

/// Not durable, and the contract is kept all the same.
#[tokio::test]
async fn passes_without_flushes() {
    run_suite(Options { flush: false, ..Options::default() }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn passes_in_memory() {
    conformance::run_all(|| {
        let store = Embedded::in_memory(Options { cache: 1 << 20, ..Options::default() }).unwrap();
        std::future::ready(Arc::new(store) as Arc<dyn Store>)
    })
    .await;
}
