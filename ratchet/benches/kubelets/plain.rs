//! The baseline of the measurement: a proxy that only copies between two TLS connections.

use super::dial::{Peer, config};
use super::process::Process;
use kubelet_peer::Identity;
use kubelet_peer::authority::Authority;
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncWrite, AsyncWriteExt, copy_bidirectional_with_sizes};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// The argument with which this program becomes the proxy.
pub(crate) const PROXY: &str = "--plain-proxy";

/// The server's own buffer size.
const BUFFER: usize = 64 * 1024;
const WAVE: usize = 256 * 1024;

/// A port that floods every client.
pub(crate) async fn flood() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(write_flood(socket));
        }
    });
    address
}

/// Writes until the reader is gone.
async fn write_flood(mut writer: impl AsyncWrite + Unpin) {
    let wave = vec![b'x'; WAVE];
    while writer.write_all(&wave).await.is_ok() {}
}

/// The same over TLS.
pub(crate) async fn flood_over_tls(identity: Identity) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let acceptor = acceptor(&identity);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move { write_flood(acceptor.accept(socket).await.unwrap()).await });
        }
    });
    address
}

/// Starts the proxy as a separate process; returns it and its address.
pub(crate) async fn start(
    folder: &Path,
    authority: &Authority,
    identity: &Identity,
    backend: SocketAddr,
) -> (Process, SocketAddr) {
    let files = [
        ("plain.crt", identity.chain_pem()),
        ("plain.key", identity.key_pem()),
        ("plain.ca", authority.ca_pem()),
        ("plain.backend", backend.to_string()),
    ];
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .arg(PROXY)
        .arg(folder)
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    (Process(child), wait_for_address(folder).await)
}

/// Waits for the address that the proxy writes.
async fn wait_for_address(folder: &Path) -> SocketAddr {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) {
        let text = std::fs::read_to_string(folder.join("plain.address")).unwrap_or_default();
        if let Ok(address) = text.parse() {
            return address;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the plain proxy did not start");
}

/// The proxy itself.
pub(crate) async fn proxy(folder: &str) {
    let folder = Path::new(folder);
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let identity = Identity::from_pem(&read("plain.crt"), &read("plain.key")).unwrap();
    let authority = CertificateDer::from_pem_slice(&read("plain.ca")).unwrap();
    let address = String::from_utf8(read("plain.backend")).unwrap().parse().unwrap();
    let backend = Peer { address, tls: config(&[authority], None) };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    std::fs::write(folder.join("plain.address"), listener.local_addr().unwrap().to_string())
        .unwrap();
    let acceptor = acceptor(&identity);
    while let Ok((socket, _)) = listener.accept().await {
        let (acceptor, backend) = (acceptor.clone(), backend.clone());
        tokio::spawn(async move {
            let mut client = acceptor.accept(socket).await.unwrap();
            let mut backend = backend.connect("flood").await;
            // It ends when the client disconnects.
            let _ = copy_bidirectional_with_sizes(&mut client, &mut backend, BUFFER, BUFFER).await;
        });
    }
}

fn acceptor(identity: &Identity) -> TlsAcceptor {
    let mut config = ServerConfig::builder_with_provider(aws_lc_rs::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(identity.chain.clone(), identity.key.clone_key())
        .unwrap();
    config.alpn_protocols = vec!["flood".into()];
    TlsAcceptor::from(Arc::new(config))
}
