//! `Seat`: the place of a request in its priority level, in a queue or executing, until this is dropped.

use super::clock::Clock;
use super::flow::RequestFlow;
use ratchet_flow_control::Ticket;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// A request's place, given back when this is dropped.
pub(crate) struct Seat {
    pub(super) flow: Arc<RequestFlow>,
    ticket: Option<Ticket>,
    clock: Clock,
    /// When it began to execute.
    executing_since: Option<Instant>,
    /// How long it keeps the place after it has ended.
    lingers: Duration,
    is_watch: bool,
}

impl Seat {
    pub(super) fn new(
        flow: Arc<RequestFlow>,
        ticket: Ticket,
        clock: Clock,
        lingers: Duration,
    ) -> Self {
        let ticket = Some(ticket);
        Self { flow, ticket, clock, executing_since: None, lingers, is_watch: false }
    }

    /// What the request was classified as.
    pub(crate) fn flow(&self) -> &RequestFlow {
        &self.flow
    }

    /// The request is a watch, which has its seat until it begins.
    pub(crate) fn watches(mut self) -> Self {
        self.is_watch = true;
        self
    }

    /// The request begins to execute.
    pub(super) fn begin(&mut self, now: Instant) {
        self.executing_since = Some(now);
    }

    /// The time in the queue is over: false if the request has left it.
    pub(super) fn outlasts_wait(&mut self) -> bool {
        let Some(ticket) = self.ticket.take() else { return false };
        self.ticket = self.flow.level.time_out(self.clock.now(), ticket);
        self.ticket.is_some()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let now = Instant::now();
        if let Some(ticket) = self.ticket.take() {
            let (flow, clock, lingers) = (self.flow.clone(), self.clock, self.lingers);
            let runtime = match self.executing_since {
                Some(_) if !lingers.is_zero() => Handle::try_current().ok(),
                _ => None,
            };
            // The client has its answer; the watches that are told of it are not done.
            match runtime {
                Some(runtime) => drop(runtime.spawn(async move {
                    tokio::time::sleep(lingers).await;
                    flow.level.release(clock.now(), ticket);
                })),
                None => flow.level.release(clock.at(now), ticket),
            }
        }
        if let Some(began) = self.executing_since {
            self.flow.series.executed(self.is_watch, now.duration_since(began));
        }
    }
}
