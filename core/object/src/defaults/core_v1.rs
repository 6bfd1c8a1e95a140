//! Defaults of the small kinds of the core group: services, namespaces, nodes, secrets and others.

use super::fields::{
    DefaultValue, FieldDefault, each, is_empty, is_list_or_nil, is_map_or_nil, is_text, is_zero,
    nil, pointer_field, put, set_defaults, struct_field, zero,
};
use super::{pod, resources};
use crate::members::dedup_members;
use crate::{Entry, Node, Value};
use alloc::vec::Vec;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const SERVICE: &[FieldDefault] = &[
    zero("sessionAffinity", DefaultValue::Text("None")),
    zero("type", DefaultValue::Text("ClusterIP")),
];

const OUTSIDE: &[FieldDefault] = &[zero("externalTrafficPolicy", DefaultValue::Text("Cluster"))];
const INSIDE: &[FieldDefault] = &[nil("internalTrafficPolicy", DefaultValue::Text("Cluster"))];
const BALANCED: &[FieldDefault] = &[nil("allocateLoadBalancerNodePorts", DefaultValue::Bool(true))];
const INGRESS: &[FieldDefault] = &[nil("ipMode", DefaultValue::Text("VIP"))];
const PORT: &[FieldDefault] = &[zero("protocol", DefaultValue::Text("TCP"))];
const ACTIVE: &[FieldDefault] = &[zero("phase", DefaultValue::Text("Active"))];
const SECRET: &[FieldDefault] = &[zero("type", DefaultValue::Text("Opaque"))];
const REPLICAS: &[FieldDefault] = &[nil("replicas", DefaultValue::Int(1))];

/// The session affinity timeout: three hours.
const AFFINITY_SECONDS: i64 = 10_800;
/// The label by which a namespace can be selected by its name.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// Defaults of a Service.
pub(super) fn service(node: &mut Node<'_>) {
    struct_field(node, "spec", service_spec);
    let is_balanced = node.text_at(&["spec", "type"]) == "LoadBalancer";
    if let Some(balancer) = node.find_mut(&["status", "loadBalancer"]).filter(|_| is_balanced) {
        each(balancer, "ingress", |ingress| {
            if !is_zero(ingress, "ip") {
                set_defaults(ingress, INGRESS);
            }
        });
    }
}

fn service_spec(spec: &mut Node<'_>) {
    set_defaults(spec, SERVICE);
    session_affinity(spec);
    each(spec, "ports", service_port);
    let is = |kind| is_text(spec, "type", kind);
    let (cluster, node, balancer) = (is("ClusterIP"), is("NodePort"), is("LoadBalancer"));
    if balancer || node || (cluster && !is_empty(spec, "externalIPs")) {
        set_defaults(spec, OUTSIDE);
    }
    if balancer || node || cluster {
        set_defaults(spec, INSIDE);
    }
    if balancer {
        set_defaults(spec, BALANCED);
    }
}

fn session_affinity(spec: &mut Node<'_>) {
    if is_text(spec, "sessionAffinity", "None") {
        spec.remove("sessionAffinityConfig");
    }
    let is_untimed = spec
        .find(&["sessionAffinityConfig", "clientIP", "timeoutSeconds"])
        .is_none_or(Node::is_null);
    if is_text(spec, "sessionAffinity", "ClientIP") && is_untimed {
        let timeout = Node::map([("timeoutSeconds", Node::int(AFFINITY_SECONDS))]);
        put(spec, "sessionAffinityConfig", Node::map([("clientIP", timeout)]));
    }
}

fn service_port(port: &mut Node<'_>) {
    set_defaults(port, PORT);
    if is_zero(port, "targetPort")
        && let Some(number) = port.get("port").and_then(Node::as_int)
    {
        put(port, "targetPort", Node::int(number));
    }
}

/// Defaults of Endpoints.
pub(super) fn endpoints(node: &mut Node<'_>) {
    each(node, "subsets", |subset| each(subset, "ports", |port| set_defaults(port, PORT)));
}

