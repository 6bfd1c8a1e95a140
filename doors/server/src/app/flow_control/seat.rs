//! `Seat`: the place of a request in its priority level, in a queue or executing, until this is dropped.

use super::clock::Clock;
use super::flow::RequestFlow;
use ratchet_flow_control::Ticket;
use std::sync::Arc;
use std::time::Instant;

/// A request's place, given back when this is dropped.
pub(crate) struct Seat {
    pub(super) flow: Arc<RequestFlow>,
    ticket: Option<Ticket>,
    clock: Clock,
    /// When it began to execute.
    executing_since: Option<Instant>,
    is_watch: bool,
}

impl Seat {
    pub(super) fn new(flow: Arc<RequestFlow>, ticket: Ticket, clock: Clock) -> Self {
        Self { flow, ticket: Some(ticket), clock, executing_since: None, is_watch: false }
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
    pub(super) fn begin(&mut self) {
        self.executing_since = Some(Instant::now());
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
        if let Some(ticket) = self.ticket.take() {
            self.flow.level.release(self.clock.now(), ticket);
        }
        if let Some(began) = self.executing_since {
            self.flow.series.executed(self.is_watch, began.elapsed());
        }
    }
}
