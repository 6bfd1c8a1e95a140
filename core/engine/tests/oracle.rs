//! Recorded conversations with a real API server, turned into changes and judged by the engine.
//!
//! The recordings are not part of this repository: `RATCHET_ORACLE` names their folder, and
//! `cargo xtask ci` runs the test where it is set. Every plain create and update among them must
//! agree in errors, causes and warnings.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    unreachable_pub,
    reason = "a helper of a test may fail, and speak, like a test"
)]

/// Says it where a passing test is heard too: the harness keeps what is printed to itself.
macro_rules! tell {
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
                Outcome::NotOurs(why) => *self.skipped.entry(why).or_default() += 1,
                Outcome::Differs(how) => {
                    self.differing.push(format!("{} ({behavior}): {how}", recording.id()));
                }
            }
        }
    }

    fn print(&self) {
        tell!("oracle: {} steps of {} agree", self.agreed, TOPICS.join(", "));
        for (why, count) in &self.skipped {
            tell!("oracle: {count} steps not judged: {why}");
        }
        for line in self.differing.iter().take(40) {
            tell!("oracle: DIFFERS {line}");
        }
    }
}
