//! Load: many streams, large transfers, and readers that do not read.

use crate::{pair, soon};
use ratchet_streams::spdy::{Accept, Limits, Session, Stream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Sends back all received data.
async fn echo(mut accept: Accept) {
    while let Some(incoming) = accept.next().await {
        let mut stream = incoming.reply(&[]).unwrap();
        tokio::spawn(async move {
            while let Ok(Some(bytes)) = stream.chunk().await {
                if stream.send(bytes).await.is_err() {
                    return;
                }
            }
            let _ = stream.shutdown().await;
        });
    }
}

async fn sends_and_hears(stream: Stream, text: Vec<u8>, at_once: usize) {
    let (mut reading, mut writing) = tokio::io::split(stream);
    let sent = text.clone();
    let sending = tokio::spawn(async move {
        for piece in sent.chunks(at_once) {
            writing.write_all(piece).await.unwrap();
        }
        writing.shutdown().await.unwrap();
        writing
    });
    let mut received = Vec::new();
    reading.read_to_end(&mut received).await.unwrap();
    assert!(received == text, "{} of {} bytes", received.len(), text.len());
    drop(sending.await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_streams_do_not_mix() {
    for capacity in [7, 4 << 10, 1 << 20] {
        let ((client, _a), (_server, accept)) = pair(capacity);
        tokio::spawn(echo(accept));
        let tasks: Vec<_> = (0..100)
            .map(|number: usize| {
                let client = client.clone();
                tokio::spawn(async move {
                    let stream =
                        client.open(&[("port", &number.to_string())], false).await.unwrap();
                    let length = if capacity == 7 { 300 } else { 20_000 + 900 * number };
                    let text = format!("{number},").into_bytes();
                    let text = text.into_iter().cycle().take(length).collect();
                    sends_and_hears(stream, text, 1 + number * 400).await;
                })
            })
            .collect();
        for task in tasks {
            soon(task).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_transfer_arrives_whole_in_both_directions_at_once() {
    let ((client, _a), (_server, accept)) = pair(64 << 10);
    tokio::spawn(echo(accept));
    let stream = soon(client.open(&[], false)).await.unwrap();
    let text = (0..8u32 << 20).map(|at| (at >> 7) as u8).collect();
    soon(sends_and_hears(stream, text, 1 << 20)).await;
}

/// A stream over a connection between two ends, the server's with small buffers.
async fn with_little_room() -> (Stream, Stream, (Session, Accept), (Session, Accept)) {
    let limits = Limits { stream_buffer: 100_000, outgoing: 50_000, ..Limits::DEFAULT };
    let (one, other) = tokio::io::duplex(1 << 10);
    let (client, unused) = Session::begin(one, false, limits);
    let (server, mut accept) = Session::begin(other, true, limits);
    let serving = tokio::spawn(async move { (accept.next().await.unwrap(), accept) });
    let opened = tokio::spawn(async move { (client.open(&[], false).await, client) });
    let (incoming, accept) = soon(serving).await.unwrap();
    let theirs = incoming.reply(&[]).unwrap();
    let (ours, client) = soon(opened).await.unwrap();
    (ours.unwrap(), theirs, (client, unused), (server, accept))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_reader_holds_the_writer_back() {
    let (mut ours, mut theirs, _client, _server) = with_little_room().await;
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let sending = tokio::spawn(async move {
        while counted.load(Ordering::Relaxed) < 10 << 20 {
            let written = ours.write(&[7; 10_000]).await.unwrap();
            counted.fetch_add(written, Ordering::Relaxed);
        }
        ours.shutdown().await.unwrap();
        ours
    });
    let mut last = 0;
    loop {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let now = sent.load(Ordering::Relaxed);
        if now == last && now > 0 {
            break;
        }
        last = now;
    }
    // Both buffers, the data in the connection, and a frame in flight at each end.
    assert!(last < 100_000 + 50_000 + 300_000, "{last} bytes wait");
    let mut received = 0;
    while let Some(bytes) = soon(theirs.chunk()).await.unwrap() {
        received += bytes.len();
    }
    assert_eq!(received, sent.load(Ordering::Relaxed));
    drop(soon(sending).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_goes_away_lets_the_others_through() {
    let (mut ours, theirs, (client, _a), (_server, accept)) = with_little_room().await;
    let flooding = tokio::spawn(async move { while ours.write(&[7; 10_000]).await.is_ok() {} });
    tokio::time::sleep(Duration::from_millis(100)).await;
    tokio::spawn(echo(accept));
    // Its data waits behind data that nobody reads.
    let second = tokio::spawn(async move {
        let stream = client.open(&[], false).await.unwrap();
        sends_and_hears(stream, vec![1; 100_000], 1000).await;
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!second.is_finished() && !flooding.is_finished());
    drop(theirs);
    soon(second).await.unwrap();
    soon(flooding).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_writer_who_waits_learns_that_nobody_will_read() {
    let (mut ours, theirs, _client, (server, _accept)) = with_little_room().await;
    let flooding = tokio::spawn(async move { while ours.write(&[7; 10_000]).await.is_ok() {} });
    tokio::time::sleep(Duration::from_millis(50)).await;
    soon(server.close()).await;
    soon(flooding).await.unwrap();
    drop(theirs);
}
