//! `ClientConfig`: where a webhook is, as a URL or as a service.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::IpAddr;
use ratchet_cel::library::url::UrlParts;
use ratchet_object::{Node, decode_base64};

/// How a webhook is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientConfig {
    endpoint: Endpoint,
    /// The path of the URL, cleaned and escaped.
    path: String,
    ca_bundle: Vec<u8>,
}

/// Where a webhook is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// At an address.
    Url {
        /// Host and port as they are written, for the URL.
        authority: String,
        /// The host name or address that is connected to, and that the certificate must be for.
        host: String,
        /// The port of the URL, or 443.
        port: u16,
    },
    /// Behind a service: the connection goes to its cluster IP, the certificate must be for `name.namespace.svc`.
    Service {
        /// The namespace of the service.
        namespace: String,
        /// The name of the service.
        name: String,
        /// The port of the service; 443 by default.
        port: u16,
    },
    /// Nowhere: this is why no client can be made.
    Unusable(String),
}

impl ClientConfig {
    /// The `clientConfig` of a webhook, also of one that converts custom resources. Never fails: an unusable one says so
    /// when it is called.
    pub fn parse(node: Option<&Node<'_>>) -> Self {
        let text = |path: &[&str]| node.map_or("", |node| node.text_at(path));
        let service = node.and_then(|node| node.get("service")).filter(|node| !node.is_null());
        let (endpoint, path) = match service {
            Some(service) => {
                let port = service.get("port").and_then(Node::as_int).unwrap_or(443);
                let endpoint = Endpoint::Service {
                    namespace: service.text_at(&["namespace"]).to_owned(),
                    name: service.text_at(&["name"]).to_owned(),
                    port: u16::try_from(port).unwrap_or(443),
                };
                (endpoint, service.text_at(&["path"]).as_bytes().to_vec())
            }
            None => of_url(text(&["url"])),
        };
        let ca_bundle = decode_base64(text(&["caBundle"])).unwrap_or_default();
        Self { endpoint, path: UrlParts::escape_path(&clean(&path)), ca_bundle }
    }

    /// Where it is.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The certificates that are trusted, in PEM; if there are none, those of the system are.
    pub fn ca_bundle(&self) -> &[u8] {
        &self.ca_bundle
    }

    /// The name that the certificate of the webhook must be for.
    pub fn server_name(&self) -> String {
        match &self.endpoint {
            Endpoint::Url { host, .. } => host.clone(),
            Endpoint::Service { namespace, name, .. } => format!("{name}.{namespace}.svc"),
            Endpoint::Unusable(_) => String::new(),
        }
    }

    /// Whether only HTTP/1.1 may be spoken, so that connections are spread over the replicas of a webhook.
    pub fn only_http1(&self) -> bool {
        match &self.endpoint {
            Endpoint::Url { host, .. } => {
                let is_loopback = host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
                !host.eq_ignore_ascii_case("localhost") && !is_loopback
            }
            Endpoint::Service { .. } | Endpoint::Unusable(_) => true,
        }
    }

    /// Host and port, as the `Host` header and URLs have them.
    pub fn authority(&self) -> String {
        match &self.endpoint {
            Endpoint::Url { authority, .. } => authority.clone(),
            Endpoint::Service { port, .. } => format!("{}:{port}", self.server_name()),
            Endpoint::Unusable(_) => String::new(),
        }
    }

    /// Path and query of a call that may take so many seconds.
    pub fn path_and_query(&self, timeout_seconds: u32) -> String {
        match timeout_seconds {
            0 => self.path.clone(),
            seconds => format!("{}?timeout={seconds}s", self.path),
        }
    }

    /// The whole URL of such a call, as errors show it.
    pub fn url(&self, timeout_seconds: u32) -> String {
        format!("https://{}{}", self.authority(), self.path_and_query(timeout_seconds))
    }
}

fn of_url(text: &str) -> (Endpoint, Vec<u8>) {
    if text.is_empty() {
        let why = "webhook configuration must have either service or URL";
        return (Endpoint::Unusable(why.into()), Vec::new());
    }
    match UrlParts::parse(text) {
        Err(error) => (Endpoint::Unusable(format!("Unparsable URL: {error}")), Vec::new()),
        Ok(url) => {
            let (host, port) = url.host_and_port();
            let endpoint = Endpoint::Url {
                host: host.to_owned(),
                port: port.parse().unwrap_or(443),
                authority: url.host.clone(),
            };
            (endpoint, url.path)
        }
    }
}

/// A path as Go's `path.Join("/", path)` cleans it: no empty segments, no dots, no slash at the end.
fn clean(path: &[u8]) -> Vec<u8> {
    let mut segments: Vec<&[u8]> = Vec::new();
    for segment in path.split(|byte| *byte == b'/') {
        match segment {
            b"" | b"." => {}
            b".." => {
                segments.pop();
            }
            segment => segments.push(segment),
        }
    }
    let mut cleaned = Vec::with_capacity(path.len() + 1);
    cleaned.push(b'/');
    cleaned.extend(segments.join(&b'/'));
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::node;

    fn config(text: &str) -> ClientConfig {
        ClientConfig::parse(Some(&node(text)))
    }

    #[test]
    fn urls_have_a_timeout_and_no_slash_at_the_end() {
        for (url, called) in [
            ("https://127.0.0.1:9443/a/b/", "https://127.0.0.1:9443/a/b?timeout=10s"),
            ("https://example.com", "https://example.com/?timeout=10s"),
            ("https://example.com/a%20b", "https://example.com/a%20b?timeout=10s"),
            ("https://[::1]:8443/x//../y", "https://[::1]:8443/y?timeout=10s"),
        ] {
            assert_eq!(config(&format!("{{url: '{url}'}}")).url(10), called);
        }
        let service = config("{service: {namespace: ns, name: hook, path: /x, port: 8443}}");
        assert_eq!(service.url(2), "https://hook.ns.svc:8443/x?timeout=2s");
        assert_eq!(service.server_name(), "hook.ns.svc");
        let plain = config("{service: {namespace: ns, name: hook}}");
        assert_eq!(plain.url(0), "https://hook.ns.svc:443/");
    }

    #[test]
    fn only_what_is_local_may_share_a_connection() {
        let only = |host: &str| config(&format!("{{url: 'https://{host}/'}}")).only_http1();
        assert!(!only("localhost:1") && !only("127.0.0.1") && !only("[::1]:3"));
        assert!(only("example.com") && only("10.0.0.1"));
        assert!(config("{service: {name: a, namespace: b}}").only_http1());
    }

    #[test]
    fn without_a_place_there_is_no_client() {
        let why = "webhook configuration must have either service or URL";
        assert_eq!(config("{}").endpoint(), &Endpoint::Unusable(why.into()));
        assert!(matches!(config("{url: 'https://a:b/'}").endpoint(), Endpoint::Unusable(_)));
        assert_eq!(config("{url: 'https://a/', caBundle: YWJj}").ca_bundle(), b"abc");
    }
}
