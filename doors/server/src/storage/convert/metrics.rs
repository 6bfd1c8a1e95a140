//! HorizontalPodAutoscaler metrics: the field paths in `autoscaling/v1` annotations and in `v2`.

use ratchet_object::{Node, Value};

/// A field of a metric in v1, and its path in v2.
pub(super) struct Member {
    old: &'static str,
    new: &'static [&'static str],
    /// Whether v1 writes a zero quantity if the field is absent.
    always: bool,
}

const fn member(old: &'static str, new: &'static [&'static str]) -> Member {
    Member { old, new, always: false }
}

const fn always(old: &'static str, new: &'static [&'static str]) -> Member {
    Member { old, new, always: true }
}

/// The metric types by field name, with their fields in the order of v1.
pub(super) type MetricTypes = &'static [(&'static str, &'static [Member])];

/// `spec.metrics`.
pub(super) const TARGETS: MetricTypes = &[
    (
        "object",
        &[
            member("target", &["describedObject"]),
            member("metricName", &["metric", "name"]),
            always("targetValue", &["target", "value"]),
            member("selector", &["metric", "selector"]),
            member("averageValue", &["target", "averageValue"]),
        ],
    ),
    (
        "pods",
        &[
            member("metricName", &["metric", "name"]),
            always("targetAverageValue", &["target", "averageValue"]),
            member("selector", &["metric", "selector"]),
        ],
    ),
    (
        "resource",
        &[
            member("name", &["name"]),
            member("targetAverageUtilization", &["target", "averageUtilization"]),
            member("targetAverageValue", &["target", "averageValue"]),
        ],
    ),
    (
        "containerResource",
        &[
            member("name", &["name"]),
            member("targetAverageUtilization", &["target", "averageUtilization"]),
            member("targetAverageValue", &["target", "averageValue"]),
            member("container", &["container"]),
        ],
    ),
    (
        "external",
        &[
            member("metricName", &["metric", "name"]),
            member("metricSelector", &["metric", "selector"]),
            member("targetValue", &["target", "value"]),
            member("targetAverageValue", &["target", "averageValue"]),
        ],
    ),
];

/// `status.currentMetrics`.
pub(super) const CURRENT: MetricTypes = &[
    (
        "object",
        &[
            member("target", &["describedObject"]),
            member("metricName", &["metric", "name"]),
            always("currentValue", &["current", "value"]),
            member("selector", &["metric", "selector"]),
            member("averageValue", &["current", "averageValue"]),
        ],
    ),
    (
        "pods",
        &[
            member("metricName", &["metric", "name"]),
            always("currentAverageValue", &["current", "averageValue"]),
            member("selector", &["metric", "selector"]),
        ],
    ),
    (
        "resource",
        &[
            member("name", &["name"]),
            member("currentAverageUtilization", &["current", "averageUtilization"]),
            always("currentAverageValue", &["current", "averageValue"]),
        ],
    ),
    (
        "containerResource",
        &[
            member("name", &["name"]),
            member("currentAverageUtilization", &["current", "averageUtilization"]),
            always("currentAverageValue", &["current", "averageValue"]),
            member("container", &["container"]),
        ],
    ),
    (
        "external",
        &[
            member("metricName", &["metric", "name"]),
            member("metricSelector", &["metric", "selector"]),
            always("currentValue", &["current", "value"]),
            member("currentAverageValue", &["current", "averageValue"]),
        ],
    ),
];

/// Converts a metric from v2 to v1.
pub(super) fn old_metric(metric: &Node<'static>, types: MetricTypes) -> Node<'static> {
    let mut old = Node::map([("type", Node::string(metric.text_at(&["type"]).to_owned()))]);
    for (metric_type, members) in types {
        let Some(source) = metric.get(metric_type) else { continue };
        let mut inner = Node::empty_map();
        for member in *members {
            let value = source.find(member.new).cloned();
            let value = value.or_else(|| member.always.then(|| Node::string("0")));
            if let Some(value) = value {
                inner.set(member.old, value);
            }
        }
        old.set(*metric_type, inner);
    }
    old
}

/// Converts a list of metrics from v1 to v2; none if an item is not a metric.
pub(super) fn new_metrics(list: &Node<'static>, types: MetricTypes) -> Option<Vec<Node<'static>>> {
    list.items().iter().map(|metric| new_metric(metric, types)).collect()
}

fn new_metric(metric: &Node<'static>, types: MetricTypes) -> Option<Node<'static>> {
    let mut new = Node::map([("type", metric.get("type")?.clone())]);
    for (metric_type, members) in types {
        let Some(source) = metric.get(metric_type).filter(|source| !source.is_null()) else {
            continue;
        };
        let Value::Map(_) = source.value else { return None };
        let mut inner = Node::empty_map();
        for member in *members {
            let Some(value) = source.get(member.old).filter(|value| !value.is_null()) else {
                continue;
            };
            match member.new {
                [name] => inner.set(*name, value.clone()),
                [outer, name] => inner.map_mut(outer).set(*name, value.clone()),
                _ => {}
            }
        }
        if let Some(target) = inner.get_mut("target") {
            set_type(target, metric_type);
        }
        new.set(*metric_type, inner);
    }
    Some(new)
}

/// Sets the target type, which v1 does not have, by the fields that are present.
fn set_type(target: &mut Node<'static>, metric_type: &str) {
    let has = |name: &str| target.get(name).is_some();
    let target_type = match metric_type {
        _ if has("averageUtilization") => "Utilization",
        "object" if !has("averageValue") => "Value",
        "external" if has("value") => "Value",
        _ => "AverageValue",
    };
    if target_type == "AverageValue" && metric_type == "object" && target.text_at(&["value"]) == "0"
    {
        target.remove("value");
    }
    target.set("type", Node::string(target_type));
}
