//! Where a proxied request goes: the names in its URL become an address, a port and a way to speak.

use super::{Backends, Connect, node};
use crate::status::{About, StatusError};
use http::{Request, Response};
use ratchet_http::Body;
use ratchet_kubelet::{Connection, Endpoint, KubeletError, PooledBody, Scheme, Verification};
use ratchet_net::Quoted;
use ratchet_object::Node;
use std::net::IpAddr;

/// Where a proxied request goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// To a kubelet, whose certificate must bear the name of its node.
    Kubelet(Endpoint),
    /// Anywhere else.
    Other { scheme: Scheme, host: String, port: u16 },
}

impl Location {
    /// `host:port`.
    pub(super) fn authority(&self) -> String {
        let (host, port) = match self {
            Self::Kubelet(endpoint) => (&endpoint.host, endpoint.port),
            Self::Other { host, port, .. } => (host, *port),
        };
        ratchet_kubelet::authority(host, port)
    }

    /// Sends a request there.
    pub(super) async fn send(
        &self,
        backends: &Backends,
        request: Request<Body>,
    ) -> Result<Response<PooledBody>, KubeletError> {
        match self {
            Self::Kubelet(endpoint) => {
                backends.kubelets.send(endpoint, Verification::Full, request).await
            }
            Self::Other { scheme, host, port } => {
                backends.others.send(*scheme, host, *port, request).await
            }
        }
    }

    /// A connection of its own there.
    pub(super) async fn dial(&self, backends: &Backends) -> Result<Connection, KubeletError> {
        match self {
            Self::Kubelet(endpoint) => backends.kubelets.dial(endpoint).await,
            Self::Other { scheme, host, port } => backends.others.dial(*scheme, host, *port).await,
        }
    }
}

/// `[scheme:]name[:port]`, as URLs of proxies name things.
#[derive(Debug, PartialEq, Eq)]
struct Id<'a> {
    scheme: Option<Scheme>,
    name: &'a str,
    port: &'a str,
}

impl<'a> Id<'a> {
    fn parse(text: &'a str, what: &str) -> Result<Self, StatusError> {
        let invalid =
            || StatusError::bad_request(format!("invalid {what} request {}", Quoted(text)));
        let parts: Vec<&str> = text.split(':').collect();
        let (scheme, name, port) = match parts.as_slice() {
            [name] => ("", *name, ""),
            [name, port] => ("", *name, *port),
            [scheme, name, port] => (*scheme, *name, *port),
            _ => return Err(invalid()),
        };
        let scheme = match scheme {
            "" => None,
            "http" => Some(Scheme::Http),
            "https" => Some(Scheme::Https),
            _ => return Err(invalid()),
        };
        if name.is_empty() {
            return Err(invalid());
        }
        Ok(Self { scheme, name, port })
    }

    /// The port, if one was written in the one way in which ports are written: `011250` would be another port to a
    /// comparison of texts and the same to a socket.
    fn number(&self) -> Option<u16> {
        let number: u16 = self.port.parse().ok()?;
        (number > 0 && number.to_string() == self.port).then_some(number)
    }

    fn scheme(&self) -> Scheme {
        self.scheme.unwrap_or(Scheme::Http)
    }
}

/// Where a node is: its kubelet, or another of its ports.
pub(super) async fn of_node(connect: &Connect<'_>) -> Result<Location, StatusError> {
    let text = &connect.path.name;
    let id = Id::parse(text, "node")?;
    let kubelet = node::find(connect.app, id.name, connect.about())?.endpoint;
    check_proxyable(&kubelet.host).await?;
    if id.port.is_empty() {
        return Ok(Location::Kubelet(kubelet));
    }
    let Some(port) = id.number() else {
        return Err(StatusError::bad_request(format!("invalid node request {}", Quoted(text))));
    };
    match port == kubelet.port {
        true => Ok(Location::Kubelet(kubelet)),
        false => Ok(Location::Other { scheme: id.scheme(), host: kubelet.host, port }),
    }
}

