//! From the Service of an APIService to the address that is dialed: its cluster IP, or one of its endpoints.

use super::api_service::ServiceReference;
use crate::storage::cache::{Cache, Item, ResourceCache};
use ratchet_net::Quoted;
use ratchet_object::Node;
use std::sync::Arc;

const SERVICE_NAME: &str = "kubernetes.io/service-name";

/// Resolves Services.
pub(crate) struct Resolver {
    pub(crate) services: Arc<ResourceCache>,
    pub(crate) slices: Arc<ResourceCache>,
    /// `--enable-aggregator-routing`: an endpoint is dialed, not the cluster IP.
    by_endpoint: bool,
    /// This server itself, which the Service `kubernetes` stands for.
    own: (String, u16),
}

impl Resolver {
    pub(crate) fn new(cache: &Cache, by_endpoint: bool, own: (String, u16)) -> Self {
        let slices = cache.resource_cache("endpointslices.discovery.k8s.io");
        Self { services: cache.resource_cache("services"), slices, by_endpoint, own }
    }

    /// The stored Service.
    pub(crate) fn service(&self, reference: &ServiceReference) -> Option<Arc<Item>> {
        self.services.get(&format!("{}/{}", reference.namespace, reference.name))
    }

    /// The EndpointSlices of a Service.
    pub(crate) fn slices(&self, reference: &ServiceReference) -> Vec<Arc<Item>> {
        let prefix = format!("{}/", reference.namespace);
        let snapshot = self.slices.now();
        let is_own = |item: &&Arc<Item>| {
            item.read(|node| node.text_at(&["metadata", "labels", SERVICE_NAME]) == reference.name)
        };
        snapshot.within(&prefix).filter(is_own).cloned().collect()
    }

    /// Host and port to dial.
    pub(crate) fn resolve(&self, reference: &ServiceReference) -> Result<(String, u16), String> {
        let ServiceReference { namespace, name, port } = reference;
        if (namespace.as_str(), name.as_str(), *port) == ("default", "kubernetes", 443) {
            return Ok(self.own.clone());
        }
        let service = self.service(reference);
        let service = service.ok_or_else(|| format!("service {} not found", Quoted(name)))?.node();
        match self.by_endpoint {
            false => cluster_ip(&service, *port),
            true => {
                let slices: Vec<_> =
                    self.slices(reference).iter().map(|item| item.node()).collect();
                endpoint(&service, *port, &slices)
            }
        }
    }
}

/// The port of a Service with this number.
pub(crate) fn service_port<'n, 't>(service: &'n Node<'t>, port: u16) -> Option<&'n Node<'t>> {
    let ports = service.find(&["spec", "ports"]).map(Node::items).unwrap_or_default();
    ports.iter().find(|one| one.get("port").and_then(Node::as_int) == Some(port.into()))
}

fn no_port(service: &Node<'_>, port: u16) -> String {
    let name = Quoted(service.text_at(&["metadata", "name"]));
    format!("no service port {port} found for service {name}")
}

fn no_type(service: &Node<'_>) -> String {
    format!("unsupported service type {}", Quoted(service.text_at(&["spec", "type"])))
}

