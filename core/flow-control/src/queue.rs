//! `Queue`: one queue of a queue set, with what of it waits and executes.

use alloc::collections::VecDeque;

/// What a request is expected to take, before it is known: three milliseconds.
pub(crate) const ESTIMATED_NANOSECONDS: i128 = 3_000_000;

/// The work of so many seats for the estimated time, in nanoseconds of seats.
pub(crate) fn work(seats: u32) -> i128 {
    i128::from(seats) * ESTIMATED_NANOSECONDS
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    /// The slots of the requests that wait, oldest first.
    pub(crate) waiting: VecDeque<usize>,
    /// The seats that they want.
    pub(crate) waiting_seats: u32,
    /// The number of its requests that execute.
    pub(crate) executing: usize,
    /// The seats that they take.
    pub(crate) executing_seats: u32,
    /// The virtual time at which its next request would begin if all queues were served at once.
    pub(crate) next_dispatch: i128,
}

impl Queue {
    /// Whether it takes part in the division of seats.
    pub(crate) fn is_active(&self) -> bool {
        !self.waiting.is_empty() || self.executing > 0
    }

    /// The state that debug pages show.
    pub(crate) fn state(&self) -> QueueState {
        QueueState {
            waiting: self.waiting.len(),
            waiting_seats: self.waiting_seats,
            executing: self.executing,
            executing_seats: self.executing_seats,
            next_dispatch: self.next_dispatch,
            waiting_work: work(self.waiting_seats),
        }
    }
}

/// The state of a queue. Work and virtual times are nanoseconds of seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueState {
    /// The number of requests that wait.
    pub waiting: usize,
    /// The seats that they want.
    pub waiting_seats: u32,
    /// The number of requests that execute.
    pub executing: usize,
    /// The seats that they take.
    pub executing_seats: u32,
    /// The virtual time of its next dispatch.
    pub next_dispatch: i128,
    /// The work that waits.
    pub waiting_work: i128,
}
