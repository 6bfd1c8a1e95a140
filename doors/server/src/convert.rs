//! Objects that are served in another version than they are stored in.

use ratchet_object::{Node, Value, complete, schema};

/// What an Event of `events.k8s.io` calls what an Event of the core group calls differently.
const EVENT: &[(&str, &str)] = &[
    ("regarding", "involvedObject"),
    ("note", "message"),
    ("reportingController", "reportingComponent"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
];

/// An object as it is stored; `node` is in the version `api_version` of `kind`.
pub(crate) fn to_stored(node: &mut Node<'static>, api_version: &str, kind: &str) {
    match (api_version, kind) {
        ("events.k8s.io/v1", "Event") => {
            rename(node, EVENT.iter().copied());
            complete_as(node, "", "v1", kind);
        }
        ("autoscaling/v1", "HorizontalPodAutoscaler") => {
            scaler_to_v2(node);
            complete_as(node, "autoscaling", "v2", kind);
        }
        _ => {}
    }
}

/// A stored object as it is served in the version `api_version` of `kind`.
pub(crate) fn from_stored(node: &mut Node<'static>, api_version: &str, kind: &str) {
    match (api_version, kind) {
        ("events.k8s.io/v1", "Event") => {
            rename(node, EVENT.iter().map(|(new, old)| (*old, *new)));
            complete_as(node, "events.k8s.io", "v1", kind);
        }
        ("autoscaling/v1", "HorizontalPodAutoscaler") => {
            scaler_to_v1(node);
            complete_as(node, "autoscaling", "v1", kind);
        }
        _ => {}
    }
}

/// The versions differ in what they always write.
fn complete_as(node: &mut Node<'static>, group: &str, version: &str, kind: &str) {
    if let Some(row) = schema::kind(group, version, kind) {
        complete(node, row.ty);
    }
}

fn rename(node: &mut Node<'static>, names: impl Iterator<Item = (&'static str, &'static str)>) {
    for (from, to) in names {
        if let Some(value) = node.remove(from) {
            node.set(to, value);
        }
    }
}

fn cpu_metric(percentage: Node<'static>) -> Node<'static> {
    let target =
        Node::map([("type", Node::string("Utilization")), ("averageUtilization", percentage)]);
    let resource = Node::map([("name", Node::string("cpu")), ("target", target)]);
    Node::map([("type", Node::string("Resource")), ("resource", resource)])
}

fn is_cpu(metric: &Node<'_>) -> bool {
    metric.text_at(&["type"]) == "Resource" && metric.text_at(&["resource", "name"]) == "cpu"
}

/// v1 knows a single metric; what else v2 knows stays where a client of v1 cannot see it.
fn scaler_to_v2(node: &mut Node<'static>) {
    let Some(spec) = node.get_mut("spec") else { return };
    if let Some(percentage) = spec.remove("targetCPUUtilizationPercentage") {
        spec.set("metrics", Node::list(vec![cpu_metric(percentage)]));
    }
    let Some(status) = node.get_mut("status") else { return };
    if let Some(percentage) = status.remove("currentCPUUtilizationPercentage") {
        let current = Node::map([("averageUtilization", percentage)]);
        let resource = Node::map([("name", Node::string("cpu")), ("current", current)]);
        let metric = Node::map([("type", Node::string("Resource")), ("resource", resource)]);
        status.set("currentMetrics", Node::list(vec![metric]));
    }
}

fn scaler_to_v1(node: &mut Node<'static>) {
    if let Some(spec) = node.get_mut("spec") {
        let metrics = spec.remove("metrics");
        spec.remove("behavior");
        let cpu =
            metrics.as_ref().and_then(|list| list.items().iter().find(|metric| is_cpu(metric)));
        let target =
            cpu.and_then(|metric| metric.find(&["resource", "target", "averageUtilization"]));
        if let Some(target) = target {
            spec.set("targetCPUUtilizationPercentage", target.clone());
        }
    }
    if let Some(status) = node.get_mut("status") {
        let metrics = status.remove("currentMetrics");
        status.remove("conditions");
        let cpu =
            metrics.as_ref().and_then(|list| list.items().iter().find(|metric| is_cpu(metric)));
        let current =
            cpu.and_then(|metric| metric.find(&["resource", "current", "averageUtilization"]));
        if let Some(current) = current {
            status.set("currentCPUUtilizationPercentage", current.clone());
        }
        // v1 always says how many there are.
        for name in ["currentReplicas", "desiredReplicas"] {
            if !matches!(status.get(name).map(|node| &node.value), Some(Value::Int(_))) {
                status.set(name, Node::int(0));
            }
        }
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
    fn events_have_two_vocabularies() {
        let mut event = node("{note: hello, regarding: {name: a}, reason: r}");
        to_stored(&mut event, "events.k8s.io/v1", "Event");
        let told = |event: &Node<'_>, text: &str, object: &str| {
            let text = event.text_at(&[text]).to_owned();
            (text, event.text_at(&[object, "name"]).to_owned())
        };
        let said = ("hello".to_owned(), "a".to_owned());
        assert_eq!(told(&event, "message", "involvedObject"), said);
        assert!(event.get("note").is_none() && event.get("firstTimestamp").is_some());
        from_stored(&mut event, "events.k8s.io/v1", "Event");
        assert_eq!(told(&event, "note", "regarding"), said);
        assert!(event.get("message").is_none() && event.get("firstTimestamp").is_none());
    }

    #[test]
    fn the_old_scaler_knows_the_processor_only() {
        let mut scaler = node("{spec: {maxReplicas: 3, targetCPUUtilizationPercentage: 80}}");
        let (version, kind) = ("autoscaling/v1", "HorizontalPodAutoscaler");
        to_stored(&mut scaler, version, kind);
        assert!(scaler.find(&["spec", "metrics"]).is_some());
        from_stored(&mut scaler, version, kind);
        let target = scaler.find(&["spec", "targetCPUUtilizationPercentage"]);
        assert_eq!(target.and_then(Node::as_int), Some(80));
        assert!(scaler.find(&["spec", "metrics"]).is_none());
        assert!(scaler.find(&["status", "currentReplicas"]).is_some());
    }
}
