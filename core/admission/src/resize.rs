//! PodResizeValidator: a pod may only be resized within the capacity of its node.

use crate::amounts::{self, Side};
use crate::resources::NODES;
use crate::{Attributes, Denial, PluginContext};
use alloc::format;
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::{Equality, Node, Quantity, equal_at};

/// The unit of a quantity in messages.
type Count = fn(Quantity) -> i128;

/// Refuses a resize that the node of the pod cannot satisfy.
pub(crate) fn validate(
    attributes: &Attributes<'_>,
    pod: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let name = pod.text_at(&["spec", "nodeName"]);
    let (true, Some(old)) =
        (attributes.is_on_part("", "pods", "resize") && attributes.is_update(), attributes.old)
    else {
        return Ok(());
    };
    if name.is_empty() || attributes.minor < 35 || equal_at(pod, old, &["spec"], Equality::Semantic)
    {
        return Ok(());
    }
    let Some(node) = cluster.get(&NODES, "", name) else {
        return Err(Denial::Forbidden(format!("node {} not found", Quoted(name))));
    };
    let system = node.metadata().label("kubernetes.io/os");
    if let Some(system) = system.filter(|system| *system != "linux") {
        let text = format!(
            "pod resize is only supported on linux nodes, node {} is {}",
            Quoted(name),
            Quoted(system)
        );
        return Err(Denial::ForbiddenBecause(text, "UnsupportedPlatform"));
    }
    let requests = amounts::of_pod(pod, Side::Requests);
    let allocatable = amounts::parse(node.find(&["status", "allocatable"]));
    let mut faults = Vec::new();
    let counts: [(&str, Count); 2] =
        [("cpu", Quantity::thousandths), ("memory", Quantity::in_wholes)];
    for (name, count) in counts {
        let nothing = Quantity::whole(0);
        let requested = requests.get(name).copied().unwrap_or(nothing);
        let available = allocatable.get(name).copied().unwrap_or(nothing);
        if requested.exceeds(available) {
            faults.push(format!(
                "{name}, requested: {}, allocatable: {}",
                count(requested),
                count(available)
            ));
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    let text = format!("node didn't have enough allocatable resources: {}", faults.join("; "));
    Err(Denial::ForbiddenBecause(text, "NodeCapacity"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation::Update;
    use crate::testing::{Fake, attributes, node, text, user};

    #[test]
    fn pods_grow_as_far_as_their_node_goes() {
        let user = user("u", &[]);
        let host = |labels: &str| {
            format!(
                "{{metadata: {{name: n1, labels: {labels}}}, status: {{allocatable: {{cpu: 2, memory: 1Gi}}}}}}"
            )
        };
        let pod = |cpu: &str| {
            node(&format!(
                "{{spec: {{nodeName: n1, containers: [{{resources: {{requests: {{cpu: {cpu}, memory: 1Gi}}}}}}]}}}}"
            ))
        };
        let old = pod("1");
        let outcome = |cpu: &str, labels: &str| {
            let cluster = Fake::default().with("", "nodes", &[&host(labels)]);
            let update = Attributes {
                subresource: "resize",
                ..attributes(Update, "", "pods", &user, Some(&old))
            };
            text(validate(&update, &pod(cpu), &cluster))
        };
        assert_eq!(outcome("2", "{}"), "Ok(())");
        assert_eq!(
            outcome("3", "{}"),
            "node didn't have enough allocatable resources: cpu, requested: 3000, allocatable: 2000"
        );
        assert!(
            outcome("2", "{kubernetes.io/os: windows}")
                .starts_with("pod resize is only supported on linux nodes")
        );
        assert_eq!(outcome("1", "{kubernetes.io/os: windows}"), "Ok(())");
    }
}
