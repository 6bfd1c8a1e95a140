//! Probes of servers that demand client certificates, present stolen ones, or speak no TLS.

use super::*;
use rcgen::{CertificateParams, KeyPair};
use rustls::RootCertStore;
use rustls::pki_types::PrivateKeyDer;
use rustls::server::{ClientHello, ResolvesServerCert, ServerConfig, WebPkiClientVerifier};
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

const LIMIT: Duration = Duration::from_secs(5);

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}

fn certificate(key: &KeyPair) -> CertificateDer<'static> {
    CertificateParams::new(vec!["a".to_owned()]).unwrap().self_signed(key).unwrap().der().clone()
}

/// A resolver that presents one certificate with the key of another.
#[derive(Debug)]
struct StolenCertificate(Arc<CertifiedKey>);

impl ResolvesServerCert for StolenCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0))
    }
}

/// The probe result of a server with this configuration that accepts one connection.
async fn probe(config: ServerConfig) -> ProbeResult {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        let _ = TlsAcceptor::from(Arc::new(config)).accept(socket).await;
    });
    let probe = dial("127.0.0.1", port, LIMIT).await;
    server.await.unwrap();
    probe
}

#[tokio::test]
async fn a_server_that_insists_on_a_client_is_seen_all_the_same() {
    for version in [&TLS12, &TLS13] {
        let key = KeyPair::generate().unwrap();
        let leaf = certificate(&key);
        let mut roots = RootCertStore::empty();
        roots.add(leaf.clone()).unwrap();
        let insisting = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider());
        let config = ServerConfig::builder_with_provider(provider())
            .with_protocol_versions(&[version])
            .unwrap()
            .with_client_cert_verifier(insisting.build().unwrap())
            .with_single_cert(
                vec![leaf.clone()],
                PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
            )
            .unwrap();
        assert_eq!(
            probe(config).await,
            ProbeResult::Presented { chain: vec![leaf.to_vec()], proof: Ok(()) }
        );
    }
}

#[tokio::test]
async fn a_certificate_without_its_key_is_told() {
    for version in [&TLS12, &TLS13] {
        let (owner, thief) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        let stolen = certificate(&owner);
        let key = PrivateKeyDer::try_from(thief.serialize_der()).unwrap();
        let key = provider().key_provider.load_private_key(key).unwrap();
        let pair = Arc::new(CertifiedKey::new(vec![stolen.clone()], key));
        let config = ServerConfig::builder_with_provider(provider())
            .with_protocol_versions(&[version])
            .unwrap()
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(StolenCertificate(pair)));
        let ProbeResult::Presented { chain, proof } = probe(config).await else {
            panic!("nothing seen")
        };
        assert_eq!(chain, [stolen.to_vec()]);
        assert!(proof.is_err(), "{version:?}");
    }
}

#[tokio::test]
async fn whoever_hangs_up_or_talks_nonsense_is_told_apart() {
    let (silent, talking) = (
        TcpListener::bind("127.0.0.1:0").await.unwrap(),
        TcpListener::bind("127.0.0.1:0").await.unwrap(),
    );
    let ports = [&silent, &talking].map(|one| one.local_addr().unwrap().port());
    tokio::spawn(async move { drop(silent.accept().await) });
    tokio::spawn(async move {
        let (mut socket, _) = talking.accept().await.unwrap();
        socket.write_all(b"SSH-2.0-OpenSSH_9.9\r\n").await.unwrap();
        tokio::time::sleep(LIMIT).await;
    });
    assert!(matches!(dial("127.0.0.1", ports[0], LIMIT).await, ProbeResult::Failed(_)));
    assert!(matches!(dial("127.0.0.1", ports[1], LIMIT).await, ProbeResult::NotTls(_)));
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    assert!(matches!(dial("127.0.0.1", closed, LIMIT).await, ProbeResult::Failed(_)));
    assert!(matches!(dial("no such host", 1, LIMIT).await, ProbeResult::Failed(_)));
}
