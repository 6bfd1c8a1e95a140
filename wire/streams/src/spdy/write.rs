//! Serialization of frames into the output buffer.

use crate::spdy::frame::{FIN, VERSION, kind};
use crate::spdy::inflate::Packer;
use crate::spdy::{Reset, frame::HEAD};
use bytes::{BufMut, BytesMut};

/// The `GOAWAY` status for a normal end of the session.
const STATUS_OK: u32 = 0;

/// The header of a data frame of `length` bytes, at most 2^24 - 1.
pub(crate) fn data_head(out: &mut BytesMut, id: u32, length: usize, fin: bool) {
    out.put_u32(id);
    put_flags_and_length(out, if fin { FIN } else { 0 }, length);
}

pub(crate) fn syn_stream(
    out: &mut BytesMut,
    packer: &mut Packer,
    id: u32,
    block: &[u8],
    fin: bool,
) {
    with_block(out, packer, kind::SYN_STREAM, fin, block, |out| {
        out.put_u32(id);
        // No associated stream, the highest priority, no credential.
        out.put_u32(0);
        out.put_u16(0);
    });
}

pub(crate) fn syn_reply(out: &mut BytesMut, packer: &mut Packer, id: u32, block: &[u8]) {
    with_block(out, packer, kind::SYN_REPLY, false, block, |out| out.put_u32(id));
}

pub(crate) fn rst_stream(out: &mut BytesMut, id: u32, status: Reset) {
    control_head(out, kind::RST_STREAM, 0, 8);
    out.put_u32(id);
    out.put_u32(status.0);
}

pub(crate) fn ping(out: &mut BytesMut, id: u32) {
    control_head(out, kind::PING, 0, 4);
    out.put_u32(id);
}

pub(crate) fn go_away(out: &mut BytesMut, last: u32) {
    control_head(out, kind::GOAWAY, 0, 8);
    out.put_u32(last);
    out.put_u32(STATUS_OK);
}

fn with_block(
    out: &mut BytesMut,
    packer: &mut Packer,
    kind: u16,
    fin: bool,
    block: &[u8],
    first: impl Fn(&mut BytesMut),
) {
    let mut payload = BytesMut::with_capacity(block.len() + 4 * HEAD);
    first(&mut payload);
    packer.pack(block, &mut payload);
    control_head(out, kind, if fin { FIN } else { 0 }, payload.len());
    out.put_slice(&payload);
}

fn control_head(out: &mut BytesMut, kind: u16, flags: u8, length: usize) {
    out.put_u16(0x8000 | VERSION);
    out.put_u16(kind);
    put_flags_and_length(out, flags, length);
}

fn put_flags_and_length(out: &mut BytesMut, flags: u8, length: usize) {
    out.put_u8(flags);
    out.put_uint(length as u64, 3);
}
