//! A client of a control plane: one request on each connection, or a connection that stays.

use crate::tiny_ca::Pair;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

pub(crate) type Stream = BufReader<StreamOwned<ClientConnection, TcpStream>>;

/// A user of one server, or nobody.
pub(crate) struct Client {
    port: u16,
    config: Arc<ClientConfig>,
}

impl Client {
    /// A client that believes this authority.
    pub(crate) fn new(port: u16, authority: &str, user: Option<&Pair>) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let config = match user {
            Some(Pair { certificate, key }) => {
                let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
                config.with_client_auth_cert(chain, key).unwrap()
            }
            None => config.with_no_client_auth(),
        };
        Self { port, config: Arc::new(config) }
    }

    /// Sends a request on a connection of its own, which stays open.
    pub(crate) fn open(&self, method: &str, path: &str, body: &str) -> std::io::Result<Stream> {
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let tls = ClientConnection::new(Arc::clone(&self.config), name).unwrap();
        let socket = TcpStream::connect(("127.0.0.1", self.port))?;
        socket.set_read_timeout(Some(Duration::from_secs(60)))?;
        let mut stream = StreamOwned::new(tls, socket);
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        Ok(BufReader::new(stream))
    }

    /// The status and the body of a response.
    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        body: &str,
    ) -> std::io::Result<(u16, String)> {
        let mut stream = self.open(method, path, body)?;
        let (status, length) = head(&mut stream)?;
        let mut body = vec![0; length.unwrap_or_default()];
        stream.read_exact(&mut body)?;
        Ok((status, String::from_utf8(body).unwrap()))
    }

    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        self.request("GET", path, "").unwrap()
    }
}

/// Reads the head of a response: its status, and the length of its body if it has one.
pub(crate) fn head(stream: &mut Stream) -> std::io::Result<(u16, Option<usize>)> {
    let (mut status, mut length, mut line) = (0, None, String::new());
    while stream.read_line(&mut line)? > 2 {
        if status == 0 {
            status = line.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
        line.clear();
    }
    Ok((status, length))
}
