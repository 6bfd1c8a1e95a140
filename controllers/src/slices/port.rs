//! `Port`: one port of an EndpointSlice, parsed and written.

use crate::service::protocol;
use ratchet_object::Node;

/// A port, with defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) protocol: String,
    pub(crate) port: Option<i64>,
    pub(crate) app_protocol: Option<String>,
}

impl Port {
    /// Parses a port of a slice, or of a subset of Endpoints, which has the same fields.
    pub(crate) fn from_node(node: &Node<'_>) -> Self {
        Self {
            name: node.text_at(&["name"]).to_owned(),
            protocol: protocol(node).to_owned(),
            port: node.get("port").and_then(Node::as_int),
            app_protocol: node.get("appProtocol").and_then(Node::text).map(str::to_owned),
        }
    }

    /// The ports of a slice or a subset, sorted.
    pub(crate) fn all_from_node(node: &Node<'_>) -> Vec<Self> {
        let ports = node.get("ports").map(Node::items).unwrap_or_default();
        let mut ports: Vec<_> = ports.iter().map(Self::from_node).collect();
        ports.sort();
        ports
    }

    /// The port as a slice has it.
    pub(crate) fn to_node(&self) -> Node<'static> {
        let mut node = Node::map([("name", Node::string(self.name.clone()))]);
        self.add_common_fields(&mut node);
        node
    }

    /// The port as a subset of Endpoints has it: without an empty name.
    pub(crate) fn to_subset_node(&self) -> Node<'static> {
        let mut node = Node::empty_map();
        if !self.name.is_empty() {
            node.set("name", Node::string(self.name.clone()));
        }
        self.add_common_fields(&mut node);
        node
    }

    fn add_common_fields(&self, node: &mut Node<'static>) {
        if let Some(port) = self.port {
            node.set("port", Node::int(port));
        }
        node.set("protocol", Node::string(self.protocol.clone()));
        if let Some(protocol) = &self.app_protocol {
            node.set("appProtocol", Node::string(protocol.clone()));
        }
    }
}
