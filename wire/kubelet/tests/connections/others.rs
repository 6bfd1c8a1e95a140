//! Backends that are not kubelets: no verification, no client certificate.

use http::Request;
use http_body_util::{BodyExt, Empty};
use ratchet_kubelet::{Others, Proxies, Scheme, Timing};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::authority::{Authority, Wanted};
use super::peer::{H1, H2, Peer};
use super::us::{request, whole};

fn others() -> Others {
    Others::open(Timing::default(), Proxies::default()).unwrap()
}

#[tokio::test]
async fn anyone_answers_in_tls_and_sees_no_certificate() {
    let mut wanted = Wanted::cn("").names(&["10.0.0.9"]);
    wanted.until = (2021, 1, 1);
    let leaf = Authority::new("foreign").sign(&wanted);
    for protocols in [H1, H2] {
        let peer = Peer::start(&leaf, protocols).await;
        let (host, port) = ("127.0.0.1", peer.address.port());
        let others = others();
        for _ in 0..3 {
            let response = others.send(Scheme::Https, host, port, request("/x")).await.unwrap();
            assert_eq!(whole(response).await.unwrap(), 1);
        }
        let mut connection = others.dial(Scheme::Https, host, port).await.unwrap();
        connection
            .write_all(b"GET /y HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            .await
            .unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("/y"), "{answer}");
        assert!(peer.clients.lock().unwrap().iter().all(Vec::is_empty));
    }
}

#[tokio::test]
async fn in_the_clear() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut tcp, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let read = tcp.read(&mut request).await.unwrap();
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {read}\r\n\r\n");
            tcp.write_all(head.as_bytes()).await.unwrap();
            tcp.write_all(&request[..read]).await.unwrap();
        }
    });
    let others = others();
    let request = Request::get("/a?b=c").body(Empty::<bytes::Bytes>::new()).unwrap();
    let response = others.send(Scheme::Http, "localhost", port, request).await.unwrap();
    let request = response.into_body().collect().await.unwrap().to_bytes();
    let request = String::from_utf8(request.to_vec()).unwrap();
    assert!(request.starts_with("GET /a?b=c HTTP/1.1\r\n"), "{request}");
    assert!(request.to_lowercase().contains(&format!("host: localhost:{port}\r\n")), "{request}");
    assert!(others.dial(Scheme::Http, "127.0.0.1", port).await.is_ok());
    let error = others.dial(Scheme::Http, "127.0.0.1", 1).await.unwrap_err().to_string();
    assert_eq!(error, "dial tcp 127.0.0.1:1: connect: connection refused");
}
