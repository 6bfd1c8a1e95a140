//! Tests of draining a server.

use std::time::{Duration, Instant};

use ratchet_http::ListenLimits;

use crate::client::{BOTH, Client, Protocol, connect, piece, text};
use crate::server::Server;

#[tokio::test]
async fn requests_under_way_finish_and_streams_are_told() {
    for protocol in BOTH {
        let server = Server::start(ListenLimits::default()).await;
        let mut idle = Client::new(&server, protocol).await;
        idle.text("/peer").await;
        let mut watcher = Client::new(&server, protocol).await;
        let mut watch = watcher.get("/watch").await.unwrap();
        assert_eq!(piece(&mut watch).await.as_deref(), Some("event\n"));
        let mut busy = Client::new(&server, protocol).await;
        let slow = tokio::spawn(async move { text(busy.get("/slow").await.unwrap()).await });
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(!slow.is_finished() && !server.running.is_finished());

        server.drain.begin();
        assert_eq!(piece(&mut watch).await.as_deref(), Some("bye\n"));
        assert_eq!(piece(&mut watch).await, None, "the stream ends cleanly");
        assert_eq!(slow.await.unwrap(), "slow but whole");
        assert!(idle.get("/peer").await.is_err(), "an idle connection is closed");
        let ended = tokio::time::timeout(Duration::from_secs(5), server.running).await;
        ended.expect("the listener returns").unwrap();
    }
}

#[tokio::test]
async fn nobody_new_is_let_in() {
    let server = Server::start(ListenLimits::default()).await;
    let mut busy = Client::new(&server, Protocol::Two).await;
    let slow = tokio::spawn(async move { busy.text("/slow").await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.drain.begin();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(connect(&server, Protocol::Two, None).await.is_err());
    assert_eq!(slow.await.unwrap(), "slow but whole");
}

#[tokio::test]
async fn what_does_not_finish_is_cut_off() {
    for protocol in BOTH {
        let limits =
            ListenLimits { drain_limit: Duration::from_millis(200), ..ListenLimits::default() };
        let server = Server::start(limits).await;
        let mut client = Client::new(&server, protocol).await;
        let stuck = tokio::spawn(async move { client.get("/forever").await });
        tokio::time::sleep(Duration::from_millis(100)).await;
        let began = Instant::now();
        server.drain.begin();
        let ended = tokio::time::timeout(Duration::from_secs(5), server.running).await;
        ended.expect("the listener returns").unwrap();
        assert!(began.elapsed() >= Duration::from_millis(200));
        assert!(stuck.await.unwrap().is_err());
    }
}