/// A Namespace. One with `generateName` is labelled once it has a name.
pub(super) fn namespace(node: &mut Node<'_>) {
    let name = node.find(&["metadata", "name"]).filter(|name| name.text() != Some("")).cloned();
    if let Some(name) = name.filter(|name| name.text().is_some())
        && let Some(metadata) = node.get_mut("metadata")
        && let Value::Map(_) = metadata.map_mut("labels").value
    {
        metadata.map_mut("labels").set(NAME_LABEL, name);
    }
    struct_field(node, "status", |status| set_defaults(status, ACTIVE));
}

/// Defaults of a Node.
pub(super) fn node(node: &mut Node<'_>) {
    pointer_field(node, "spec", pod_cidrs);
    pointer_field(node, "status", resources::node_status);
}

/// `podCIDR` and the first of `podCIDRs` are kept equal; where they differ, `podCIDR` wins.
fn pod_cidrs(spec: &mut Node<'_>) {
    let first = spec.get("podCIDRs").and_then(|list| list.items().first());
    let single = spec.get("podCIDR").filter(|_| !is_zero(spec, "podCIDR"));
    match (single, first) {
        (Some(single), _) if single.text() != first.and_then(Node::text) => {
            let list = Node::list(alloc::vec![single.clone()]);
            if single.text().is_some() && is_list_or_nil(spec, "podCIDRs") {
                put(spec, "podCIDRs", list);
            }
        }
        (None, Some(first)) if first.text().is_some() => {
            let first = first.clone();
            put(spec, "podCIDR", first);
        }
        _ => {}
    }
}

/// A Secret. `stringData` becomes base64 in `data`.
pub(super) fn secret(node: &mut Node<'_>) {
    set_defaults(node, SECRET);
    let is_fit = |list: &Node<'_>| {
        list.is_null() || list.entries().iter().all(|entry| text_of(&entry.node).is_some())
    };
    let data_fits = is_map_or_nil(node, "data");
    let Some(texts) = node.get("stringData").filter(|list| data_fits && is_fit(list)) else {
        return;
    };
    let added: Vec<_> = (texts.entries().iter())
        .filter_map(|entry| {
            let bytes = STANDARD.encode(text_of(&entry.node)?);
            Some(Entry::new(entry.key.clone(), Node::string(bytes)))
        })
        .collect();
    if !added.is_empty()
        && let Some(data) = node.map_mut("data").entries_mut()
    {
        data.extend(added);
        dedup_members(data, |_, _| {});
    }
    if is_map_or_nil(node, "stringData") {
        node.remove("stringData");
    }
}

/// A string of a map; null is the empty string.
fn text_of<'a>(node: &'a Node<'_>) -> Option<&'a str> {
    if node.is_null() { Some("") } else { node.text() }
}

/// A ReplicationController, whose labels and selector default to its template's labels.
pub(super) fn replication_controller(node: &mut Node<'_>) {
    let labels = template_labels(node);
    struct_field(node, "spec", |spec| {
        set_defaults(spec, REPLICAS);
        pointer_field(spec, "template", pod::template);
    });
    if let Some(spec) = node.get_mut("spec")
        && is_empty(spec, "selector")
        && let Some(labels) = &labels
    {
        put(spec, "selector", labels.clone());
    }
    label_as(node, labels);
}

/// The labels of the template below `spec`, if there are any.
pub(super) fn template_labels<'t>(node: &Node<'t>) -> Option<Node<'t>> {
    let labels = node.find(&["spec", "template", "metadata", "labels"])?;
    (!labels.entries().is_empty()).then(|| labels.clone())
}

/// Gives these labels to an object that has none.
pub(super) fn label_as<'t>(node: &mut Node<'t>, labels: Option<Node<'t>>) {
    let Some(labels) = labels else { return };
    let metadata_fits = is_map_or_nil(node, "metadata");
    if metadata_fits && matches!(node.value, Value::Map(_)) {
        let metadata = node.map_mut("metadata");
        if is_empty(metadata, "labels") {
            put(metadata, "labels", labels);
        }
    }
}

/// Defaults of a LimitRange.
pub(super) fn limit_range(node: &mut Node<'_>) {
    pointer_field(node, "spec", |spec| each(spec, "limits", resources::limit_range_item));
}

/// Defaults of a ResourceQuota.
pub(super) fn resource_quota(node: &mut Node<'_>) {
    pointer_field(node, "spec", |spec| resources::round(spec, &["hard"]));
    pointer_field(node, "status", |status| resources::round(status, &["hard", "used"]));
}
