//! Keys that wait for their controller: each at most once, failed ones later and later.

use crate::Metrics;
use crate::backoff::doubled;
use crate::bucket::Bucket;
use crate::metrics::{ADDS, DEPTH, RETRIES, WAITED};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// The name of what must be looked at: `namespace/name`, `name`, or what a controller likes.
pub type Key = Arc<str>;

/// How long a key that failed waits.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// After the first failure; it doubles after each further one.
    pub first: Duration,
    /// At most.
    pub longest: Duration,
}

impl Pace {
    /// What fits most controllers.
    pub const DEFAULT: Self =
        Self { first: Duration::from_millis(5), longest: Duration::from_secs(30) };
}

/// A queue for the workers of one controller.
pub struct Queue {
    controller: &'static str,
    meter: Arc<dyn Metrics>,
    pace: Pace,
    state: Mutex<State>,
    bell: Notify,
}

#[derive(Default)]
struct State {
    /// Keys to be handed out, with the time since when.
    ready: VecDeque<(Key, Instant)>,
    /// Keys that are in `ready`, or will be as soon as their work is done.
    wanted: BTreeSet<Key>,
    /// The keys that were handed out.
    working: BTreeSet<Key>,
    /// Keys that wait for their time, by time and by key.
    later: BTreeSet<(Instant, Key)>,
    times: BTreeMap<Key, Instant>,
    failures: BTreeMap<Key, u32>,
    bucket: Bucket,
}

impl Queue {
    /// An empty queue.
    pub fn new(controller: &'static str, meter: Arc<dyn Metrics>, pace: Pace) -> Self {
        Self { controller, meter, pace, state: Mutex::default(), bell: Notify::new() }
    }

    /// The key must be looked at. If it is being worked on, then once more afterwards.
    pub fn add(&self, key: &str) {
        let mut state = self.state();
        state.add(Key::from(key), Instant::now()).then(|| self.added(&state));
        drop(state);
        self.bell.notify_one();
    }

    /// The key must be looked at after a while; the earliest time that was asked for counts.
    pub fn add_after(&self, key: &str, delay: Duration) {
        self.state().postpone(Key::from(key), Instant::now() + delay);
        self.bell.notify_one();
    }

    /// The key must be looked at within `delay`, so that what comes until then is seen at once. One
    /// that is about to be looked at anyway is not asked for a second time.
    pub fn add_soon(&self, key: &str, delay: Duration) {
        let mut state = self.state();
        if !state.wanted.contains(key) {
            state.postpone(Key::from(key), Instant::now() + delay);
            drop(state);
            self.bell.notify_one();
        }
    }

    /// The work for the key failed: again, later after each failure, and not too many in all.
    pub fn retry(&self, key: &str) {
        self.meter.count(self.controller, RETRIES, 1);
        let mut state = self.state();
        let failures = state.failures.entry(Key::from(key)).or_default();
        let own = doubled(self.pace.first, *failures, self.pace.longest);
        *failures = failures.saturating_add(1);
        let now = Instant::now();
        let delay = own.max(state.bucket.take(now));
        state.postpone(Key::from(key), now + delay);
        drop(state);
        self.bell.notify_one();
    }

    /// The work for the key succeeded: its failures are forgotten.
    pub fn forget(&self, key: &str) {
        self.state().failures.remove(key);
    }

    /// The next key, as soon as there is one. The worker says when it is `done`.
    pub async fn next(&self) -> Key {
        loop {
            let rung = self.bell.notified();
            let (key, wakes) = self.take(Instant::now());
            if let Some(key) = key {
                return key;
            }
            match wakes {
                Some(time) => tokio::select! { () = rung => {}, () = sleep_until(time) => {} },
                None => rung.await,
            }
        }
    }

    /// The worker is done with the key.
    pub fn done(&self, key: &str) {
        let mut state = self.state();
        state.working.remove(key);
        if let Some(key) = state.wanted.get(key).cloned() {
            state.ready.push_back((key, Instant::now()));
            self.depth(&state);
        }
        drop(state);
        self.bell.notify_one();
    }

    /// Takes a key that is ready, or says when the next one will be.
    fn take(&self, now: Instant) -> (Option<Key>, Option<Instant>) {
        let mut state = self.state();
        for key in state.due(now) {
            state.add(key, now).then(|| self.added(&state));
        }
        let Some((key, since)) = state.ready.pop_front() else {
            return (None, state.later.first().map(|(time, _)| *time));
        };
        state.wanted.remove(&key);
        state.working.insert(key.clone());
        // Whoever is woken next may be another worker: the bell rings once however much is there.
        if !state.ready.is_empty() || !state.later.is_empty() {
            self.bell.notify_one();
        }
        self.meter.observe(self.controller, WAITED, (now - since).as_secs_f64());
        self.depth(&state);
        (Some(key), None)
    }

    fn added(&self, state: &State) {
        self.meter.count(self.controller, ADDS, 1);
        self.depth(state);
    }

    fn depth(&self, state: &State) {
        self.meter.gauge(self.controller, DEPTH, state.ready.len() as f64);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No step in here leaves the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether the key was not wanted before.
    fn add(&mut self, key: Key, now: Instant) -> bool {
        if !self.wanted.insert(key.clone()) {
            return false;
        }
        if !self.working.contains(&key) {
            self.ready.push_back((key, now));
        }
        true
    }

    fn postpone(&mut self, key: Key, time: Instant) {
        match self.times.get(&key) {
            Some(earlier) if *earlier <= time => return,
            Some(later) => self.later.remove(&(*later, key.clone())),
            None => false,
        };
        self.times.insert(key.clone(), time);
        self.later.insert((time, key));
    }

    /// Takes out the keys whose time has come.
    fn due(&mut self, now: Instant) -> Vec<Key> {
        let mut due = Vec::new();
        while self.later.first().is_some_and(|(time, _)| *time <= now) {
            if let Some((_, key)) = self.later.pop_first() {
                self.times.remove(&key);
                due.push(key);
            }
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use tokio::time::timeout;

    const SHORT: Duration = Duration::from_millis(1);

    fn queue() -> Queue {
        Queue::new("test", Arc::new(Silent), Pace::DEFAULT)
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
            state.ready.is_empty() && state.later.is_empty() && state.working.is_empty()
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
