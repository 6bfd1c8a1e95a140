//! `Endpoint`: one endpoint of an EndpointSlice, parsed and written.

use ratchet_object::Node;
use std::collections::BTreeMap;

/// One endpoint, with its optional fields as they are in the object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Endpoint {
    pub(crate) addresses: Vec<String>,
    pub(crate) ready: Option<bool>,
    pub(crate) serving: Option<bool>,
    pub(crate) terminating: Option<bool>,
    pub(crate) hostname: Option<String>,
    pub(crate) target: Option<Reference>,
    pub(crate) node_name: Option<String>,
    pub(crate) zone: Option<String>,
    pub(crate) hints: Option<Hints>,
}

/// The zones and nodes that should use an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hints {
    pub(crate) zones: Vec<String>,
    pub(crate) nodes: Vec<String>,
}

/// An object reference. Its resource version does not count: it changes when nothing relevant to
/// endpoints does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reference(BTreeMap<String, String>);

/// The identity of an endpoint, which other changes do not affect.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EndpointKey {
    addresses: Vec<String>,
    hostname: String,
    namespace: String,
    name: String,
}

impl Endpoint {
    pub(crate) fn key(&self) -> EndpointKey {
        let mut addresses = self.addresses.clone();
        addresses.sort_unstable();
        let of_target = |name: &str| {
            self.target.as_ref().map(|target| target.get(name).to_owned()).unwrap_or_default()
        };
        EndpointKey {
            addresses,
            hostname: self.hostname.clone().unwrap_or_default(),
            namespace: of_target("namespace"),
            name: of_target("name"),
        }
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.ready == Some(true)
    }

    /// Whether an endpoint with the same key is equal, apart from hints.
    pub(crate) fn equals_except_hints(&self, other: &Self) -> bool {
        let conditions = |it: &Self| (it.ready, it.serving, it.terminating);
        conditions(self) == conditions(other)
            && self.node_name == other.node_name
            && self.zone == other.zone
            && self.target == other.target
    }

    pub(crate) fn from_node(node: &Node<'_>) -> Self {
        let text = |name: &str| node.get(name).and_then(Node::text).map(str::to_owned);
        let condition = |name: &str| node.find(&["conditions", name]).and_then(Node::as_bool);
        let addresses = node.get("addresses").map(Node::items).unwrap_or_default();
        Self {
            addresses: addresses.iter().filter_map(Node::text).map(str::to_owned).collect(),
            ready: condition("ready"),
            serving: condition("serving"),
            terminating: condition("terminating"),
            hostname: text("hostname"),
            target: Reference::from_node(node.get("targetRef")),
            node_name: text("nodeName"),
            zone: text("zone"),
            hints: Hints::from_node(node.get("hints")),
        }
    }

    pub(crate) fn to_node(&self) -> Node<'static> {
        let mut node = Node::map([("addresses", names(&self.addresses))]);
        let conditions =
            [("ready", self.ready), ("serving", self.serving), ("terminating", self.terminating)];
        let present =
            conditions.iter().filter_map(|(name, value)| Some((*name, Node::bool((*value)?))));
        node.set("conditions", Node::map(present));
        if let Some(hostname) = &self.hostname {
            node.set("hostname", Node::string(hostname.clone()));
        }
        if let Some(target) = &self.target {
            node.set("targetRef", target.to_node());
        }
        for (name, text) in [("nodeName", &self.node_name), ("zone", &self.zone)] {
            if let Some(text) = text {
                node.set(name, Node::string(text.clone()));
            }
        }
        if let Some(hints) = &self.hints {
            node.set("hints", hints.to_node());
        }
        node
    }
}

fn names(texts: &[String]) -> Node<'static> {
    Node::list(texts.iter().map(|text| Node::string(text.clone())).collect())
}

impl Hints {
    fn from_node(node: Option<&Node<'_>>) -> Option<Self> {
        let node = node.filter(|node| !node.is_null())?;
        let names = |list: &str| {
            let items = node.get(list).map(Node::items).unwrap_or_default();
            items.iter().map(|item| item.text_at(&["name"]).to_owned()).collect()
        };
        Some(Self { zones: names("forZones"), nodes: names("forNodes") })
    }

    fn to_node(&self) -> Node<'static> {
        let named = |name: &String| Node::map([("name", Node::string(name.clone()))]);
        let lists = [("forZones", &self.zones), ("forNodes", &self.nodes)];
        let lists = lists.into_iter().filter(|(_, names)| !names.is_empty());
        Node::map(lists.map(|(list, names)| (list, Node::list(names.iter().map(named).collect()))))
    }
}

impl Reference {
    pub(crate) fn pod(namespace: &str, name: &str, uid: &str) -> Self {
        let fields = [("kind", "Pod"), ("namespace", namespace), ("name", name), ("uid", uid)];
        let fields = fields.iter().filter(|(_, text)| !text.is_empty());
        Self(fields.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
    }

    /// Empty strings are ignored.
    pub(crate) fn from_node(node: Option<&Node<'_>>) -> Option<Self> {
        let entries = node.filter(|node| !node.is_null())?.entries().iter();
        let fields = entries.filter_map(|entry| Some((entry.key.as_ref(), entry.node.text()?)));
        let fields = fields.filter(|(_, text)| !text.is_empty());
        Some(Self(fields.map(|(name, text)| (name.to_owned(), text.to_owned())).collect()))
    }

    /// The field `name`; empty if absent.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.get(name).map(String::as_str).unwrap_or_default()
    }

    pub(crate) fn to_node(&self) -> Node<'static> {
        Node::map(self.0.iter().map(|(name, text)| (name.clone(), Node::string(text.clone()))))
    }

    fn compared(&self) -> impl Iterator<Item = (&String, &String)> {
        self.0.iter().filter(|(name, _)| *name != "resourceVersion")
    }
}

impl PartialEq for Reference {
    fn eq(&self, other: &Self) -> bool {
        self.compared().eq(other.compared())
    }
}

impl Eq for Reference {}
