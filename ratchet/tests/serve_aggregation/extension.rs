//! An extension API server as a process of its own: this test binary, started again with its settings in the
//! environment.

use super::flunders::Flunders;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

const PKI: &str = "RATCHET_TEST_EXTENSION_PKI";
const PORT: &str = "RATCHET_TEST_EXTENSION_PORT";
const FORM: &str = "RATCHET_TEST_EXTENSION_FORM";

/// A running extension server; killed when dropped.
pub(crate) struct Extension {
    child: Child,
    pub(crate) port: u16,
}

impl Extension {
    /// Starts a server with the files `tls.crt`, `tls.key` and `front-proxy-ca.crt`; port 0 is any free one. The form
    /// is `aggregated` or `legacy`: which discovery it knows; `v2` or `v3`: which OpenAPI alone; or one of
    /// [`super::hostile_answers::FORMS`].
    pub(crate) fn start(pki: &Path, port: u16, form: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["extension::the_process", "--exact", "--ignored", "--nocapture"])
            .env(PKI, pki)
            .env(PORT, port.to_string())
            .env(FORM, form)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.find_map(|line| line.unwrap().strip_prefix("port ")?.parse().ok());
        Self { child, port: port.expect("it did not start") }
    }
}

impl Drop for Extension {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The process itself, which [`Extension::start`] runs.
#[test]
#[ignore = "is the process of an extension server, which other tests start"]
fn the_process() {
    let pki = std::env::var_os(PKI).expect("other tests start it");
    let port = std::env::var(PORT).unwrap().parse().unwrap();
    let form = std::env::var(FORM).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(serve(Path::new(&pki), port, form));
}

async fn serve(pki: &Path, port: u16, form: String) {
    let acceptor = TlsAcceptor::from(Arc::new(config(pki)));
    // Not only on the loopback: endpoints have no such addresses.
    let listener = TcpListener::bind(("0.0.0.0", port)).await.unwrap();
    // On a line of its own: the test runner has begun one.
    println!("\nport {}", listener.local_addr().unwrap().port());
    std::io::stdout().flush().unwrap();
    let flunders = Arc::new(Flunders::new(form));
    loop {
        let (tcp, _) = listener.accept().await.unwrap();
        let (acceptor, flunders) = (acceptor.clone(), flunders.clone());
        tokio::spawn(async move {
            let Ok(tls) = acceptor.accept(tcp).await else { return };
            let service = hyper::service::service_fn(move |request| {
                let flunders = flunders.clone();
                async move { Ok::<_, std::convert::Infallible>(flunders.answer(request).await) }
            });
            let connection = auto::Builder::new(TokioExecutor::new());
            let _ = connection.serve_connection_with_upgrades(TokioIo::new(tls), service).await;
        });
    }
}

/// Accepts those only that the front proxy's authority vouches for.
fn config(pki: &Path) -> ServerConfig {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(pki.join("front-proxy-ca.crt")).unwrap()).unwrap();
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider.clone());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(verifier.build().unwrap())
        .with_single_cert(
            vec![CertificateDer::from_pem_file(pki.join("tls.crt")).unwrap()],
            PrivateKeyDer::from_pem_file(pki.join("tls.key")).unwrap(),
        )
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}
