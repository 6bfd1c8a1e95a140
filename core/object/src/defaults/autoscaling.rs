//! HorizontalPodAutoscaler, in both of its versions.

use super::fill::{Fill, Gap, fill, inside, is_empty, is_nil, nil, put, within};
use crate::{Limits, Node, decode};
use alloc::vec::Vec;

const SCALER: &[Gap] = &[nil("minReplicas", Fill::Int(1))];
const CPU_TARGET: &[Gap] = &[nil("targetCPUUtilizationPercentage", Fill::Int(CPU_PERCENT))];
const SCALE_UP: &[Gap] = &[nil("stabilizationWindowSeconds", Fill::Int(0))];
const SCALING: &[Gap] = &[nil("selectPolicy", Fill::Text("Max"))];
const BEHAVIOR: &[Gap] = &[nil("scaleUp", Fill::Map), nil("scaleDown", Fill::Map)];

/// The use of processors that an autoscaler aims at if it is told nothing.
const CPU_PERCENT: i64 = 80;
/// Where version 1 keeps the metrics that it has no field for.
const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
/// What may change in how many seconds.
const UP: &[(&str, i64)] = &[("Pods", 4), ("Percent", 100)];
const DOWN: &[(&str, i64)] = &[("Percent", 100)];
const PERIOD_SECONDS: i64 = 15;

/// Version 1.
pub(super) fn scaler_v1(node: &mut Node<'_>) {
    let has_metrics = node
        .find(&["metadata", "annotations", METRICS])
        .and_then(Node::text)
        .is_some_and(lists_something);
    inside(node, "spec", |spec| fill(spec, SCALER));
    if !has_metrics {
        inside(node, "spec", |spec| fill(spec, CPU_TARGET));
    }
}

fn lists_something(text: &str) -> bool {
    let decoded = decode(text, Limits::DEFAULT);
    decoded.is_ok_and(|found| found.documents.iter().any(|list| !list.items().is_empty()))
}

/// Version 2.
pub(super) fn scaler_v2(node: &mut Node<'_>) {
    inside(node, "spec", |spec| {
        fill(spec, SCALER);
        if is_empty(spec, "metrics") {
            put(spec, "metrics", cpu_metrics());
        }
        within(spec, "behavior", behavior);
    });
}

fn cpu_metrics<'t>() -> Node<'t> {
    let target = Node::map([
        ("type", Node::string("Utilization")),
        ("averageUtilization", Node::int(CPU_PERCENT)),
    ]);
    let cpu = Node::map([("name", Node::string("cpu")), ("target", target)]);
    let metric = Node::map([("type", Node::string("Resource")), ("resource", cpu)]);
    Node::list(alloc::vec![metric])
}

/// Who says something about the behavior has said all of it. The window for scaling down stays open:
/// it is the controller's own setting.
fn behavior(behavior: &mut Node<'_>) {
    fill(behavior, BEHAVIOR);
    within(behavior, "scaleUp", |rules| {
        fill(rules, SCALE_UP);
        scaling(rules, UP);
    });
    within(behavior, "scaleDown", |rules| scaling(rules, DOWN));
}

fn scaling(rules: &mut Node<'_>, policies: &[(&'static str, i64)]) {
    fill(rules, SCALING);
    if is_nil(rules, "policies") {
        let policies: Vec<_> = policies.iter().map(|(kind, value)| policy(kind, *value)).collect();
        put(rules, "policies", Node::list(policies));
    }
}

fn policy<'t>(kind: &'static str, value: i64) -> Node<'t> {
    Node::map([
        ("type", Node::string(kind)),
        ("value", Node::int(value)),
        ("periodSeconds", Node::int(PERIOD_SECONDS)),
    ])
}
