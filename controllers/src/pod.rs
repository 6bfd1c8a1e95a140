//! The parts of a Pod that the endpoint controllers need.

use crate::addresses::Address;
use crate::labels::labels;
use crate::service::{Service, ServicePort, Target, protocol};
use jiff::Timestamp;
use ratchet_net::Family;
use ratchet_object::Node;

/// A parsed Pod.
#[derive(Clone, Debug)]
pub(crate) struct Pod<'n> {
    node: &'n Node<'static>,
    pub(crate) namespace: &'n str,
    pub(crate) name: &'n str,
    pub(crate) uid: &'n str,
    /// The node that it runs on; empty if it is not scheduled yet.
    pub(crate) node_name: &'n str,
    hostname: &'n str,
    subdomain: &'n str,
    pub(crate) is_ready: bool,
    /// Since when it is ready, or not ready.
    pub(crate) ready_since: Option<Timestamp>,
    pub(crate) is_deleted: bool,
    /// Whether its containers have ended for good.
    pub(crate) has_ended: bool,
}

impl<'n> Pod<'n> {
    pub(crate) fn from_node(node: &'n Node<'static>) -> Self {
        let ready = condition(node, "Ready");
        let since = ready.map(|ready| ready.text_at(&["lastTransitionTime"]));
        Self {
            node,
            namespace: node.metadata().namespace(),
            name: node.metadata().name(),
            uid: node.metadata().uid(),
            node_name: node.text_at(&["spec", "nodeName"]),
            hostname: node.text_at(&["spec", "hostname"]),
            subdomain: node.text_at(&["spec", "subdomain"]),
            is_ready: ready.is_some_and(|ready| ready.text_at(&["status"]) == "True"),
            ready_since: since.and_then(|text| text.parse().ok()),
            is_deleted: !node.metadata().deletion_timestamp().is_empty(),
            has_ended: has_ended(node),
        }
    }

    /// The addresses in its status, in their original form.
    fn address_texts(&self) -> impl Iterator<Item = &'n str> {
        address_texts(self.node)
    }

    /// Whether it can be an endpoint.
    pub(crate) fn can_be_endpoint(&self) -> bool {
        can_be_endpoint(self.node)
    }

    /// Its addresses, without those that cannot be parsed.
    fn addresses(&self) -> impl Iterator<Item = Address> {
        self.address_texts().filter_map(Address::parse)
    }

    /// Its addresses of this family: canonical, unique, in their order.
    pub(crate) fn addresses_of(&self, family: Family) -> Vec<String> {
        let mut addresses = Vec::new();
        for address in self.addresses().filter(|address| address.family() == family) {
            let text = address.text();
            if !addresses.contains(&text) {
                addresses.push(text);
            }
        }
        addresses
    }

    /// The family of its first address.
    pub(crate) fn first_family(&self) -> Option<Family> {
        self.addresses().next().map(|address| address.family())
    }

    /// Its DNS hostname within this Service, if it has one.
    pub(crate) fn hostname_for(&self, service: &Service<'_>) -> Option<&'n str> {
        let is_subdomain = !self.hostname.is_empty()
            && self.subdomain == service.name
            && self.namespace == service.namespace;
        is_subdomain.then_some(self.hostname)
    }

    /// The number of the target port, if this pod has it.
    pub(crate) fn port(&self, service_port: &ServicePort<'_>) -> Option<i64> {
        let name = match service_port.target {
            Target::Number(number) => return Some(number),
            Target::Name(name) => name,
        };
        let spec =
            |list: &str| self.node.find(&["spec", list]).map(Node::items).unwrap_or_default();
        let is_sidecar = |container: &&Node<'_>| container.text_at(&["restartPolicy"]) == "Always";
        let containers =
            spec("containers").iter().chain(spec("initContainers").iter().filter(is_sidecar));
        let mut ports = containers
            .flat_map(|container| container.get("ports").map(Node::items).unwrap_or_default());
        let matching = ports.find(|port| {
            port.text_at(&["name"]) == name && protocol(port) == service_port.protocol
        });
        matching?.get("containerPort")?.as_int()
    }

    /// Whether endpoints of the two pods can differ; labels do not count.
    fn differs(&self, other: &Self) -> bool {
        let compared = |pod: &Self| {
            let (node, host, domain) = (pod.node_name, pod.hostname, pod.subdomain);
            (pod.is_deleted, pod.is_ready, pod.has_ended, (node, host, domain))
        };
        compared(self) != compared(other)
            || self.uid != other.uid
            || !self.address_texts().eq(other.address_texts())
    }
}

