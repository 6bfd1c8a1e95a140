//! How long policies think about what is written where: those that are quick wait for nobody.

use crate::compute::Compute;
use ratchet_policy::Policies;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What takes longer is done aside, in turn with others like it.
const QUICK: Duration = Duration::from_millis(1);

/// How many places are remembered.
const MOST: usize = 4096;

/// What was seen of the policies in force.
#[derive(Debug, Default)]
pub struct Pace(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    /// Which policies it was; others may be slower.
    of: usize,
    is_quick: HashMap<String, bool>,
}

impl Pace {
    fn seen(&self, policies: &Arc<Policies>) -> MutexGuard<'_, Seen> {
        let of = Arc::as_ptr(policies).addr();
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.of != of || seen.is_quick.len() >= MOST {
            *seen = Seen { of, is_quick: HashMap::new() };
        }
        seen
    }

    /// Lets policies think about something at `place`: at once if they were quick about it before, else aside.
    pub(super) async fn think<T: Send>(
        &self,
        compute: &Compute,
        policies: &Arc<Policies>,
        place: &str,
        think: impl FnOnce() -> T + Send,
    ) -> T {
        let known = self.seen(policies).is_quick.get(place).copied();
        let mut took = Duration::ZERO;
        let timed = || {
            let begun = Instant::now();
            let thought = think();
            took = begun.elapsed();
            thought
        };
        let thought = match known {
            Some(true) => timed(),
            Some(false) => compute.evaluate(true, timed).await,
            // Nobody waits behind those that are slow because nothing is known of them.
            None => compute.evaluate(false, timed).await,
        };
        if known != Some(took < QUICK) {
            self.seen(policies).is_quick.insert(place.to_owned(), took < QUICK);
        }
        thought
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_slow_is_remembered_until_the_policies_change() {
        let (pace, compute) = (Pace::default(), Compute::default());
        let policies = Arc::new(Policies::default());
        let slow = || std::thread::sleep(QUICK * 2);
        let known = |policies: &Arc<Policies>, place: &str| {
            pace.seen(policies).is_quick.get(place).copied()
        };
        assert_eq!(pace.think(&compute, &policies, "a", || 7).await, 7);
        pace.think(&compute, &policies, "b", slow).await;
        assert_eq!(known(&policies, "b"), Some(false));
        assert_eq!(known(&policies, "c"), None);
        pace.think(&compute, &policies, "b", || ()).await;
        let others = Arc::new(Policies::default());
        assert_eq!(known(&others, "b"), None);
        for number in 0..2 * MOST {
            pace.think(&compute, &others, &number.to_string(), || ()).await;
        }
        assert!(pace.seen(&others).is_quick.len() <= MOST);
    }
}
