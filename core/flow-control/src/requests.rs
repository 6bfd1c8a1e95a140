//! `Requests`: the requests of a queue set, waiting and executing, in slots that are used again.

use alloc::vec::Vec;

/// A request of a queue set. It is given back when the request ends, so that no request ends twice.
#[derive(Debug, PartialEq, Eq)]
pub struct Ticket(pub(crate) usize);

/// A request as the queue set knows it.
#[derive(Clone, Debug)]
pub struct RequestState<R> {
    /// What the caller knows of it.
    pub request: R,
    /// The queue that it waits in or came from.
    pub queue: Option<usize>,
    /// The seats that it takes.
    pub seats: u32,
    /// When it arrived, in nanoseconds.
    pub arrived: u64,
    /// When it began to execute; none while it waits.
    pub started: Option<u64>,
    /// When it arrived, in virtual time.
    pub(crate) arrived_at: i128,
}

/// Slots of requests.
#[derive(Clone, Debug)]
pub(crate) struct Requests<R> {
    slots: Vec<Option<RequestState<R>>>,
    vacant: Vec<usize>,
}

impl<R> Default for Requests<R> {
    fn default() -> Self {
        Self { slots: Vec::new(), vacant: Vec::new() }
    }
}

impl<R> Requests<R> {
    /// Keeps a request, and returns its slot.
    pub(crate) fn insert(&mut self, state: RequestState<R>) -> usize {
        match self.vacant.pop() {
            Some(slot) => {
                if let Some(vacant) = self.slots.get_mut(slot) {
                    *vacant = Some(state);
                }
                slot
            }
            None => {
                self.slots.push(Some(state));
                self.slots.len() - 1
            }
        }
    }

    pub(crate) fn get(&self, slot: usize) -> Option<&RequestState<R>> {
        self.slots.get(slot)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, slot: usize) -> Option<&mut RequestState<R>> {
        self.slots.get_mut(slot)?.as_mut()
    }

    /// Takes a request out; its slot may be used again.
    pub(crate) fn remove(&mut self, slot: usize) -> Option<RequestState<R>> {
        let state = self.slots.get_mut(slot)?.take()?;
        self.vacant.push(slot);
        Some(state)
    }

    /// All requests.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &RequestState<R>> {
        self.slots.iter().flatten()
    }
}
