//! Pool entry of one peer: its idle connections, and a dial in progress.

use std::time::{Duration, Instant};

use hyper::client::conn::http1;
use tokio::sync::watch;

use super::DialResult;
use crate::http_connection::{Http2, Outgoing};

/// The maximum number of idle HTTP/1.1 connections of a peer.
const MAX_IDLE: usize = 25;

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) used: Instant,
    pub(super) http2: Vec<Http2>,
    pub(super) http1: Vec<Idle>,
    /// A dial in progress that other requests wait for.
    pub(super) dialing: Option<watch::Receiver<DialResult>>,
    /// Whether its connections are HTTP/2 and can be shared; assumed until known.
    pub(super) is_shared: bool,
}

/// An HTTP/1.1 connection between two exchanges.
#[derive(Debug)]
pub(super) struct Idle {
    pub(super) sender: http1::SendRequest<Outgoing>,
    since: Instant,
}

impl Entry {
    pub(super) fn new() -> Self {
        Self {
            used: Instant::now(),
            http2: Vec::new(),
            http1: Vec::new(),
            dialing: None,
            is_shared: true,
        }
    }

    pub(super) fn put_back(&mut self, sender: http1::SendRequest<Outgoing>) {
        if self.http1.len() >= MAX_IDLE {
            self.http1.remove(0);
        }
        self.http1.push(Idle { sender, since: Instant::now() });
    }

    pub(super) fn remove_closed(&mut self) {
        self.http2.retain(|http2| !http2.is_closed());
        self.http1.retain(|idle| idle.sender.is_ready());
        if !self.is_dialing() {
            self.dialing = None;
        }
    }

    fn is_dialing(&self) -> bool {
        // Nobody dials if the sender is gone, or has sent a result.
        let in_progress = |result: &watch::Receiver<DialResult>| {
            result.has_changed().is_ok() && result.borrow().is_none()
        };
        self.dialing.as_ref().is_some_and(in_progress)
    }

    pub(super) fn is_busy(&self) -> bool {
        self.http2.iter().any(Http2::is_busy) || self.is_dialing()
    }

    /// Drops connections that were idle for so long, and returns whether any is left.
    pub(super) fn sweep(&mut self, idle: Duration) -> bool {
        self.remove_closed();
        self.http2.retain(|http2| !http2.is_idle_for(idle));
        self.http1.retain(|connection| connection.since.elapsed() < idle);
        !self.http2.is_empty() || !self.http1.is_empty() || self.dialing.is_some()
    }
}
