//! Killed processes: acknowledged commits are there, without gaps or partial commits.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper of a test may fail like a test"
)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use ratchet_embedded::{Embedded, Options};
use ratchet_store::{Commit, Guard, Query, Revision, Store, Write};

const KILLS: usize = 20;
const WRITERS: usize = 4;
/// The variable with the directory of the process to be killed.
const VICTIM: &str = "RATCHET_STORE_VICTIM";

/// Not a test of its own: the process to be killed. It writes and prints what was acknowledged.
#[test]
#[ignore = "the process that the other tests start and kill"]
fn victim() {
    let directory = std::env::var_os(VICTIM).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let store = Arc::new(Embedded::open(Path::new(&directory), Options::default()).unwrap());
        let writers: Vec<_> =
            (0..WRITERS).map(|w| tokio::spawn(write(Arc::clone(&store), w))).collect();
        for writer in writers {
            writer.await.unwrap();
        }
    });
}

async fn write(store: Arc<Embedded>, writer: usize) {
    let prefix = format!("/log/{writer}/");
    let mut round = store.list(Query::under(&prefix)).await.unwrap().records.len();
    loop {
        round += 1;
        let value = format!("{writer}:{round}");
        let writes = vec![
            Write::put(&format!("/left/{writer}"), Guard::Anything, value.clone()),
            Write::put(&format!("{prefix}{round:06}"), Guard::Absent, vec![b'x'; round * 7 % 3000]),
            Write::put(&format!("/right/{writer}"), Guard::Anything, value),
        ];
        let Commit::Done(revision) = store.commit(writes).await.unwrap() else {
            panic!("{writer} is refused at {round}");
        };
        // One write call per line: a line is there completely or not at all.
        let line = format!("ack {writer} {round} {revision}\n");
        std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
        std::io::stdout().flush().unwrap();
        if round % 50 == 0 {
            store.compact(Revision(revision.0 - 20)).await.unwrap();
        }
    }
}

/// Starts the victim, kills it some time after its first output, and returns the last acknowledged
/// round of each writer.
fn kill(directory: &Path, after: Duration) -> BTreeMap<usize, (usize, u64)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["victim", "--exact", "--ignored", "--nocapture"])
        .env(VICTIM, directory)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (first, started) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut acked = BTreeMap::new();
        for line in lines {
            let line = line.unwrap();
            let Some((_, ack)) = line.split_once("ack ") else { continue };
            let mut numbers = ack.split(' ').map(|number| number.parse::<u64>().unwrap());
            let mut next_number = || numbers.next().unwrap();
            acked.insert(next_number() as usize, (next_number() as usize, next_number()));
            let _ = first.send(());
        }
        acked
    });
    started.recv_timeout(Duration::from_secs(60)).expect("the victim writes nothing");
    std::thread::sleep(after);
    child.kill().unwrap(); // SIGKILL
    child.wait().unwrap();
    reader.join().unwrap()
}

async fn check(directory: &Path, acked: &BTreeMap<usize, (usize, u64)>) {
    let store = Embedded::open(directory, Options::default()).unwrap();
    let latest = store.latest().await.unwrap();
    let mut rounds = 0;
    for writer in 0..WRITERS {
        let prefix = format!("/log/{writer}/");
        let log = store.list(Query::under(&prefix)).await.unwrap().records;
        for (index, record) in log.iter().enumerate() {
            let round = index + 1;
            assert_eq!(*record.key, format!("{prefix}{round:06}"), "a gap");
            assert_eq!(record.value.len(), round * 7 % 3000);
        }
        let (acknowledged, revision) = acked.get(&writer).copied().unwrap_or_default();
        assert!(
            log.len() >= acknowledged,
            "writer {writer} was told {acknowledged}, and {} are there",
            log.len()
        );
        assert!(latest.0 >= revision);
        if let Some(last) = log.last() {
            let value = format!("{writer}:{}", log.len());
            for side in ["left", "right"] {
                let record = store.get(&format!("/{side}/{writer}")).await.unwrap().unwrap();
                assert_eq!((&record.value[..], record.modified), (value.as_bytes(), last.modified));
            }
        }
        rounds += log.len();
    }
    assert_eq!(latest.0, rounds as u64, "a revision a commit");
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let mut acks = 0;
    for _ in 0..KILLS {
        let acked = kill(directory.path(), Duration::from_millis(fastrand::u64(0..120)));
        acks += acked.values().map(|(round, _)| round).sum::<usize>();
        check(directory.path(), &acked).await;
    }
    assert!(acks > KILLS, "too few to prove anything: {acks}");
}

#[test]
fn a_second_process_is_told_who_has_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let store = Embedded::open(directory.path(), Options::default()).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["victim", "--exact", "--ignored", "--nocapture"])
        .env(VICTIM, directory.path())
        .output()
        .unwrap();
    assert!(!output.status.success());
    let output_text =
        String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    assert!(output_text.contains("InUse") && output_text.contains("state.redb"), "{output_text}");
    drop(store);
}
