//! Fuzz target `spdy`: bytes of a connection are SPDY frames or are refused, the same however they arrive.

use bytes::BytesMut;
use ratchet_fuzz::{Choices, unhex};
use ratchet_streams::spdy::Limits;
use ratchet_streams::spdy::frame::{Frame, FrameDecoder, FrameError};

/// Pieces of frames, in hexadecimal.
const WORDS: &[&str] = &[
    "80030001",
    "80030002",
    "80030003",
    "80030004",
    "80030006",
    "80030007",
    "80030008",
    "80030009",
    "80030077",
    "80020001",
    "00000001",
    "00000003",
    "00000000",
    "7fffffff",
    "01",
    "00",
    "ff",
    "00000004",
    "00000008",
    "0000000a",
    "00ffffff",
    "000000ffff",
    "78bbe3c6a7c2",
    "78f9e3c6a7c2",
    "0005",
    "fffa",
    "61626364",
    "6260606000000000ffff",
    "6260606004a7b392a2d4c45c6851c29a0a0a6800000000ffff",
];

const LIMITS: Limits = Limits { control_frame: 4096, header_block: 4096, ..Limits::DEFAULT };

#[test]
fn spdy() {
    ratchet_fuzz::fuzz!("spdy", WORDS, check);
}

fn check(text: &str) {
    let bytes = unhex(text);
    let whole = decode(&bytes, &[bytes.len()]);
    let mut choices = Choices::hashed(&bytes);
    let sizes: Vec<usize> = (0..1 + choices.below(4)).map(|_| 1 + choices.below(9)).collect();
    assert_eq!(whole, decode(&bytes, &sizes), "in pieces of {sizes:?}");
    for frame in &whole.0 {
        let (Frame::SynStream { headers, .. } | Frame::SynReply { headers, .. }) = frame else {
            continue;
        };
        let Some(headers) = headers else { continue };
        assert!(headers.iter().count() <= LIMITS.header_block);
        assert!(headers.iter().all(|(name, _)| name == name.to_lowercase()));
    }
}

/// The frames in `bytes`, which come in pieces of these sizes by turns; data that lies together is one frame.
fn decode(bytes: &[u8], sizes: &[usize]) -> (Vec<Frame>, Option<FrameError>) {
    let (mut decoder, mut input) = (FrameDecoder::new(&LIMITS), BytesMut::new());
    let (mut frames, mut rest) = (Vec::new(), bytes);
    for size in sizes.iter().cycle() {
        let (piece, after) = rest.split_at((*size).min(rest.len()));
        input.extend_from_slice(piece);
        rest = after;
        loop {
            match decoder.next(&mut input) {
                Ok(Some(frame)) => join(&mut frames, frame),
                Ok(None) => break,
                Err(why) => return (frames, Some(why)),
            }
        }
        if rest.is_empty() {
            break;
        }
    }
    (frames, None)
}

fn join(frames: &mut Vec<Frame>, frame: Frame) {
    if let (Some(Frame::Data { id, bytes, fin }), Frame::Data { id: same, bytes: more, fin: end }) =
        (frames.last_mut(), &frame)
        && id == same
        && !*fin
    {
        *bytes = [&bytes[..], &more[..]].concat().into();
        *fin = *end;
        return;
    }
    frames.push(frame);
}
