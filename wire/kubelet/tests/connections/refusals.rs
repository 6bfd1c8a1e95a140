//! Ordinary failures keep Go's messages, and names are not checked before chain and host are valid.

use std::time::Duration;

use ratchet_kubelet::{NameCheck, Settings, Timing};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::authority::{Authority, Wanted, self_signed};
use super::peer::{H2, Peer};
use super::us::Us;

const VERIFY: &str = "tls: failed to verify certificate: ";

/// The error for a certificate; names are never counted for it.
async fn refused(authorities: &str, leaf: &super::authority::Leaf, host: &str) -> String {
    let peer = Peer::start(leaf, H2).await;
    let mut error = Vec::new();
    for mode in [NameCheck::Off, NameCheck::Observe, NameCheck::Enforce] {
        let us = Us::with(authorities, mode, Settings::default());
        error.push(us.refused(&peer.at("node-a", host)).await);
        assert_eq!(us.witnessed(), (0, 0), "chain and host come first");
    }
    error.dedup();
    assert_eq!(error.len(), 1, "{error:?}");
    assert_eq!(peer.requests(), 0);
    let error = error.remove(0);
    error.strip_prefix(VERIFY).unwrap_or_else(|| panic!("{error}")).to_owned()
}

#[tokio::test]
async fn a_foreign_certificate() {
    let (authority, foreign) = (Authority::new("kubelet-ca"), Authority::new("foreign-ca"));
    let leaf = foreign.sign(&Wanted::node("node-a"));
    let error = refused(&authority.pem(), &leaf, "127.0.0.1").await;
    assert_eq!(error, "x509: certificate signed by unknown authority");
    // Of a CA with the same name, as most clusters have.
    let leaf = Authority::new("kubelet-ca").sign(&Wanted::node("node-a"));
    let error = refused(&authority.pem(), &leaf, "127.0.0.1").await;
    assert_eq!(
        error,
        "x509: certificate signed by unknown authority (possibly because of \"x509: ECDSA verification failure\" \
         while trying to verify candidate authority certificate \"kubelet-ca\")"
    );
    let error =
        refused(&authority.pem(), &self_signed("system:node:node-a", &["127.0.0.1"]), "127.0.0.1")
            .await;
    assert_eq!(error, "x509: certificate signed by unknown authority");
}