/// Whether a change of a Pod affects endpoints: whether it or its labels became different.
pub(crate) fn affects_endpoints(old: &Node<'static>, new: &Node<'static>) -> bool {
    Pod::from_node(old).differs(&Pod::from_node(new)) || !same_labels(old, new)
}

fn same_labels(old: &Node<'_>, new: &Node<'_>) -> bool {
    let at = |node: &Node<'_>| labels(node).count();
    at(old) == at(new)
        && labels(old).all(|(name, value)| crate::labels::label(new, name) == Some(value))
}

/// The addresses in the status of a pod, in their original form.
fn address_texts<'n>(pod: &'n Node<'_>) -> impl Iterator<Item = &'n str> {
    let list = pod.find(&["status", "podIPs"]).map(Node::items).unwrap_or_default();
    // A writer of the old field only means the same.
    let single = if list.is_empty() { pod.text_at(&["status", "podIP"]) } else { "" };
    let single = (!single.is_empty()).then_some(single);
    list.iter().map(|item| item.text_at(&["ip"])).chain(single)
}

fn has_ended(pod: &Node<'_>) -> bool {
    matches!(pod.text_at(&["status", "phase"]), "Failed" | "Succeeded")
}

/// Whether a pod can be an endpoint: it has an address, and its containers run.
pub(crate) fn can_be_endpoint(pod: &Node<'_>) -> bool {
    !has_ended(pod) && address_texts(pod).next().is_some()
}

/// The condition of this type.
pub(crate) fn condition<'n, 't>(node: &'n Node<'t>, kind: &str) -> Option<&'n Node<'t>> {
    let all = node.find(&["status", "conditions"])?.items();
    all.iter().find(|condition| condition.text_at(&["type"]) == kind)
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
            (
                "an annotation",
                |it| it.map_mut("metadata").set("annotations", node("{a: b}")),
                false,
            ),
            ("a label", |it| it.map_mut("metadata").map_mut("labels").set("x", node("y")), true),
            (
                "another value",
                |it| it.map_mut("metadata").map_mut("labels").set("app", node("y")),
                true,
            ),
            ("no labels", |it| drop(it.map_mut("metadata").remove("labels")), true),
            ("deletion", |it| it.map_mut("metadata").set("deletionTimestamp", node("'x'")), true),
            ("readiness", |it| drop(it.map_mut("status").remove("conditions")), true),
            (
                "another condition",
                |it| {
                    let both = "[{type: Ready, status: 'True'}, {type: X, status: 'True'}]";
                    it.map_mut("status").set("conditions", node(both));
                },
                false,
            ),
            ("an address", |it| it.map_mut("status").set("podIPs", node("[{ip: 10.0.0.9}]")), true),
            ("the end", |it| it.map_mut("status").set("phase", node("Failed")), true),
            ("a node", |it| it.map_mut("spec").set("nodeName", node("n2")), true),
            ("a name", |it| it.map_mut("spec").set("hostname", node("h")), true),
        ];
        for (name, edit, expected) in cases {
            let old = pod("p", "n1", &["10.0.0.1"]);
            let mut new = old.clone();
            edit(&mut new);
            assert_eq!(affects_endpoints(&old, &new), expected, "{name}");
            assert_eq!(affects_endpoints(&new, &old), expected, "{name} undone");
        }
    }
}
