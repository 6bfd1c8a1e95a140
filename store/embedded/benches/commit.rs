//! Benchmarks of durable commits, alone and concurrent, and of a list of ten thousand records.
#![allow(clippy::unwrap_used, missing_docs, reason = "a measurement stops by panicking")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ratchet_embedded::{Embedded, Options};
use ratchet_store::{Guard, Query, Store, Write};
use tempfile::TempDir;
use tokio::runtime::Runtime;

const RECORDS: u64 = 10_000;

fn store(dir: &TempDir) -> Arc<Embedded> {
    Arc::new(Embedded::open(dir.path(), Options::default()).unwrap())
}

/// A number of 2 kB commits by concurrent writers.
async fn crowd(store: &Arc<Embedded>, writers: u64, commits: u64) -> Duration {
    let begin = Instant::now();
    let tasks: Vec<_> = (0..writers)
        .map(|writer| {
            let store = Arc::clone(store);
            tokio::spawn(async move {
                for round in 0..commits.div_ceil(writers) {
                    let key = format!("/k/{writer}/{}", round % 300);
                    let write = Write::put(&key, Guard::Anything, vec![7; 2048]);
                    store.commit(vec![write]).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let took = begin.elapsed();
    store.compact(store.latest().await.unwrap()).await.unwrap();
    took
}

fn commits(bench: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let mut group = bench.benchmark_group("commit");
    group.sample_size(10).throughput(Throughput::Elements(1));
    for writers in [1, 64] {
        let dir = tempfile::tempdir().unwrap();
        let store = store(&dir);
        group.bench_function(format!("{writers} writers"), |bench| {
            bench.iter_custom(|commits| runtime.block_on(crowd(&store, writers, commits)));
        });
    }
    group.finish();
}

fn lists(bench: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let embedded = store(&dir);
    runtime.block_on(crowd(&embedded, 1, 1));
    let many = |from| {
        let keys = (from..from + 500).map(|number: u64| format!("/list/{number:05}"));
        keys.map(|key| Write::put(&key, Guard::Anything, vec![7; 2048])).collect()
    };
    for from in (0..RECORDS).step_by(500) {
        runtime.block_on(embedded.commit(many(from))).unwrap();
    }
    let mut group = bench.benchmark_group("list");
    group.sample_size(10).throughput(Throughput::Elements(RECORDS));
    group.bench_function("10k now", |bench| {
        bench.iter(|| runtime.block_on(embedded.list(Query::under("/list/"))).unwrap());
    });
    let past =
        Query { at: Some(runtime.block_on(embedded.latest()).unwrap()), ..Query::under("/list/") };
    runtime.block_on(embedded.commit(many(0))).unwrap();
    group.bench_function("10k as they were", |bench| {
        bench.iter(|| runtime.block_on(embedded.list(past.clone())).unwrap());
    });
    drop(embedded);
    group.bench_function("open", |bench| bench.iter(|| store(&dir)));
    group.finish();
}

criterion_group!(benches, commits, lists);
criterion_main!(benches);
