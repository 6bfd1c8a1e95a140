//! How long changes of pods are gathered before they are written: little after a quiet time, more while they go on.

use crate::Key;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// What changes alone is soon written.
const QUICK: Duration = Duration::from_millis(100);

/// What changes all the time is not written more often than this.
const STEADY: Duration = Duration::from_millis(500);

/// So many keys are remembered before those that have been quiet are forgotten.
const MANY: usize = 1024;

/// When each key was last written for.
#[derive(Default)]
pub(crate) struct Gathering {
    written: Mutex<HashMap<Key, Instant>>,
}

impl Gathering {
    /// Something was written for the key.
    pub(crate) fn wrote(&self, key: &str) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.len() >= MANY && !written.contains_key(key) {
            written.retain(|_, time| time.elapsed() < STEADY);
        }
        written.insert(Key::from(key), Instant::now());
    }

    /// How long a change that concerns the key may wait for others.
    pub(crate) fn delay(&self, key: &str) -> Duration {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let quiet = written.get(key).is_none_or(|time| time.elapsed() >= STEADY);
        if quiet { QUICK } else { STEADY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_was_just_written_waits_longer() {
        let gathering = Gathering::default();
        assert_eq!(gathering.delay("a"), QUICK);
        gathering.wrote("a");
        assert_eq!((gathering.delay("a"), gathering.delay("b")), (STEADY, QUICK));
        tokio::time::sleep(STEADY).await;
        assert_eq!(gathering.delay("a"), QUICK);
    }

    #[tokio::test(start_paused = true)]
    async fn quiet_keys_are_forgotten() {
        let gathering = Gathering::default();
        for number in 0..MANY {
            gathering.wrote(&number.to_string());
        }
        tokio::time::sleep(STEADY).await;
        gathering.wrote("one more");
        assert_eq!(gathering.written.lock().expect("no panic").len(), 1);
    }
}
