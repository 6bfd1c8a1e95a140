//! Recorded histories of a cluster that is killed, paused and restarted, one after another, are linearizable.

use crate::cluster::{Cluster, DISTURBANCES};
use crate::round::{Round, Tally};
use crate::{dice, number};
use std::time::{Duration, Instant};

#[test]
fn histories_are_linearizable_whatever_happens_to_the_server() {
    let seconds = number("RATCHET_HISTORIES_SECONDS", 6);
    let ends = Instant::now() + Duration::from_secs(seconds);
    let folder = tempfile::tempdir().unwrap();
    let mut cluster = Cluster::embedded(folder.path(), &[]);
    let (mut dice, mut sum, mut rounds) = (dice(), Tally::default(), 0);
    // Each of them at least once, however slow the machine is.
    while rounds < DISTURBANCES.len() || Instant::now() < ends {
        let disturbance = &DISTURBANCES[rounds % DISTURBANCES.len()];
        let namespace = format!("histories{rounds}");
        let round = Round { namespace: &namespace, clients: 8, watchers: 2 };
        let tally = round.run(&mut cluster, &mut dice, |cluster, dice, recorder| {
            recorder.wait_for_writes(100);
            (disturbance.run)(cluster, dice, recorder);
            recorder.wait_for_writes(100);
        });
        println!("{}: {tally:?}", disturbance.name);
        assert!(tally.acknowledged >= 200 && tally.events >= 400, "{tally:?}");
        (sum, rounds) = (sum.plus(tally), rounds + 1);
    }
    println!("{rounds} histories: {sum:?}");
    cluster.servers[0].is_well();
}
