//! Both ends against each other: opening, refusing, half closing, resetting, shutting down.

use crate::{pair, soon};
use bytes::Bytes;
use ratchet_streams::spdy::{Limits, Reset, Session, SpdyError};
use std::io::ErrorKind;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};

#[tokio::test]
async fn a_stream_is_opened_with_its_headers() {
    let ((client, _a), (_server, mut accept)) = pair(1 << 16);
    let answering = tokio::spawn(async move {
        let incoming = accept.next().await.unwrap();
        assert_eq!(incoming.headers().get("streamType"), Some("stdin"));
        (incoming.reply(&[("X-Answer", "yes")]).unwrap(), accept)
    });
    let mut stream = soon(client.open(&[("streamType", "stdin")], false)).await.unwrap();
    assert_eq!((stream.id(), stream.headers().get("x-answer")), (1, Some("yes")));
    let (mut other, _accept) = soon(answering).await.unwrap();
    stream.write_all(b"one line\nand ").await.unwrap();
    stream.send(Bytes::from_static(b"another\n")).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut line = String::new();
    soon(other.read_line(&mut line)).await.unwrap();
    assert_eq!(line, "one line\n");
    soon(other.read_to_string(&mut line)).await.unwrap();
    assert_eq!(line, "one line\nand another\n");
}

#[tokio::test]
async fn each_half_ends_by_itself() {
    let ((client, _a), (_server, mut accept)) = pair(1 << 16);
    let served = tokio::spawn(async move {
        let mut stream = accept.next().await.unwrap().reply(&[]).unwrap();
        let mut received = Vec::new();
        stream.read_to_end(&mut received).await.unwrap();
        // The other end has finished, and still reads.
        for _ in 0..100 {
            stream.write_all(&received).await.unwrap();
        }
        stream.shutdown().await.unwrap();
        assert_eq!(stream.write(b"x").await.unwrap_err().kind(), ErrorKind::BrokenPipe);
        let mut nothing = Vec::new();
        assert_eq!(stream.read_to_end(&mut nothing).await.unwrap(), 0, "the end stays the end");
        (stream, accept)
    });
    let mut stream = soon(client.open(&[], false)).await.unwrap();
    stream.write_all(b"abc").await.unwrap();
    stream.shutdown().await.unwrap();
    stream.shutdown().await.unwrap();
    let mut received = Vec::new();
    soon(stream.read_to_end(&mut received)).await.unwrap();
    assert_eq!(received, b"abc".repeat(100));
    soon(served).await.unwrap();
}

#[tokio::test]
async fn a_stream_that_begins_with_its_end_is_only_read() {
    let ((client, _a), (_server, mut accept)) = pair(1 << 16);
    let served = tokio::spawn(async move {
        let mut stream = accept.next().await.unwrap().reply(&[]).unwrap();
        assert_eq!(stream.chunk().await.unwrap(), None);
        stream.write_all(b"out").await.unwrap();
        stream.shutdown().await.unwrap();
        accept
    });
    let mut stream = soon(client.open(&[], true)).await.unwrap();
    assert_eq!(stream.write(b"x").await.unwrap_err().kind(), ErrorKind::BrokenPipe);
    assert_eq!(soon(stream.chunk()).await.unwrap().as_deref(), Some(&b"out"[..]));
    assert_eq!(soon(stream.chunk()).await.unwrap(), None);
    soon(served).await.unwrap();
}

#[tokio::test]
async fn a_refused_stream_says_so() {
    let ((client, _a), (_server, mut accept)) = pair(1 << 16);
    let served = tokio::spawn(async move {
        accept.next().await.unwrap().refuse();
        drop(accept.next().await.unwrap());
        accept
    });
    let refused = soon(client.open(&[], false)).await.unwrap_err();
    assert_eq!(refused, SpdyError::Reset(Reset::REFUSED));
    let dropped = soon(client.open(&[], false)).await.unwrap_err();
    assert_eq!(dropped, SpdyError::Reset(Reset::CANCEL));
    drop(soon(served).await.unwrap());
    let unheard = soon(client.open(&[], false)).await.unwrap_err();
    assert_eq!(unheard, SpdyError::Reset(Reset::REFUSED), "nobody accepts any more");
}

