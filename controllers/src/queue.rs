//! Work queue of keys: each at most once, failed ones with a growing delay.

use crate::Metrics;
use crate::backoff::doubled;
use crate::bucket::Bucket;
use crate::metrics::{ADDS, DEPTH, RETRIES, WAITED};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// The key of an object to reconcile: `namespace/name`, `name`, or whatever a controller defines.
pub type Key = Arc<str>;

/// The delays before a failed key is retried.
#[derive(Clone, Copy, Debug)]
pub struct RetryDelay {
    /// The delay after the first failure; it doubles with each further one.
    pub first: Duration,
    /// The maximum delay.
    pub longest: Duration,
}

impl RetryDelay {
    /// The delays of most controllers.
    pub const DEFAULT: Self =
        Self { first: Duration::from_millis(5), longest: Duration::from_secs(30) };
}

/// The queue of one controller, shared by its workers.
pub struct Queue {
    controller: &'static str,
    metrics: Arc<dyn Metrics>,
    retry_delay: RetryDelay,
    state: Mutex<State>,
    notify: Notify,
}

#[derive(Default)]
struct State {
    /// Keys to be handed out, with the time since when they wait.
    ready: VecDeque<(Key, Instant)>,
    /// Keys that are in `ready`, or will be as soon as their current processing is done.
    dirty: BTreeSet<Key>,
    /// Keys that were handed out.
    processing: BTreeSet<Key>,
    /// Keys with a delay, by time and by key.
    delayed: BTreeSet<(Instant, Key)>,
    delayed_until: BTreeMap<Key, Instant>,
    failures: BTreeMap<Key, u32>,
    bucket: Bucket,
}

impl Queue {
    /// An empty queue of one controller.
    pub fn new(
        controller: &'static str,
        metrics: Arc<dyn Metrics>,
        retry_delay: RetryDelay,
    ) -> Self {
        Self { controller, metrics, retry_delay, state: Mutex::default(), notify: Notify::new() }
    }

    /// Adds a key. If it is being processed, it is processed once more afterwards.
    pub fn add(&self, key: &str) {
        let mut state = self.state();
        state.add(Key::from(key), Instant::now()).then(|| self.report_added(&state));
        drop(state);
        self.notify.notify_one();
    }

    /// Adds a key after a delay; the earliest requested time counts.
    pub fn add_after(&self, key: &str, delay: Duration) {
        self.state().postpone(Key::from(key), Instant::now() + delay);
        self.notify.notify_one();
    }

    /// Adds a key after `delay`, so that changes until then are handled together. A key that waits
    /// to be processed anyway is not added a second time.
    pub fn add_soon(&self, key: &str, delay: Duration) {
        let mut state = self.state();
        if !state.dirty.contains(key) {
            state.postpone(Key::from(key), Instant::now() + delay);
            drop(state);
            self.notify.notify_one();
        }
    }

    /// Adds a failed key again, with a delay that grows with each failure and a limit on all
    /// retries.
    pub fn retry(&self, key: &str) {
        self.metrics.count(self.controller, RETRIES, 1);
        let mut state = self.state();
        let failures = state.failures.entry(Key::from(key)).or_default();
        let key_delay = doubled(self.retry_delay.first, *failures, self.retry_delay.longest);
        *failures = failures.saturating_add(1);
        let now = Instant::now();
        let delay = key_delay.max(state.bucket.take(now));
        state.postpone(Key::from(key), now + delay);
        drop(state);
        self.notify.notify_one();
    }

    /// Forgets the failures of a key, after a success.
    pub fn forget(&self, key: &str) {
        self.state().failures.remove(key);
    }

    /// The next key, as soon as there is one. The worker must call `done` with it.
    pub async fn next(&self) -> Key {
        loop {
            let notified = self.notify.notified();
            let (key, wake_at) = self.take(Instant::now());
            if let Some(key) = key {
                return key;
            }
            match wake_at {
                Some(time) => tokio::select! { () = notified => {}, () = sleep_until(time) => {} },
                None => notified.await,
            }
        }
    }

    /// Ends the processing of a key.
    pub fn done(&self, key: &str) {
        let mut state = self.state();
        state.processing.remove(key);
        if let Some(key) = state.dirty.get(key).cloned() {
            state.ready.push_back((key, Instant::now()));
            self.report_depth(&state);
        }
        drop(state);
        self.notify.notify_one();
    }

    /// Takes a key that is ready, or returns when the next one will be.
    fn take(&self, now: Instant) -> (Option<Key>, Option<Instant>) {
        let mut state = self.state();
        for key in state.due(now) {
            state.add(key, now).then(|| self.report_added(&state));
        }
        let Some((key, since)) = state.ready.pop_front() else {
            return (None, state.delayed.first().map(|(time, _)| *time));
        };
        state.dirty.remove(&key);
        state.processing.insert(key.clone());
        // The next waiter may be another worker, and a notification wakes only one.
        if !state.ready.is_empty() || !state.delayed.is_empty() {
            self.notify.notify_one();
        }
        self.metrics.observe(self.controller, WAITED, (now - since).as_secs_f64());
        self.report_depth(&state);
        (Some(key), None)
    }

