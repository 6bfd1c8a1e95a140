//! What the handles of a session and the task that drives it share: streams, what waits for them, and who is asleep.

use crate::inward::Inbox;
use crate::outward::Outgoing;
use crate::{Headers, Limits, Reset, SpdyError};
use bytes::Bytes;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};
use tokio::sync::watch;

/// How far a session has come.
#[derive(Clone, Copy, Debug, Eq, PartialEq, PartialOrd)]
pub(crate) enum Phase {
    Open,
    /// The last frames are on their way.
    Leaving,
    Closed,
}

/// One session, as all its handles see it.
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

    /// Does something to the state, and wakes the driver afterwards if it must know.
    pub(crate) fn act<T>(&self, action: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.lock();
        let told = action(&mut state);
        let driver = if std::mem::take(&mut state.nudged) { state.driver.take() } else { None };
        drop(state);
        if let Some(driver) = driver {
            driver.wake();
        }
        told
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No action stops halfway: there is nothing in them that panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says farewell on the wire. What was sent before goes out first.
    pub(crate) fn leave(&self) {
        if self.act(State::leave) {
            self.phase.send_if_modified(|phase| {
                let earlier = *phase < Phase::Leaving;
                if earlier {
                    *phase = Phase::Leaving;
                }
                earlier
            });
        }
    }
}

/// A share in a session. The session leaves when the last one is gone.
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
            self.0.leave();
        }
    }
}

impl std::ops::Deref for Handle {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// What the other end of a stream still has to say.
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
    /// This end may still send.
    pub(crate) sending: bool,
    /// The stream was accepted, by whichever end had to.
    pub(crate) replied: bool,
    /// What the other end said when it accepted.
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

/// Why the driver does not read on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Stall {
    No,
    /// A stream is full.
    Stream,
    /// All streams together are.
    Session,
}

/// Everything that is locked at once.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) limits: Limits,
    server: bool,
    next_id: u32,
    last_heard: u32,
    pub(crate) streams: BTreeMap<u32, Slot>,
    pub(crate) out: Outgoing,
    /// Streams whose writer waits for room.
    crowded: Vec<u32>,
    /// Bytes in all inboxes.
    held: usize,
    stall: Stall,
    /// Streams that were opened by the peer and that nobody has looked at.
    pub(crate) knocking: VecDeque<(u32, Headers)>,
    pub(crate) listener: Option<Waker>,
    /// Somebody accepts streams.
    pub(crate) accepting: bool,
    /// The peer wants no more streams.
    gone: bool,
    leaving: bool,
    pub(crate) over: Option<SpdyError>,
    handles: usize,
    driver: Option<Waker>,
    nudged: bool,
}

/// What became of a piece of data.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Delivery {
    Done,
    /// The stream has no room: try again when woken.
    Full(Bytes),
}

impl State {
    fn new(server: bool, limits: Limits) -> Self {
        Self {
            limits,
            server,
            next_id: if server { 2 } else { 1 },
            last_heard: 0,
            streams: BTreeMap::new(),
            out: Outgoing::new(limits.outgoing),
            crowded: Vec::new(),
            held: 0,
            stall: Stall::No,
            knocking: VecDeque::new(),
            listener: None,
            accepting: true,
            gone: false,
            leaving: false,
            over: None,
            handles: 0,
            driver: None,
            nudged: false,
        }
    }

    /// Has the driver look again.
    pub(crate) fn nudge(&mut self) {
        self.nudged = true;
    }

    /// The driver is about to look.
    pub(crate) fn looked_at(&mut self, cx: &Context<'_>) {
        match &self.driver {
            Some(known) if known.will_wake(cx.waker()) => {}
            _ => self.driver = Some(cx.waker().clone()),
        }
    }

