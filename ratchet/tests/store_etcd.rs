//! Tests of `ratchet store copy` between data directories and real etcd.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

use etcd_peer::{Cluster, required_programs};
use ratchet_embedded::{Embedded, Options};
use ratchet_etcd::{EtcdConfig, EtcdStore};
use ratchet_store::copy::MARKER;
use ratchet_store::{Guard, Operation, Query, Store, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
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

/// The target of a copy, as a test sees it.
enum Target<'t> {
    Etcd(&'t EtcdStore),
    Directory(&'t Path),
}

impl Target<'_> {
    /// Whether a copy into it has begun.
    async fn has_begun(&self) -> bool {
        match self {
            Self::Etcd(store) => store.get(MARKER).await.unwrap().is_some(),
            // Nobody else can open it as long as it is copied into.
            Self::Directory(data) => data.join("store/state.redb").exists(),
        }
    }

    async fn content(&self) -> Vec<(String, Vec<u8>)> {
        match self {
            Self::Etcd(store) => content(*store).await,
            Self::Directory(data) => content(&open(data)).await,
        }
    }
}

/// Copies, killed again and again, until everything is there; what the last one says, unless it was to be killed.
async fn copy_with_interruptions(
    from: &str,
    to: &str,
    target: Target<'_>,
    wanted: &[(String, Vec<u8>)],
) -> Option<String> {
    let mut halves = 0;
    for round in 1..=40 {
        let mut child = command(from, to).stdout(Stdio::null()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() && !target.has_begun().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_millis(25 * round)).await;
        child.kill().unwrap();
        child.wait().unwrap();
        let there = target.content().await;
        let is_marked = there.iter().any(|(key, _)| key == MARKER);
        // The file of a directory is there before the copy marks it.
        let is_unbegun = matches!(target, Target::Directory(_)) && there.is_empty();
        assert!(is_marked || is_unbegun || there == wanted, "{} records", there.len());
        halves += usize::from(is_marked);
        if halves == 3 || there == wanted {
            break;
        }
    }
    assert!(halves > 0, "it was never interrupted");
    let mut message = None;
    if target.content().await != wanted {
        let output = copy(from, to);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        message = Some(text(&output.stdout));
    }
    assert_eq!(target.content().await, wanted);
    message
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

        let store = EtcdStore::connect(EtcdConfig::new(cluster.urls())).await.unwrap();
        let to_etcd = Target::Etcd(&store);
        if let Some(message) = copy_with_interruptions(data, &etcd, to_etcd, &wanted).await {
            let counted = format!("{} records of revision 9, ", RECORDS + 2);
            assert!(message.contains(&counted), "{message}");
        }
        let expiring = store.expiring().await.unwrap().keys;
        assert_eq!(expiring.len(), 1);
        let left = expiring[0].1.as_secs();
        assert!((3000..4000).contains(&left), "{left} seconds are left");

        let again = copy(data, &etcd);
        assert_eq!(again.status.code(), Some(2));
        let line = text(&again.stderr);
        assert!(line.contains(&format!("it has {} records", RECORDS + 2)), "{line}");

        let to_back = Target::Directory(&back);
        let back_text = back.to_str().unwrap();
        if let Some(message) = copy_with_interruptions(&etcd, back_text, to_back, &wanted).await {
            let counted = format!("{} records of revision ", RECORDS + 2);
            assert!(message.contains(&counted), "{message}");
        }
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
