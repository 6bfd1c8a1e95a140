//! Tests of the engine against recorded conversations with a real API server.
//!
//! The recordings are not part of this repository: `RATCHET_ORACLE` is their folder, and `cargo xtask ci` runs the test
//! where it is set. Every plain create and update must agree in errors, causes and warnings.

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

use ratchet_engine::Behavior;
use recorded::{Outcome, Recording, TOPICS, recordings};

#[test]
#[ignore = "needs RATCHET_ORACLE"]
fn the_engine_agrees_with_the_recorded_server() {
    let mut report = Report::default();
    for recording in &recordings() {
        report.add(recording, Behavior::Released);
        if recording.has_seed() {
            report.add(recording, Behavior::Proposal);
        }
    }
    report.print();
    assert!(
        report.agreed > 13_800,
        "only {} steps were judged: the adapter lost some",
        report.agreed
    );
    assert!(report.differing.is_empty(), "{} steps differ", report.differing.len());
}

#[derive(Default)]
struct Report {
    agreed: usize,
    skipped: std::collections::BTreeMap<&'static str, usize>,
    differing: Vec<String>,
}

impl Report {
    fn add(&mut self, recording: &Recording, behavior: Behavior) {
        for outcome in recording.replay(behavior) {
            match outcome {
                Outcome::Agrees => self.agreed += 1,
                Outcome::Skipped(why) => *self.skipped.entry(why).or_default() += 1,
                Outcome::Differs(how) => {
                    self.differing.push(format!("{} ({behavior}): {how}", recording.id()));
                }
            }
        }
    }

    fn print(&self) {
        print_line!("oracle: {} steps of {} agree", self.agreed, TOPICS.join(", "));
        for (why, count) in &self.skipped {
            print_line!("oracle: {count} steps not judged: {why}");
        }
        for line in self.differing.iter().take(40) {
            print_line!("oracle: DIFFERS {line}");
        }
    }
}
