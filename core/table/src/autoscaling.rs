//! Printers of horizontal pod autoscalers and scales.

use crate::column::{AGE, Column, NAME, Row, integer, text as column};
use crate::printed_object::{Cells, NONE, PrintedObject, UNKNOWN, UNSET, amount, at, text};
use crate::truncate::first;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use ratchet_object::Node;

const GROUP: &str = "autoscaling";

pub(crate) const ROWS: &[Row] = &[
    Row { group: GROUP, kind: "HorizontalPodAutoscaler", columns: SCALER, cells: scaler },
    Row { group: GROUP, kind: "Scale", columns: SCALE, cells: scale },
];

const SCALER: &[Column] = &[
    NAME,
    column("Reference", "The workload that is made larger and smaller."),
    column("Targets", "What is measured: as it is, and as it should be."),
    column("MinPods", "How many pods there are at least."),
    column("MaxPods", "How many pods there are at most."),
    column("Replicas", "How many pods there are."),
    AGE,
];

const SCALE: &[Column] = &[
    Column { format: "", ..NAME },
    integer("Desired", "How many pods are wanted."),
    integer("Available", "How many pods there are."),
    AGE,
];

fn scaler(object: &PrintedObject<'_>) -> Cells {
    let target = |field| object.text(&["spec", "scaleTargetRef", field]);
    let min_replicas = object.at(&["spec", "minReplicas"]).and_then(Node::as_int);
    vec![
        object.name(),
        text(format!("{}/{}", target("kind"), target("name"))),
        text(targets(object)),
        text(
            min_replicas.map_or_else(|| UNSET.to_owned(), |min_replicas| min_replicas.to_string()),
        ),
        Node::int(object.int(&["spec", "maxReplicas"])),
        Node::int(object.int(&["status", "currentReplicas"])),
        object.age(),
    ]
}

/// Version 1 of the kind supports CPU only, in fields of their own.
fn targets(object: &PrintedObject<'_>) -> String {
    let metrics = object.items(&["spec", "metrics"]);
    let statuses = object.items(&["status", "currentMetrics"]);
    if !metrics.is_empty() {
        let targets =
            metrics.iter().enumerate().map(|(index, spec)| target(spec, statuses.get(index)));
        return first(2, targets, ", ");
    }
    let percent = |names: &[&str]| object.at(names).and_then(Node::as_int);
    let current = percent(&["status", "currentCPUUtilizationPercentage"]);
    match percent(&["spec", "targetCPUUtilizationPercentage"]) {
        Some(target) => format!("cpu: {}/{target}%", percentage(current, UNKNOWN)),
        None => NONE.to_owned(),
    }
}

fn percentage(percent: Option<i64>, absent: &str) -> String {
    percent.map_or_else(|| absent.to_owned(), |percent| format!("{percent}%"))
}

/// The printer of one metric type.
struct Metric {
    kind: &'static str,
    /// The member that contains the metric.
    field: &'static str,
    format: fn(&Node<'_>, Option<&Node<'_>>) -> String,
}

const METRICS: [Metric; 5] = [
    Metric { kind: "External", field: "external", format: value },
    Metric { kind: "Object", field: "object", format: value },
    Metric { kind: "Pods", field: "pods", format: average },
    Metric { kind: "Resource", field: "resource", format: resource },
    Metric { kind: "ContainerResource", field: "containerResource", format: resource },
];

fn target(spec: &Node<'_>, status: Option<&Node<'_>>) -> String {
    let kind = spec.text_at(&["type"]);
    let Some(metric) = METRICS.iter().find(|metric| metric.kind == kind) else {
        return "<unknown type>".to_owned();
    };
    let status = status.and_then(|status| at(status, &[metric.field]));
    let nothing = Node::empty_map();
    (metric.format)(at(spec, &[metric.field]).unwrap_or(&nothing), status)
}

/// An amount that Kubernetes prints even if it is not set, as Go prints a missing value.
fn amount_at(node: &Node<'_>, names: &[&str]) -> String {
    at(node, names).map_or_else(|| "<nil>".to_owned(), amount)
}

fn value(spec: &Node<'_>, status: Option<&Node<'_>>) -> String {
    match at(spec, &["target", "averageValue"]) {
        Some(target) => {
            let current = status.and_then(|status| at(status, &["current", "averageValue"]));
            let current = current.map_or_else(|| UNKNOWN.to_owned(), amount);
            format!("{current}/{} (avg)", amount(target))
        }
        None => current_and_target(spec, status, "value"),
    }
}

fn average(spec: &Node<'_>, status: Option<&Node<'_>>) -> String {
    current_and_target(spec, status, "averageValue")
}

fn current_and_target(spec: &Node<'_>, status: Option<&Node<'_>>, field: &str) -> String {
    let current =
        status.map_or_else(|| UNKNOWN.to_owned(), |status| amount_at(status, &["current", field]));
    format!("{current}/{}", amount_at(spec, &["target", field]))
}