#[tokio::test]
async fn a_reset_comes_after_what_was_said() {
    let ((client, _a), (_server, mut accept)) = pair(1 << 16);
    let served = tokio::spawn(async move {
        let mut stream = accept.next().await.unwrap().reply(&[]).unwrap();
        stream.write_all(b"before").await.unwrap();
        stream.reset();
        accept
    });
    let mut stream = soon(client.open(&[], false)).await.unwrap();
    let _accept = soon(served).await.unwrap();
    assert_eq!(soon(stream.chunk()).await.unwrap().as_deref(), Some(&b"before"[..]));
    assert_eq!(soon(stream.chunk()).await.unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(stream.write(b"x").await.unwrap_err().kind(), ErrorKind::ConnectionReset);
}

#[tokio::test]
async fn both_ends_open_streams() {
    let ((client, mut theirs), (server, mut ours)) = pair(1 << 16);
    let one = tokio::spawn(async move { ours.next().await.unwrap().reply(&[]).unwrap() });
    let other = tokio::spawn(async move { theirs.next().await.unwrap().reply(&[]).unwrap() });
    assert_eq!(soon(client.open(&[], false)).await.unwrap().id(), 1);
    assert_eq!(soon(server.open(&[], false)).await.unwrap().id(), 2);
    assert_eq!((soon(one).await.unwrap().id(), soon(other).await.unwrap().id()), (1, 2));
}

#[tokio::test]
async fn closing_ends_everything_after_what_was_sent() {
    let ((client, _a), (server, mut accept)) = pair(1 << 10);
    let served = tokio::spawn(async move {
        let stream = accept.next().await.unwrap().reply(&[]).unwrap();
        (stream, accept.next().await.is_none())
    });
    let mut stream = soon(client.open(&[], false)).await.unwrap();
    stream.write_all(&[7; 100_000]).await.unwrap();
    stream.shutdown().await.unwrap();
    let leaving = tokio::spawn(async move { client.close().await });
    let (mut other, no_more) = soon(served).await.unwrap();
    assert!(no_more);
    let mut received = Vec::new();
    soon(other.read_to_end(&mut received)).await.unwrap();
    assert_eq!(received.len(), 100_000);
    soon(leaving).await.unwrap();
    assert_eq!(soon(stream.chunk()).await.unwrap_err().kind(), ErrorKind::ConnectionReset);
    drop(other);
    soon(server.closed()).await;
    assert_eq!(server.error(), Some(SpdyError::Closed));
    assert_eq!(soon(server.open(&[], false)).await.unwrap_err(), SpdyError::Closed);
}

#[tokio::test]
async fn a_session_that_nobody_holds_leaves() {
    let ((client, accepting), (server, _accept)) = pair(1 << 16);
    drop((client, accepting));
    soon(server.closed()).await;
    assert_eq!(server.error(), Some(SpdyError::Closed));
}

#[tokio::test]
async fn a_connection_that_breaks_is_no_end_of_a_stream() {
    let (io, peer) = tokio::io::duplex(1 << 16);
    let (client, _accept) = Session::client(io);
    let opening = client.clone();
    let opened = tokio::spawn(async move { opening.open(&[], false).await });
    tokio::task::yield_now().await;
    drop(peer);
    let why = soon(opened).await.unwrap().unwrap_err();
    assert!(matches!(why, SpdyError::Broken(_)), "{why}");
    soon(client.closed()).await;

    let ((client, _a), (server, mut accept)) = pair(1 << 16);
    let served = tokio::spawn(async move { (accept.next().await.unwrap().reply(&[]), accept) });
    let mut stream = soon(client.open(&[], false)).await.unwrap();
    let (other, _accept) = soon(served).await.unwrap();
    let mut other = other.unwrap();
    other.write_all(b"x").await.unwrap();
    drop((other, server));
    assert_eq!(soon(stream.chunk()).await.unwrap().as_deref(), Some(&b"x"[..]));
    assert!(soon(stream.chunk()).await.is_err(), "a reset, for no end was said");
}

#[tokio::test]
async fn there_is_a_limit_to_streams() {
    let (one, other) = tokio::io::duplex(1 << 16);
    let limits = Limits { streams: 2, ..Limits::DEFAULT };
    let (few, _a) = Session::begin(one, false, limits);
    let (server, mut accept) = Session::begin(other, true, limits);
    tokio::spawn(async move {
        let mut streams = Vec::new();
        while let Some(incoming) = accept.next().await {
            streams.push(incoming.reply(&[]).unwrap());
        }
    });
    let first = soon(few.open(&[], false)).await.unwrap();
    let _second = soon(few.open(&[], false)).await.unwrap();
    assert_eq!(soon(few.open(&[], false)).await.unwrap_err(), SpdyError::TooManyStreams);
    drop(first);
    // This end has room again, but the other still holds its half.
    assert_eq!(soon(few.open(&[], false)).await.unwrap_err(), SpdyError::Reset(Reset::REFUSED));
    let long = "x".repeat(1 << 17);
    let too_large = soon(few.open(&[("a", &long)], false)).await.unwrap_err();
    assert_eq!(too_large, SpdyError::HeadersTooLarge);
    drop(server);
}
