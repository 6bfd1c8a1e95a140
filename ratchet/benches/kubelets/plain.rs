//! What everything is compared with: TLS in, TLS out, and nothing but a copy between them.

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

/// As much as the server has under way.
const BUFFER: usize = 64 * 1024;
const WAVE: usize = 256 * 1024;

/// A port that floods whoever connects.
pub(crate) async fn flood() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(pour(socket));
        }
    });
    address
}

/// Writes until nobody reads.
async fn pour(mut writer: impl AsyncWrite + Unpin) {
    let wave = vec![b'x'; WAVE];
    while writer.write_all(&wave).await.is_ok() {}
}

/// The same behind TLS.
pub(crate) async fn flood_over_tls(shown: Identity) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let acceptor = acceptor(&shown);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move { pour(acceptor.accept(socket).await.unwrap()).await });
        }
    });
    address
}

/// Starts the proxy before a flood, as a process of its own; where it listens.
pub(crate) async fn start(
    folder: &Path,
    authority: &Authority,
    shown: &Identity,
    backend: SocketAddr,
) -> (Process, SocketAddr) {
    let files = [
        ("plain.crt", shown.chain_pem()),
        ("plain.key", shown.key_pem()),
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
    (Process(child), told(folder).await)
}

/// Where the proxy says that it listens.
async fn told(folder: &Path) -> SocketAddr {
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
    let shown = Identity::from_pem(&read("plain.crt"), &read("plain.key")).unwrap();
    let authority = CertificateDer::from_pem_slice(&read("plain.ca")).unwrap();
    let address = String::from_utf8(read("plain.backend")).unwrap().parse().unwrap();
    let backend = Peer { address, tls: config(&[authority], None) };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    std::fs::write(folder.join("plain.address"), listener.local_addr().unwrap().to_string())
        .unwrap();
    let acceptor = acceptor(&shown);
    while let Ok((socket, _)) = listener.accept().await {
        let (acceptor, backend) = (acceptor.clone(), backend.clone());
        tokio::spawn(async move {
            let mut client = acceptor.accept(socket).await.unwrap();
            let mut backend = backend.connect("flood").await;
            // It ends when the measurement has seen enough.
            let _ = copy_bidirectional_with_sizes(&mut client, &mut backend, BUFFER, BUFFER).await;
        });
    }
}

fn acceptor(shown: &Identity) -> TlsAcceptor {
    let mut config = ServerConfig::builder_with_provider(aws_lc_rs::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(shown.chain.clone(), shown.key.clone_key())
        .unwrap();
    config.alpn_protocols = vec!["flood".into()];
    TlsAcceptor::from(Arc::new(config))
}
