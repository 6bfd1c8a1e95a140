//! Through a proxy, the kubelet is verified, and not the proxy.

use std::sync::{Arc, Mutex};

use ratchet_kubelet::{Endpoint, NameCheck, NodeName, Proxies, Settings};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use super::authority::{Authority, Wanted};
use super::peer::{H2, Peer};
use super::us::Us;

/// A proxy that connects everybody to this address, or refuses; and the heads of its requests.
async fn proxy(to: Option<std::net::SocketAddr>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://me:secret@{}", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let heads = Arc::clone(&requests);
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            let heads = Arc::clone(&heads);
            tokio::spawn(async move {
                let mut tcp = BufReader::new(tcp);
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    tcp.read_line(&mut head).await.unwrap();
                }
                heads.lock().unwrap().push(head);
                let Some(to) = to else {
                    tcp.write_all(b"HTTP/1.1 403 Forbidden\r\n\r\n").await.unwrap();
                    return;
                };
                tcp.write_all(b"HTTP/1.1 200 OK\r\nX: y\r\n\r\n").await.unwrap();
                let mut kubelet = TcpStream::connect(to).await.unwrap();
                let _ = copy_bidirectional(&mut tcp, &mut kubelet).await;
            });
        }
    });
    (url, requests)
}

fn through(url: &str, except: &str, authority: &Authority) -> Us {
    let proxies = Proxies::new(url, except).unwrap();
    let settings = Settings { proxies, ..Settings::default() };
    Us::with(&authority.pem(), NameCheck::Enforce, settings)
}

fn at(node: &str, host: &str) -> Endpoint {
    Endpoint { node: NodeName::new(node).unwrap(), host: host.to_owned(), port: 10250 }
}

#[tokio::test]
async fn the_kubelet_at_the_end_is_verified() {
    let authority = Authority::new("kubelet-ca");
    let leaf = authority.sign(&Wanted::node("node-a").names(&["192.0.2.7", "node.example"]));
    let peer = Peer::start(&leaf, H2).await;
    let (url, requests) = proxy(Some(peer.address)).await;
    let us = through(&url, "", &authority);
    us.get(&at("node-a", "192.0.2.7")).await.unwrap();
    us.dial(&at("node-a", "node.example")).await.unwrap();
    us.refused(&at("node-b", "192.0.2.7")).await;
    let error = us.refused(&at("node-a", "192.0.2.8")).await;
    assert!(error.ends_with("x509: certificate is valid for 192.0.2.7, not 192.0.2.8"), "{error}");
    let requests = requests.lock().unwrap();
    assert!(
        requests[0].starts_with("CONNECT 192.0.2.7:10250 HTTP/1.1\r\nHost: 192.0.2.7:10250\r\n")
    );
    assert!(requests[0].contains("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n"));
    assert!(requests[1].starts_with("CONNECT node.example:10250 "));
}

#[tokio::test]
async fn some_hosts_are_reached_straight() {
    let authority = Authority::new("kubelet-ca");
    let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), H2).await;
    let (url, requests) = proxy(None).await;
    through(&url, "", &authority).get(&peer.of("node-a")).await.unwrap();
    assert!(requests.lock().unwrap().is_empty(), "loopback never goes through a proxy");
    let error = through(&url, "", &authority).refused(&at("node-a", "192.0.2.7")).await;
    assert_eq!(error, "Forbidden");
    assert_eq!(requests.lock().unwrap().len(), 2);
    let us = through("http://127.0.0.1:1", "", &authority);
    let error = us.refused(&at("node-a", "192.0.2.7")).await;
    assert_eq!(error, "proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused");
}
