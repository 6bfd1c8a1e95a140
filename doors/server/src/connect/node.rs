//! The kubelet of a node: its certificate name and address.

use crate::app::App;
use crate::status::{About, StatusError};
use ratchet_kubelet::{Endpoint, NodeName};
use ratchet_net::IpText;
use ratchet_object::Node;

/// The declared feature of kubelets that support WebSockets.
const WEBSOCKET_FEATURE: &str = "ExtendWebSocketsToKubelet";

/// The kubelet of a node.
pub(super) struct Kubelet {
    /// Node name, host and port.
    pub(super) endpoint: Endpoint,
    /// Whether it supports WebSockets.
    pub(super) supports_websockets: bool,
}

/// Looks a node up; `about` is the resource of the request, which the error for a missing node names.
pub(super) fn find(app: &App, name: &str, about: About<'_>) -> Result<Kubelet, StatusError> {
    let item = app.cache.resource_cache("nodes").find(name)?;
    let missing = || StatusError::not_found(About { name, ..about });
    let node = item.ok_or_else(missing)?.node();
    // The name of the object that has the address, not the client's input.
    let expected = NodeName::new(node.text_at(&["metadata", "name"])).ok_or_else(missing)?;
    let host = preferred_address(&node, &app.backends.address_types)?;
    // Canonical form, because resolvers interpret leading zeros differently.
    let host = IpText::parse(host).map_or_else(|_| host.to_owned(), |ip| ip.addr().to_string());
    let reported = node.find(&["status", "daemonEndpoints", "kubeletEndpoint", "Port"]);
    let reported = reported.and_then(Node::as_int).and_then(|port| u16::try_from(port).ok());
    let port = reported.filter(|port| *port > 0).unwrap_or(app.backends.default_port);
    let features = node.find(&["status", "declaredFeatures"]).map(Node::items).unwrap_or_default();
    Ok(Kubelet {
        endpoint: Endpoint { node: expected, host, port },
        supports_websockets: features.iter().any(|one| one.text() == Some(WEBSOCKET_FEATURE)),
    })
}

/// The first address of the first preferred type that the node has.
fn preferred_address<'n>(node: &'n Node<'_>, types: &[String]) -> Result<&'n str, StatusError> {
    let known = node.find(&["status", "addresses"]).map(Node::items).unwrap_or_default();
    let of_type = |wanted: &String| known.iter().find(|one| one.text_at(&["type"]) == wanted);
    let Some(found) = types.iter().find_map(of_type) else {
        let known: Vec<String> = known
            .iter()
            .map(|one| format!("{{{} {}}}", one.text_at(&["type"]), one.text_at(&["address"])))
            .collect();
        return Err(StatusError::unclassified(format!(
            "no preferred addresses found; known addresses: [{}]",
            known.join(" ")
        )));
    };
    Ok(found.text_at(&["address"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    #[test]
    fn the_order_of_types_decides_and_then_the_order_of_addresses() {
        let node = node(
            r#"{"status":{"addresses":[{"type":"ExternalIP","address":"3"},{"type":"InternalIP","address":"1"},{"type":"InternalIP","address":"2"}]}}"#,
        );
        let types =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(preferred_address(&node, &types(&["Hostname", "InternalIP"])).unwrap(), "1");
        assert_eq!(preferred_address(&node, &types(&["ExternalIP", "InternalIP"])).unwrap(), "3");
        let error = preferred_address(&node, &types(&["Hostname"])).unwrap_err();
        assert_eq!(
            error.message,
            "no preferred addresses found; known addresses: [{ExternalIP 3} {InternalIP 1} {InternalIP 2}]"
        );
        assert_eq!((error.code, error.reason), (500, ""));
    }
}
