//! `QueueSet`: the fair queues of one priority level as a state machine in virtual time.
//!
//! Every queue has the virtual time at which its next request would begin if all queues were served bit by bit at
//! once; the request that would be finished first is dispatched. Time and randomness come from the caller.

use crate::demand::{Demand, Observed};
use crate::priority_level::Queuing;
use crate::queue::{Queue, QueueState, work};
use crate::requests::{RequestState, Requests, Ticket};
use crate::shuffle::Hand;
use alloc::vec::Vec;

/// The requests of a priority level, and the queues in which they wait.
#[derive(Clone, Debug)]
pub struct QueueSet<R> {
    queuing: Queuing,
    limit: u32,
    queues: Vec<Queue>,
    requests: Requests<R>,
    /// The progress that each active queue should have made, in nanoseconds of seats.
    virtual_now: i128,
    now: u64,
    active_queues: usize,
    /// The queue that was served last.
    served: usize,
    enqueued: usize,
    totals: Totals,
    demand: Demand,
}

/// An arriving request.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// The time, in nanoseconds since any point.
    pub now: u64,
    /// The hash of its flow.
    pub hash: u64,
    /// The seats that it takes.
    pub seats: u32,
}

/// What happens to an arriving request.
#[derive(Debug, PartialEq, Eq)]
pub enum Started {
    /// It has its seats.
    Executing(Ticket),
    /// It waits; [`QueueSet::release`] or another change of the set gives it its seats later.
    Waiting(Ticket),
    /// It is not served.
    Rejected(Rejection),
}

/// Why a request is not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// All seats are taken, and nothing waits here.
    ConcurrencyLimit,
    /// The shortest queue of its hand is full.
    QueueFull,
    /// It waited for too long.
    TimeOut,
}

impl Rejection {
    /// The label of metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ConcurrencyLimit => "concurrency-limit",
            Self::QueueFull => "queue-full",
            Self::TimeOut => "time-out",
        }
    }
}

/// Numbers of requests and seats of a queue set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Requests that wait.
    pub waiting: usize,
    /// The seats that they want.
    pub waiting_seats: u32,
    /// Requests that execute.
    pub executing: usize,
    /// The seats that they take.
    pub executing_seats: u32,
    /// Requests that got their seats, ever.
    pub dispatched: u64,
    /// Requests that were rejected, ever; those that waited for too long are among them.
    pub rejected: u64,
    /// Requests whose wait ended without seats, ever.
    pub cancelled: u64,
}

impl<R> QueueSet<R> {
    /// A set without requests.
    pub fn new(queuing: Queuing, limit: u32, now: u64) -> Self {
        let mut set = Self {
            queuing,
            limit,
            queues: Vec::new(),
            requests: Requests::default(),
            virtual_now: 0,
            now,
            active_queues: 0,
            served: 0,
            enqueued: 0,
            totals: Totals::default(),
            demand: Demand::new(now),
        };
        set.resize();
        set
    }

    /// Changes queues and limit. Requests that wait keep their places; `wake` gets those that no longer have to wait.
    pub fn configure(&mut self, now: u64, queuing: Queuing, limit: u32, wake: impl FnMut(&mut R)) {
        self.advance(now);
        self.queuing = queuing;
        self.limit = limit;
        self.resize();
        self.dispatch(wake);
    }

    /// The queues and the limit that are in force.
    pub fn configuration(&self) -> (Queuing, u32) {
        (self.queuing, self.limit)
    }

    /// A request arrives.
    pub fn start(&mut self, arrival: Arrival, request: R) -> Started {
        self.advance(arrival.now);
        let seats = arrival.seats.max(1);
        let Queuing::Queue { queues, hand_size, length_limit } = self.queuing else {
            if !self.has_room_for(seats) {
                self.totals.rejected += 1;
                return Started::Rejected(Rejection::ConcurrencyLimit);
            }
            let slot = self.requests.insert(self.state(request, None, seats));
            self.execute(slot);
            return Started::Executing(Ticket(slot));
        };
        let index = self.choose(Hand::deal(arrival.hash, queues, hand_size));
        let length = self.queues.get(index).map_or(0, |queue| queue.waiting.len());
        if self.totals.executing_seats >= self.limit && length >= length_limit {
            self.totals.rejected += 1;
            return Started::Rejected(Rejection::QueueFull);
        }
        let slot = self.requests.insert(self.state(request, Some(index), seats));
        if self.totals.waiting == 0
            && self.totals.executing_seats < self.limit
            && self.has_room_for(seats)
        {
            // Whichever queue it is in, it is the next one.
            self.activate(index);
            self.served = index;
            self.execute(slot);
            return Started::Executing(Ticket(slot));
        }
        self.enqueue(slot, index, seats);
        self.dispatch(|_| {});
        match self.is_executing(slot) {
            true => Started::Executing(Ticket(slot)),
            false => Started::Waiting(Ticket(slot)),
        }
    }