fn resource(spec: &Node<'_>, status: Option<&Node<'_>>) -> String {
    let name = spec.text_at(&["name"]);
    if at(spec, &["target", "averageValue"]).is_some() {
        return format!("{name}: {}", average(spec, status));
    }
    let percent =
        |node: &Node<'_>, side| at(node, &[side, "averageUtilization"]).and_then(Node::as_int);
    let current = percentage(status.and_then(|status| percent(status, "current")), UNKNOWN);
    format!("{name}: {current}/{}", percentage(percent(spec, "target"), "<auto>"))
}

fn scale(object: &PrintedObject<'_>) -> Cells {
    vec![
        object.name(),
        Node::int(object.int(&["spec", "replicas"])),
        Node::int(object.int(&["status", "replicas"])),
        object.age(),
    ]
}

#[cfg(test)]
mod tests {
    use super::GROUP;
    use crate::testing::line;
    use alloc::format;
    use alloc::string::String;

    fn scaler(text: &str) -> String {
        line(GROUP, "HorizontalPodAutoscaler", text)
    }

    fn targets(specs: &str, statuses: &str) -> String {
        let text =
            format!("{{spec: {{metrics: [{specs}]}}, status: {{currentMetrics: [{statuses}]}}}}");
        String::from(scaler(&text).split(" | ").nth(2).unwrap())
    }

    #[test]
    fn both_versions() {
        let v1 = "{spec: {scaleTargetRef: {kind: Deployment, name: w}, minReplicas: 1, maxReplicas: 5, \
            targetCPUUtilizationPercentage: 80}, status: {currentReplicas: 2, currentCPUUtilizationPercentage: 10}}";
        let expected = "a | Deployment/w | cpu: 10%/80% | 1 | 5 | 2 | 5m";
        assert_eq!(scaler(v1), expected);
        let v2 = "{spec: {scaleTargetRef: {kind: Deployment, name: w}, minReplicas: 1, maxReplicas: 5, metrics: \
            [{type: Resource, resource: {name: cpu, target: {averageUtilization: 80}}}]}, status: {currentReplicas: \
            2, currentMetrics: [{type: Resource, resource: {current: {averageUtilization: 10}}}]}}";
        assert_eq!(scaler(v2), expected);
        assert_eq!(scaler("{}"), "a | / | <none> | <unset> | 0 | 0 | 5m");
        let unknown = "{spec: {targetCPUUtilizationPercentage: 80}}";
        assert_eq!(scaler(unknown), "a | / | cpu: <unknown>/80% | <unset> | 0 | 0 | 5m");
    }

    #[test]
    fn every_kind_of_metric() {
        for (kind, field) in [("External", "external"), ("Object", "object")] {
            let of = |inner: &str| format!("{{type: {kind}, {field}: {{{inner}}}}}");
            let average = of("target: {averageValue: 10}");
            assert_eq!(targets(&average, &of("current: {averageValue: 5}")), "5/10 (avg)");
            assert_eq!(targets(&average, &of("")), "<unknown>/10 (avg)");
            let value = of("target: {value: 10k}");
            assert_eq!(targets(&value, &of("current: {value: 500m}")), "500m/10k");
            assert_eq!(targets(&value, ""), "<unknown>/10k");
            assert_eq!(targets(&value, &of("")), "<nil>/10k");
        }
        let pods = "{type: Pods, pods: {target: {averageValue: 3}}}";
        assert_eq!(targets(pods, "{pods: {current: {averageValue: 2}}}"), "2/3");
        assert_eq!(targets(pods, ""), "<unknown>/3");
        for (kind, field) in [("Resource", "resource"), ("ContainerResource", "containerResource")]
        {
            let of = |inner: &str| format!("{{type: {kind}, {field}: {{name: memory, {inner}}}}}");
            let average = of("target: {averageValue: 1Gi}");
            let current = of("current: {averageValue: 1Mi}");
            assert_eq!(targets(&average, &current), "memory: 1Mi/1Gi");
            assert_eq!(targets(&of("target: {}"), &current), "memory: <unknown>/<auto>");
        }
        assert_eq!(targets("{type: Other}", ""), "<unknown type>");
    }

    #[test]
    fn two_metrics_are_shown() {
        let pods = "{type: Pods, pods: {target: {averageValue: 3}}}";
        let two = "<unknown>/3, <unknown>/3";
        assert_eq!(targets(&format!("{pods}, {pods}"), ""), two);
        assert_eq!(targets(&format!("{pods}, {pods}, {pods}"), ""), format!("{two} + 1 more..."));
    }

    #[test]
    fn scales() {
        let text = "{spec: {replicas: 3}, status: {replicas: 2}}";
        assert_eq!(line(GROUP, "Scale", text), "a | 3 | 2 | 5m");
    }
}
