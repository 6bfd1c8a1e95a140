//! `Raw`: a connection of HTTP/1.1 over TLS on which a test writes what it likes.

use crate::running::Running;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct Raw(StreamOwned<ClientConnection, TcpStream>);

impl Raw {
    pub(crate) fn connect(running: &Running) -> Self {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut roots = RootCertStore::empty();
        let root = CertificateDer::from_pem_slice(running.authority().as_bytes()).unwrap();
        roots.add(root).unwrap();
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let name = ServerName::try_from("localhost").unwrap();
        let session = ClientConnection::new(Arc::new(config), name).unwrap();
        let socket = TcpStream::connect(running.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        Self(StreamOwned::new(session, socket))
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        // A server that has answered already may have closed.
        let _ = self.0.write_all(bytes);
        let _ = self.0.flush();
    }

    /// Everything up to the end of the connection.
    pub(crate) fn read_to_end(mut self) -> String {
        let mut answer = Vec::new();
        let _ = self.0.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

/// Sends one request with a body of this length on a connection that ends with it.
pub(crate) fn exchange(running: &Running, line: &str, body: &[u8]) -> String {
    let mut raw = Raw::connect(running);
    let head = format!(
        "{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    raw.send(&[head.as_bytes(), body].concat());
    raw.read_to_end()
}
