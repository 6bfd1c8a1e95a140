//! HorizontalPodAutoscaler conversion: `autoscaling/v1` has one metric and keeps the rest of `v2` in annotations.

use super::metrics::{CURRENT, TARGETS, new_metrics, old_metric};
use ratchet_object::{Limits, Node, Object, Value, decode_json, schema_violations};

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";

/// The default target of the v1 controller.
const DEFAULT_PERCENTAGE: i64 = 80;

/// The fields of scaling rules, in the order of the annotation.
const RULES: &[&str] = &["stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance"];
const POLICY: &[&str] = &["type", "value", "periodSeconds"];

/// Converts from v2 to v1.
pub(super) fn to_v1(node: &mut Node<'static>) {
    let mut annotations_to_add: Vec<(&'static str, String)> = Vec::new();
    if let Some(spec) = node.get_mut("spec") {
        let metrics = items(spec.remove("metrics"));
        let percentage = metrics.iter().find_map(|metric| utilization(metric, "target")).cloned();
        if let Some(percentage) = percentage {
            spec.set("targetCPUUtilizationPercentage", percentage);
        }
        let others = metrics.iter().filter(|metric| utilization(metric, "target").is_none());
        add_list(
            &mut annotations_to_add,
            METRICS,
            others.map(|metric| old_metric(metric, TARGETS)).collect(),
        );
        if let Some(behavior) = spec.remove("behavior") {
            annotations_to_add.push((BEHAVIOR, old_behavior(&behavior).to_json()));
        }
    }
    if let Some(status) = node.get_mut("status") {
        let metrics = items(status.remove("currentMetrics"));
        let mut newest = metrics.iter().rev();
        let percentage = newest.find_map(|metric| utilization(metric, "current"));
        if let Some(percentage) = percentage.cloned() {
            status.set("currentCPUUtilizationPercentage", percentage);
        }
        let all = metrics.iter().map(|metric| old_metric(metric, CURRENT));
        add_list(&mut annotations_to_add, CURRENT_METRICS, all.collect());
        add_list(&mut annotations_to_add, CONDITIONS, items(status.remove("conditions")));
        // v1 always has the replica counts.
        for name in ["currentReplicas", "desiredReplicas"] {
            if !matches!(status.get(name).map(|node| &node.value), Some(Value::Int(_))) {
                status.set(name, Node::int(0));
            }
        }
    }
    annotate(node, annotations_to_add);
}

/// Converts from v1 to v2.
pub(super) fn to_v2(node: &mut Node<'static>) {
    let mut metrics = annotation_value(node, METRICS)
        .and_then(|list| new_metrics(&list, TARGETS))
        .unwrap_or_default();
    if !has_v2_types("spec", "metrics", &Node::list(metrics.clone())) {
        metrics.clear();
    }
    let behavior = annotation_value(node, BEHAVIOR).map(new_behavior);
    let behavior = behavior
        .filter(|node| !node.entries().is_empty() && has_v2_types("spec", "behavior", node));
    let spec = node.map_mut("spec");
    let percentage = spec.remove("targetCPUUtilizationPercentage");
    if let Some(percentage) =
        percentage.or_else(|| metrics.is_empty().then(|| Node::int(DEFAULT_PERCENTAGE)))
    {
        metrics.push(cpu("target", [("type", Node::string("Utilization"))], percentage));
    }
    spec.set("metrics", Node::list(metrics));
    if let Some(behavior) = behavior {
        spec.set("behavior", behavior);
    }
    status_to_v2(node);
    annotate(node, Vec::new());
}

fn status_to_v2(node: &mut Node<'static>) {
    let current_metrics = annotation_value(node, CURRENT_METRICS)
        .and_then(|list| new_metrics(&list, CURRENT))
        .map(Node::list);
    let conditions = annotation_value(node, CONDITIONS);
    let Some(status) = node.get_mut("status") else { return };
    let percentage = status.remove("currentCPUUtilizationPercentage");
    let current_metrics =
        current_metrics.filter(|list| has_v2_types("status", "currentMetrics", list));
    // The annotation has more detail than the percentage.
    let current_metrics =
        current_metrics.or_else(|| Some(Node::list(vec![cpu("current", [], percentage?)])));
    if let Some(current_metrics) = current_metrics {
        status.set("currentMetrics", current_metrics);
    }
    if let Some(conditions) = conditions.filter(|list| has_v2_types("status", "conditions", list)) {
        status.set("conditions", conditions);
    }
}

fn cpu<const N: usize>(
    side: &'static str,
    more: [(&'static str, Node<'static>); N],
    percentage: Node<'static>,
) -> Node<'static> {
    let value = Node::map(more.into_iter().chain([("averageUtilization", percentage)]));
    let resource = Node::map([("name", Node::string("cpu")), (side, value)]);
    Node::map([("type", Node::string("Resource")), ("resource", resource)])
}

