//! A TLS client that writes arbitrary bytes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ratchet_tls::AcceptAnyServer;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The body as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

/// A connection, which can be repeated.
pub(crate) struct Client {
    address: SocketAddr,
    config: Arc<ClientConfig>,
    stream: StreamOwned<ClientConnection, TcpStream>,
    ahead: Vec<u8>,
}

/// Read timeout, after which the server counts as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

impl Client {
    /// Connects, as the user of a kubeconfig or anonymously.
    pub(crate) fn connect(
        address: SocketAddr,
        kubeconfig: Option<&str>,
        protocols: &[&[u8]],
    ) -> io::Result<Self> {
        let builder = AcceptAnyServer::client_config().unwrap();
        let mut config = match kubeconfig {
            Some(text) => {
                let chain = CertificateDer::pem_slice_iter(&field(text, "client-certificate-data"))
                    .collect::<Result<_, _>>()
                    .map_err(io::Error::other)?;
                let key = PrivateKeyDer::from_pem_slice(&field(text, "client-key-data"))
                    .map_err(io::Error::other)?;
                builder.with_client_auth_cert(chain, key).map_err(io::Error::other)?
            }
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        Self::with(address, Arc::new(config))
    }

    fn with(address: SocketAddr, config: Arc<ClientConfig>) -> io::Result<Self> {
        let tcp = TcpStream::connect(address)?;
        tcp.set_nodelay(true)?;
        tcp.set_read_timeout(Some(PATIENCE))?;
        tcp.set_write_timeout(Some(PATIENCE))?;
        let name = ServerName::from(address.ip());
        let session = ClientConnection::new(config.clone(), name).map_err(io::Error::other)?;
        let mut stream = StreamOwned::new(session, tcp);
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock)?;
        }
        Ok(Self { address, config, stream, ahead: Vec::new() })
    }

    /// Another connection like this one.
    pub(crate) fn again(&self) -> Self {
        Self::with(self.address, self.config.clone()).expect("a connection")
    }

    /// Writes raw bytes; the server may have closed the connection.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)?;
        self.stream.flush()
    }

    /// Reads some bytes.
    pub(crate) fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.stream.read(into)
    }

    /// Sets the read timeout.
    pub(crate) fn wait_at_most(&self, patience: Duration) {
        self.stream.sock.set_read_timeout(Some(patience)).unwrap();
    }

    /// Sends a GET.
    pub(crate) fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    /// Sends a DELETE.
    pub(crate) fn delete(&mut self, path: &str) -> Answer {
        self.send("DELETE", path, &[], b"")
    }

    /// Sends a POST with JSON.
    pub(crate) fn post(&mut self, path: &str, body: &str) -> Answer {
        self.send("POST", path, &[("Content-Type", "application/json")], body.as_bytes())
    }

    /// Sends a request and reads the answer; reconnects if the server has closed.
    pub(crate) fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let request = request(method, path, headers, body);
        match self.try_raw(&request, method == "HEAD") {
            Ok(answer) => answer,
            Err(_) => {
                *self = self.again();
                self.try_raw(&request, method == "HEAD").unwrap_or_else(|why| {
                    let length = body.len();
                    panic!("{method} {path:.200} {headers:?} with {length} bytes: {why}")
                })
            }
        }
    }

    /// Sends raw bytes as one request and reads the answer.
    pub(crate) fn try_raw(&mut self, request: &[u8], is_head: bool) -> io::Result<Answer> {
        // An early refusal is answered before the request is fully written.
        let written = self.write(request);
        let answer = self.answer(is_head);
        match (written, answer) {
            (_, Ok(answer)) => Ok(answer),
            (Err(why), _) | (_, Err(why)) => Err(why),
        }
    }

    /// The head of an answer: status and headers.
    pub(crate) fn head(&mut self) -> io::Result<(u16, String)> {
        let head = loop {
            if let Some(end) = self.ahead.windows(4).position(|four| four == b"\r\n\r\n") {
                let rest = self.ahead.split_off(end + 4);
                break std::mem::replace(&mut self.ahead, rest);
            }
            self.more()?;
        };
        let head = String::from_utf8_lossy(&head).to_lowercase();
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Ok((code.ok_or_else(|| io::Error::other("no status"))?, head))
    }

    /// Buffered bytes that were not consumed.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        self.wait_at_most(Duration::from_millis(200));
        while self.ahead.is_empty() && self.more().is_ok() {}
        std::mem::take(&mut self.ahead)
    }

    /// The next answer.
    pub(crate) fn answer(&mut self, is_head: bool) -> io::Result<Answer> {
        let (code, head) = self.head()?;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let body = match length {
            _ if is_head || code == 204 || code == 304 => Vec::new(),
            Some(length) => self.exactly(length.trim().parse().map_err(io::Error::other)?)?,
            None if head.contains("transfer-encoding: chunked") => self.chunked()?,
            None => Vec::new(),
        };
        if head.contains("connection: close") {
            // The next request needs another connection.
            self.ahead.clear();
        }
        Ok(Answer { code, head, body })
    }

    fn more(&mut self) -> io::Result<()> {
        let mut piece = [0; 16 * 1024];
        match self.stream.read(&mut piece)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                self.ahead.extend_from_slice(&piece[..read]);
                Ok(())
            }
        }
    }

    fn exactly(&mut self, length: usize) -> io::Result<Vec<u8>> {
        while self.ahead.len() < length {
            self.more()?;
        }
        let rest = self.ahead.split_off(length);
        Ok(std::mem::replace(&mut self.ahead, rest))
    }

    fn chunked(&mut self) -> io::Result<Vec<u8>> {
        let mut whole = Vec::new();
        loop {
            let chunk = self.chunk()?;
            if chunk.is_empty() {
                return Ok(whole);
            }
            whole.extend(chunk);
        }
    }

    /// The next chunk of a body, as soon as it is there; the last one is empty.
    pub(crate) fn chunk(&mut self) -> io::Result<Vec<u8>> {
        let end = loop {
            match self.ahead.windows(2).position(|two| two == b"\r\n") {
                Some(end) => break end,
                None => self.more()?,
            }
        };
        let line = self.exactly(end + 2)?;
        let length = String::from_utf8_lossy(&line[..end]).into_owned();
        let length = usize::from_str_radix(&length, 16).map_err(io::Error::other)?;
        let chunk = self.exactly(length)?;
        self.exactly(2)?;
        Ok(chunk)
    }
}

/// A request of HTTP/1.1 as bytes.
pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n").into_bytes();
    for (name, value) in headers {
        bytes.extend(format!("{name}: {value}\r\n").bytes());
    }
    if !body.is_empty() {
        bytes.extend(format!("Content-Length: {}\r\n", body.len()).bytes());
    }
    bytes.extend(b"\r\n");
    bytes.extend(body);
    bytes
}

fn field(kubeconfig: &str, name: &str) -> Vec<u8> {
    let line = kubeconfig.lines().find_map(|line| line.trim().strip_prefix(name));
    let text = line.and_then(|line| line.strip_prefix(':')).expect("the field");
    STANDARD.decode(text.trim().trim_matches('"')).expect("base64")
}
