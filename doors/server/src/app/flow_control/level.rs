//! `Level`: the queues of one priority level behind a lock that is held for a moment.

use super::flow::RequestFlow;
use crate::request::RequestInfo;
use ratchet_flow_control::{
    Adjusted, Arrival, DemandStats, Limits, Load, PriorityLevel, QueueSet, Queuing, RetryAfter,
    Started, Ticket,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// A request, as a debug page shows it.
pub(super) struct Held {
    pub(super) flow: Arc<RequestFlow>,
    pub(super) user: Box<str>,
    pub(super) info: Arc<RequestInfo>,
    /// Tells a request that waits of its seats.
    pub(super) wake: Option<oneshot::Sender<()>>,
}

/// The end of a wait, and the length of the queue when it began.
pub(super) type Wait = (oneshot::Receiver<()>, usize);

/// A priority level that requests use.
pub(crate) struct Level {
    name: String,
    state: Mutex<LevelState>,
}

/// What the lock protects.
pub(super) struct LevelState {
    pub(super) set: QueueSet<Held>,
    pub(super) limits: Limits,
    pub(super) stats: DemandStats,
    /// What was aimed at when the seats were divided.
    pub(super) target: f64,
    retry_after: RetryAfter,
}

fn wake(held: &mut Held) {
    if let Some(wake) = held.wake.take() {
        // Who no longer listens gives the seat back when it drops it.
        let _ = wake.send(());
    }
}

impl Level {
    pub(super) fn new(level: &PriorityLevel, limits: Limits, now: u64) -> Self {
        let state = LevelState {
            set: QueueSet::new(level.queuing, limits.initial(), now),
            limits,
            stats: DemandStats::default(),
            target: 0.0,
            retry_after: RetryAfter::default(),
        };
        Self { name: level.name.clone(), state: Mutex::new(state) }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn state(&self) -> MutexGuard<'_, LevelState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_idle(&self) -> bool {
        self.state().set.is_idle()
    }

    /// A request arrives; if it must wait, its wait is there, too.
    pub(super) fn start(&self, arrival: Arrival, held: Held) -> (Started, Option<Wait>) {
        let mut state = self.state();
        let started = state.set.start(arrival, held);
        let Started::Waiting(ticket) = &started else { return (started, None) };
        let (sender, receiver) = oneshot::channel();
        let length = state.set.queue_length(ticket);
        if let Some(held) = state.set.request_mut(ticket) {
            held.wake = Some(sender);
        }
        (started, Some((receiver, length)))
    }

    /// A request ends, or no longer waits.
    pub(super) fn release(&self, now: u64, ticket: Ticket) {
        self.state().set.release(now, ticket, wake);
    }

    /// A request has waited for too long; it keeps its ticket if it has just got its seats.
    pub(super) fn time_out(&self, now: u64, ticket: Ticket) -> Option<Ticket> {
        self.state().set.time_out(now, ticket, wake)
    }

    /// Counts a rejection, and says after how many seconds its client may come back.
    pub(super) fn reject(&self, seconds: u64) -> u64 {
        self.state().retry_after.reject(seconds)
    }

    pub(super) fn set_limits(&self, limits: Limits) {
        self.state().limits = limits;
    }

    /// What the level needed since the last time.
    pub(super) fn load(&self, now: u64) -> Load {
        let mut state = self.state();
        let observed = state.set.take_demand(now);
        state.stats.update(observed);
        Load {
            limits: state.limits,
            is_exempt: state.set.configuration().0.is_exempt(),
            high_watermark: state.stats.high_watermark,
            smoothed: state.stats.smoothed,
        }
    }

    /// Sets queues and limit.
    pub(super) fn configure(&self, now: u64, queuing: Queuing, adjusted: Adjusted) {
        let mut state = self.state();
        state.target = adjusted.target;
        if state.set.configuration() != (queuing, adjusted.limit) {
            state.set.configure(now, queuing, adjusted.limit, wake);
        }
    }
}
