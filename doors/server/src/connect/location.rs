//! Targets of proxied requests: resolves the name in the URL to an address, a port and a scheme.

use super::{Connect, node};
use crate::app::backends::Backends;
use crate::status::{About, StatusError};
use http::{Request, Response};
use ratchet_http::Body;
use ratchet_kubelet::{
    Connection, Endpoint, KubeletError, PooledBody, Scheme, Verification, lookup,
};
use ratchet_net::Quoted;
use ratchet_object::Node;
use std::net::IpAddr;

/// The target of a proxied request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// A kubelet, whose certificate must have its node's name.
    Kubelet(Endpoint),
    /// Any other address.
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

    /// Sends a request over a pooled connection.
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

    /// Opens a dedicated connection.
    pub(super) async fn dial(&self, backends: &Backends) -> Result<Connection, KubeletError> {
        match self {
            Self::Kubelet(endpoint) => backends.kubelets.dial(endpoint).await,
            Self::Other { scheme, host, port } => backends.others.dial(*scheme, host, *port).await,
        }
    }
}

/// `[scheme:]name[:port]`, the name in a proxy URL.
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

    /// The port, if it is in canonical form: `011250` would be another port in a string comparison and the same for a
    /// socket.
    fn number(&self) -> Option<u16> {
        let number: u16 = self.port.parse().ok()?;
        (number > 0 && number.to_string() == self.port).then_some(number)
    }

    fn scheme(&self) -> Scheme {
        self.scheme.unwrap_or(Scheme::Http)
    }
}

/// The target of a node: its kubelet, or another port.
pub(super) async fn of_node(connect: &Connect<'_>) -> Result<Location, StatusError> {
    let text = &connect.path.name;
    let id = Id::parse(text, "node")?;
    let kubelet = node::find(connect.app, id.name, connect.about())?.endpoint;
    check_not_local(&kubelet.host).await?;
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

/// Rejects hosts with a non-global address: a node must not lead to the server's own machine.
async fn check_not_local(host: &str) -> Result<(), StatusError> {
    let Ok(found) = lookup(host, 0).await else {
        return Err(StatusError::bad_request(format!("lookup {host}: no such host")));
    };
    if found.is_empty() {
        return Err(StatusError::bad_request("no addresses for hostname"));
    }
    match found.iter().all(|address| is_global(address.ip())) {
        true => Ok(()),
        false => Err(StatusError::bad_request("address not allowed")),
    }
}

/// Go's `IsGlobalUnicast`: not unspecified, loopback, multicast, broadcast or link-local.
fn is_global(address: IpAddr) -> bool {
    let is_local = match address.to_canonical() {
        IpAddr::V4(address) => address.is_link_local() || address.is_broadcast(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    let address = address.to_canonical();
    !(is_local || address.is_unspecified() || address.is_loopback() || address.is_multicast())
}

/// The target of a pod: its address, and the named port or the first declared one.
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

/// Parses an address of a status in any notation; never a host name.
fn address(text: &str) -> Option<IpAddr> {
    ratchet_net::IpText::parse(text).ok().map(|text| text.addr())
}

/// 503: the backend cannot be reached.
pub(super) fn unreachable(why: &str) -> StatusError {
    StatusError::unavailable(format!("error trying to reach service: {why}"))
}

fn unknown_port(port: &str) -> StatusError {
    unreachable(&format!("dial tcp: lookup tcp/{port}: unknown port"))
}

fn addresses<'n>(pod: &'n Node<'_>) -> impl Iterator<Item = &'n str> {
    let all = pod.find(&["status", "podIPs"]).map(Node::items).unwrap_or_default();
    all.iter().map(|one| one.text_at(&["ip"]))
}

/// Whether a pod has an address, compared by value.
fn has_address(pod: &Node<'_>, text: &str) -> bool {
    address(text).is_some_and(|wanted| addresses(pod).any(|one| address(one) == Some(wanted)))
}

fn first_port(pod: &Node<'_>) -> Option<u16> {
    let containers = pod.find(&["spec", "containers"]).map(Node::items).unwrap_or_default();
    let ports = containers.iter().filter_map(|one| one.get("ports")?.items().first());
    let port = ports.map(|port| port.get("containerPort").and_then(Node::as_int)).next()??;
    u16::try_from(port).ok()
}

/// The target of a Service: one of its ready pods, chosen at random.
pub(super) fn of_service(connect: &Connect<'_>) -> Result<Location, StatusError> {
    let Connect { app, resource, path, .. } = connect;
    let id = Id::parse(&path.name, "service")?;
    let namespace = &path.namespace;
    let mut port_name = id.port.to_owned();
    if let Ok(number) = id.port.parse::<i64>() {
        let service = resource.cache.find(&resource.cache_key(namespace, id.name))?;
        let service =
            service.ok_or_else(|| StatusError::not_found(resource.about(id.name)))?.node();
        let ports = service.find(&["spec", "ports"]).map(Node::items).unwrap_or_default();
        let port = ports.iter().find(|one| one.get("port").and_then(Node::as_int) == Some(number));
        let port = port.ok_or_else(|| {
            let name = Quoted(id.name);
            StatusError::unavailable(format!("no service port {number} found for service {name}"))
        })?;
        port.text_at(&["name"]).clone_into(&mut port_name);
    }
    let resource_cache = |name: &str| app.cache.resource_cache(name);
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
    for subset in from_random_start(subsets) {
        let ports = subset.get("ports").map(Node::items).unwrap_or_default();
        let Some(port) = ports.iter().find(|one| one.text_at(&["name"]) == port_name) else {
            continue;
        };
        let number = port.get("port").and_then(Node::as_int);
        let Some(port) = number.and_then(|number| u16::try_from(number).ok()) else { continue };
        let all = subset.get("addresses").map(Node::items).unwrap_or_default();
        let pod = from_random_start(all).find(|address| is_pod(address));
        if let Some(host) = pod.and_then(|pod| address(pod.text_at(&["ip"]))) {
            let host = host.to_string();
            return Ok(Location::Other { scheme: id.scheme(), host, port });
        }
    }
    Err(none(&path.name))
}

/// All items in rotation from a random start.
fn from_random_start<T>(items: &[T]) -> impl Iterator<Item = &T> {
    let first = if items.is_empty() { 0 } else { fastrand::usize(..items.len()) };
    items.iter().cycle().skip(first).take(items.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_have_a_scheme_and_a_port() {
        let parse = |text| Id::parse(text, "node").map_err(|error| error.message);
        let id = |scheme, name, port| Ok(Id { scheme, name, port });
        assert_eq!(parse("a"), id(None, "a", ""));
        assert_eq!(parse("a:1"), id(None, "a", "1"));
        assert_eq!(parse("https:a:"), id(Some(Scheme::Https), "a", ""));
        for bad in ["", ":1", "ftp:a:1", "HTTPS:a:1", "https::1", "a:b:c:d"] {
            assert_eq!(parse(bad), Err(format!("invalid node request {}", Quoted(bad))));
        }
    }

    #[test]
    fn a_pod_is_found_by_its_address_and_not_by_how_it_is_spelled() {
        let text =
            r#"{"status":{"podIPs":[{"ip":"010.0.0.7"},{"ip":"2001:DB8:0::7"},{"ip":"x"}]}}"#;
        let mut decoded = ratchet_object::decode(text, ratchet_object::Limits::DEFAULT).unwrap();
        let pod = decoded.documents.remove(0);
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
