//! State shared by the handles of a session and its driver: streams, buffers, and wakers.

use crate::spdy::inbox::Inbox;
use crate::spdy::outgoing::Outgoing;
use crate::spdy::{Headers, Limits, Reset, SpdyError};
use bytes::Bytes;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};
use tokio::sync::watch;

/// The phase of a session.
#[derive(Clone, Copy, Debug, Eq, PartialEq, PartialOrd)]
pub(crate) enum Phase {
    Open,
    /// The last frames are being written.
    ShuttingDown,
    Closed,
}

/// One session, shared by all its handles.
#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<State>,
    pub(crate) phase: watch::Sender<Phase>,
}

impl Shared {
    pub(crate) fn new(server: bool, limits: Limits) -> Arc<Self> {
        let state = Mutex::new(State::new(server, limits));
        Arc::new(Self { state, phase: watch::Sender::new(Phase::Open) })
    }

    /// Applies an action to the state, and wakes the driver afterwards if needed.
    pub(crate) fn act<T>(&self, action: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.lock();
        let result = action(&mut state);
        let driver =
            if std::mem::take(&mut state.wakeup_requested) { state.driver.take() } else { None };
        drop(state);
        if let Some(driver) = driver {
            driver.wake();
        }
        result
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No action is left incomplete: none of them panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shuts the session down gracefully. Queued data is sent first.
    pub(crate) fn shut_down(&self) {
        if self.act(State::shut_down) {
            self.phase.send_if_modified(|phase| {
                let earlier = *phase < Phase::ShuttingDown;
                if earlier {
                    *phase = Phase::ShuttingDown;
                }
                earlier
            });
        }
    }
}

/// A counted handle. The session shuts down when the last one is dropped.
#[derive(Debug)]
pub(crate) struct Handle(Arc<Shared>);

impl Handle {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        shared.act(|state| state.handles += 1);
        Self(Arc::clone(shared))
    }
}

impl Clone for Handle {
    fn clone(&self) -> Self {
        Self::new(&self.0)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let last = self.0.act(|state| {
            state.handles -= 1;
            state.handles == 0
        });
        if last {
            self.0.shut_down();
        }
    }
}

impl std::ops::Deref for Handle {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// The state of the peer's side of a stream.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Remote {
    Open,
    Fin,
    Reset(Reset),
}

/// One stream.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) inbox: Inbox,
    pub(crate) remote: Remote,
    /// Whether this end may still send.
    pub(crate) sending: bool,
    /// Whether the stream was accepted, by whichever end had to.
    pub(crate) replied: bool,
    /// The headers of the peer's reply.
    pub(crate) reply: Headers,
    pub(crate) reader: Option<Waker>,
    pub(crate) writer: Option<Waker>,
}

impl Slot {
    pub(crate) fn new(remote: Remote, sending: bool) -> Self {
        let (inbox, reply) = (Inbox::default(), Headers::default());
        Self { inbox, remote, sending, replied: false, reply, reader: None, writer: None }
    }

    fn wake(&mut self) {
        let wakers = [self.reader.take(), self.writer.take()];
        wakers.into_iter().flatten().for_each(Waker::wake);
    }
}

/// Why the driver does not read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Stall {
    No,
    /// A stream is full.
    Stream,
    /// All streams together are full.
    Session,
}

/// The state under the lock.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) limits: Limits,
    server: bool,
    next_id: u32,
    last_peer_id: u32,
    pub(crate) streams: BTreeMap<u32, Slot>,
    pub(crate) out: Outgoing,
    /// Streams whose writer waits for room.
    blocked_writers: Vec<u32>,
    /// Unread bytes of all streams.
    buffered: usize,
    stall: Stall,
    /// Streams opened by the peer that are not accepted yet.
    pub(crate) pending: VecDeque<(u32, Headers)>,
    pub(crate) listener: Option<Waker>,
    /// Whether there is an acceptor.
    pub(crate) accepting: bool,
    /// Whether the peer has sent `GOAWAY`.
    peer_left: bool,
    shutting_down: bool,
    pub(crate) over: Option<SpdyError>,
    handles: usize,
    driver: Option<Waker>,
    wakeup_requested: bool,
}

/// The result of a delivery.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Delivery {
    Done,
    /// The stream is full: try again when woken.
    Full(Bytes),
}

