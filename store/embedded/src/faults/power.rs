//! Power failures at any moment: acknowledged commits are there, and none is there by half.
#![allow(clippy::print_stderr, reason = "a run tells its seed")]

use ratchet_store::{Commit, Guard, Revision, Store, StoreError, Write};

use super::{all, cuts, machine::Machine, open};
use crate::Embedded;

/// The number of cuts in CI.
const CUTS: usize = 400;
/// The number of cuts before a new disk is used.
const LIFE: usize = 25;

/// The dice of a run. CI throws the same ones each time; a long run throws others, for what the same ones find is known. The
/// variable repeats a run of the same test.
pub(super) fn dice(test: &str, short: u64) -> fastrand::Rng {
    let given = std::env::var("RATCHET_FIRE_SEED").ok();
    let given = given.map(|text| text.parse().expect("RATCHET_FIRE_SEED is a number"));
    let is_long = std::env::var_os("RATCHET_POWER_CUTS").is_some();
    let seed = match given {
        None if is_long => fastrand::u64(..),
        None => short,
        Some(seed) => seed,
    };
    if is_long {
        eprintln!("{test}: RATCHET_FIRE_SEED={seed}");
    }
    fastrand::Rng::with_seed(seed)
}

/// What must be on the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Acked {
    round: u64,
    revision: Revision,
}

/// Commits that put one number under three keys, one of them new each time; some compact.
async fn write(store: &Embedded, acked: &mut Acked) -> Result<(), StoreError> {
    loop {
        let round = acked.round + 1;
        let value = format!("{round:0width$}", width = 20 + (round as usize * 37) % 6000);
        let writes = vec![
            Write::put("/left", Guard::Anything, value.clone()),
            Write::put(&format!("/once/{round:06}"), Guard::Anything, round.to_string()),
            Write::put("/right", Guard::Anything, value),
        ];
        let Commit::Done(revision) = store.commit(writes).await? else { panic!("refused") };
        *acked = Acked { round, revision };
        if round.is_multiple_of(7) {
            store.compact(Revision(revision.0 - 3)).await?;
        }
    }
}

/// Checks that acknowledged commits are there and further ones are complete; returns how far it
/// came.
async fn check(store: &Embedded, acked: Acked) -> Acked {
    let revision = store.latest().await.unwrap();
    assert!(revision >= acked.revision, "{revision} and {acked:?}");
    let records = all(store).await.unwrap();
    let (once, sides): (Vec<_>, Vec<_>) =
        records.iter().partition(|(key, _)| key.starts_with("/once/"));
    let numbers: Vec<u64> = once
        .iter()
        .map(|(_, value)| std::str::from_utf8(value).unwrap().parse().unwrap())
        .collect();
    let round = numbers.last().copied().unwrap_or(0);
    assert_eq!(numbers, (1..=round).collect::<Vec<_>>(), "no gap");
    assert_eq!(revision.0, round, "a revision a round");
    assert!(sides.iter().all(|(_, value)| {
        std::str::from_utf8(value).unwrap().parse::<u64>().unwrap() == round
    }));
    assert_eq!(sides.len(), if round == 0 { 0 } else { 2 });
    if round > 5 {
        let mut watch = store.watch("", Revision(revision.0 - 3)).await.unwrap();
        let events = watch.next().await.unwrap().events;
        let revisions: Vec<u64> = events.iter().map(|event| event.revision.0).collect();
        assert_eq!(revisions, (round - 2..=round).flat_map(|at| [at; 3]).collect::<Vec<_>>());
    }
    Acked { round, revision }
}

#[tokio::test]
async fn nothing_acknowledged_is_lost_when_the_power_goes() {
    let mut random = dice("power", 20_261_115);
    let (mut image, mut acked, mut written) = (Vec::new(), Acked::default(), 0);
    let cuts = cuts(CUTS);
    for cut in 0..cuts {
        if cut % LIFE == 0 {
            (image, acked) = (Vec::new(), Acked::default());
        }
        let machine = Machine::new(image);
        let longest = if random.bool() { 40 } else { 600 };
        machine.light(random.usize(0..longest));
        if let Ok(store) = open(&machine, false) {
            let before = acked.round;
            write(&store, &mut acked).await.unwrap_err();
            written += acked.round - before;
        }
        image = machine.wreck(&mut random);
        let machine = Machine::new(image);
        let store = open(&machine, false).unwrap_or_else(|why| panic!("cut {cut}: {why}"));
        acked = check(&store, acked).await;
        drop(store);
        image = machine.image();
    }
    assert!(written > cuts as u64, "the cuts came too early to prove anything: {written}");
}
