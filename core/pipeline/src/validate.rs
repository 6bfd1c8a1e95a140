//! Validation of one change, for every door: the engine, then the expressions of admission policies.

use ratchet_engine::{ApiConfig, Change, Facts, Verdict, judge};

/// Validates a change of an object that has its defaults.
pub fn validate(change: &Change<'_>, facts: &Facts<'_>, config: &ApiConfig) -> Verdict {
    let mut verdict = judge(change, facts, config);
    // Policies are objects, too: their expressions are compiled, which the engine cannot do.
    ratchet_policy::validate(change, config, &mut verdict);
    verdict
}