impl State {
    fn new(server: bool, limits: Limits) -> Self {
        Self {
            limits,
            server,
            next_id: if server { 2 } else { 1 },
            last_peer_id: 0,
            streams: BTreeMap::new(),
            out: Outgoing::new(limits.outgoing),
            blocked_writers: Vec::new(),
            buffered: 0,
            stall: Stall::No,
            pending: VecDeque::new(),
            listener: None,
            accepting: true,
            peer_left: false,
            shutting_down: false,
            over: None,
            handles: 0,
            driver: None,
            wakeup_requested: false,
        }
    }

    /// Requests a wakeup of the driver.
    pub(crate) fn request_wakeup(&mut self) {
        self.wakeup_requested = true;
    }

    /// Registers the waker of the driver.
    pub(crate) fn register_driver(&mut self, cx: &Context<'_>) {
        match &self.driver {
            Some(waker) if waker.will_wake(cx.waker()) => {}
            _ => self.driver = Some(cx.waker().clone()),
        }
    }

    /// Opens a stream to the peer.
    pub(crate) fn open(&mut self, block: &[u8], fin: bool) -> Result<u32, SpdyError> {
        if let Some(why) = &self.over {
            return Err(why.clone());
        }
        if self.peer_left || self.shutting_down {
            return Err(SpdyError::Closed);
        }
        if self.streams.len() >= self.limits.streams || self.next_id > crate::spdy::frame::LAST_ID {
            return Err(SpdyError::TooManyStreams);
        }
        let id = self.next_id;
        self.next_id += 2;
        self.streams.insert(id, Slot::new(Remote::Open, !fin));
        self.out.syn_stream(id, block, fin);
        self.request_wakeup();
        Ok(id)
    }

    /// Handles a stream opened by the peer.
    pub(crate) fn peer_opened(
        &mut self,
        id: u32,
        headers: Option<Headers>,
        remote: Remote,
        sending: bool,
    ) {
        if self.shutting_down || self.peer_left {
            return;
        }
        let theirs = id % 2 == u32::from(self.server);
        let Some(headers) = headers.filter(|_| theirs && id > self.last_peer_id) else {
            return self.out.rst_stream(id, Reset::PROTOCOL_ERROR);
        };
        self.last_peer_id = id;
        if !self.accepting || self.streams.len() >= self.limits.streams {
            return self.out.rst_stream(id, Reset::REFUSED);
        }
        self.streams.insert(id, Slot::new(remote, sending));
        self.pending.push_back((id, headers));
        self.listener.take().into_iter().for_each(Waker::wake);
    }

    /// Handles the peer's acceptance of a stream.
    pub(crate) fn peer_replied(&mut self, id: u32, headers: Option<Headers>, fin: bool) {
        let Some(headers) = headers else {
            return self.reset_both(id, Reset::PROTOCOL_ERROR);
        };
        let Some(slot) = self.streams.get_mut(&id).filter(|slot| !slot.replied) else { return };
        slot.replied = true;
        slot.reply = headers;
        slot.wake();
        if fin {
            self.peer_finished(id);
        }
    }

    /// Handles the end of the peer's side of a stream.
    pub(crate) fn peer_finished(&mut self, id: u32) {
        if let Some(slot) = self.streams.get_mut(&id).filter(|slot| slot.remote == Remote::Open) {
            slot.remote = Remote::Fin;
            slot.wake();
        }
    }

    /// Handles a reset by the peer. Data received before can still be read.
    pub(crate) fn peer_reset(&mut self, id: u32, status: Reset) {
        let Some(slot) = self.streams.get_mut(&id) else { return };
        slot.sending = false;
        if slot.remote == Remote::Open {
            slot.remote = Remote::Reset(status);
        }
        slot.wake();
    }

    fn reset_both(&mut self, id: u32, status: Reset) {
        self.peer_reset(id, status);
        self.out.rst_stream(id, status);
    }

    /// Replies to a ping of the peer, and ignores replies to ours.
    pub(crate) fn peer_pinged(&mut self, id: u32) {
        if id % 2 == u32::from(self.server) {
            self.out.ping(id);
        }
    }

    /// Sends a ping, unless so much is queued that the peer hears from this end anyway.
    pub(crate) fn ping(&mut self) {
        if self.over.is_none() && self.out.has_room() {
            // The replies are ignored, so that all pings may have the same id.
            self.out.ping(if self.server { 2 } else { 1 });
            self.request_wakeup();
        }
    }

    /// Handles `GOAWAY`: streams that the peer did not accept are refused.
    pub(crate) fn peer_went_away(&mut self) {
        self.peer_left = true;
        let server = self.server;
        let is_unanswered =
            |(id, slot): &(&u32, &mut Slot)| (*id % 2 == 0) == server && !slot.replied;
        for (_, slot) in self.streams.iter_mut().filter(is_unanswered) {
            slot.remote = Remote::Reset(Reset::REFUSED);
            slot.sending = false;
            slot.wake();
        }
    }

