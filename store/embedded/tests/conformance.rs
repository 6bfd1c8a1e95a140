//! The embedded store sits the exam of all stores, on every kind of runtime.
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

async fn sit(options: Options) {
    let rooms: Mutex<Vec<TempDir>> = Mutex::default();
    conformance::sit(|| {
        let room = tempfile::tempdir().unwrap();
        let store = Embedded::open(room.path(), options.clone()).unwrap();
        rooms.lock().unwrap().push(room);
        std::future::ready(Arc::new(store) as Arc<dyn Store>)
    })
    .await;
}

#[tokio::test]
async fn passes_on_one_thread() {
    sit(Options::default()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn passes_on_many_threads() {
    sit(Options::default()).await;
}

/// Watches then read everything from the file.
#[tokio::test]
async fn passes_without_memory() {
    sit(Options { cache: 64 << 10, recent: 0, ..Options::default() }).await;
}