    /// Begins a stream towards the peer.
    pub(crate) fn open(&mut self, block: &[u8], fin: bool) -> Result<u32, SpdyError> {
        if let Some(why) = &self.over {
            return Err(why.clone());
        }
        if self.gone || self.leaving {
            return Err(SpdyError::Closed);
        }
        if self.streams.len() >= self.limits.streams || self.next_id > crate::frame::LAST_ID {
            return Err(SpdyError::TooManyStreams);
        }
        let id = self.next_id;
        self.next_id += 2;
        self.streams.insert(id, Slot::new(Remote::Open, !fin));
        self.out.syn_stream(id, block, fin);
        self.nudge();
        Ok(id)
    }

    /// The peer begins a stream.
    pub(crate) fn knock(
        &mut self,
        id: u32,
        headers: Option<Headers>,
        remote: Remote,
        sending: bool,
    ) {
        if self.leaving || self.gone {
            return;
        }
        let theirs = id % 2 == u32::from(self.server);
        let Some(headers) = headers.filter(|_| theirs && id > self.last_heard) else {
            return self.out.rst_stream(id, Reset::PROTOCOL_ERROR);
        };
        self.last_heard = id;
        if !self.accepting || self.streams.len() >= self.limits.streams {
            return self.out.rst_stream(id, Reset::REFUSED);
        }
        self.streams.insert(id, Slot::new(remote, sending));
        self.knocking.push_back((id, headers));
        self.listener.take().into_iter().for_each(Waker::wake);
    }

    /// The peer accepts a stream.
    pub(crate) fn replied(&mut self, id: u32, headers: Option<Headers>, fin: bool) {
        let Some(headers) = headers else {
            return self.reset_both(id, Reset::PROTOCOL_ERROR);
        };
        let Some(slot) = self.streams.get_mut(&id).filter(|slot| !slot.replied) else { return };
        slot.replied = true;
        slot.reply = headers;
        slot.wake();
        if fin {
            self.finished(id);
        }
    }

    /// The peer has said all on a stream.
    pub(crate) fn finished(&mut self, id: u32) {
        if let Some(slot) = self.streams.get_mut(&id).filter(|slot| slot.remote == Remote::Open) {
            slot.remote = Remote::Fin;
            slot.wake();
        }
    }

    /// The peer resets a stream. What came before can still be read.
    pub(crate) fn was_reset(&mut self, id: u32, status: Reset) {
        let Some(slot) = self.streams.get_mut(&id) else { return };
        slot.sending = false;
        if slot.remote == Remote::Open {
            slot.remote = Remote::Reset(status);
        }
        slot.wake();
    }

    fn reset_both(&mut self, id: u32, status: Reset) {
        self.was_reset(id, status);
        self.out.rst_stream(id, status);
    }

    /// The peer wants an answer, or gives one, which nobody waits for.
    pub(crate) fn pinged(&mut self, id: u32) {
        if id % 2 == u32::from(self.server) {
            self.out.ping(id);
        }
    }

    /// Asks the peer whether it is there, unless so much waits that it hears from this end anyway.
    pub(crate) fn ping(&mut self) {
        if self.over.is_none() && self.out.has_room() {
            // Nobody waits for the answer, so all questions may have one number.
            self.out.ping(if self.server { 2 } else { 1 });
            self.nudge();
        }
    }

    /// The peer wants no more streams: those that it did not accept come to nothing.
    pub(crate) fn went_away(&mut self) {
        self.gone = true;
        let server = self.server;
        let unanswered = |(id, slot): &(&u32, &mut Slot)| (*id % 2 == 0) == server && !slot.replied;
        for (_, slot) in self.streams.iter_mut().filter(unanswered) {
            slot.remote = Remote::Reset(Reset::REFUSED);
            slot.sending = false;
            slot.wake();
        }
    }

