//! Tests of custom resources against recorded conversations with a real API server.
//!
//! The recordings are not part of this repository: `RATCHET_ORACLE` is their folder, and `cargo xtask ci` runs the test
//! where it is set. A small server without a network replays definitions and objects; answers must agree in codes,
//! messages, causes, warnings and the observed fields.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    unreachable_pub,
    reason = "a helper of a test may fail, and speak, like a test"
)]

/// Prints a line to stderr, because the test harness captures the output of passing tests.
macro_rules! print_line {
    ($($word:tt)*) => {
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{}\n", format_args!($($word)*)));
    };
}

mod recorded;

use recorded::{Outcome, recordings};

#[test]
#[ignore = "needs RATCHET_ORACLE"]
fn custom_resources_agree_with_the_recorded_server() {
    let (mut agreed, mut differing) = (0, Vec::new());
    let mut skipped: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for recording in recordings() {
        for outcome in recording.replay() {
            match outcome {
                Outcome::Agrees => agreed += 1,
                Outcome::Skipped(why) => *skipped.entry(why).or_default() += 1,
                Outcome::Differs(how) => differing.push(format!("{}: {how}", recording.id())),
            }
        }
    }
    print_line!("oracle: {agreed} steps of crd agree");
    for (why, count) in &skipped {
        print_line!("oracle: {count} steps not judged: {why}");
    }
    for line in &differing {
        print_line!("oracle: DIFFERS {line}");
    }
    assert!(agreed > 900, "only {agreed} steps were judged: the adapter lost some");
    assert!(differing.is_empty(), "{} steps differ", differing.len());
}
