//! PodTopologyLabels: a pod gets the zone and region labels of its node.

use crate::resources::NODES;
use crate::{Attributes, Denial, PluginContext};
use alloc::string::String;
use ratchet_object::Node;

const LABELS: [&str; 2] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/// Copies zone and region from the node of a pod.
pub(crate) fn admit(
    attributes: &Attributes<'_>,
    pod: &mut Node<'static>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let is_pod = attributes.is_on("", "pods") || attributes.is_on_part("", "pods", "binding");
    let name = pod.text_at(&["spec", "nodeName"]);
    if !is_pod || !attributes.is_create() || attributes.minor < 35 || name.is_empty() {
        return Ok(());
    }
    let Some(node) = cluster.get(&NODES, "", name) else { return Ok(()) };
    for label in LABELS {
        if let Some(value) = node.metadata().label(label) {
            let labels = pod.map_mut("metadata").map_mut("labels");
            labels.set(label, Node::string(String::from(value)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation::Create;
    use crate::testing::{Fake, attributes, node, user};

    #[test]
    fn zone_and_region_are_copied_and_nothing_else() {
        let user = user("u", &[]);
        let host = "{metadata: {name: n1, labels: {topology.kubernetes.io/zone: a, other: b}}}";
        let cluster = Fake::default().with("", "nodes", &[host]);
        let labelled = |text: &str, minor: u8| {
            let mut pod = node(text);
            let create = Attributes { minor, ..attributes(Create, "", "pods", &user, None) };
            admit(&create, &mut pod, &cluster).unwrap();
            pod.find(&["metadata", "labels"]).map(Node::to_json)
        };
        let zone = r#"{"topology.kubernetes.io/zone":"a"}"#;
        assert_eq!(labelled("{spec: {nodeName: n1}}", 36).as_deref(), Some(zone));
        assert_eq!(labelled("{spec: {nodeName: n1}}", 34), None);
        assert_eq!(labelled("{spec: {nodeName: m}}", 36), None);
        assert_eq!(labelled("{spec: {}}", 36), None);
    }
}