#[tokio::test]
async fn the_right_name_at_a_wrong_address() {
    let authority = Authority::new("kubelet-ca");
    let rows: &[(&[&'static str], &str, &str)] = &[
        (&["10.0.0.9"], "127.0.0.1", "x509: certificate is valid for 10.0.0.9, not 127.0.0.1"),
        (
            &["10.0.0.9", "fd00::9"],
            "127.0.0.1",
            "x509: certificate is valid for 10.0.0.9, fd00::9, not 127.0.0.1",
        ),
        (
            &["node-a"],
            "127.0.0.1",
            "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
        ),
        (&["a", "b"], "localhost", "x509: certificate is valid for a, b, not localhost"),
        (
            &["127.0.0.1"],
            "localhost",
            "x509: certificate is not valid for any names, but wanted to match localhost",
        ),
        (
            &[],
            "localhost",
            "x509: certificate is not valid for any names, but wanted to match localhost",
        ),
    ];
    for (names, host, prefix) in rows {
        let leaf = authority.sign(&Wanted::node("node-a").names(names));
        assert_eq!(refused(&authority.pem(), &leaf, host).await, *prefix);
    }
}

#[tokio::test]
async fn a_host_only_in_the_common_name() {
    let authority = Authority::new("kubelet-ca");
    let leaf = authority.sign(&Wanted::cn("localhost").names(&[]));
    let error = refused(&authority.pem(), &leaf, "localhost").await;
    assert_eq!(error, "x509: certificate relies on legacy Common Name field, use SANs instead");
}

#[tokio::test]
async fn an_old_and_a_future_certificate() {
    let authority = Authority::new("kubelet-ca");
    let prefix = "x509: certificate has expired or is not yet valid: current time NOW is";
    let mut wanted = Wanted::node("node-a");
    wanted.until = (2021, 2, 3);
    let error = refused(&authority.pem(), &authority.sign(&wanted), "127.0.0.1").await;
    assert_eq!(error, format!("{prefix} after 2021-02-03T00:00:00Z"));

    // Time comes before host.
    let mut wanted = Wanted::node("node-a").names(&["10.0.0.9"]);
    wanted.from = (2119, 2, 3);
    let error = refused(&authority.pem(), &authority.sign(&wanted), "127.0.0.1").await;
    assert_eq!(error, format!("{prefix} before 2119-02-03T00:00:00Z"));
}

#[tokio::test]
async fn a_certificate_for_clients() {
    let authority = Authority::new("kubelet-ca");
    let mut wanted = Wanted::node("node-a");
    wanted.for_clients_only = true;
    let error = refused(&authority.pem(), &authority.sign(&wanted), "127.0.0.1").await;
    assert_eq!(error, "x509: certificate specifies an incompatible key usage");
}

#[tokio::test]
async fn an_authority_that_expired_vouches_for_nobody() {
    let old = Authority::with_validity("kubelet-ca", (2020, 1, 1), (2021, 1, 1));
    let leaf = old.sign(&Wanted::node("node-a"));
    let error = refused(&old.pem(), &leaf, "127.0.0.1").await;
    let start = "x509: certificate signed by unknown authority (possibly because of \"x509: certificate has expired";
    assert!(error.starts_with(start), "{error}");
    // Beside a valid one, it still fails, and the other succeeds.
    let new = Authority::new("kubelet-ca-2");
    let both = format!("{}{}", old.pem(), new.pem());
    let error = refused(&both, &leaf, "127.0.0.1").await;
    assert!(error.starts_with(start), "{error}");
    let peer = Peer::start(&new.sign(&Wanted::node("node-a")), H2).await;
    let us = Us::with(&both, NameCheck::Enforce, Settings::default());
    us.get(&peer.of("node-a")).await.unwrap();
}

#[tokio::test]
async fn a_certificate_that_stands_in_the_file_itself() {
    let leaf = self_signed("system:node:node-a", &["127.0.0.1"]);
    let peer = Peer::start(&leaf, H2).await;
    let us = Us::with(&leaf.pem, NameCheck::Enforce, Settings::default());
    us.get(&peer.of("node-a")).await.unwrap();
    // It must pass all other checks.
    us.get(&peer.of("node-b")).await.unwrap_err();
    assert_eq!(us.witnessed(), (1, 1));
    let error = refused(&leaf.pem, &leaf, "localhost").await;
    assert_eq!(
        error,
        "x509: certificate is not valid for any names, but wanted to match localhost"
    );
    // One with another key and signature is another certificate.
    let twin = self_signed("system:node:node-a", &["127.0.0.1"]);
    let error = refused(&leaf.pem, &twin, "127.0.0.1").await;
    assert!(
        error.contains("unknown authority (possibly because of \"x509: ECDSA verif"),
        "{error}"
    );
}

#[tokio::test]
async fn nobody_there() {
    let authority = Authority::new("kubelet-ca");
    let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), H2).await;
    // Without a network, a resolver may be slow to fail.
    let timing = Timing { dial: Duration::from_secs(1), ..Timing::default() };
    let settings = Settings { timing, ..Settings::default() };
    let us = Us::with(&authority.pem(), NameCheck::Enforce, settings);
    let mut to = peer.of("node-a");
    to.port = 1;
    assert_eq!(us.refused(&to).await, "dial tcp 127.0.0.1:1: connect: connection refused");
    let error = us.refused(&peer.at("node-a", "nope.invalid")).await;
    assert!(error.starts_with("dial tcp: lookup nope.invalid: "), "{error}");
    assert_eq!(us.witnessed(), (0, 0));
}

/// A server that sends these bytes and no more.
async fn server(prefix: &'static [u8], closes: bool) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut tcp, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut hello = [0; 2048];
                let _ = tcp.read(&mut hello).await;
                let _ = tcp.write_all(prefix).await;
                if !closes {
                    tokio::time::sleep(Duration::from_secs(60)).await;
                }
            });
        }
    });
    port
}

#[tokio::test]
async fn somebody_who_does_not_speak_tls() {
    let authority = Authority::new("kubelet-ca");
    let timing = Timing { handshake: Duration::from_millis(200), ..Timing::default() };
    let settings = Settings { timing, ..Settings::default() };
    let us = Us::with(&authority.pem(), NameCheck::Enforce, settings);
    let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), H2).await;
    let at = |port| {
        let mut to = peer.of("node-a");
        to.port = port;
        to
    };
    let clear = server(b"HTTP/1.1 400 Bad Request\r\n\r\n", true).await;
    let error = us.refused(&at(clear)).await;
    assert_eq!(error, "tls: first record does not look like a TLS handshake");
    let silent = server(b"", false).await;
    assert_eq!(us.refused(&at(silent)).await, "net/http: TLS handshake timeout");
    let closing = server(b"", true).await;
    assert_eq!(us.refused(&at(closing)).await, "EOF");
    let alert = server(&[21, 3, 3, 0, 2, 2, 40], true).await;
    assert_eq!(us.refused(&at(alert)).await, "remote error: tls: handshake failure");
    assert_eq!(us.witnessed(), (0, 0));
}
