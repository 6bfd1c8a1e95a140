//! Tests of the laws on the engine with the behavior of the proposals, in every release and with every gate.

use crate::laws::case::{Judge, case};
use crate::laws::law::{Law, law_1, law_2, law_3, law_4, law_5};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use ratchet_engine::{Behavior, StoredValues, judge};

/// The number of changes for each law.
const CASES: u32 = 1536;

/// Runs a law on generated changes with a fixed seed; a breach is shrunk in at most `steps`.
pub(crate) fn try_law(law: Law, judge: &Judge, cases: u32, steps: u32) -> Result<(), String> {
    let config =
        Config { cases, max_shrink_iters: steps, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let outcome = runner
        .run(&case(Behavior::Proposal), |case| law(judge, &case).map_err(TestCaseError::fail));
    match outcome {
        Ok(()) => Ok(()),
        Err(TestError::Fail(why, _)) => Err(why.message().into()),
        Err(TestError::Abort(why)) => panic!("no changes to try: {why}"),
    }
}

fn holds(law: Law) {
    if let Err(breach) = try_law(law, &judge, CASES, 128) {
        panic!("{breach}");
    }
}

#[test]
fn nothing_new_slips_in() {
    holds(law_1);
}

#[test]
fn nothing_old_breaks() {
    holds(law_2);
}

#[test]
fn the_way_out_is_always_open() {
    holds(law_3);
}

#[test]
fn who_will_be_refused_is_warned_before() {
    holds(law_4);
}

#[test]
fn the_same_change_gets_the_same_verdict_word_for_word() {
    holds(law_5);
}

#[test]
fn what_is_kept_is_kept_byte_for_byte() {
    let stored: StoredValues<'_> = ["010.0.0.1"].into_iter().collect();
    assert!(stored.holds("010.0.0.1") && !stored.holds("10.0.0.1") && !stored.holds("010.0.0.01"));
}
