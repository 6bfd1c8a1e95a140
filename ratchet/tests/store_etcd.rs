//! Tests of `ratchet store copy` between data directories and real etcd.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

use etcd_peer::{Cluster, required_programs};
use ratchet_embedded::{Embedded, Options};
use ratchet_etcd::{EtcdConfig, EtcdStore};
use ratchet_store::copy::MARKER;
use ratchet_store::{Guard, Operation, Query, Store, Write};
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

const BINARY: &str = env!("CARGO_BIN_EXE_ratchet");
const RECORDS: usize = 4000;

fn copy(from: &str, to: &str) -> Output {
    command(from, to).output().unwrap()
}

fn command(from: &str, to: &str) -> Command {
    let mut command = Command::new(BINARY);
    command.args(["store", "copy", "--from", from, "--to", to]);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

async fn content(store: &dyn Store) -> Vec<(String, Vec<u8>)> {
    let records = store.list(Query::default()).await.unwrap().records;
    records.into_iter().map(|record| (record.key.to_string(), record.value.to_vec())).collect()
}

fn open(data: &Path) -> Embedded {
    Embedded::open(&data.join("store"), Options::default()).unwrap()
}

/// A store of objects of many sizes, and one that expires.
async fn fill(data: &Path) -> Vec<(String, Vec<u8>)> {
    let store = open(data);
    let numbers: Vec<usize> = (0..RECORDS).collect();
    for chunk in numbers.chunks(500) {
        let write = |number: &usize| {
            let value = vec![b'v'; number * 17 % 3000];
            Write::put(&format!("/registry/pods/default/{number:05}"), Guard::Anything, value)
        };
        store.commit(chunk.iter().map(write).collect()).await.unwrap();
    }
    let large = Write::put("/registry/secrets/a/large", Guard::Absent, vec![b'l'; 1_200_000]);
    let act = Operation::Put { value: "e".into(), lives: Some(Duration::from_secs(3600)) };
    let event = Write { key: "/registry/events/a/e".into(), guard: Guard::Absent, act };
    store.commit(vec![large, event]).await.unwrap();
    content(&store).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs RATCHET_ETCD"]
async fn everything_moves_to_etcd_and_back() {
    for program in required_programs() {
        let folder = tempfile::tempdir().unwrap();
        let (data, back) = (folder.path().join("data"), folder.path().join("back"));
        let wanted = fill(&data).await;
        let cluster = Cluster::start(&program, 3, &[]);
        let members: Vec<String> =
            cluster.urls().iter().map(|url| url.replace("http://", "")).collect();
        let etcd = format!("etcd://{}", members.join(","));
        let data = data.to_str().unwrap();

        // Killed again and again, it goes on.
        let store = EtcdStore::connect(EtcdConfig::new(cluster.urls())).await.unwrap();
        for _ in 0..3 {
            let mut child = command(data, &etcd).spawn().unwrap();
            while child.try_wait().unwrap().is_none() && store.get(MARKER).await.unwrap().is_none()
            {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
            child.kill().unwrap();
            child.wait().unwrap();
            let there = content(&store).await;
            let is_marked = there.iter().any(|(key, _)| key == MARKER);
            assert!(is_marked || there == wanted, "{} records", there.len());
        }
        if content(&store).await != wanted {
            let output = copy(data, &etcd);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            let message = text(&output.stdout);
            assert!(
                message.contains(&format!("{} records of revision 9, ", RECORDS + 2)),
                "{message}"
            );
        }
        assert_eq!(content(&store).await, wanted);
        let expiring = store.expiring().await.unwrap().keys;
        assert_eq!(expiring.len(), 1);
        let left = expiring[0].1.as_secs();
        assert!((3000..4000).contains(&left), "{left} seconds are left");

        let again = copy(data, &etcd);
        assert_eq!(again.status.code(), Some(2));
        let line = text(&again.stderr);
        assert!(line.contains(&format!("it has {} records", RECORDS + 2)), "{line}");

        let output = copy(&etcd, back.to_str().unwrap());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let returned = open(&back);
        assert_eq!(content(&returned).await, wanted);
        assert_eq!(returned.expiring().await.unwrap().keys.len(), 1);
    }
}

#[tokio::test]
#[ignore = "needs RATCHET_ETCD"]
async fn prefixes_are_apart_and_an_absent_etcd_is_told() {
    let program = required_programs().remove(0);
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let wanted = fill(&data).await;
    let cluster = Cluster::start(&program, 1, &[]);
    let url = cluster.urls().remove(0);
    let output = command(data.to_str().unwrap(), &url)
        .args(["--etcd-prefix", "/clusters/one"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let usual = EtcdStore::connect(EtcdConfig::new([url.clone()])).await.unwrap();
    assert_eq!(content(&usual).await, []);
    let config =
        EtcdConfig { prefix: "/clusters/one".to_owned(), ..EtcdConfig::new([url.clone()]) };
    assert_eq!(content(&EtcdStore::connect(config).await.unwrap()).await, wanted);
    drop(cluster);
    let output = copy(&url, folder.path().join("other").to_str().unwrap());
    let line = text(&output.stderr);
    assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
    assert!(line.contains("etcd cannot be used"), "{line}");
}
