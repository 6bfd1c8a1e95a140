//! TLS handshake with a timeout and Go's error messages.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::KubeletError;

/// The name that the certificate must be valid for: the host as dialed. `None` if no certificate
/// can be valid for it.
pub(crate) fn server_name(host: &str) -> Option<ServerName<'static>> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Some(ServerName::from(address));
    }
    ServerName::try_from(host.strip_suffix('.').unwrap_or(host).to_owned()).ok()
}

/// The server name without verification: the host if it can be sent to the server, or none.
pub(crate) fn server_name_or_none(host: &str) -> ServerName<'static> {
    // An address is not sent to the server.
    server_name(host).unwrap_or_else(|| ServerName::from(IpAddr::V4(Ipv4Addr::UNSPECIFIED)))
}

/// Performs the handshake on a TCP connection.
pub(crate) async fn handshake(
    tcp: TcpStream,
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    limit: Duration,
) -> Result<TlsStream<TcpStream>, KubeletError> {
    let between = tcp.local_addr().ok().zip(tcp.peer_addr().ok());
    match timeout(limit, TlsConnector::from(config).connect(name, tcp)).await {
        Ok(result) => result.map_err(|error| KubeletError::handshake(&error, between)),
        Err(_) => Err(KubeletError::Handshake("net/http: TLS handshake timeout".to_owned())),
    }
}
