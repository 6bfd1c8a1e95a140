//! Peers that violate the protocol: the session ends or continues, and memory stays bounded.

use crate::bytes_of_go::{GO, unhex};
use crate::soon;
use proptest::prelude::*;
use ratchet_streams::spdy::{Accept, Session, SpdyError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

fn server() -> (DuplexStream, Session, Accept) {
    let (io, peer) = tokio::io::duplex(1 << 16);
    let (session, accept) = Session::server(io);
    (peer, session, accept)
}

#[tokio::test]
async fn what_is_no_spdy_ends_the_session() {
    let cases: &[(&str, &str)] = &[
        ("another version", "800200060000000400000001"),
        ("a version of a stream", "80040001000000120000000100000000000000000000"),
        ("stream 0", "000000000000000568656c6c6f"),
        ("a stream 0 that begins", "800300010000001200000000000000000000000000000000aaaa"),
        ("too short", "800300010000000100"),
        ("a short ping", "80030006000000020001"),
        ("too large", "8003000101ffffff"),
        ("no zlib", "800300010000001200000001000000000000deadbeefdeadbeef"),
    ];
    for (what, bytes) in cases {
        let (mut peer, session, mut accept) = server();
        peer.write_all(&unhex(bytes)).await.unwrap();
        soon(session.closed()).await;
        assert!(matches!(session.error(), Some(SpdyError::Protocol(_))), "{what}");
        assert!(soon(accept.next()).await.is_none(), "{what}");
    }
}

#[tokio::test]
async fn what_means_nothing_is_passed_over() {
    let (mut peer, session, mut accept) = server();
    let syn = unhex(GO[0]);
    let unknown = unhex("8003007700000003abcdef");
    let settings = unhex(GO[8]);
    let window = unhex(GO[9]);
    let data_of_nobody = unhex("0000000900000003616263");
    let reset_of_nobody = unhex("80030003000000080000000900000005");
    let reply_of_nobody = unhex("80030002000000040000000b");
    for frame in [unknown, settings, window, data_of_nobody, reset_of_nobody, syn] {
        peer.write_all(&frame).await.unwrap();
    }
    let incoming = soon(accept.next()).await.unwrap();
    assert_eq!(incoming.headers().get("streamtype"), Some("error"));
    assert_eq!(session.error(), None);
    // A missing block is not an empty one.
    peer.write_all(&reply_of_nobody).await.unwrap();
    let mut answer = [0; 16];
    soon(peer.read_exact(&mut answer)).await.unwrap();
    assert_eq!(answer[..], unhex("80030003000000080000000b00000001"));
}

#[tokio::test]
async fn numbers_of_streams_go_up_and_are_odd() {
    // The same stream again; one with an even id; each after an accepted one.
    for (what, id) in [("again", 1u32), ("even", 4), ("below", 1)] {
        let (mut peer, _session, mut accept) = server();
        peer.write_all(&unhex(GO[0])).await.unwrap();
        let first = soon(accept.next()).await.unwrap();
        let mut second = unhex(GO[1]);
        second[8..12].copy_from_slice(&id.to_be_bytes());
        peer.write_all(&second).await.unwrap();
        let mut answer = [0; 16];
        soon(peer.read_exact(&mut answer)).await.unwrap();
        let mut expected = unhex("80030003000000080000000000000001");
        expected[8..12].copy_from_slice(&id.to_be_bytes());
        assert_eq!(answer[..], expected, "{what}");
        drop(first);
    }
}

#[tokio::test]
async fn pings_are_answered_and_answers_are_not() {
    let (mut peer, _session, _accept) = server();
    peer.write_all(&unhex("800300060000000400000002")).await.unwrap();
    peer.write_all(&unhex("800300060000000400000003")).await.unwrap();
    let mut answer = [0; 12];
    soon(peer.read_exact(&mut answer)).await.unwrap();
    assert_eq!(answer[..], unhex("800300060000000400000003"));
}

#[tokio::test]
async fn who_asks_without_listening_is_not_heard_any_more() {
    let (mut peer, session, _accept) = server();
    let pings = unhex("800300060000000400000003").repeat(10_000);
    let flood = async {
        loop {
            peer.write_all(&pings).await.unwrap();
        }
    };
    let stopped = tokio::time::timeout(Duration::from_millis(500), flood).await;
    assert!(stopped.is_err(), "the connection is not read any more");
    assert_eq!(session.error(), None);
    // It reads after all, and the session continues.
    let mut answer = vec![0; 1 << 16];
    soon(peer.read_exact(&mut answer)).await.unwrap();
}

#[tokio::test]
async fn a_block_that_bursts_ends_the_session() {
    use flate2::{Compress, Compression, FlushCompress};
    let mut state = Compress::new(Compression::best(), true);
    let mut packed = Vec::with_capacity(1 << 16);
    state.compress_vec(&vec![0; 10 << 20], &mut packed, FlushCompress::Sync).unwrap();
    let mut frame = unhex("80030001");
    frame.extend(u32::try_from(packed.len() + 10).unwrap().to_be_bytes());
    frame.extend(unhex("00000001000000000000"));
    frame.extend(packed);
    let (mut peer, session, _accept) = server();
    peer.write_all(&frame).await.unwrap();
    soon(session.closed()).await;
    assert!(matches!(session.error(), Some(SpdyError::Protocol(_))));
}

/// Frames of Go, in any order, with any bytes changed.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => (0..GO.len()).prop_map(|at| unhex(GO[at])),
        1 => proptest::collection::vec(any::<u8>(), 0..20),
    ];
    let changes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6);
    (proptest::collection::vec(piece, 1..12), changes).prop_map(|(pieces, changes)| {
        let mut bytes = pieces.concat();
        for (at, byte) in changes {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_makes_a_session_hang_or_panic(bytes in damaged()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (mut peer, session, mut accept) = server();
            let accepting = tokio::spawn(async move {
                while let Some(incoming) = accept.next().await {
                    if let Ok(mut stream) = incoming.reply(&[]) {
                        let _ = stream.write_all(b"x").await;
                    }
                }
            });
            let _ = peer.write_all(&bytes).await;
            drop(peer);
            soon(session.closed()).await;
            soon(accepting).await.unwrap();
        });
    }
}
