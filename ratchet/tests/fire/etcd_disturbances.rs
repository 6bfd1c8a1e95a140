//! What happens to the members of an etcd, and to the servers on it, while they are used.

use crate::cluster::{Cluster, Disturbance};
use crate::hostile::flood::Dice;
use crate::recorder::Recorder;
use ratchet_etcd::{EtcdConfig, EtcdStore};
use ratchet_store::Store;
use std::time::{Duration, Instant};

/// What can happen to servers on etcd; when each returns, all members and servers run again.
pub(crate) const DISTURBANCES: [Disturbance; 6] = [
    Disturbance { name: "killed leader", run: kill_leader },
    Disturbance { name: "paused member", run: pause_member },
    Disturbance { name: "paused leader", run: pause_leader },
    Disturbance { name: "killed server", run: Cluster::kill },
    Disturbance { name: "compaction", run: compact },
    Disturbance { name: "refused endpoint", run: refuse_endpoint },
];

/// Writes that must be acknowledged while a member is away: two of three are enough.
const MEANWHILE: usize = 20;

/// The leader, which every cluster has again after a while.
fn leader(cluster: &Cluster) -> usize {
    let begun = Instant::now();
    loop {
        if let Some(leader) = cluster.etcd.as_ref().unwrap().leader() {
            return leader;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "no member leads");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Kills the leader as a power cut would, and starts it again once others have taken over.
fn kill_leader(cluster: &mut Cluster, _: &mut Dice, recorder: &Recorder) {
    let chosen = leader(cluster);
    down(cluster, chosen, recorder);
}

/// The address of a member that follows refuses connections for a while.
fn refuse_endpoint(cluster: &mut Cluster, dice: &mut Dice, recorder: &Recorder) {
    let chosen = (leader(cluster) + 1 + dice.below(2)) % 3;
    down(cluster, chosen, recorder);
}

fn down(cluster: &mut Cluster, chosen: usize, recorder: &Recorder) {
    let etcd = cluster.etcd.as_mut().unwrap();
    etcd.member(chosen).power_off();
    recorder.wait_for_writes(MEANWHILE);
    etcd.member(chosen).restart();
}

/// Stops a member without ending it, the leader included, as a machine that hangs.
fn pause_member(cluster: &mut Cluster, dice: &mut Dice, recorder: &Recorder) {
    let chosen = dice.below(3);
    pause(cluster, chosen, dice, recorder);
}

/// Stops the leader: the others elect one, and it still believes that it leads when it goes on.
fn pause_leader(cluster: &mut Cluster, dice: &mut Dice, recorder: &Recorder) {
    let chosen = leader(cluster);
    pause(cluster, chosen, dice, recorder);
}

fn pause(cluster: &mut Cluster, chosen: usize, dice: &mut Dice, recorder: &Recorder) {
    let etcd = cluster.etcd.as_mut().unwrap();
    etcd.member(chosen).pause();
    std::thread::sleep(Duration::from_millis(500 + dice.below(1500) as u64));
    recorder.wait_for_writes(MEANWHILE);
    etcd.member(chosen).resume();
}

/// Forgets the history up to a revision that is a little behind, while watches read on.
fn compact(cluster: &mut Cluster, _: &mut Dice, recorder: &Recorder) {
    let urls = cluster.etcd.as_ref().unwrap().urls();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let store = runtime.block_on(EtcdStore::connect(EtcdConfig::new(urls))).unwrap();
    let before = runtime.block_on(store.latest()).unwrap();
    recorder.wait_for_writes(MEANWHILE);
    runtime.block_on(store.compact(before)).unwrap();
    let oldest = runtime.block_on(store.past("/registry/", ratchet_store::Revision(0)));
    assert!(oldest.is_err(), "the history before {before} is gone");
}
