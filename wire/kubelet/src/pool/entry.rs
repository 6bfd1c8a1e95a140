//! What is known of one peer: its connections that wait, and whether one is on its way.

use std::time::{Duration, Instant};

use hyper::client::conn::http1;
use tokio::sync::watch;

use super::Ended;
use crate::line::{Many, Outgoing};

/// How many connections of one exchange wait for one peer.
const IDLE: usize = 25;

/// One peer.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) used: Instant,
    pub(super) many: Vec<Many>,
    pub(super) one: Vec<Idle>,
    /// A connection on its way that others wait for.
    pub(super) dialling: Option<watch::Receiver<Ended>>,
    /// Whether its connections carry many exchanges; until we know, we hope so.
    pub(super) is_shared: bool,
}

/// A connection of one exchange, between two.
#[derive(Debug)]
pub(super) struct Idle {
    pub(super) sender: http1::SendRequest<Outgoing>,
    since: Instant,
}

impl Entry {
    pub(super) fn new() -> Self {
        Self {
            used: Instant::now(),
            many: Vec::new(),
            one: Vec::new(),
            dialling: None,
            is_shared: true,
        }
    }

    pub(super) fn keep(&mut self, sender: http1::SendRequest<Outgoing>) {
        if self.one.len() >= IDLE {
            self.one.remove(0);
        }
        self.one.push(Idle { sender, since: Instant::now() });
    }

    pub(super) fn forget_closed(&mut self) {
        self.many.retain(|many| !many.is_closed());
        self.one.retain(|idle| idle.sender.is_ready());
        if !self.is_dialling() {
            self.dialling = None;
        }
    }

    fn is_dialling(&self) -> bool {
        // Nobody dials if whoever would tell is gone, or has told.
        let going_on = |ended: &watch::Receiver<Ended>| {
            ended.has_changed().is_ok() && ended.borrow().is_none()
        };
        self.dialling.as_ref().is_some_and(going_on)
    }

    pub(super) fn is_busy(&self) -> bool {
        self.many.iter().any(Many::is_busy) || self.is_dialling()
    }

    /// Drops what has waited for so long; whether anything is left.
    pub(super) fn sweep(&mut self, idle: Duration) -> bool {
        self.forget_closed();
        self.many.retain(|many| !many.is_idle_for(idle));
        self.one.retain(|one| one.since.elapsed() < idle);
        !self.many.is_empty() || !self.one.is_empty() || self.dialling.is_some()
    }
}
