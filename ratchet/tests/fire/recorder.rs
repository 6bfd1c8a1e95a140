//! The history of a run while it is recorded: one clock, calls and watches of all threads.

use histories::{Action, Call, History, Outcome, Watch};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What all threads of a run record into.
pub(crate) struct Recorder {
    start: Instant,
    history: Mutex<History>,
    /// The number of acknowledged writes.
    written: AtomicUsize,
    /// Whether clients are to stop.
    ended: AtomicBool,
    /// The revision at which watchers may stop.
    last: AtomicU64,
}

impl Recorder {
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            history: Mutex::default(),
            written: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            last: AtomicU64::new(u64::MAX),
        }
    }

    /// The time, in nanoseconds since the beginning.
    pub(crate) fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Waits until this many more writes are acknowledged, so that something is under way however slow the machine is.
    pub(crate) fn wait_for_writes(&self, count: usize) {
        let wanted = self.written.load(Ordering::Relaxed) + count;
        let begun = Instant::now();
        while self.written.load(Ordering::Relaxed) < wanted {
            assert!(begun.elapsed() < Duration::from_secs(120), "nothing is written");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Records a call that began at `begin` and has ended now, unless its outcome is unknown.
    pub(crate) fn call(&self, client: usize, begin: u64, action: Action, outcome: Outcome) {
        let end = if outcome == Outcome::Unknown { u64::MAX } else { self.now() };
        if matches!(outcome, Outcome::Written(_) | Outcome::Deleted) {
            self.written.fetch_add(1, Ordering::Relaxed);
        }
        let call = Call { client, begin, end, action, outcome };
        self.history.lock().unwrap().calls.push(call);
    }

    /// Records what a watch saw.
    pub(crate) fn watch(&self, watch: Watch) {
        self.history.lock().unwrap().watches.push(watch);
    }

    /// Records that calls without an answer can have no effect from now on: who handled them is dead.
    pub(crate) fn settle(&self) {
        let now = self.now();
        for call in &mut self.history.lock().unwrap().calls {
            call.end = if call.end == u64::MAX { now } else { call.end };
        }
    }

    /// Tells clients to stop.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Tells watchers to stop once they have seen a revision.
    pub(crate) fn end_watches(&self, last: u64) {
        self.last.store(last, Ordering::Relaxed);
    }

    /// Whether a watch has seen everything.
    pub(crate) fn is_last(&self, revision: u64) -> bool {
        revision >= self.last.load(Ordering::Relaxed)
    }

    /// The whole history.
    pub(crate) fn into_history(self) -> History {
        self.history.into_inner().unwrap()
    }
}
