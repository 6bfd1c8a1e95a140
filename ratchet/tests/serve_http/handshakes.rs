//! Tests of the TLS handshake: the authorities of client certificates that the server announces.

use crate::server::Server;
use ratchet_http::certificates::Authority;
use rustls::client::ResolvesClientCert;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, RootCertStore, SignatureScheme};
use std::sync::{Arc, Mutex};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// Records the announced authorities and presents no certificate.
#[derive(Debug, Default)]
struct Notes(Mutex<Vec<Vec<u8>>>);

impl ResolvesClientCert for Notes {
    fn resolve(&self, names: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        *self.0.lock().unwrap() = names.iter().map(|name| name.to_vec()).collect();
        None
    }

    fn has_certs(&self) -> bool {
        true
    }
}

async fn named(server: &Server) -> Vec<Vec<u8>> {
    let notes = Arc::new(Notes::default());
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(server.authority.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_client_cert_resolver(notes.clone());
    let stream = TcpStream::connect(server.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let name = ServerName::try_from("kubernetes.default.svc").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
    notes.0.lock().unwrap().clone()
}

/// The subjects of the certificates in a bundle, as handshakes write them.
fn subjects(pem: &str) -> Vec<Vec<u8>> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        roots.add(certificate.unwrap()).unwrap();
    }
    roots.subjects().iter().map(|name| name.as_ref().to_vec()).collect()
}

#[tokio::test]
async fn handshakes_name_the_authorities_of_clients_also_new_ones() {
    let server = Server::start();
    let own = subjects(&server.authority);
    assert_eq!((own.len(), named(&server).await), (1, own.clone()));
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::load_or_create(folder.path()).unwrap();
    // Any certificate may stand in a bundle; this one has another name than the server's own authority.
    let (other, _) = authority.client("other", &[]).unwrap();
    let both = format!("{}{other}", server.authority);
    std::fs::write(&server.client_ca, &both).unwrap();
    assert_eq!(named(&server).await, own, "nobody has looked yet");
    server.reloads.now();
    let wanted = subjects(&both);
    assert_eq!((wanted.len(), named(&server).await), (2, wanted.clone()));
    std::fs::write(&server.client_ca, "garbage").unwrap();
    server.reloads.now();
    assert_eq!(named(&server).await, wanted, "what cannot be read changes nothing");
}
