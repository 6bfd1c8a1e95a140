//! Kubelet endpoints: the address and port that the API server dials, from a Node object.

use ratchet_certificate::NodeName;
use ratchet_object::Node;

/// The default of kube-apiserver's `--kubelet-preferred-address-types`.
pub const ADDRESS_TYPES: &[&str] =
    &["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

/// The port of kubelets that report none.
const USUAL_PORT: u16 = 10250;

/// A node's kubelet, from its Node object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kubelet {
    /// The node's name, which its serving certificate must carry.
    pub node: NodeName,
    /// All reported addresses, in order.
    pub addresses: Vec<Address>,
    /// The address that the API server dials.
    pub host: Option<String>,
    /// The port that the API server dials.
    pub port: u16,
}

/// An address that a Node reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Its type: `InternalIP`, …
    pub kind: String,
    /// The address itself.
    pub text: String,
}

impl Kubelet {
    /// The kubelet of a Node object; `None` without a valid name.
    pub(crate) fn of(object: &Node<'_>, preferred: &[String]) -> Option<Self> {
        let node = NodeName::new(object.text_at(&["metadata", "name"]))?;
        let listed = object.find(&["status", "addresses"]).map(Node::items).unwrap_or_default();
        let addresses: Vec<Address> = listed
            .iter()
            .map(|one| Address {
                kind: one.text_at(&["type"]).to_owned(),
                text: one.text_at(&["address"]).to_owned(),
            })
            .collect();
        let of_kind = |kind: &String| addresses.iter().find(|one| one.kind == *kind);
        let host = preferred.iter().find_map(of_kind).map(|one| one.text.clone());
        let port = object.find(&["status", "daemonEndpoints", "kubeletEndpoint", "Port"]);
        let port = port.and_then(Node::as_int).filter(|&port| port > 0);
        let port = port.and_then(|port| u16::try_from(port).ok()).unwrap_or(USUAL_PORT);
        Some(Self { node, host: host.filter(|host| !host.is_empty()), addresses, port })
    }

    /// A kubelet of which only the node's name is known.
    pub(crate) fn unknown(node: NodeName) -> Self {
        Self { node, addresses: Vec::new(), host: None, port: USUAL_PORT }
    }

    /// Host and port as text: `10.0.0.1:10250`, `[fd00::1]:10250`.
    pub fn endpoint(&self) -> Option<String> {
        let host = self.host.as_ref()?;
        let brackets = host.contains(':') && !host.starts_with('[');
        Some(if brackets {
            format!("[{host}]:{}", self.port)
        } else {
            format!("{host}:{}", self.port)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn kubelet(status: &str, preferred: &[&str]) -> Option<Kubelet> {
        let text = format!("{{\"metadata\":{{\"name\":\"a\"}},\"status\":{status}}}");
        let decoded = decode(&text, Limits::DEFAULT).unwrap();
        let preferred: Vec<String> = preferred.iter().map(|&kind| kind.to_owned()).collect();
        Kubelet::of(&decoded.documents[0], &preferred)
    }

    const STATUS: &str = r#"{"addresses":[
        {"type":"InternalIP","address":"10.0.0.1"},
        {"type":"InternalIP","address":"10.0.0.2"},
        {"type":"Hostname","address":"a.example"},
        {"type":"ExternalIP","address":"fd00::1"}],
        "daemonEndpoints":{"kubeletEndpoint":{"Port":11250}}}"#;

    #[test]
    fn the_first_address_of_the_first_type_is_dialled() {
        let endpoint = |preferred: &[&str]| kubelet(STATUS, preferred).unwrap().endpoint();
        assert_eq!(endpoint(ADDRESS_TYPES).unwrap(), "a.example:11250");
        assert_eq!(endpoint(&["InternalIP"]).unwrap(), "10.0.0.1:11250");
        assert_eq!(endpoint(&["ExternalDNS", "ExternalIP"]).unwrap(), "[fd00::1]:11250");
        assert_eq!(endpoint(&["ExternalDNS"]), None);
        assert_eq!(endpoint(&[]), None);
    }

    #[test]
    fn what_is_missing_or_odd_is_survived() {
        for status in ["{}", "null", "{\"addresses\":5}", "{\"addresses\":[1,{}]}"] {
            let kubelet = kubelet(status, ADDRESS_TYPES).unwrap();
            assert_eq!((kubelet.host, kubelet.port), (None, 10250), "{status}");
        }
        for port in ["0", "-1", "70000", "\"x\""] {
            let status =
                format!("{{\"daemonEndpoints\":{{\"kubeletEndpoint\":{{\"Port\":{port}}}}}}}");
            assert_eq!(kubelet(&status, ADDRESS_TYPES).unwrap().port, 10250, "{port}");
        }
        let decoded = decode("{\"metadata\":{}}", Limits::DEFAULT).unwrap();
        assert_eq!(Kubelet::of(&decoded.documents[0], &[]), None);
    }
}
