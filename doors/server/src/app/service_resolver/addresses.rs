//! The addresses of a Service: its cluster IP or the name that it stands for, and its ready endpoints.

use super::{HostPort, Location, ServiceRouting};
use ratchet_net::Quoted;
use ratchet_object::Node;

/// Where a Service can be reached: with a URL, at an endpoint, or with the one at the other.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Addresses {
    /// None if an endpoint is in the URL.
    url: Option<HostPort>,
    /// Never empty without a URL.
    endpoints: Vec<HostPort>,
}

impl Addresses {
    /// Reads a Service and its EndpointSlices; the error is that of the reference.
    pub(super) fn of(
        routing: ServiceRouting,
        service: &Node<'_>,
        port: u16,
        slices: &[Node<'_>],
    ) -> Result<Self, String> {
        match routing {
            ServiceRouting::Endpoint => {
                let endpoints = endpoints(service, routed_port(service, port)?, slices);
                if endpoints.is_empty() {
                    let name = Quoted(service.text_at(&["metadata", "name"]));
                    return Err(format!("no endpoints available for service {name}"));
                }
                Ok(Self { url: None, endpoints })
            }
            ServiceRouting::ClusterIp => {
                Ok(Self { url: Some(cluster_ip(service, port)?), endpoints: Vec::new() })
            }
            ServiceRouting::Automatic => {
                let url = Some(cluster_ip(service, port)?);
                // A name that is not an address has no endpoints, and kube-proxy routes to no names.
                let is_address = |slice: &&Node<'_>| slice.text_at(&["addressType"]) != "FQDN";
                let slices: Vec<_> = slices.iter().filter(is_address).cloned().collect();
                let port = routed_port(service, port).ok();
                let endpoints = port.map(|port| endpoints(service, port, &slices));
                Ok(Self { url, endpoints: endpoints.unwrap_or_default() })
            }
        }
    }

    /// Chooses one of the endpoints at random, so that all of them are used.
    pub(super) fn choose(&self) -> Location {
        let endpoint = fastrand::choice(&self.endpoints).cloned();
        match (&self.url, endpoint) {
            (Some(url), endpoint) => Location { url: url.clone(), endpoint },
            (None, endpoint) => Location { url: endpoint.unwrap_or_default(), endpoint: None },
        }
    }
}

/// The port of a Service with this number.
pub(crate) fn service_port<'n, 't>(service: &'n Node<'t>, port: u16) -> Option<&'n Node<'t>> {
    let ports = service.find(&["spec", "ports"]).map(Node::items).unwrap_or_default();
    ports.iter().find(|one| one.get("port").and_then(Node::as_int) == Some(port.into()))
}

fn has_cluster_ip(service: &Node<'_>) -> bool {
    matches!(service.text_at(&["spec", "type"]), "ClusterIP" | "LoadBalancer" | "NodePort")
}

fn no_type(service: &Node<'_>) -> String {
    format!("unsupported service type {}", Quoted(service.text_at(&["spec", "type"])))
}

fn find_port<'n, 't>(service: &'n Node<'t>, port: u16) -> Result<&'n Node<'t>, String> {
    service_port(service, port).ok_or_else(|| {
        let name = Quoted(service.text_at(&["metadata", "name"]));
        format!("no service port {port} found for service {name}")
    })
}

/// The port of a Service that has endpoints.
fn routed_port<'n, 't>(service: &'n Node<'t>, port: u16) -> Result<&'n Node<'t>, String> {
    if !has_cluster_ip(service) {
        return Err(no_type(service));
    }
    find_port(service, port)
}

/// The cluster IP of a Service, or the name that it stands for.
fn cluster_ip(service: &Node<'_>, port: u16) -> Result<HostPort, String> {
    let cluster_ip = service.text_at(&["spec", "clusterIP"]);
    match service.text_at(&["spec", "type"]) {
        "ClusterIP" if cluster_ip == "None" => {
            Err("cannot route to service with ClusterIP \"None\"".to_owned())
        }
        "ExternalName" => Ok((service.text_at(&["spec", "externalName"]).to_owned(), port)),
        _ if has_cluster_ip(service) => {
            find_port(service, port).map(|_| (cluster_ip.to_owned(), port))
        }
        _ => Err(no_type(service)),
    }
}

/// Whether an endpoint takes requests.
pub(crate) fn is_ready(endpoint: &Node<'_>) -> bool {
    endpoint.find(&["conditions", "ready"]).and_then(Node::as_bool) != Some(false)
}

/// The number that an EndpointSlice has for a named port.
pub(crate) fn slice_port(slice: &Node<'_>, name: &str) -> Option<u16> {
    let ports = slice.get("ports").map(Node::items).unwrap_or_default();
    let mut named = ports.iter().filter(|one| one.get("name").and_then(Node::text) == Some(name));
    let number = named.find_map(|one| one.get("port").and_then(Node::as_int))?;
    u16::try_from(number).ok()
}

/// The ready endpoints of a port: those of the Service's first IP family, or all others if there are none.
fn endpoints(service: &Node<'_>, port: &Node<'_>, slices: &[Node<'_>]) -> Vec<HostPort> {
    let families = service.find(&["spec", "ipFamilies"]).map(Node::items).unwrap_or_default();
    let family = families.first().and_then(Node::text);
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for slice in slices {
        let Some(number) = slice_port(slice, port.text_at(&["name"])) else { continue };
        let endpoints = slice.get("endpoints").map(Node::items).unwrap_or_default();
        let hosts = endpoints
            .iter()
            .filter(|one| is_ready(one))
            .filter_map(|one| one.get("addresses")?.items().first()?.text());
        let is_first = family.is_none_or(|family| slice.text_at(&["addressType"]) == family);
        let found = if is_first { &mut first } else { &mut others };
        found.extend(hosts.map(|host| (host.to_owned(), number)));
    }
    if first.is_empty() { others } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    fn service(spec: &str) -> Node<'static> {
        node(&format!(
            r#"{{"metadata":{{"name":"s"}},"spec":{{"ports":[{{"name":"https","port":443}}],{spec}}}}}"#
        ))
    }

    fn slice(family: &str, rest: &str) -> Node<'static> {
        node(&format!(
            r#"{{"addressType":"{family}","ports":[{{"name":"https","port":8443}}],"endpoints":[{rest}]}}"#
        ))
    }

