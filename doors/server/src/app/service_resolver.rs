//! `ClusterServices`: where webhooks behind Services are, from the watch cache.

use crate::storage::cache::{Cache, ResourceCache};
use ratchet_kubelet::ServiceResolver;
use ratchet_net::Quoted;
use ratchet_object::Node;
use std::sync::Arc;

/// Resolves Services to their cluster IPs, as kube-apiserver does without `--enable-aggregator-routing`.
pub(crate) struct ClusterServices {
    services: Arc<ResourceCache>,
}

impl ClusterServices {
    /// Uses the cache of Services.
    pub(crate) fn new(cache: &Cache) -> Self {
        Self { services: cache.resource_cache("services") }
    }
}

impl ServiceResolver for ClusterServices {
    fn resolve(&self, namespace: &str, name: &str, port: u16) -> Result<(String, u16), String> {
        let item = self.services.find(&format!("{namespace}/{name}"));
        match item {
            Ok(Some(item)) => address(&item.node(), port),
            Ok(None) => Err(format!("service {} not found", Quoted(name))),
            Err(_) => Err(format!("service {} cannot be read", Quoted(name))),
        }
    }
}

/// Host and port of a Service.
fn address(service: &Node<'_>, port: u16) -> Result<(String, u16), String> {
    let spec = |name: &str| service.text_at(&["spec", name]);
    match (spec("type"), spec("clusterIP")) {
        ("ClusterIP", "None") => Err("cannot route to service with ClusterIP \"None\"".to_owned()),
        ("ClusterIP" | "LoadBalancer" | "NodePort", cluster_ip) => {
            let ports = service.find(&["spec", "ports"]).map(Node::items).unwrap_or_default();
            let is_it =
                |row: &Node<'_>| row.get("port").and_then(Node::as_int) == Some(i64::from(port));
            if !ports.iter().any(is_it) {
                let name = Quoted(service.text_at(&["metadata", "name"]));
                return Err(format!("no service port {port} found for service {name}"));
            }
            Ok((cluster_ip.to_owned(), port))
        }
        ("ExternalName", _) => Ok((spec("externalName").to_owned(), port)),
        (other, _) => Err(format!("unsupported service type {}", Quoted(other))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    #[test]
    fn services_are_resolved_as_by_the_reference() {
        let resolve = |spec: &str, port: u16| {
            let text = format!("{{metadata: {{name: s}}, spec: {{{spec}}}}}");
            let service = decode(&text, Limits::DEFAULT).unwrap().documents.remove(0);
            address(&service, port)
        };
        let plain = "type: ClusterIP, clusterIP: 10.0.0.7, ports: [{port: 443}]";
        assert_eq!(resolve(plain, 443), Ok(("10.0.0.7".to_owned(), 443)));
        assert_eq!(
            resolve(plain, 444),
            Err("no service port 444 found for service \"s\"".to_owned())
        );
        assert_eq!(
            resolve("type: ClusterIP, clusterIP: None", 443),
            Err("cannot route to service with ClusterIP \"None\"".to_owned())
        );
        assert_eq!(
            resolve("type: ExternalName, externalName: a.example", 8443),
            Ok(("a.example".to_owned(), 8443))
        );
    }
}
