//! Bounded queue of frames to be written to the connection.

use crate::spdy::frame::HEAD;
use crate::spdy::inflate::Packer;
use crate::spdy::{Reset, write};
use bytes::{Bytes, BytesMut};
use std::collections::VecDeque;

/// The maximum size of a data frame that is sent. Peers read a frame completely before they pass it
/// on.
pub(crate) const MAX_DATA: usize = 64 << 10;

/// Excess over the limit: the frame that reached it, and frames that cannot be delayed.
const SLACK: usize = 2 * MAX_DATA;

/// The frames of all streams, in the order of sending.
#[derive(Debug)]
pub(crate) struct Outgoing {
    ready: VecDeque<Bytes>,
    /// The frames after all others, still growing.
    tail: BytesMut,
    packer: Packer,
    waiting: usize,
    limit: usize,
}

impl Outgoing {
    pub(crate) fn new(limit: usize) -> Self {
        let (ready, tail) = (VecDeque::new(), BytesMut::new());
        Self { ready, tail, packer: Packer::default(), waiting: 0, limit }
    }

    /// Whether another data frame may be queued.
    pub(crate) fn has_room(&self) -> bool {
        self.waiting < self.limit
    }

    /// Whether waiting writers should be woken.
    pub(crate) fn has_ample_room(&self) -> bool {
        self.waiting <= self.limit / 2
    }

    /// Whether a peer causes more replies than it reads.
    pub(crate) fn is_flooded(&self) -> bool {
        self.waiting > self.limit + SLACK
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    pub(crate) fn syn_stream(&mut self, id: u32, block: &[u8], fin: bool) {
        self.append(|tail, packer| write::syn_stream(tail, packer, id, block, fin));
    }

    pub(crate) fn syn_reply(&mut self, id: u32, block: &[u8]) {
        self.append(|tail, packer| write::syn_reply(tail, packer, id, block));
    }

    pub(crate) fn rst_stream(&mut self, id: u32, status: Reset) {
        self.append(|tail, _| write::rst_stream(tail, id, status));
    }

    pub(crate) fn ping(&mut self, id: u32) {
        self.append(|tail, _| write::ping(tail, id));
    }

    pub(crate) fn go_away(&mut self, last: u32) {
        self.append(|tail, _| write::go_away(tail, last));
    }

    /// Queues a data frame with a copy of as much of `data` as fits.
    pub(crate) fn data(&mut self, id: u32, data: &[u8]) -> usize {
        let (frame, _) = data.split_at(data.len().min(MAX_DATA));
        self.append(|tail, _| {
            tail.reserve(HEAD + frame.len());
            write::data_head(tail, id, frame.len(), false);
            tail.extend_from_slice(frame);
        });
        frame.len()
    }

    /// Queues a data frame with as much of `data` as fits, which is split off.
    pub(crate) fn data_shared(&mut self, id: u32, data: &mut Bytes) {
        let frame = data.split_to(data.len().min(MAX_DATA));
        self.append(|tail, _| write::data_head(tail, id, frame.len(), false));
        self.waiting += frame.len();
        self.close_tail();
        self.ready.push_back(frame);
    }

    /// Queues the end of this side of a stream.
    pub(crate) fn fin(&mut self, id: u32) {
        self.append(|tail, _| write::data_head(tail, id, 0, true));
    }

    /// Moves all frames to `taken`. They count as queued until [`Self::written`].
    pub(crate) fn take(&mut self, taken: &mut VecDeque<Bytes>) {
        self.close_tail();
        taken.append(&mut self.ready);
    }

    pub(crate) fn written(&mut self, bytes: usize) {
        self.waiting = self.waiting.saturating_sub(bytes);
    }

    fn append(&mut self, frame: impl FnOnce(&mut BytesMut, &mut Packer)) {
        let before = self.tail.len();
        frame(&mut self.tail, &mut self.packer);
        self.waiting += self.tail.len() - before;
    }

    fn close_tail(&mut self) {
        if !self.tail.is_empty() {
            self.ready.push_back(self.tail.split().freeze());
        }
    }
}