    fn there(host: &str, port: u16) -> HostPort {
        (host.to_owned(), port)
    }

    const PLAIN: &str = r#""type":"ClusterIP","clusterIP":"10.0.0.9""#;

    #[test]
    fn a_service_stands_for_its_address_or_for_a_name() {
        for routing in [ServiceRouting::ClusterIp, ServiceRouting::Automatic] {
            let at = |spec, port| {
                let found = Addresses::of(routing, &service(spec), port, &[])?;
                Ok::<_, String>(found.choose().url)
            };
            assert_eq!(at(PLAIN, 443), Ok(there("10.0.0.9", 443)));
            assert_eq!(
                at(r#""type":"NodePort","clusterIP":"10.0.0.9""#, 444),
                Err("no service port 444 found for service \"s\"".into())
            );
            assert_eq!(
                at(r#""type":"ClusterIP","clusterIP":"None""#, 443),
                Err("cannot route to service with ClusterIP \"None\"".into())
            );
            let external = r#""type":"ExternalName","externalName":"x.y""#;
            assert_eq!(at(external, 6443), Ok(there("x.y", 6443)));
            assert_eq!(at(r#""type":"Odd""#, 443), Err("unsupported service type \"Odd\"".into()));
        }
    }

    #[test]
    fn an_endpoint_is_ready_and_of_the_first_family() {
        let four = slice("IPv4", r#"{"addresses":["10.1.0.1"]}"#);
        let six = slice("IPv6", r#"{"addresses":["fd00::1"],"conditions":{"ready":true}}"#);
        let dull = slice("IPv6", r#"{"addresses":["fd00::2"],"conditions":{"ready":false}}"#);
        let own = service(r#""type":"ClusterIP","ipFamilies":["IPv6","IPv4"]"#);
        let at = |slices: &[Node<'_>]| Addresses::of(ServiceRouting::Endpoint, &own, 443, slices);
        let all = [four.clone(), six, dull.clone()];
        for _ in 0..20 {
            let chosen = at(&all).unwrap().choose();
            assert_eq!(chosen, Location { url: there("fd00::1", 8443), endpoint: None });
            let chosen = at(&[four.clone(), dull.clone()]).unwrap().choose();
            assert_eq!(chosen.url, there("10.1.0.1", 8443));
        }
        for none in [&[][..], &[dull]] {
            assert_eq!(at(none), Err("no endpoints available for service \"s\"".into()));
        }
        let external = service(r#""type":"ExternalName""#);
        assert_eq!(
            Addresses::of(ServiceRouting::Endpoint, &external, 443, &all),
            Err("unsupported service type \"ExternalName\"".into())
        );
    }

    #[test]
    fn without_kube_proxy_an_endpoint_stands_in_for_the_cluster_ip() {
        let at = |spec, slices: &[Node<'_>]| {
            Addresses::of(ServiceRouting::Automatic, &service(spec), 443, slices)
                .map(|one| one.choose())
        };
        let url = there("10.0.0.9", 443);
        let ready = slice("IPv4", r#"{"addresses":["10.1.0.1"]}"#);
        let endpoint = Some(there("10.1.0.1", 8443));
        assert_eq!(
            at(PLAIN, std::slice::from_ref(&ready)),
            Ok(Location { url: url.clone(), endpoint })
        );
        let dull = slice("IPv4", r#"{"addresses":["10.1.0.1"],"conditions":{"ready":false}}"#);
        let name = slice("FQDN", r#"{"addresses":["a.example"]}"#);
        for none in [&[][..], &[dull], &[name]] {
            assert_eq!(at(PLAIN, none), Ok(Location { url: url.clone(), endpoint: None }));
        }
        // What the reference cannot route to is not routed to here.
        let headless = r#""type":"ClusterIP","clusterIP":"None""#;
        assert!(at(headless, std::slice::from_ref(&ready)).is_err());
        let fixed = Addresses::of(ServiceRouting::ClusterIp, &service(PLAIN), 443, &[ready]);
        assert_eq!(fixed.unwrap().choose(), Location { url, endpoint: None });
    }
}
