//! Defaults of HorizontalPodAutoscaler, in both of its versions.

use super::fields::{
    DefaultValue, FieldDefault, is_empty, is_nil, nil, pointer_field, put, set_defaults,
    struct_field,
};
use crate::{Limits, Node, decode};
use alloc::vec::Vec;

const SCALER: &[FieldDefault] = &[nil("minReplicas", DefaultValue::Int(1))];
const CPU_TARGET: &[FieldDefault] =
    &[nil("targetCPUUtilizationPercentage", DefaultValue::Int(CPU_PERCENT))];
const SCALE_UP: &[FieldDefault] = &[nil("stabilizationWindowSeconds", DefaultValue::Int(0))];
const SCALING: &[FieldDefault] = &[nil("selectPolicy", DefaultValue::Text("Max"))];
const BEHAVIOR: &[FieldDefault] =
    &[nil("scaleUp", DefaultValue::Map), nil("scaleDown", DefaultValue::Map)];

/// The target CPU utilization of an autoscaler without metrics.
const CPU_PERCENT: i64 = 80;
/// The annotation with the metrics that version 1 has no field for.
const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
/// The default scaling policies: type and value.
const UP: &[(&str, i64)] = &[("Pods", 4), ("Percent", 100)];
const DOWN: &[(&str, i64)] = &[("Percent", 100)];
const PERIOD_SECONDS: i64 = 15;

/// Defaults of the autoscaler in `autoscaling/v1`.
pub(super) fn scaler_v1(node: &mut Node<'_>) {
    let has_metrics = node.metadata().annotation(METRICS).is_some_and(lists_something);
    struct_field(node, "spec", |spec| set_defaults(spec, SCALER));
    if !has_metrics {
        struct_field(node, "spec", |spec| set_defaults(spec, CPU_TARGET));
    }
}

fn lists_something(text: &str) -> bool {
    let decoded = decode(text, Limits::DEFAULT);
    decoded.is_ok_and(|decoded_list| {
        decoded_list.documents.iter().any(|list| !list.items().is_empty())
    })
}

/// Defaults of the autoscaler in `autoscaling/v2`.
pub(super) fn scaler_v2(node: &mut Node<'_>) {
    struct_field(node, "spec", |spec| {
        set_defaults(spec, SCALER);
        if is_empty(spec, "metrics") {
            put(spec, "metrics", cpu_metrics());
        }
        pointer_field(spec, "behavior", behavior);
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

/// Rules that the client set keep their policies. The window for scaling down stays unset:
/// it is the controller's own setting.
fn behavior(behavior: &mut Node<'_>) {
    set_defaults(behavior, BEHAVIOR);
    pointer_field(behavior, "scaleUp", |rules| {
        set_defaults(rules, SCALE_UP);
        scaling(rules, UP);
    });
    pointer_field(behavior, "scaleDown", |rules| scaling(rules, DOWN));
}

fn scaling(rules: &mut Node<'_>, policies: &[(&'static str, i64)]) {
    set_defaults(rules, SCALING);
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
