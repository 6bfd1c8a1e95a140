//! Tests of random graphs: objects with an existing owner stay, all others are deleted, and then nothing more is
//! written.

use super::world::{World, waits};
use crate::{NoopMetrics, Selection, Settings, run};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Owners by number; a number without an object is an owner that never existed.
type Owners = BTreeMap<u8, BTreeMap<u8, bool>>;

const MANY: u8 = 12;

fn owners() -> impl Strategy<Value = Owners> {
    let of_one = proptest::collection::btree_map(0..MANY + 1, any::<bool>(), 0..3);
    proptest::collection::vec(of_one, usize::from(MANY)).prop_map(|all| {
        let all = (0..MANY).zip(all);
        // Cycles come from later edges only; the first half is rooted.
        all.map(|(own, mut owners)| {
            owners.retain(|owner, _| *owner != own && (*owner > own || own >= MANY / 2));
            (own, owners)
        })
        .collect()
    })
}

fn deletions() -> impl Strategy<Value = Vec<(u8, &'static str)>> {
    let policy = prop_oneof![Just("Background"), Just("Foreground"), Just("Orphan")];
    proptest::collection::vec((0..MANY, policy), 0..5)
}

fn name(number: u8) -> String {
    format!("t{number}")
}

/// The objects that must remain when nothing is orphaned: those that were not deleted and have a
/// remaining owner, or never had one.
fn left(owners: &Owners, deleted: &BTreeSet<u8>) -> BTreeSet<u8> {
    let mut left: BTreeSet<u8> =
        owners.keys().copied().filter(|number| !deleted.contains(number)).collect();
    loop {
        let stays = |number: &u8| {
            let owners = &owners[number];
            owners.is_empty() || owners.keys().any(|owner| left.contains(owner))
        };
        let next: BTreeSet<u8> = left.iter().copied().filter(stays).collect();
        if next == left {
            return left;
        }
        left = next;
    }
}

struct Running(tokio::task::JoinHandle<()>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn start(world: &Arc<World>) -> Running {
    let selection = Selection::parse("garbage-collector-controller").expect("known");
    let settings = Settings { selection, ..Settings::default() };
    let stop = std::future::pending();
    Running(tokio::spawn(run(world.clone(), settings, Arc::new(NoopMetrics), stop)))
}

async fn pass(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

fn fill(world: &World, owners: &Owners, order: bool) {
    let mut numbers: Vec<_> = owners.keys().copied().collect();
    if order {
        numbers.reverse();
    }
    for number in numbers {
        let of = owners[&number].iter().map(|(owner, blocks)| (name(*owner), *blocks));
        world.make(&name(number), &of.collect::<Vec<_>>());
    }
}

/// The API after these deletions, and the number of writes after everything settled.
fn run_deletions(
    owners: &Owners,
    deletions: &[(u8, &'static str)],
    late: bool,
) -> (Arc<World>, usize) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().expect("a runtime");
    runtime.block_on(async {
        let world = Arc::new(World::default());
        fill(&world, owners, late);
        // Sometimes the collector starts after all deletions.
        let mut running = (!late).then(|| start(&world));
        for (number, policy) in deletions {
            if !late {
                pass(2).await;
            }
            world.delete(&name(*number), policy);
        }
        running.get_or_insert_with(|| start(&world));
        pass(1000).await;
        let before = world.writes();
        pass(1000).await;
        drop(running.take());
        let again = start(&world);
        pass(1000).await;
        drop(again);
        let writes = world.writes() - before;
        (world, writes)
    })
}

fn names(numbers: &BTreeSet<u8>) -> BTreeSet<String> {
    numbers.iter().copied().map(name).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn who_must_go_goes_and_nobody_else(
        owners in owners(), deletions in deletions(), late in any::<bool>(),
    ) {
        let deletions: Vec<_> = deletions
            .into_iter()
            .map(|(number, policy)| (number, if policy == "Orphan" { "Foreground" } else { policy }))
            .collect();
        let deleted = deletions.iter().map(|(number, _)| *number).collect();
        let (world, writes) = run_deletions(&owners, &deletions, late);
        let there: BTreeSet<String> = world.state_names().into_iter().collect();
        prop_assert_eq!(&there, &names(&left(&owners, &deleted)));
        for name in &there {
            for owner in world.owners(name) {
                prop_assert!(there.contains(&owner), "{} names {}, which is gone", name, owner);
            }
            prop_assert!(!waits(&world, name));
        }
        prop_assert_eq!(writes, 0, "all is over");
    }

    #[test]
    fn who_is_left_behind_stays_without_that_owner(
        children in proptest::collection::btree_set(1_u8..MANY, 0..6), late in any::<bool>(),
    ) {
        let mut owners = Owners::from([(0, BTreeMap::new())]);
        owners.extend(children.iter().map(|child| (*child, BTreeMap::from([(0, true)]))));
        let (world, writes) = run_deletions(&owners, &[(0, "Orphan")], late);
        let there: BTreeSet<String> = world.state_names().into_iter().collect();
        prop_assert_eq!(&there, &names(&children));
        for name in there {
            prop_assert!(world.owners(&name).is_empty());
        }
        prop_assert_eq!(writes, 0);
    }
}
