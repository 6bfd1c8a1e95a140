//! Delays that batch changes of pods: short after a quiet time, longer while changes continue.

use crate::Key;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The delay of the first change after a quiet time.
const IDLE_DELAY: Duration = Duration::from_millis(100);

/// The interval between writes while changes continue.
const BUSY_DELAY: Duration = Duration::from_millis(500);

/// The number of keys after which quiet ones are evicted.
const MAX_KEYS: usize = 1024;

/// The time of the last write for each key.
#[derive(Default)]
pub(crate) struct Batching {
    last_writes: Mutex<HashMap<Key, Instant>>,
}

impl Batching {
    /// Records a write for the key.
    pub(crate) fn record_write(&self, key: &str) {
        let mut last_writes = self.last_writes.lock().unwrap_or_else(PoisonError::into_inner);
        if last_writes.len() >= MAX_KEYS && !last_writes.contains_key(key) {
            last_writes.retain(|_, time| time.elapsed() < BUSY_DELAY);
        }
        last_writes.insert(Key::from(key), Instant::now());
    }

    /// How long a change that affects the key may wait for others.
    pub(crate) fn delay(&self, key: &str) -> Duration {
        let last_writes = self.last_writes.lock().unwrap_or_else(PoisonError::into_inner);
        let quiet = last_writes.get(key).is_none_or(|time| time.elapsed() >= BUSY_DELAY);
        if quiet { IDLE_DELAY } else { BUSY_DELAY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_was_just_written_waits_longer() {
        let batching = Batching::default();
        assert_eq!(batching.delay("a"), IDLE_DELAY);
        batching.record_write("a");
        assert_eq!((batching.delay("a"), batching.delay("b")), (BUSY_DELAY, IDLE_DELAY));
        tokio::time::sleep(BUSY_DELAY).await;
        assert_eq!(batching.delay("a"), IDLE_DELAY);
    }

    #[tokio::test(start_paused = true)]
    async fn quiet_keys_are_forgotten() {
        let batching = Batching::default();
        for number in 0..MAX_KEYS {
            batching.record_write(&number.to_string());
        }
        tokio::time::sleep(BUSY_DELAY).await;
        batching.record_write("one more");
        assert_eq!(batching.last_writes.lock().expect("no panic").len(), 1);
    }
}
