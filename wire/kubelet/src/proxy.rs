//! HTTP proxies for kubelets, from `HTTPS_PROXY` and `NO_PROXY`.

mod exceptions;

use std::fmt;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::Uri;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::settings::authority;
use crate::{KubeletError, Timing, dial};
use exceptions::Exceptions;

/// The maximum size of a proxy's response head.
const HEAD: usize = 16 * 1024;

/// The proxy for each host. The default is no proxy at all.
#[derive(Clone, Default)]
pub struct Proxies {
    proxy: Option<Proxy>,
    no_proxy: Exceptions,
}

/// A proxy that is reached by HTTP.
#[derive(Clone)]
struct Proxy {
    host: String,
    port: u16,
    /// The value of the Proxy-Authorization header.
    authorization: Option<String>,
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without its password.
        let proxy = self.proxy.as_ref().map(|proxy| authority(&proxy.host, proxy.port));
        f.debug_struct("Proxies").field("proxy", &proxy).finish_non_exhaustive()
    }
}

impl Proxies {
    /// From the values of `HTTPS_PROXY` and `NO_PROXY`; an empty one means none. An invalid URL is
    /// an error.
    pub fn new(https_proxy: &str, no_proxy: &str) -> Result<Self, String> {
        let proxy = match https_proxy.trim() {
            "" => None,
            url => Some(Proxy::parse(url)?),
        };
        Ok(Self { proxy, no_proxy: Exceptions::parse(no_proxy) })
    }

    /// From the environment. Kubelets are always reached by https, so that `HTTP_PROXY` does not
    /// apply.
    pub fn from_environment() -> Result<Self, String> {
        let value = |upper: &str, lower: &str| {
            let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
            set(upper).or_else(|| set(lower)).unwrap_or_default()
        };
        Self::new(&value("HTTPS_PROXY", "https_proxy"), &value("NO_PROXY", "no_proxy"))
    }

    fn for_host(&self, host: &str, port: u16) -> Option<&Proxy> {
        self.proxy.as_ref().filter(|_| !self.no_proxy.contains(host, port))
    }
}

impl Proxy {
    fn parse(url: &str) -> Result<Self, String> {
        let invalid = |why: &str| format!("invalid proxy address: {why}");
        let absolute = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
        let uri: Uri = absolute.parse().map_err(|error| invalid(&format!("{error}")))?;
        if uri.scheme_str() != Some("http") {
            return Err(invalid("only proxies that are reached by http are supported"));
        }
        let authority = uri.authority().ok_or_else(|| invalid("no host"))?;
        let user = authority.as_str().rsplit_once('@').map(|(user, _)| user);
        let authorization =
            user.map(|user| format!("Basic {}", BASE64_STANDARD.encode(percent_decode(user))));
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Self { host, port: authority.port_u16().unwrap_or(80), authorization })
    }
}

/// Decodes percent-encoding.
fn percent_decode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, rest_after)) = rest.split_first() {
        let escaped = rest_after.split_first_chunk::<2>().filter(|_| first == b'%');
        let byte = escaped.and_then(|(digits, rest_after)| {
            let byte = u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
            Some((byte, rest_after))
        });
        let (byte, rest_after) = byte.unwrap_or((first, rest_after));
        bytes.push(byte);
        rest = rest_after;
    }
    bytes
}

/// A TCP connection to the host, through a proxy if there is one.
pub(crate) async fn tcp(
    proxies: &Proxies,
    host: &str,
    port: u16,
    timing: &Timing,
) -> Result<TcpStream, KubeletError> {
    let Some(proxy) = proxies.for_host(host, port) else {
        return dial::tcp(host, port, timing).await;
    };
    let proxy_error =
        |error: KubeletError| KubeletError::Proxy(format!("proxyconnect tcp: {error}"));
    let mut stream = dial::tcp(&proxy.host, proxy.port, timing).await.map_err(proxy_error)?;
    connect(&mut stream, proxy, &authority(host, port), timing.dial).await?;
    Ok(stream)
}

async fn connect(
    stream: &mut TcpStream,
    proxy: &Proxy,
    to: &str,
    limit: Duration,
) -> Result<(), KubeletError> {
    let fault = |why: &str| KubeletError::Proxy(why.to_owned());
    let authorization = proxy.authorization.as_ref();
    let authorization =
        authorization.map_or_else(String::new, |value| format!("Proxy-Authorization: {value}\r\n"));
    let request = format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n{authorization}\r\n");
    let exchange = async {
        stream.write_all(request.as_bytes()).await?;
        let mut head = Vec::new();
        // Byte by byte: what follows the head is not ours to read.
        while !head.ends_with(b"\r\n\r\n") && head.len() < HEAD {
            head.push(stream.read_u8().await?);
        }
        Ok::<_, std::io::Error>(head)
    };
    let head = timeout(limit, exchange)
        .await
        .map_err(|_| fault("proxyconnect tcp: i/o timeout"))?
        .map_err(|error| fault(&format!("proxyconnect tcp: {error}")))?;
    let head = String::from_utf8_lossy(&head);
    let line = head.lines().next().unwrap_or_default();
    let (code, reason) =
        line.split_once(' ').and_then(|(_, rest)| rest.split_once(' ')).unwrap_or((line, ""));
    match code {
        "200" => Ok(()),
        _ if reason.is_empty() => Err(fault("unknown status code")),
        _ => Err(fault(&reason.escape_default().to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_read_from_its_url() {
        let proxies = Proxies::new("http://me:se%40cret@proxy.example:3128", "").unwrap();
        let proxy = proxies.for_host("10.0.0.1", 10250).unwrap();
        assert_eq!((proxy.host.as_str(), proxy.port), ("proxy.example", 3128));
        let expected = format!("Basic {}", BASE64_STANDARD.encode("me:se@cret"));
        assert_eq!(proxy.authorization.as_ref(), Some(&expected));
        assert!(!format!("{proxies:?}").contains("cret"));

        let proxies = Proxies::new("proxy.example", "").unwrap();
        assert_eq!(proxies.for_host("10.0.0.1", 1).unwrap().port, 80);
        assert!(Proxies::new("", "").unwrap().for_host("10.0.0.1", 1).is_none());
        assert!(Proxies::new("socks5://x", "").is_err());
        assert!(Proxies::new("http://[", "").is_err());
    }
}