    /// Hands a piece of data to its stream. What comes for a stream that is gone is dropped, as peers do.
    pub(crate) fn deliver(&mut self, id: u32, bytes: Bytes) -> Delivery {
        let open = |slot: &&mut Slot| slot.remote == Remote::Open;
        let Some(slot) = self.streams.get_mut(&id).filter(open) else { return Delivery::Done };
        if bytes.is_empty() {
            return Delivery::Done;
        }
        let full = slot.inbox.len() >= self.limits.stream_buffer;
        if full || self.held >= self.limits.session_buffer {
            self.stall = if full { Stall::Stream } else { Stall::Session };
            return Delivery::Full(bytes);
        }
        self.held += bytes.len();
        slot.inbox.push(bytes);
        slot.reader.take().into_iter().for_each(Waker::wake);
        Delivery::Done
    }

    /// The next bytes of a stream for its reader, who may let the driver read on with it.
    pub(crate) fn pick_up(&mut self, id: u32) -> Option<Bytes> {
        let slot = self.streams.get_mut(&id)?;
        let piece = slot.inbox.pop()?;
        let low = slot.inbox.len() <= self.limits.stream_buffer / 2;
        self.held -= piece.len();
        if self.stall == Stall::Stream && low {
            self.stall = Stall::Session;
        }
        if self.stall == Stall::Session && self.held < self.limits.session_buffer {
            self.read_on();
        }
        Some(piece)
    }

    fn read_on(&mut self) {
        if self.stall != Stall::No {
            self.stall = Stall::No;
            self.nudge();
        }
    }

    /// Remembers who waits to write on a stream.
    pub(crate) fn wait_for_room(&mut self, id: u32, cx: &Context<'_>) {
        let Some(slot) = self.streams.get_mut(&id) else { return };
        if slot.writer.replace(cx.waker().clone()).is_none() {
            self.crowded.push(id);
        }
    }

    /// So much went out.
    pub(crate) fn written(&mut self, bytes: usize) {
        self.out.written(bytes);
        if self.out.has_much_room() {
            for id in self.crowded.drain(..) {
                let writer = self.streams.get_mut(&id).and_then(|slot| slot.writer.take());
                writer.into_iter().for_each(Waker::wake);
            }
        }
    }

    /// Forgets a stream that has no handle any more; if it was not over, the peer hears that it is now.
    pub(crate) fn forget(&mut self, id: u32, status: Reset) {
        let Some(slot) = self.streams.remove(&id) else { return };
        self.held -= slot.inbox.len();
        if (slot.sending || slot.remote == Remote::Open) && !self.leaving && self.over.is_none() {
            self.out.rst_stream(id, status);
        }
        self.read_on();
        self.nudge();
    }

    /// Whether the driver has nothing left to do.
    pub(crate) fn is_done(&self) -> bool {
        self.out.is_empty() && (self.leaving || self.gone && self.streams.is_empty())
    }

    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving
    }

    /// Whether the peer may hang up without anything being wrong.
    pub(crate) fn is_parting(&self) -> bool {
        self.leaving || self.gone
    }

    /// Resets all streams and says goodbye; false if that was done before.
    fn leave(&mut self) -> bool {
        if self.leaving || self.over.is_some() {
            return false;
        }
        self.leaving = true;
        for (id, slot) in &mut self.streams {
            // A peer that was told the end of a stream needs to hear no more of it.
            if slot.sending {
                self.out.rst_stream(*id, Reset::CANCEL);
            }
            slot.sending = false;
            if slot.remote == Remote::Open {
                slot.remote = Remote::Reset(Reset::CANCEL);
            }
            slot.wake();
        }
        self.out.go_away(self.last_heard);
        self.listener.take().into_iter().for_each(Waker::wake);
        self.stall = Stall::No;
        self.nudge();
        true
    }

    /// Tells everybody that it is over.
    pub(crate) fn end(&mut self, why: SpdyError) {
        self.over.get_or_insert(why);
        for slot in self.streams.values_mut() {
            slot.sending = false;
            slot.wake();
        }
        self.listener.take().into_iter().for_each(Waker::wake);
    }
}