    fn report_added(&self, state: &State) {
        self.metrics.count(self.controller, ADDS, 1);
        self.report_depth(state);
    }

    fn report_depth(&self, state: &State) {
        self.metrics.gauge(self.controller, DEPTH, state.ready.len() as f64);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No step in here leaves the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Adds the key, and returns whether it was not dirty before.
    fn add(&mut self, key: Key, now: Instant) -> bool {
        if !self.dirty.insert(key.clone()) {
            return false;
        }
        if !self.processing.contains(&key) {
            self.ready.push_back((key, now));
        }
        true
    }

    fn postpone(&mut self, key: Key, time: Instant) {
        match self.delayed_until.get(&key) {
            Some(earlier) if *earlier <= time => return,
            Some(delayed) => self.delayed.remove(&(*delayed, key.clone())),
            None => false,
        };
        self.delayed_until.insert(key.clone(), time);
        self.delayed.insert((time, key));
    }

    /// Takes out the keys whose delay is over.
    fn due(&mut self, now: Instant) -> Vec<Key> {
        let mut due = Vec::new();
        while self.delayed.first().is_some_and(|(time, _)| *time <= now) {
            if let Some((_, key)) = self.delayed.pop_first() {
                self.delayed_until.remove(&key);
                due.push(key);
            }
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoopMetrics;
    use tokio::time::timeout;

    const SHORT: Duration = Duration::from_millis(1);

    fn queue() -> Queue {
        Queue::new("test", Arc::new(NoopMetrics), RetryDelay::DEFAULT)
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_is_handed_out_once_however_often_it_was_added() {
        let queue = queue();
        for key in ["a", "b", "a"] {
            queue.add(key);
        }
        assert_eq!((&*queue.next().await, &*queue.next().await), ("a", "b"));
        assert!(timeout(SHORT, queue.next()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_added_during_its_work_comes_again_afterwards() {
        let queue = queue();
        queue.add("a");
        queue.next().await;
        queue.add("a");
        queue.add("a");
        assert!(timeout(SHORT, queue.next()).await.is_err());
        queue.done("a");
        assert_eq!(&*queue.next().await, "a");
        queue.done("a");
        assert!(timeout(SHORT, queue.next()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn the_earliest_time_counts() {
        let (queue, start) = (queue(), Instant::now());
        for seconds in [9, 3, 5] {
            queue.add_after("a", Duration::from_secs(seconds));
        }
        queue.next().await;
        queue.done("a");
        assert_eq!(start.elapsed().as_secs(), 3);
        assert!(timeout(Duration::from_secs(60), queue.next()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_already_is_not_asked_for_again() {
        let (queue, later) = (queue(), Duration::from_secs(3));
        queue.add("a");
        queue.add_soon("a", later);
        queue.next().await;
        queue.add_soon("a", later);
        queue.add_soon("a", later * 2);
        queue.done("a");
        let start = Instant::now();
        assert_eq!(&*queue.next().await, "a", "what came during the work is looked at");
        assert_eq!(start.elapsed().as_secs(), 3);
        queue.done("a");
        assert!(timeout(Duration::from_secs(60), queue.next()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn failures_wait_longer_and_longer_until_forgotten() {
        let queue = queue();
        let mut waits = Vec::new();
        for round in 0..16 {
            let start = Instant::now();
            queue.retry("a");
            queue.next().await;
            queue.done("a");
            waits.push(start.elapsed().as_millis());
            if round == 14 {
                queue.forget("a");
            }
        }
        assert!(
            waits
                .iter()
                .zip([5, 10, 20, 40])
                .all(|(wait, least)| (least..=least + 2).contains(wait))
        );
        assert_eq!(waits[14] / 1000, 30);
        assert!(waits[15] < 10, "{waits:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn several_workers_share_the_keys_and_none_sleeps_while_there_are_some() {
        let (queue, start) = (Arc::new(queue()), Instant::now());
        let work = |queue: Arc<Queue>| async move {
            loop {
                let key = queue.next().await;
                tokio::time::sleep(Duration::from_secs(1)).await;
                queue.done(&key);
            }
        };
        let _workers: tokio::task::JoinSet<()> = (0..5).map(|_| work(queue.clone())).collect();
        for number in 0..10 {
            queue.add(&number.to_string());
            queue.add_after(&(number + 10).to_string(), SHORT);
        }
        let idle = || {
            let state = queue.state();
            state.ready.is_empty() && state.delayed.is_empty() && state.processing.is_empty()
        };
        while !idle() {
            tokio::time::sleep(SHORT).await;
        }
        assert_eq!(start.elapsed().as_secs(), 4, "twenty seconds of work for five");
    }

    #[tokio::test(start_paused = true)]
    async fn many_failures_are_spread() {
        let (queue, start) = (queue(), Instant::now());
        for number in 0..150 {
            queue.retry(&number.to_string());
        }
        for _ in 0..150 {
            let key = queue.next().await;
            queue.done(&key);
        }
        assert!((4..=5).contains(&start.elapsed().as_secs()), "{:?}", start.elapsed());
    }
}
