//! The end: no longer ready first, then the connections, and nobody can hold it up.

use crate::replica::{BAD, Called, review};
use crate::world::until;
use rustls::pki_types::ServerName;
use rustls::pki_types::pem::PemObject;
use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;

#[test]
fn readiness_ends_first_and_calls_are_still_answered() {
    let mut called = Called::start(None, "", &["--shutdown-delay-duration=5s"]);
    let mut client = called.connect();
    assert_eq!(called.get_on(&mut client, "/readyz").0, 200);
    called.replica.signal("TERM");
    until("the end of readiness", || {
        (called.get_on(&mut client, "/readyz").0 == 500).then_some(())
    });
    assert_eq!(called.get_on(&mut client, "/livez").0, 200);
    let (code, _, _) = called.review(&review("shop", "web", BAD));
    assert_eq!(code, 200, "those who have not heard of it yet are answered");
    assert_eq!(called.replica.wait(), Some(0));
}

#[test]
fn a_client_that_ignores_the_end_does_not_hold_it_up() {
    let mut called = Called::start(None, "", &[]);
    // A connection that has begun to speak HTTP/2, and never reads again.
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut roots = rustls::RootCertStore::empty();
    let root = rustls::pki_types::CertificateDer::from_pem_slice(called.authority().as_bytes());
    roots.add(root.unwrap()).unwrap();
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let name = ServerName::try_from("localhost").unwrap();
    let mut tls = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let mut socket = TcpStream::connect(called.replica.address).unwrap();
    let mut stream = rustls::Stream::new(&mut tls, &mut socket);
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").unwrap();
    stream.flush().unwrap();
    assert_eq!(called.get("/readyz").0, 200);
    called.replica.signal("TERM");
    assert_eq!(called.replica.wait(), Some(0));
    assert!(!called.replica.log().contains("cut off"), "{}", called.replica.log());
}