    /// A request ends, or no longer wants to wait. `wake` gets the requests that have their seats now.
    pub fn release(&mut self, now: u64, ticket: Ticket, wake: impl FnMut(&mut R)) {
        self.advance(now);
        match self.is_executing(ticket.0) {
            true => self.finish(now, ticket.0),
            false => self.leave(ticket.0),
        }
        self.dispatch(wake);
    }

    /// The time of a request in its queue is over: it leaves, unless it has just got its seats.
    pub fn time_out(
        &mut self,
        now: u64,
        ticket: Ticket,
        wake: impl FnMut(&mut R),
    ) -> Option<Ticket> {
        if self.is_executing(ticket.0) {
            return Some(ticket);
        }
        self.totals.rejected += 1;
        self.release(now, ticket, wake);
        None
    }

    /// Numbers of requests and seats.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Whether nothing waits and nothing executes.
    pub fn is_idle(&self) -> bool {
        self.totals.waiting == 0 && self.totals.executing == 0
    }

    /// All queues, in order.
    pub fn queues(&self) -> impl Iterator<Item = QueueState> {
        self.queues.iter().map(Queue::state)
    }

    /// The requests that wait in a queue, oldest first.
    pub fn waiting(&self, queue: usize) -> impl Iterator<Item = &RequestState<R>> {
        let slots = self.queues.get(queue).into_iter().flat_map(|queue| queue.waiting.iter());
        slots.filter_map(|slot| self.requests.get(*slot))
    }

    /// All requests, in no order.
    pub fn requests(&self) -> impl Iterator<Item = &RequestState<R>> {
        self.requests.iter()
    }

    /// What the caller knows of a request.
    pub fn request_mut(&mut self, ticket: &Ticket) -> Option<&mut R> {
        self.requests.get_mut(ticket.0).map(|state| &mut state.request)
    }

    /// The length of the queue in which a request waits.
    pub fn queue_length(&self, ticket: &Ticket) -> usize {
        let queue = self.requests.get(ticket.0).and_then(|state| state.queue);
        queue.and_then(|index| self.queues.get(index)).map_or(0, |queue| queue.waiting.len())
    }

    /// The requests that execute, in no order.
    pub fn executing(&self) -> impl Iterator<Item = &RequestState<R>> {
        self.requests.iter().filter(|state| state.started.is_some())
    }

    /// The virtual time, in nanoseconds of seats.
    pub fn virtual_time(&self) -> i128 {
        self.virtual_now
    }

    /// The demand since the last call.
    pub fn take_demand(&mut self, now: u64) -> Observed {
        self.demand.take(now)
    }

    fn state(&self, request: R, queue: Option<usize>, seats: u32) -> RequestState<R> {
        RequestState {
            request,
            queue,
            seats,
            arrived: self.now,
            started: None,
            arrived_at: self.virtual_now,
        }
    }

    fn is_executing(&self, slot: usize) -> bool {
        self.requests.get(slot).is_some_and(|state| state.started.is_some())
    }

    /// Virtual time goes as fast as each active queue can be served.
    fn advance(&mut self, now: u64) {
        let passed = now.saturating_sub(self.now);
        self.now = self.now.max(now);
        let Ok(active) = i128::try_from(self.active_queues) else { return };
        if active > 0 {
            let wanted = self.totals.executing_seats.saturating_add(self.totals.waiting_seats);
            let served = i128::from(wanted.min(self.limit));
            self.virtual_now += served * i128::from(passed) / active;
        }
    }

    /// Adds missing queues; queues that are too many go when they are empty.
    fn resize(&mut self) {
        let wanted = match self.queuing {
            Queuing::Queue { queues, .. } => queues,
            Queuing::Exempt | Queuing::Reject => 0,
        };
        while self.queues.len() > wanted && self.queues.last().is_some_and(|last| !last.is_active())
        {
            self.queues.pop();
        }
        if self.queues.len() < wanted {
            self.queues.resize_with(wanted, Queue::default);
        }
    }

    /// The queue of a hand with the least work waiting; where several have, they take turns.
    fn choose(&mut self, hand: Hand) -> usize {
        let turn = self.enqueued;
        self.enqueued = self.enqueued.wrapping_add(1);
        let waiting =
            |index: &usize| self.queues.get(*index).map_or(u32::MAX, |queue| queue.waiting_seats);
        hand.beginning_at(turn).min_by_key(waiting).unwrap_or_default()
    }

    /// Changes a queue, and counts whether it is active.
    fn change(&mut self, index: usize, change: impl FnOnce(&mut Queue)) {
        let Some(queue) = self.queues.get_mut(index) else { return };
        let was_active = queue.is_active();
        change(queue);
        match (was_active, queue.is_active()) {
            (false, true) => self.active_queues += 1,
            (true, false) => self.active_queues -= 1,
            _ => {}
        }
    }

