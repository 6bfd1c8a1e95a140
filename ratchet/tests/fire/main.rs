//! `ratchet serve` under fire: kills, pauses, overload, exhausted descriptors, many connections and watches; recorded
//! histories are checked for linearizability. `cargo xtask crash`, `histories` and `soak` run the same for longer.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::expect_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]
#![allow(clippy::print_stdout, reason = "long runs tell how far they are")]

mod api;
mod clients;
mod clock;
mod cluster;
mod crash;
mod etcd_disturbances;
#[path = "../hostile/mod.rs"]
mod hostile;
mod limits;
mod overload;
mod recorded;
mod recorded_etcd;
mod recorder;
mod round;
mod soak;
mod watchers;

/// A number that a long run sets, or that of the short form.
fn number(variable: &str, short: u64) -> u64 {
    std::env::var(variable).ok().map_or(short, |text| text.parse().expect("a number"))
}

/// The seed of a run, told so that it can be repeated.
fn dice() -> hostile::flood::Dice {
    let seconds = std::time::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_secs());
    let seed = number("RATCHET_FIRE_SEED", seconds);
    println!("RATCHET_FIRE_SEED={seed}");
    hostile::flood::Dice::new(seed)
}