/// The `averageUtilization` of a CPU resource metric.
fn utilization<'n>(metric: &'n Node<'static>, side: &str) -> Option<&'n Node<'static>> {
    let is_cpu =
        metric.text_at(&["type"]) == "Resource" && metric.text_at(&["resource", "name"]) == "cpu";
    metric.find(&["resource", side, "averageUtilization"]).filter(|_| is_cpu)
}

fn items(list: Option<Node<'static>>) -> Vec<Node<'static>> {
    list.map(|list| list.items().to_vec()).unwrap_or_default()
}

/// Encodes `behavior` for the annotation: Go's field names, and `null` for absent fields.
fn old_behavior(behavior: &Node<'static>) -> Node<'static> {
    let nothing = || Node::new(Value::Null);
    let upper = |name: &str| {
        let (first, rest) = name.split_at(1);
        format!("{}{rest}", first.to_uppercase())
    };
    let with_all = |node: &Node<'static>, names: &'static [&'static str]| {
        let value = |name: &&'static str| node.get(name).cloned().unwrap_or_else(nothing);
        Node::map(names.iter().map(|name| (upper(name), value(name))))
    };
    let rules = |name: &str| {
        let Some(rules) = behavior.get(name) else { return nothing() };
        let mut old = with_all(rules, RULES);
        for policy in old.get_mut("Policies").and_then(Node::items_mut).into_iter().flatten() {
            *policy = with_all(policy, POLICY);
        }
        old
    };
    Node::map([("ScaleUp", rules("scaleUp")), ("ScaleDown", rules("scaleDown"))])
}

/// Decodes `behavior` from the annotation; as in Go, field names match case-insensitively.
fn new_behavior(mut node: Node<'static>) -> Node<'static> {
    const NAMES: [&[&str]; 3] = [&["scaleUp", "scaleDown"], RULES, POLICY];
    let known = |name: &str| {
        let mut names = NAMES.into_iter().flatten();
        names.find(|known| known.eq_ignore_ascii_case(name)).copied()
    };
    if let Some(entries) = node.entries_mut() {
        entries.retain(|entry| !entry.node.is_null());
        for entry in entries {
            if let Some(name) = known(&entry.key) {
                entry.key = name.into();
            }
            entry.node = new_behavior(entry.node.clone());
        }
    }
    for item in node.items_mut().into_iter().flatten() {
        *item = new_behavior(item.clone());
    }
    node
}

/// The JSON value of an annotation; none if it is not JSON.
fn annotation_value(node: &Node<'_>, name: &str) -> Option<Node<'static>> {
    let text = node.text_at(&["metadata", "annotations", name]);
    let decoded = decode_json(text, Limits::DEFAULT).ok()?;
    Some(decoded.documents.first()?.clone().into_owned())
}

/// Whether a field from an annotation has the types of v2, which nothing else checks.
fn has_v2_types(side: &'static str, name: &'static str, value: &Node<'static>) -> bool {
    let object = Node::map([
        ("apiVersion", Node::string("autoscaling/v2")),
        ("kind", Node::string("HorizontalPodAutoscaler")),
        (side, Node::map([(name, value.clone())])),
    ]);
    schema_violations(&Object::new(object)).is_empty()
}

fn add_list(
    annotations_to_add: &mut Vec<(&'static str, String)>,
    name: &'static str,
    list: Vec<Node<'static>>,
) {
    if !list.is_empty() {
        annotations_to_add.push((name, Node::list(list).to_json()));
    }
}

/// Replaces the annotations of this conversion; a client's own are dropped.
fn annotate(node: &mut Node<'static>, annotations_to_add: Vec<(&'static str, String)>) {
    let metadata = node.map_mut("metadata");
    let mut annotations = metadata.remove("annotations").unwrap_or_else(Node::empty_map);
    for name in [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR] {
        annotations.remove(name);
    }
    for (name, text) in annotations_to_add {
        annotations.set(name, Node::string(text));
    }
    if let Some(entries) = annotations.entries_mut() {
        entries.sort_by(|one, other| one.key.cmp(&other.key));
    }
    if !annotations.entries().is_empty() {
        metadata.set("annotations", annotations);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::decode;

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    fn there_and_back(stored: &str) -> Node<'static> {
        let mut scaler = node(stored);
        to_v1(&mut scaler);
        to_v2(&mut scaler);
        scaler
    }

    #[test]
    fn one_metric_is_a_percentage() {
        let mut scaler = node(
            "{metadata: {name: a}, spec: {maxReplicas: 3, targetCPUUtilizationPercentage: 70}}",
        );
        let before = scaler.clone();
        to_v2(&mut scaler);
        assert_eq!(
            scaler.find(&["spec", "metrics"]).unwrap().to_json(),
            r#"[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":70}}}]"#
        );
        to_v1(&mut scaler);
        assert_eq!(scaler.find(&["metadata"]), before.find(&["metadata"]));
        assert_eq!(
            scaler.find(&["spec", "targetCPUUtilizationPercentage"]).and_then(Node::as_int),
            Some(70)
        );
    }

    #[test]
    fn who_says_nothing_gets_the_usual_percentage() {
        let mut scaler = node("{metadata: {name: a}, spec: {maxReplicas: 3}}");
        to_v2(&mut scaler);
        to_v1(&mut scaler);
        let percentage = scaler.find(&["spec", "targetCPUUtilizationPercentage"]);
        assert_eq!(percentage.and_then(Node::as_int), Some(80));
    }

    #[test]
    fn nothing_of_v2_is_lost_on_the_way_through_v1() {
        let metrics = [
            "{type: Resource, resource: {name: memory, target: {averageValue: 1Gi, type: AverageValue}}}",
            "{type: Resource, resource: {name: cpu, target: {averageValue: 100m, type: AverageValue}}}",
            "{type: ContainerResource, containerResource: {name: cpu, target: {averageUtilization: 5, type: Utilization}, container: app}}",
            "{type: Pods, pods: {metric: {name: hits, selector: {matchLabels: {a: b}}}, target: {averageValue: 5, type: AverageValue}}}",
            "{type: Object, object: {describedObject: {kind: Ingress, name: main, apiVersion: networking.k8s.io/v1}, metric: {name: hits}, target: {value: 10k, type: Value}}}",
            "{type: Object, object: {describedObject: {kind: Ingress, name: main, apiVersion: networking.k8s.io/v1}, metric: {name: hits}, target: {averageValue: 10k, type: AverageValue}}}",
            "{type: External, external: {metric: {name: queue}, target: {value: 30, type: Value}}}",
            "{type: External, external: {metric: {name: queue}, target: {averageValue: 30, type: AverageValue}}}",
            "{type: Resource, resource: {name: cpu, target: {averageUtilization: 60, type: Utilization}}}",
        ];
        for metric in metrics {
            let stored =
                format!("{{metadata: {{name: a}}, spec: {{maxReplicas: 3, metrics: [{metric}]}}}}");
            let back = there_and_back(&stored);
            let (back, stored) = (back.find(&["spec"]), node(&stored));
            assert_eq!(back, stored.find(&["spec"]), "{metric}");
        }
        let behavior = "{scaleUp: {stabilizationWindowSeconds: 3, policies: [{type: Pods, value: 4, periodSeconds: 60}]}, scaleDown: {selectPolicy: Disabled}}";
        let back = there_and_back(&format!(
            "{{metadata: {{name: a}}, spec: {{maxReplicas: 3, behavior: {behavior}}}}}"
        ));
        assert_eq!(back.find(&["spec", "behavior"]), Some(&node(behavior)));
        let status = "{currentReplicas: 1, desiredReplicas: 2, conditions: [{type: AbleToScale, status: 'True'}], currentMetrics: [{type: Resource, resource: {name: cpu, current: {averageUtilization: 7, averageValue: 3m}}}]}";
        let back =
            there_and_back(&format!("{{metadata: {{name: a}}, spec: {{}}, status: {status}}}"));
        assert_eq!(back.get("status"), Some(&node(status)));
    }

    #[test]
    fn the_annotation_of_behavior_is_written_as_go_does() {
        let mut scaler = node(
            "{metadata: {name: a}, spec: {behavior: {scaleDown: {policies: [{type: Pods, value: 4, periodSeconds: 60}]}}}}",
        );
        to_v1(&mut scaler);
        assert_eq!(
            scaler.text_at(&["metadata", "annotations", BEHAVIOR]),
            r#"{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":null,"Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":60}],"Tolerance":null}}"#
        );
    }

    #[test]
    fn annotations_that_make_no_sense_are_passed_over() {
        for text in ["", "{", "5", "[5]", r#"[{"type":"Resource","resource":{"name":5}}]"#] {
            let mut scaler = node("{metadata: {name: a}, spec: {}}");
            let annotations = Node::map([(METRICS, Node::string(text))]);
            scaler.map_mut("metadata").set("annotations", annotations);
            to_v2(&mut scaler);
            assert_eq!(scaler.find(&["metadata", "annotations"]), None, "{text}");
            let metrics = scaler.find(&["spec", "metrics"]).map(Node::items).unwrap_or_default();
            assert_eq!(metrics.len(), 1, "{text}");
            assert!(utilization(&metrics[0], "target").is_some(), "{text}: {metrics:?}");
        }
    }
}
