//! Mixed load for long: histories stay linearizable, and memory stays where it was.

use crate::cluster::Cluster;
use crate::round::{Round, Tally};
use crate::{dice, number};
use std::time::{Duration, Instant};

/// The most that the server may hold, in megabytes.
const MEMORY: u64 = 400;

/// How much more than after the first third it may hold at the end, in megabytes: recent changes for watches grow up to
/// their bound of 64 MB.
const GROWTH: u64 = 100;

#[test]
fn a_soak_changes_nothing() {
    let seconds = number("RATCHET_SOAK_SECONDS", 6);
    let (begun, length) = (Instant::now(), Duration::from_secs(seconds));
    let folder = tempfile::tempdir().unwrap();
    let mut cluster = Cluster::embedded(folder.path(), &[]);
    let (mut dice, mut sum) = (dice(), Tally::default());
    let (mut rounds, mut early) = (0, None);
    while rounds < 2 || begun.elapsed() < length {
        let namespace = format!("soak{rounds}");
        let round = Round { namespace: &namespace, clients: 8, watchers: 4 };
        let tally = round.run(&mut cluster, &mut dice, |_, _, _| {
            std::thread::sleep((length / 2).min(Duration::from_secs(60)));
        });
        remove(&cluster, &namespace);
        let memory = cluster.servers[0].memory();
        if begun.elapsed() > length / 3 {
            early = early.or(Some(memory));
        }
        (sum, rounds) = (sum.plus(tally), rounds + 1);
        println!("{rounds} rounds, {} s: {memory} MB, {sum:?}", begun.elapsed().as_secs());
        assert!(memory < MEMORY, "{memory} MB");
        assert!(early.is_none_or(|early| memory < early + GROWTH), "{early:?} -> {memory} MB");
    }
    // A starved server may answer a write with 504, for its cache comes late.
    assert!(sum.unknown * 100 <= sum.calls, "a server that is not disturbed answers: {sum:?}");
    cluster.servers[0].is_well();
}

/// Deletes the objects of a round, all at once.
fn remove(cluster: &Cluster, namespace: &str) {
    let mut client = cluster.servers[0].connect().unwrap();
    let maps = crate::api::collection(namespace);
    assert_eq!(client.delete(&maps).code, 200);
    let left = client.get(&maps).json();
    let mut left = left["items"].as_array().unwrap().iter();
    assert!(left.all(|item| item["metadata"]["name"] == "kube-root-ca.crt"), "{left:?}");
    let deleted = client.delete(&format!("/api/v1/namespaces/{namespace}"));
    assert_eq!(deleted.code, 200, "{}", deleted.text());
}
