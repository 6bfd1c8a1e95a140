//! Fuzz target `websocket`: bytes of a connection are WebSocket frames or are refused, the same however they arrive.

use bytes::BytesMut;
use ratchet_fuzz::{Choices, unhex};
use ratchet_streams::websocket::{MessageDecoder, NoFrame, Piece};

/// Pieces of frames, in hexadecimal.
const WORDS: &[&str] = &[
    "8280",
    "8281",
    "8285",
    "0281",
    "0081",
    "8081",
    "8181",
    "8980",
    "8981",
    "8a80",
    "8880",
    "8882",
    "82fe",
    "82ff",
    "82fe0001",
    "82ff0000000000000001",
    "37fa213d",
    "00000000",
    "ffffffff",
    "03e8",
    "61",
    "ff",
    "00",
    "c281",
    "8b80",
];

#[test]
fn websocket() {
    ratchet_fuzz::fuzz!("websocket", WORDS, check);
}

fn check(text: &str) {
    let bytes = unhex(text);
    let whole = decode(&bytes, &[bytes.len().max(1)]);
    let mut choices = Choices::hashed(&bytes);
    let sizes: Vec<usize> = (0..1 + choices.below(4)).map(|_| 1 + choices.below(9)).collect();
    assert_eq!(whole, decode(&bytes, &sizes), "in pieces of {sizes:?}");
    let (pieces, _) = whole;
    let carried: usize = pieces.iter().map(size).sum();
    assert!(carried <= bytes.len(), "more came out than went in");
    let mut open = false;
    for piece in &pieces {
        if let Piece::Data { first, last, .. } = piece {
            assert_eq!(*first, !open, "a message begins where none is open");
            open = !last;
        }
    }
}

fn size(piece: &Piece) -> usize {
    match piece {
        Piece::Data { bytes, .. } | Piece::Ping(bytes) => bytes.len(),
        Piece::Pong | Piece::Close(_) => 0,
    }
}

/// The pieces in `bytes`, which come in chunks of these sizes by turns; what lies together of one message is one piece.
fn decode(bytes: &[u8], sizes: &[usize]) -> (Vec<Piece>, Option<NoFrame>) {
    let (mut decoder, mut input) = (MessageDecoder::default(), BytesMut::new());
    let (mut pieces, mut rest) = (Vec::new(), bytes);
    for size in sizes.iter().cycle() {
        let (chunk, after) = rest.split_at((*size).min(rest.len()));
        input.extend_from_slice(chunk);
        rest = after;
        loop {
            match decoder.next(&mut input) {
                Ok(Some(piece)) => join(&mut pieces, piece),
                Ok(None) => break,
                Err(why) => return (pieces, Some(why)),
            }
        }
        if rest.is_empty() {
            break;
        }
    }
    (pieces, None)
}

fn join(pieces: &mut Vec<Piece>, piece: Piece) {
    if let (
        Some(Piece::Data { bytes, last, .. }),
        Piece::Data { bytes: more, first: false, last: end, .. },
    ) = (pieces.last_mut(), &piece)
        && !*last
    {
        *bytes = [&bytes[..], &more[..]].concat().into();
        *last = *end;
        return;
    }
    pieces.push(piece);
}
