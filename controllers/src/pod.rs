//! A Pod as the controllers of endpoints see it.

use crate::addresses::Address;
use crate::labels::labels;
use crate::service::{Service, ServicePort, Target, protocol};
use jiff::Timestamp;
use ratchet_net::Family;
use ratchet_object::Node;

/// What matters of a Pod.
#[derive(Clone, Debug)]
pub(crate) struct Pod<'n> {
    node: &'n Node<'static>,
    pub(crate) namespace: &'n str,
    pub(crate) name: &'n str,
    pub(crate) uid: &'n str,
    /// The node that it runs on; empty if there is none yet.
    pub(crate) node_name: &'n str,
    hostname: &'n str,
    subdomain: &'n str,
    pub(crate) is_ready: bool,
    /// Since when it is ready, or is not.
    pub(crate) ready_since: Option<Timestamp>,
    pub(crate) is_deleted: bool,
    /// Whether its containers have ended for good.
    pub(crate) is_over: bool,
}

impl<'n> Pod<'n> {
    /// Reads a Pod.
    pub(crate) fn read(node: &'n Node<'static>) -> Self {
        let ready = condition(node, "Ready");
        let since = ready.map(|ready| ready.text_at(&["lastTransitionTime"]));
        Self {
            node,
            namespace: node.text_at(&["metadata", "namespace"]),
            name: node.text_at(&["metadata", "name"]),
            uid: node.text_at(&["metadata", "uid"]),
            node_name: node.text_at(&["spec", "nodeName"]),
            hostname: node.text_at(&["spec", "hostname"]),
            subdomain: node.text_at(&["spec", "subdomain"]),
            is_ready: ready.is_some_and(|ready| ready.text_at(&["status"]) == "True"),
            ready_since: since.and_then(|text| text.parse().ok()),
            is_deleted: !node.text_at(&["metadata", "deletionTimestamp"]).is_empty(),
            is_over: matches!(node.text_at(&["status", "phase"]), "Failed" | "Succeeded"),
        }
    }

    /// The addresses that its status tells, as they are spelled.
    fn address_texts(&self) -> impl Iterator<Item = &'n str> {
        let node = self.node;
        let list = node.find(&["status", "podIPs"]).map(Node::items).unwrap_or_default();
        // One who wrote the old field only means the same.
        let single = if list.is_empty() { node.text_at(&["status", "podIP"]) } else { "" };
        let single = (!single.is_empty()).then_some(single);
        list.iter().map(|item| item.text_at(&["ip"])).chain(single)
    }

    /// Whether it can be an endpoint at all: it was told an address, and its containers run.
    pub(crate) fn is_placed(&self) -> bool {
        !self.is_over && self.address_texts().next().is_some()
    }

    /// Its addresses, without those that cannot be read.
    fn addresses(&self) -> impl Iterator<Item = Address> {
        self.address_texts().filter_map(Address::read)
    }

    /// Its addresses of this family, canonical, each once, in their order.
    pub(crate) fn texts_of(&self, family: Family) -> Vec<String> {
        let mut texts = Vec::new();
        for address in self.addresses().filter(|address| address.family() == family) {
            let text = address.text();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }

    /// The family of its first address.
    pub(crate) fn first_family(&self) -> Option<Family> {
        self.addresses().next().map(|address| address.family())
    }

    /// The name under which DNS knows it as a part of this Service.
    pub(crate) fn hostname_for(&self, service: &Service<'_>) -> Option<&'n str> {
        let meant = !self.hostname.is_empty()
            && self.subdomain == service.name
            && self.namespace == service.namespace;
        meant.then_some(self.hostname)
    }

    /// The number of the port that is meant, if this pod has it.
    pub(crate) fn port(&self, wanted: &ServicePort<'_>) -> Option<i64> {
        let name = match wanted.target {
            Target::Number(number) => return Some(number),
            Target::Name(name) => name,
        };
        let spec =
            |list: &str| self.node.find(&["spec", list]).map(Node::items).unwrap_or_default();
        let stays = |container: &&Node<'_>| container.text_at(&["restartPolicy"]) == "Always";
        let containers =
            spec("containers").iter().chain(spec("initContainers").iter().filter(stays));
        let mut ports = containers
            .flat_map(|container| container.get("ports").map(Node::items).unwrap_or_default());
        let found =
            ports.find(|port| port.text_at(&["name"]) == name && protocol(port) == wanted.protocol);
        found?.get("containerPort")?.as_int()
    }

    /// Whether endpoints of one and of the other can differ; labels do not count.
    fn differs(&self, other: &Self) -> bool {
        let plain = |pod: &Self| {
            let (node, host, domain) = (pod.node_name, pod.hostname, pod.subdomain);
            (pod.is_deleted, pod.is_ready, pod.is_over, (node, host, domain))
        };
        plain(self) != plain(other)
            || self.uid != other.uid
            || !self.address_texts().eq(other.address_texts())
    }
}

/// What endpoints can show of the change of a Pod: whether it or its labels became different.
pub(crate) fn matters(old: &Node<'static>, new: &Node<'static>) -> bool {
    Pod::read(old).differs(&Pod::read(new)) || !same_labels(old, new)
}

fn same_labels(old: &Node<'_>, new: &Node<'_>) -> bool {
    let at = |node: &Node<'_>| labels(node).count();
    at(old) == at(new)
        && labels(old).all(|(name, value)| crate::labels::label(new, name) == Some(value))
}

/// The condition of this type.
pub(crate) fn condition<'n, 't>(node: &'n Node<'t>, wanted: &str) -> Option<&'n Node<'t>> {
    let all = node.find(&["status", "conditions"])?.items();
    all.iter().find(|condition| condition.text_at(&["type"]) == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{node, pod};

    #[test]
    fn only_what_endpoints_show_matters() {
        type Edit = fn(&mut Node<'static>);
        let cases: [(&str, Edit, bool); 12] = [
            ("nothing", |_| {}, false),
            ("an annotation", |it| it.below("metadata").set("annotations", node("{a: b}")), false),
            ("a label", |it| it.below("metadata").below("labels").set("x", node("y")), true),
            (
                "another value",
                |it| it.below("metadata").below("labels").set("app", node("y")),
                true,
            ),
            ("no labels", |it| drop(it.below("metadata").remove("labels")), true),
            ("deletion", |it| it.below("metadata").set("deletionTimestamp", node("'x'")), true),
            ("readiness", |it| drop(it.below("status").remove("conditions")), true),
            (
                "another condition",
                |it| {
                    let both = "[{type: Ready, status: 'True'}, {type: X, status: 'True'}]";
                    it.below("status").set("conditions", node(both));
                },
                false,
            ),
            ("an address", |it| it.below("status").set("podIPs", node("[{ip: 10.0.0.9}]")), true),
            ("the end", |it| it.below("status").set("phase", node("Failed")), true),
            ("a node", |it| it.below("spec").set("nodeName", node("n2")), true),
            ("a name", |it| it.below("spec").set("hostname", node("h")), true),
        ];
        for (name, edit, expected) in cases {
            let old = pod("p", "n1", &["10.0.0.1"]);
            let mut new = old.clone();
            edit(&mut new);
            assert_eq!(matters(&old, &new), expected, "{name}");
            assert_eq!(matters(&new, &old), expected, "{name} undone");
        }
    }
}
