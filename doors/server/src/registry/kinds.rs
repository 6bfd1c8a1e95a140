//! `PrepareForCreate` and `PrepareForUpdate` of single kinds, which their rows of the strategies name.

use super::strategy::CreateContext;
use ratchet_crd::definition;
use ratchet_object::{Equality, Node, Quantity, Value, equal_at};

/// Names a LimitRange without a name after its uid.
pub(super) fn create_limit_range(node: &mut Node<'static>, _: &CreateContext<'_>) {
    if node.text_at(&["metadata", "name"]).is_empty() {
        let uid = node.text_at(&["metadata", "uid"]).to_owned();
        node.map_mut("metadata").set("name", Node::string(uid));
    }
}

/// Adds the finalizer of a Namespace and its phase.
pub(super) fn create_namespace(node: &mut Node<'static>, _: &CreateContext<'_>) {
    let spec = node.map_mut("spec");
    let mut finalizers = spec.remove("finalizers").unwrap_or_else(|| Node::list(Vec::new()));
    if let Some(items) = finalizers.items_mut()
        && !items.iter().any(|item| item.text() == Some("kubernetes"))
    {
        items.push(Node::string("kubernetes"));
    }
    spec.set("finalizers", finalizers);
    node.map_mut("status").set("phase", Node::string("Active"));
}

/// Sets the phase of a PersistentVolume.
pub(super) fn create_volume(node: &mut Node<'static>, context: &CreateContext<'_>) {
    let status = node.map_mut("status");
    status.set("phase", Node::string("Pending"));
    status.set("lastPhaseTransitionTime", Node::string(context.now.to_owned()));
}

/// Sets the phase of a PersistentVolumeClaim.
pub(super) fn create_volume_claim(node: &mut Node<'static>, _: &CreateContext<'_>) {
    node.map_mut("status").set("phase", Node::string("Pending"));
}

/// Sets the empty load balancer status of a Service.
pub(super) fn create_service(node: &mut Node<'static>, _: &CreateContext<'_>) {
    node.map_mut("status").set("loadBalancer", Node::empty_map());
}

/// Makes a local APIService available: this server itself serves it.
pub(super) fn create_api_service(node: &mut Node<'static>, context: &CreateContext<'_>) {
    if node.find(&["spec", "service"]).is_none_or(Node::is_null) {
        let conditions = vec![local_api_service_condition(context.now)];
        node.map_mut("status").set("conditions", Node::list(conditions));
    }
}

/// The condition of every APIService that this server itself serves.
pub(crate) fn local_api_service_condition(now: &str) -> Node<'static> {
    Node::map([
        ("lastTransitionTime", Node::string(now.to_owned())),
        ("message", Node::string("Local APIServices are always available")),
        ("reason", Node::string("Local")),
        ("status", Node::string("True")),
        ("type", Node::string("Available")),
    ])
}

/// The annotation in which apps/v1 keeps the template generation of a DaemonSet.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

fn set_template_generation(node: &mut Node<'static>, count: i64) {
    let annotations = node.map_mut("metadata").map_mut("annotations");
    annotations.set(TEMPLATE_GENERATION, Node::string(count.to_string()));
}

/// Sets the first status of a CustomResourceDefinition.
pub(super) fn create_definition(node: &mut Node<'static>, _: &CreateContext<'_>) {
    definition::prepare_for_create(node);
}

/// Adds a new storage version to the status of a CustomResourceDefinition.
pub(super) fn update_definition(new: &mut Node<'static>, old: &Node<'_>, _: &str) {
    definition::prepare_for_update(new, old);
}

/// Keeps the spec of a CustomResourceDefinition.
pub(super) fn update_definition_status(new: &mut Node<'static>, old: &Node<'_>, _: &str) {
    definition::prepare_for_status_update(new, old);
}

/// Adds the count of templates to a DaemonSet that was sent without.
pub(super) fn complete_daemon_set(node: &mut Node<'static>) {
    if node.find(&["metadata", "annotations", TEMPLATE_GENERATION]).is_none() {
        set_template_generation(node, 0);
    }
}

