//! Recorded histories of two servers on an etcd of three members, whatever happens to them, are linearizable.

use crate::cluster::Cluster;
use crate::etcd_disturbances::DISTURBANCES;
use crate::round::{Round, Tally};
use crate::{dice, number};
use etcd_peer::required_programs;
use std::time::{Duration, Instant};

/// The seconds of a run in which servers are killed so often that watches are cut off.
const LONG: u64 = 120;

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn histories_are_linearizable_whatever_happens_to_servers_and_members() {
    let programs = required_programs();
    let seconds = number("RATCHET_ETCD_HISTORIES_SECONDS", 5);
    let share = Duration::from_secs(seconds) / u32::try_from(programs.len()).unwrap();
    for program in programs {
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let etcd = etcd_peer::Cluster::start(&program, 3, &[]);
        // Only the disturbance compacts: a server that does it, too, would forget what a watch resumes from.
        let flags = ["--etcd-compaction-interval=0"];
        let mut cluster =
            Cluster::on_etcd(&folders.each_ref().map(tempfile::TempDir::path), etcd, &flags);
        let (mut dice, mut sum, mut rounds) = (dice(), Tally::default(), 0);
        let ends = Instant::now() + share;
        // Each of them at least once, however slow the machine is.
        while rounds < DISTURBANCES.len() || Instant::now() < ends {
            let disturbance = &DISTURBANCES[rounds % DISTURBANCES.len()];
            let namespace = format!("histories{rounds}");
            let round = Round { namespace: &namespace, clients: 6, watchers: 2 };
            let tally = round.run(&mut cluster, &mut dice, |cluster, dice, recorder| {
                recorder.wait_for_writes(50);
                (disturbance.run)(cluster, dice, recorder);
                recorder.wait_for_writes(50);
            });
            println!("{}: {}: {tally:?}", program.display(), disturbance.name);
            assert!(tally.acknowledged >= 100 && tally.events >= 200, "{tally:?}");
            (sum, rounds) = (sum.plus(tally), rounds + 1);
        }
        println!("{}: {rounds} histories: {sum:?}", program.display());
        // In the short form the only killed server may be the one that nobody watched.
        assert!(sum.resumed > 0 || seconds < LONG, "watches were not cut off: {sum:?}");
        cluster.servers.iter_mut().for_each(crate::hostile::process::Process::is_well);
    }
}