/// The cluster IP of a Service, or the name that it stands for.
fn cluster_ip(service: &Node<'_>, port: u16) -> Result<(String, u16), String> {
    let cluster_ip = service.text_at(&["spec", "clusterIP"]);
    match service.text_at(&["spec", "type"]) {
        "ClusterIP" if cluster_ip == "None" => {
            Err("cannot route to service with ClusterIP \"None\"".to_owned())
        }
        "ClusterIP" | "LoadBalancer" | "NodePort" => match service_port(service, port) {
            Some(_) => Ok((cluster_ip.to_owned(), port)),
            None => Err(no_port(service, port)),
        },
        "ExternalName" => Ok((service.text_at(&["spec", "externalName"]).to_owned(), port)),
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

/// A ready endpoint of a Service, chosen at random, of its first IP family if there is one.
fn endpoint(service: &Node<'_>, port: u16, slices: &[Node<'_>]) -> Result<(String, u16), String> {
    if !matches!(service.text_at(&["spec", "type"]), "ClusterIP" | "LoadBalancer" | "NodePort") {
        return Err(no_type(service));
    }
    let port = service_port(service, port).ok_or_else(|| no_port(service, port))?;
    let families = service.find(&["spec", "ipFamilies"]).map(Node::items).unwrap_or_default();
    let family = families.first().and_then(Node::text);
    let mut slices: Vec<&Node<'_>> = slices.iter().collect();
    fastrand::shuffle(&mut slices);
    slices.sort_by_key(|slice| family.is_some_and(|one| slice.text_at(&["addressType"]) != one));
    for slice in slices {
        let Some(number) = slice_port(slice, port.text_at(&["name"])) else { continue };
        let endpoints = slice.get("endpoints").map(Node::items).unwrap_or_default();
        let mut ready: Vec<&Node<'_>> = endpoints.iter().filter(|one| is_ready(one)).collect();
        fastrand::shuffle(&mut ready);
        let first =
            |one: &&Node<'_>| one.get("addresses")?.items().first()?.text().map(str::to_owned);
        if let Some(host) = ready.iter().find_map(first) {
            return Ok((host, number));
        }
    }
    let name = Quoted(service.text_at(&["metadata", "name"]));
    Err(format!("no endpoints available for service {name}"))
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

    #[test]
    fn a_service_stands_for_its_address_or_for_a_name() {
        let at = |spec, port| cluster_ip(&service(spec), port);
        let there = |host: &str, port| Ok((host.to_owned(), port));
        assert_eq!(at(r#""type":"ClusterIP","clusterIP":"10.0.0.9""#, 443), there("10.0.0.9", 443));
        assert_eq!(
            at(r#""type":"NodePort","clusterIP":"10.0.0.9""#, 444),
            Err("no service port 444 found for service \"s\"".into())
        );
        assert_eq!(
            at(r#""type":"ClusterIP","clusterIP":"None""#, 443),
            Err("cannot route to service with ClusterIP \"None\"".into())
        );
        assert_eq!(at(r#""type":"ExternalName","externalName":"x.y""#, 6443), there("x.y", 6443));
        assert_eq!(at(r#""type":"Odd""#, 443), Err("unsupported service type \"Odd\"".into()));
    }

    #[test]
    fn an_endpoint_is_ready_and_of_the_first_family() {
        let slice = |family: &str, rest: &str| {
            node(&format!(
                r#"{{"addressType":"{family}","ports":[{{"name":"https","port":8443}}],"endpoints":[{rest}]}}"#
            ))
        };
        let four = slice("IPv4", r#"{"addresses":["10.1.0.1"]}"#);
        let six = slice("IPv6", r#"{"addresses":["fd00::1"],"conditions":{"ready":true}}"#);
        let dull = slice("IPv6", r#"{"addresses":["fd00::2"],"conditions":{"ready":false}}"#);
        let own = service(r#""type":"ClusterIP","ipFamilies":["IPv6","IPv4"]"#);
        let all = [four.clone(), six.clone(), dull.clone()];
        for _ in 0..20 {
            assert_eq!(endpoint(&own, 443, &all), Ok(("fd00::1".into(), 8443)));
            assert_eq!(
                endpoint(&own, 443, &[four.clone(), dull.clone()]),
                Ok(("10.1.0.1".into(), 8443))
            );
        }
        for none in [&[][..], &[dull]] {
            let error = endpoint(&own, 443, none).unwrap_err();
            assert_eq!(error, "no endpoints available for service \"s\"");
        }
        let external = service(r#""type":"ExternalName""#);
        let error = endpoint(&external, 443, &all).unwrap_err();
        assert_eq!(error, "unsupported service type \"ExternalName\"");
    }
}