    /// A queue that has nothing to do begins anew, and none begins before its oldest request came.
    fn activate(&mut self, index: usize) {
        let virtual_now = self.virtual_now;
        if let Some(queue) = self.queues.get_mut(index).filter(|queue| queue.waiting.is_empty()) {
            queue.next_dispatch = match queue.is_active() {
                true => queue.next_dispatch.max(virtual_now),
                false => virtual_now,
            };
        }
    }

    fn enqueue(&mut self, slot: usize, index: usize, seats: u32) {
        self.activate(index);
        self.change(index, |queue| {
            queue.waiting.push_back(slot);
            queue.waiting_seats += seats;
        });
        self.totals.waiting += 1;
        self.totals.waiting_seats += seats;
        self.note_demand();
    }

    /// A queue does not save up for later what it did not use before its oldest request came.
    fn bound(&mut self, index: usize) {
        let oldest = self.queues.get(index).and_then(|queue| queue.waiting.front());
        let arrived =
            oldest.and_then(|slot| self.requests.get(*slot)).map(|state| state.arrived_at);
        if let (Some(arrived), Some(queue)) = (arrived, self.queues.get_mut(index)) {
            queue.next_dispatch = queue.next_dispatch.max(arrived);
        }
    }

    fn dispatch(&mut self, mut wake: impl FnMut(&mut R)) {
        while self.totals.waiting > 0 && self.totals.executing_seats < self.limit {
            let Some(index) = self.next_queue() else { return };
            let oldest = self.queues.get(index).and_then(|queue| queue.waiting.front().copied());
            let Some(slot) = oldest else { return };
            let Some(seats) = self.requests.get(slot).map(|state| state.seats) else { return };
            if !self.has_room_for(seats) {
                // Others must not overtake it, or it would never have its turn.
                return;
            }
            self.served = index;
            self.take_from_queue(slot, index, seats);
            self.execute(slot);
            self.bound(index);
            if let Some(state) = self.requests.get_mut(slot) {
                wake(&mut state.request);
            }
        }
    }

    /// The queue whose oldest request would be finished first; those after the one that was served last come first.
    fn next_queue(&self) -> Option<usize> {
        let count = self.queues.len();
        let order = (1..=count).map(|step| (self.served + step) % count);
        let finish = |index: usize| {
            let queue = self.queues.get(index)?;
            let state = self.requests.get(*queue.waiting.front()?)?;
            Some((queue.next_dispatch + work(state.seats), index))
        };
        order.filter_map(finish).min_by_key(|(finish, _)| *finish).map(|(_, index)| index)
    }

    fn has_room_for(&self, seats: u32) -> bool {
        match self.queuing {
            Queuing::Exempt => true,
            // What is larger than the limit has its turn when nothing else executes.
            _ if seats > self.limit => self.totals.executing == 0,
            _ => self.totals.executing_seats + seats <= self.limit,
        }
    }

    fn execute(&mut self, slot: usize) {
        let now = self.now;
        let Some(state) = self.requests.get_mut(slot) else { return };
        state.started = Some(now);
        let (queue, seats) = (state.queue, state.seats);
        self.totals.executing += 1;
        self.totals.executing_seats += seats;
        self.totals.dispatched += 1;
        if let Some(index) = queue {
            self.change(index, |queue| {
                queue.executing += 1;
                queue.executing_seats += seats;
                queue.next_dispatch += work(seats);
            });
        }
        self.note_demand();
    }

    fn take_from_queue(&mut self, slot: usize, index: usize, seats: u32) {
        self.change(index, |queue| {
            match queue.waiting.front() == Some(&slot) {
                true => drop(queue.waiting.pop_front()),
                false => queue.waiting.retain(|other| *other != slot),
            }
            queue.waiting_seats -= seats;
        });
        self.totals.waiting -= 1;
        self.totals.waiting_seats -= seats;
    }

    fn finish(&mut self, now: u64, slot: usize) {
        let Some(state) = self.requests.remove(slot) else { return };
        let took = i128::from(now.saturating_sub(state.started.unwrap_or(now)));
        self.totals.executing -= 1;
        self.totals.executing_seats -= state.seats;
        if let Some(index) = state.queue {
            self.change(index, |queue| {
                queue.executing -= 1;
                queue.executing_seats -= state.seats;
                // What it really took, in place of the estimate.
                queue.next_dispatch += took * i128::from(state.seats) - work(state.seats);
            });
            self.bound(index);
            self.resize();
        }
        self.note_demand();
    }

    fn leave(&mut self, slot: usize) {
        let Some(state) = self.requests.remove(slot) else { return };
        let Some(index) = state.queue else { return };
        self.take_from_queue(slot, index, state.seats);
        self.totals.cancelled += 1;
        self.bound(index);
        self.resize();
        self.note_demand();
    }

    fn note_demand(&mut self) {
        let seats = self.totals.executing_seats.saturating_add(self.totals.waiting_seats);
        self.demand.set(self.now, f64::from(seats));
    }
}

#[cfg(test)]
mod tests;