/// Starts to count the templates of a DaemonSet.
pub(super) fn create_daemon_set(node: &mut Node<'static>, _: &CreateContext<'_>) {
    set_template_generation(node, 1);
}

/// Counts a changed template of a DaemonSet.
pub(super) fn update_daemon_set(new: &mut Node<'static>, old: &Node<'_>, _: &str) {
    let changed = !equal_at(new, old, &["spec", "template"], Equality::Semantic);
    let before = old.text_at(&["metadata", "annotations", TEMPLATE_GENERATION]);
    let before = before.parse::<i64>().unwrap_or(0);
    set_template_generation(new, before + i64::from(changed));
}

/// Sets phase, QoS class and scheduling condition of a Pod.
pub(super) fn create_pod(node: &mut Node<'static>, context: &CreateContext<'_>) {
    let class = qos_class(node);
    let gated =
        node.find(&["spec", "schedulingGates"]).is_some_and(|gates| !gates.items().is_empty());
    let status = node.map_mut("status");
    status.set("phase", Node::string("Pending"));
    if gated {
        let condition = Node::map([
            ("type", Node::string("PodScheduled")),
            ("status", Node::string("False")),
            ("lastProbeTime", Node::new(Value::Null)),
            ("lastTransitionTime", Node::string(context.now.to_owned())),
            ("reason", Node::string("SchedulingGated")),
            ("message", Node::string("Scheduling is blocked due to non-empty scheduling gates")),
        ]);
        status.set("conditions", Node::list(vec![condition]));
    }
    status.set("qosClass", Node::string(class));
}

/// Restores the QoS class of a Pod, which is set on create and does not change.
pub(super) fn update_pod_status(new: &mut Node<'static>, old: &Node<'_>, _: &str) {
    if new.text_at(&["status", "qosClass"]).is_empty()
        && let Some(class) = old.find(&["status", "qosClass"])
    {
        new.map_mut("status").set("qosClass", class.clone().into_owned());
    }
}

/// The QoS class of a pod.
fn qos_class(node: &Node<'_>) -> &'static str {
    let Some(spec) = node.get("spec") else { return "BestEffort" };
    let all = ["containers", "initContainers"];
    let containers =
        all.iter().flat_map(|list| spec.get(list).map(Node::items).unwrap_or_default());
    let mut has_resources = false;
    let mut guaranteed = true;
    let names = ["cpu", "memory"];
    let amount = |resources: Option<&Node<'_>>, side: &str, name: &str| {
        let value = resources.and_then(|node| node.find(&[side, name]));
        value.and_then(Quantity::of).filter(|amount| amount.is_positive())
    };
    let mut check_resources = |resources: Option<&Node<'_>>| {
        for name in names {
            let limit = amount(resources, "limits", name);
            let request = amount(resources, "requests", name);
            has_resources |= limit.is_some() || request.is_some();
            guaranteed &= limit.is_some_and(|limit| {
                request.is_none_or(|request| !request.exceeds(limit) && !limit.exceeds(request))
            });
        }
    };
    let pod_level = spec.get("resources").filter(|node| !node.entries().is_empty());
    match pod_level {
        Some(resources) => check_resources(Some(resources)),
        None => containers.for_each(|container| check_resources(container.get("resources"))),
    }
    match (has_resources, guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    #[test]
    fn requests_and_limits_decide_the_class_of_a_pod() {
        let class = |containers: &str| {
            qos_class(&node(&format!("{{spec: {{containers: [{containers}]}}}}")))
        };
        assert_eq!(class("{name: a}"), "BestEffort");
        assert_eq!(class("{resources: {requests: {cpu: '0'}}}"), "BestEffort");
        assert_eq!(class("{resources: {requests: {cpu: 1}}}"), "Burstable");
        let all = "{resources: {limits: {cpu: 1, memory: 1Gi}}}";
        assert_eq!(class(all), "Guaranteed");
        assert_eq!(class(&format!("{all}, {{name: b}}")), "Burstable");
    }
}
