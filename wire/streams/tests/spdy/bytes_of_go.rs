//! Frames written by Go's library, and frames written for it.

use crate::soon;
use bytes::{Bytes, BytesMut};
use ratchet_streams::spdy::frame::{Frame, FrameDecoder};
use ratchet_streams::spdy::{Headers, Limits, Reset, Session};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Output of the library in one session: two streams, a reply, a reset, a ping, GOAWAY, data, the
/// end of a stream, settings, a window, more headers.
pub(crate) const GO: &[&str] = &[
    "80030001000000290000000100000000000078f9e3c6a7c26260606004a7b392a2d4c45c6851c29a0a0a6800000000ffff",
    "800300010100001700000003000000000000c22e555c92929907000000ffff",
    "800300020000000e000000016260606000000000ffff",
    "80030003000000080000000100000005",
    "800300060000000400000001",
    "80030007000000080000000700000000",
    "000000050000000568656c6c6f",
    "0000000501000000",
    "800300040000000c000000010000000400000064",
    "80030009000000080000000500010000",
    "800300080000001300000001824a3382b20473124332000000ffff",
];

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digits = (0..text.len()).step_by(2);
    digits.map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

fn all(frames: &[&str]) -> BytesMut {
    frames.iter().flat_map(|frame| unhex(frame)).collect()
}

fn read_all(input: &mut BytesMut) -> Vec<Frame> {
    let mut decoder = FrameDecoder::new(&Limits::DEFAULT);
    std::iter::from_fn(|| decoder.next(input).unwrap()).collect()
}

fn value<'a>(headers: &'a Option<Headers>, name: &str) -> Option<&'a str> {
    headers.as_ref().and_then(|headers| headers.get(name))
}

#[test]
fn frames_are_read_as_they_were_meant() {
    let frames = read_all(&mut all(GO));
    let [first, second, reply, rest @ ..] = &frames[..] else { panic!("{frames:?}") };
    let Frame::SynStream { id: 1, headers, fin: false, unidirectional: false } = first else {
        panic!("{first:?}")
    };
    assert_eq!(value(headers, "streamType"), Some("error"));
    let Frame::SynStream { id: 3, headers, fin: true, .. } = second else { panic!("{second:?}") };
    assert_eq!(value(headers, "streamType"), Some("stdin"));
    let Frame::SynReply { id: 1, headers: Some(headers), fin: false } = reply else {
        panic!("{reply:?}")
    };
    assert_eq!(headers.iter().count(), 0);
    let data = |bytes: &'static [u8], fin| Frame::Data { id: 5, bytes: Bytes::from(bytes), fin };
    let expected = [
        Frame::Reset { id: 1, status: Reset::CANCEL },
        Frame::Ping(1),
        Frame::GoAway,
        data(b"hello", false),
        data(b"", true),
        Frame::Headers { id: 1, fin: false },
    ];
    assert_eq!(rest, expected, "settings and windows mean nothing");
}

#[test]
fn it_does_not_matter_how_bytes_arrive() {
    let whole = all(GO);
    let mut decoder = FrameDecoder::new(&Limits::DEFAULT);
    let (mut input, mut text, mut others) = (BytesMut::new(), Vec::new(), 0);
    for byte in whole {
        input.extend_from_slice(&[byte]);
        while let Some(frame) = decoder.next(&mut input).unwrap() {
            match frame {
                Frame::Data { bytes, .. } => text.extend(bytes),
                _ => others += 1,
            }
        }
    }
    assert_eq!((text.as_slice(), others), (&b"hello"[..], 7));
}

/// The output of this end, byte for byte: Go's library was seen to read it.
#[tokio::test]
async fn what_is_written() {
    let (io, mut peer) = tokio::io::duplex(1 << 16);
    let (session, _accept) = Session::client(io);
    let opening = session.clone();
    let opened = tokio::spawn(async move { opening.open(&[("streamType", "error")], false).await });
    let mut syn = vec![0; 18 + 6 + 5 + 27 + 5];
    soon(peer.read_exact(&mut syn)).await.unwrap();
    let mut expected = unhex("80030001000000350000000100000000000078bbe3c6a7c2");
    expected.extend(unhex("001b00e4ff000000010000000a"));
    expected.extend(b"streamtype\0\0\0\x05error");
    expected.extend(unhex("000000ffff"));
    assert_eq!(syn, expected);
    // The reply of Go, and then data, a ping, the end of the stream and of the session.
    let reply = "8003000200000014000000017 8f9e3c6a7c26260606000000000ffff".replace(' ', "");
    peer.write_all(&unhex(&reply)).await.unwrap();
    let mut stream = soon(opened).await.unwrap().unwrap();
    assert_eq!(stream.id(), 1);
    stream.write_all(b"hello").await.unwrap();
    stream.shutdown().await.unwrap();
    session.ping();
    soon(session.close()).await;
    let mut rest = Vec::new();
    soon(peer.read_to_end(&mut rest)).await.unwrap();
    let expected = "000000010000000568656c6c6f\
        0000000101000000\
        800300060000000400000001\
        80030007000000080000000000000000";
    assert_eq!(rest, unhex(expected));
}
