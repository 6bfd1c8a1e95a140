//! Backend programs on ports, as pods have them.

use crate::world::own_address;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value, json};
use std::convert::Infallible;
use std::net::SocketAddr;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A program that echoes everything, and sends `bye` when its client has closed its side.
pub(crate) async fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut reader, mut writer) = socket.split();
                if tokio::io::copy(&mut reader, &mut writer).await.is_ok() {
                    let _ = writer.write_all(b"bye").await; // the client may be gone
                }
            });
        }
    });
    address
}

/// An HTTP program that returns the request as JSON, and on `/upgrade` becomes an echo.
pub(crate) async fn http() -> SocketAddr {
    let listener = TcpListener::bind((own_address(), 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let service =
                service_fn(|request| async { Ok::<_, Infallible>(answer(request).await) });
            let connection = http1::Builder::new().serve_connection(TokioIo::new(socket), service);
            tokio::spawn(connection.with_upgrades());
        }
    });
    address
}

async fn answer(mut request: Request<Incoming>) -> Response<Full<Bytes>> {
    if request.uri().path() == "/upgrade" {
        let upgrade = hyper::upgrade::on(&mut request);
        tokio::spawn(async move {
            let (mut reader, mut writer) = tokio::io::split(TokioIo::new(upgrade.await.unwrap()));
            let _ = tokio::io::copy(&mut reader, &mut writer).await; // the client may be gone
            let _ = writer.shutdown().await;
        });
        let response = Response::builder().status(101).header("connection", "Upgrade");
        return response.header("upgrade", "echo").body(Full::default()).unwrap();
    }
    let headers: Map<String, Value> = request
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().into()))
        .collect();
    let (method, uri) = (request.method().to_string(), request.uri().to_string());
    let body = match request.uri().path() {
        "/headers" => Value::Object(headers),
        _ => {
            let body = request.into_body().collect().await.unwrap().to_bytes();
            json!({"method": method, "uri": uri, "body": String::from_utf8_lossy(&body)})
        }
    };
    Response::new(Full::from(body.to_string()))
}

/// A connection to an address of this machine that can be cut.
pub(crate) struct Wire {
    pub(crate) address: SocketAddr,
    cut: watch::Sender<()>,
}

impl Wire {
    pub(crate) async fn to(address: SocketAddr) -> Self {
        let listener = TcpListener::bind((own_address(), 0)).await.unwrap();
        let wire = Self { address: listener.local_addr().unwrap(), cut: watch::Sender::new(()) };
        let cut = wire.cut.subscribe();
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let mut cut = cut.clone();
                tokio::spawn(async move {
                    let mut far = TcpStream::connect(address).await.unwrap();
                    tokio::select! {
                        _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                        _ = cut.changed() => {}
                    }
                });
            }
        });
        wire
    }

    /// Cuts the connection silently.
    pub(crate) fn cut(&self) {
        self.cut.send_replace(());
    }
}
