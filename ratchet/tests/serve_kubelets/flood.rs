//! A kubelet with endless logs that counts the bytes it has sent.

use bytes::Bytes;
use futures_util::stream;
use http_body_util::StreamBody;
use hyper::Response;
use hyper::body::Frame;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use kubelet_peer::Identity;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

const WAVE: usize = 64 << 10;

/// A kubelet with endless logs.
pub(crate) struct Flood {
    pub(crate) address: SocketAddr,
    counts: Arc<FloodCounts>,
}

#[derive(Default)]
struct FloodCounts {
    bytes: AtomicU64,
    readers: AtomicUsize,
}

/// A reader, counted while it lives.
struct Reader(Arc<FloodCounts>);

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Flood {
    pub(crate) async fn start(identity: Identity, http2: bool) -> Self {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = rustls::ServerConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let mut config = builder.with_single_cert(identity.chain, identity.key).unwrap();
        let offered = if http2 { &b"h2"[..] } else { b"http/1.1" };
        config.alpn_protocols = vec![offered.to_vec()];
        let listener = TcpListener::bind((crate::world::own_address(), 0)).await.unwrap();
        let flood = Self { address: listener.local_addr().unwrap(), counts: Arc::default() };
        let (tls, counts) = (TlsAcceptor::from(Arc::new(config)), flood.counts.clone());
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, tls.clone(), counts.clone()));
            }
        });
        flood
    }

    /// Number of bytes sent.
    pub(crate) fn sent(&self) -> u64 {
        self.counts.bytes.load(Ordering::Relaxed)
    }

    /// Number of current readers.
    pub(crate) fn readers(&self) -> usize {
        self.counts.readers.load(Ordering::Relaxed)
    }
}

async fn serve(socket: TcpStream, tls: TlsAcceptor, counts: Arc<FloodCounts>) {
    let Ok(stream) = tls.accept(socket).await else { return };
    let service = service_fn(move |_| {
        counts.readers.fetch_add(1, Ordering::Relaxed);
        let waves = stream::unfold(Reader(counts.clone()), |reader| async {
            reader.0.bytes.fetch_add(WAVE as u64, Ordering::Relaxed);
            let wave = Bytes::from_static(&[b'x'; WAVE]);
            Some((Ok::<_, Infallible>(Frame::data(wave)), reader))
        });
        async move { Ok::<_, Infallible>(Response::new(StreamBody::new(Box::pin(waves)))) }
    });
    let builder = Builder::new(TokioExecutor::new());
    let _ = builder.serve_connection(TokioIo::new(stream), service).await; // the client may be gone
}
