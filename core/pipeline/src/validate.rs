//! Validation of one change, for every door: the engine, then what has expressions or schemas of its own.

use ratchet_engine::{ApiConfig, Change, Facts, Verdict, judge};

/// Validates a change of an object that has its defaults.
pub fn validate(change: &Change<'_>, facts: &Facts<'_>, config: &ApiConfig) -> Verdict {
    let mut verdict = judge(change, facts, config);
    // Policies are objects, too: their expressions are compiled, which the engine cannot do.
    ratchet_policy::validate(change, config, &mut verdict);
    // The same for definitions, with their schemas and rules.
    ratchet_crd::validate_definition(change, config, &mut verdict);
    verdict.set_aside(&config.unenforced);
    verdict
}