/// Nobody may be led through a node to the server's own machine.
async fn check_proxyable(host: &str) -> Result<(), StatusError> {
    let found = tokio::net::lookup_host((host, 0)).await;
    let mut found = match found {
        Ok(found) => found.peekable(),
        Err(_) => return Err(StatusError::bad_request(format!("lookup {host}: no such host"))),
    };
    if found.peek().is_none() {
        return Err(StatusError::bad_request("no addresses for hostname"));
    }
    match found.all(|address| is_global(address.ip())) {
        true => Ok(()),
        false => Err(StatusError::bad_request("address not allowed")),
    }
}

/// Go's global unicast: neither unspecified, loopback, multicast, broadcast nor of one link.
fn is_global(address: IpAddr) -> bool {
    let is_local = match address.to_canonical() {
        IpAddr::V4(address) => address.is_link_local() || address.is_broadcast(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    let address = address.to_canonical();
    !(is_local || address.is_unspecified() || address.is_loopback() || address.is_multicast())
}

/// Where a pod is: its address, and the port that was named or the first that it declares.
pub(super) fn of_pod(connect: &Connect<'_>) -> Result<Location, StatusError> {
    let Connect { resource, path, .. } = connect;
    let id = Id::parse(&path.name, "pod")?;
    let pod = resource.cache.find(&resource.cache_key(&path.namespace, id.name))?;
    let pod = pod.ok_or_else(|| StatusError::not_found(resource.about(id.name)))?.node();
    let host = addresses(&pod).next().and_then(address).filter(|host| is_global(*host));
    let host = host.ok_or_else(|| StatusError::bad_request("address not allowed"))?;
    let scheme = id.scheme();
    let port = match id.port {
        "" => first_port(&pod).unwrap_or(scheme.default_port()),
        _ => id.number().ok_or_else(|| unknown_port(id.port))?,
    };
    Ok(Location::Other { scheme, host: host.to_string(), port })
}

/// What an address in a status means: one address, however it is spelled, and never a name to be looked up.
fn address(text: &str) -> Option<IpAddr> {
    ratchet_net::IpText::read(text).ok().map(|text| text.addr())
}

fn unknown_port(port: &str) -> StatusError {
    super::proxy::unreachable(&format!("dial tcp: lookup tcp/{port}: unknown port"))
}

fn addresses<'n>(pod: &'n Node<'_>) -> impl Iterator<Item = &'n str> {
    let all = pod.find(&["status", "podIPs"]).map(Node::items).unwrap_or_default();
    all.iter().map(|one| one.text_at(&["ip"]))
}

/// Whether a pod has an address, however either of them is spelled.
fn has_address(pod: &Node<'_>, text: &str) -> bool {
    address(text).is_some_and(|wanted| addresses(pod).any(|one| address(one) == Some(wanted)))
}

fn first_port(pod: &Node<'_>) -> Option<u16> {
    let containers = pod.find(&["spec", "containers"]).map(Node::items).unwrap_or_default();
    let ports = containers.iter().filter_map(|one| one.get("ports")?.items().first());
    let port = ports.map(|port| port.get("containerPort").and_then(Node::as_int)).next()??;
    u16::try_from(port).ok()
}

/// Where a Service is: one of its ready pods, chosen by lot.
pub(super) fn of_service(connect: &Connect<'_>) -> Result<Location, StatusError> {
    let Connect { app, resource, path, .. } = connect;
    let id = Id::parse(&path.name, "service")?;
    let namespace = &path.namespace;
    let mut port_name = id.port.to_owned();
    if let Ok(number) = id.port.parse::<i64>() {
        let service = resource.cache.find(&resource.cache_key(namespace, id.name))?;
        let service = service.ok_or_else(|| StatusError::not_found(resource.about(id.name)))?.node();
        let ports = service.find(&["spec", "ports"]).map(Node::items).unwrap_or_default();
        let port = ports.iter().find(|one| one.get("port").and_then(Node::as_int) == Some(number));
        let port = port.ok_or_else(|| {
            let name = Quoted(id.name);
            StatusError::unavailable(format!("no service port {number} found for service {name}"))
        })?;
        port.text_at(&["name"]).clone_into(&mut port_name);
    }
    let resource_cache = |name: &str| app.cache.resource_cache(name).unwrap_or_default();
    let endpoints = resource_cache("endpoints").get(&format!("{namespace}/{}", id.name));
    let missing =
        || StatusError::not_found(About { group: "", resource: "endpoints", name: id.name });
    let endpoints = endpoints.ok_or_else(missing)?.node();
    let subsets = endpoints.get("subsets").map(Node::items).unwrap_or_default();
    let none = |name: &str| {
        StatusError::unavailable(format!("no endpoints available for service {}", Quoted(name)))
    };
    if subsets.is_empty() {
        return Err(none(id.name));
    }
    let pods = resource_cache("pods");
    let is_pod = |address: &Node<'_>| {
        let target = |name: &str| address.text_at(&["targetRef", name]);
        target("namespace") == namespace
            && pods
                .get(&format!("{namespace}/{}", target("name")))
                .is_some_and(|pod| has_address(&pod.node(), address.text_at(&["ip"])))
    };
    for subset in by_lot(subsets) {
        let ports = subset.get("ports").map(Node::items).unwrap_or_default();
        let Some(port) = ports.iter().find(|one| one.text_at(&["name"]) == port_name) else {
            continue;
        };
        let number = port.get("port").and_then(Node::as_int);
        let Some(port) = number.and_then(|number| u16::try_from(number).ok()) else { continue };
        let all = subset.get("addresses").map(Node::items).unwrap_or_default();
        let pod = by_lot(all).find(|address| is_pod(address));
        if let Some(host) = pod.and_then(|pod| address(pod.text_at(&["ip"]))) {
            let host = host.to_string();
            return Ok(Location::Other { scheme: id.scheme(), host, port });
        }
    }
    Err(none(&path.name))
}

/// All items, beginning anywhere.
fn by_lot<T>(items: &[T]) -> impl Iterator<Item = &T> {
    let first = if items.is_empty() { 0 } else { fastrand::usize(..items.len()) };
    items.iter().cycle().skip(first).take(items.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_have_a_scheme_and_a_port() {
        let read = |text| Id::parse(text, "node").map_err(|refusal| refusal.message);
        let id = |scheme, name, port| Ok(Id { scheme, name, port });
        assert_eq!(read("a"), id(None, "a", ""));
        assert_eq!(read("a:1"), id(None, "a", "1"));
        assert_eq!(read("https:a:"), id(Some(Scheme::Https), "a", ""));
        for bad in ["", ":1", "ftp:a:1", "HTTPS:a:1", "https::1", "a:b:c:d"] {
            assert_eq!(read(bad), Err(format!("invalid node request {}", Quoted(bad))));
        }
    }

    #[test]
    fn a_pod_is_found_by_its_address_and_not_by_how_it_is_spelled() {
        let text =
            r#"{"status":{"podIPs":[{"ip":"010.0.0.7"},{"ip":"2001:DB8:0::7"},{"ip":"x"}]}}"#;
        let mut read = ratchet_object::decode(text, ratchet_object::Limits::DEFAULT).unwrap();
        let pod = read.documents.remove(0);
        for same in ["10.0.0.7", "010.0.0.7", "::ffff:10.0.0.7", "2001:db8::7", "2001:db8::0007"] {
            assert!(has_address(&pod, same), "{same}");
        }
        for other in ["10.0.0.8", "8.0.0.7", "2001:db8::8", "", "x"] {
            assert!(!has_address(&pod, other), "{other}");
        }
    }

    #[test]
    fn a_port_is_written_in_one_way() {
        let number = |port| Id { scheme: None, name: "a", port }.number();
        assert_eq!(number("10250"), Some(10250));
        for bad in ["010250", "+10250", "0", "", "65536", "10250 ", "１"] {
            assert_eq!(number(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn only_addresses_of_others_are_proxied_to() {
        for good in ["10.0.0.1", "192.0.2.1", "8.8.8.8", "fd00::1", "2001:db8::1"] {
            assert!(is_global(good.parse().unwrap()), "{good}");
        }
        for bad in [
            "127.0.0.1",
            "0.0.0.0",
            "169.254.169.254",
            "255.255.255.255",
            "224.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
        ] {
            assert!(!is_global(bad.parse().unwrap()), "{bad}");
        }
    }
}