    /// Delivers data to its stream. Data for a stream that is gone is dropped, as peers do.
    pub(crate) fn deliver(&mut self, id: u32, bytes: Bytes) -> Delivery {
        let is_open = |slot: &&mut Slot| slot.remote == Remote::Open;
        let Some(slot) = self.streams.get_mut(&id).filter(is_open) else { return Delivery::Done };
        if bytes.is_empty() {
            return Delivery::Done;
        }
        let is_full = slot.inbox.len() >= self.limits.stream_buffer;
        if is_full || self.buffered >= self.limits.session_buffer {
            self.stall = if is_full { Stall::Stream } else { Stall::Session };
            return Delivery::Full(bytes);
        }
        self.buffered += bytes.len();
        slot.inbox.push(bytes);
        slot.reader.take().into_iter().for_each(Waker::wake);
        Delivery::Done
    }

    /// The next bytes of a stream for its reader, which may let the driver continue to read.
    pub(crate) fn take_received(&mut self, id: u32) -> Option<Bytes> {
        let slot = self.streams.get_mut(&id)?;
        let chunk = slot.inbox.pop()?;
        let is_low = slot.inbox.len() <= self.limits.stream_buffer / 2;
        self.buffered -= chunk.len();
        if self.stall == Stall::Stream && is_low {
            self.stall = Stall::Session;
        }
        if self.stall == Stall::Session && self.buffered < self.limits.session_buffer {
            self.resume_reading();
        }
        Some(chunk)
    }

    fn resume_reading(&mut self) {
        if self.stall != Stall::No {
            self.stall = Stall::No;
            self.request_wakeup();
        }
    }

    /// Registers a writer that waits for room.
    pub(crate) fn wait_for_room(&mut self, id: u32, cx: &Context<'_>) {
        let Some(slot) = self.streams.get_mut(&id) else { return };
        if slot.writer.replace(cx.waker().clone()).is_none() {
            self.blocked_writers.push(id);
        }
    }

    /// Records that bytes were written to the connection.
    pub(crate) fn written(&mut self, bytes: usize) {
        self.out.written(bytes);
        if self.out.has_ample_room() {
            for id in self.blocked_writers.drain(..) {
                let writer = self.streams.get_mut(&id).and_then(|slot| slot.writer.take());
                writer.into_iter().for_each(Waker::wake);
            }
        }
    }

    /// Removes a stream without a handle; if it was not finished, the peer gets a reset.
    pub(crate) fn remove_stream(&mut self, id: u32, status: Reset) {
        let Some(slot) = self.streams.remove(&id) else { return };
        self.buffered -= slot.inbox.len();
        if (slot.sending || slot.remote == Remote::Open)
            && !self.shutting_down
            && self.over.is_none()
        {
            self.out.rst_stream(id, status);
        }
        self.resume_reading();
        self.request_wakeup();
    }

    /// Whether the driver has nothing left to do.
    pub(crate) fn is_done(&self) -> bool {
        self.out.is_empty() && (self.shutting_down || self.peer_left && self.streams.is_empty())
    }

    pub(crate) fn is_shutting_down(&self) -> bool {
        self.shutting_down
    }

    /// Whether the peer may close the connection without an error.
    pub(crate) fn may_peer_close(&self) -> bool {
        self.shutting_down || self.peer_left
    }

    /// Resets all streams and queues `GOAWAY`; false if that was done before.
    fn shut_down(&mut self) -> bool {
        if self.shutting_down || self.over.is_some() {
            return false;
        }
        self.shutting_down = true;
        for (id, slot) in &mut self.streams {
            // A peer that received the end of a stream needs no reset.
            if slot.sending {
                self.out.rst_stream(*id, Reset::CANCEL);
            }
            slot.sending = false;
            if slot.remote == Remote::Open {
                slot.remote = Remote::Reset(Reset::CANCEL);
            }
            slot.wake();
        }
        self.out.go_away(self.last_peer_id);
        self.listener.take().into_iter().for_each(Waker::wake);
        self.stall = Stall::No;
        self.request_wakeup();
        true
    }

    /// Ends the session and wakes everybody.
    pub(crate) fn end(&mut self, why: SpdyError) {
        self.over.get_or_insert(why);
        for slot in self.streams.values_mut() {
            slot.sending = false;
            slot.wake();
        }
        self.listener.take().into_iter().for_each(Waker::wake);
    }
}
