//! `Pace`: the measured speed of CEL evaluations; fast ones run on the request's thread, slow ones take turns.

use crate::app::compute::Compute;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// An evaluation that takes longer is slow.
const FAST: Duration = Duration::from_millis(1);

/// The maximum number of keys.
const MAX_KEYS: usize = 4096;

/// Measurements of the current policies.
#[derive(Debug, Default)]
pub struct Pace(Mutex<Measurements>);

#[derive(Debug, Default)]
struct Measurements {
    /// The address of the measured policies; other policies may be slower.
    policies_address: usize,
    is_fast: HashMap<String, bool>,
}

impl Pace {
    fn measurements<P>(&self, policies: &Arc<P>) -> MutexGuard<'_, Measurements> {
        let policies_address = Arc::as_ptr(policies).addr();
        let mut measurements = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if measurements.policies_address != policies_address
            || measurements.is_fast.len() >= MAX_KEYS
        {
            *measurements = Measurements { policies_address, is_fast: HashMap::new() };
        }
        measurements
    }

    /// Evaluates policies: on this thread if the last evaluation for `key` was fast, else in the compute pool.
    pub(crate) async fn evaluate<P, T: Send>(
        &self,
        compute: &Compute,
        policies: &Arc<P>,
        key: &str,
        evaluate: impl FnOnce() -> T + Send,
    ) -> T {
        let known = self.measurements(policies).is_fast.get(key).copied();
        let mut duration = Duration::ZERO;
        let timed = || {
            let started = Instant::now();
            let result = evaluate();
            duration = started.elapsed();
            result
        };
        let result = match known {
            Some(true) => timed(),
            Some(false) => compute.evaluate(true, timed).await,
            // Unmeasured evaluations do not queue behind slow ones.
            None => compute.evaluate(false, timed).await,
        };
        if known != Some(duration < FAST) {
            self.measurements(policies).is_fast.insert(key.to_owned(), duration < FAST);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_policy::Policies;

    #[tokio::test]
    async fn what_was_slow_is_remembered_until_the_policies_change() {
        let (pace, compute) = (Pace::default(), Compute::default());
        let policies = Arc::new(Policies::default());
        let slow = || std::thread::sleep(FAST * 2);
        let known = |policies: &Arc<Policies>, key: &str| {
            pace.measurements(policies).is_fast.get(key).copied()
        };
        assert_eq!(pace.evaluate(&compute, &policies, "a", || 7).await, 7);
        pace.evaluate(&compute, &policies, "b", slow).await;
        assert_eq!(known(&policies, "b"), Some(false));
        assert_eq!(known(&policies, "c"), None);
        pace.evaluate(&compute, &policies, "b", || ()).await;
        let others = Arc::new(Policies::default());
        assert_eq!(known(&others, "b"), None);
        for number in 0..2 * MAX_KEYS {
            pace.evaluate(&compute, &others, &number.to_string(), || ()).await;
        }
        assert!(pace.measurements(&others).is_fast.len() <= MAX_KEYS);
    }
}
