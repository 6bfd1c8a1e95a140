//! Kills at random moments under load: what was acknowledged is there, nothing is there by half, watches go on.

use crate::cluster::Cluster;
use crate::round::{Round, Tally};
use crate::{dice, number};
use std::time::Duration;

/// The kills of one namespace; its history is checked after them.
const KILLS_OF_A_ROUND: u64 = 20;

#[test]
fn nothing_acknowledged_is_lost_by_a_kill() {
    let kills = number("RATCHET_CRASH_KILLS", 10);
    let folder = tempfile::tempdir().unwrap();
    let mut cluster = Cluster::embedded(folder.path(), &[]);
    let (mut dice, mut sum, mut done) = (dice(), Tally::default(), 0);
    while done < kills {
        let some = KILLS_OF_A_ROUND.min(kills - done);
        let namespace = format!("crash{done}");
        let round = Round { namespace: &namespace, clients: 6, watchers: 3 };
        let tally = round.run(&mut cluster, &mut dice, |cluster, dice, recorder| {
            for _ in 0..some {
                recorder.wait_for_writes(5 + dice.below(60));
                std::thread::sleep(Duration::from_millis(dice.below(30) as u64));
                cluster.kill(dice, recorder);
            }
        });
        (sum, done) = (sum.plus(tally), done + some);
        println!("{done} kills: {sum:?}");
    }
    let least = usize::try_from(kills).unwrap();
    assert!(sum.acknowledged >= least * 5, "too little was written to prove anything: {sum:?}");
    assert!(sum.resumed >= least, "watches were not cut off: {sum:?}");
    cluster.servers[0].is_well();
}
