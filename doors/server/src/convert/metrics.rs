//! The metrics of HorizontalPodAutoscalers: `autoscaling/v1` and `v2` put the same members at different places.

use ratchet_object::{Node, Value};

/// One member of a metric in v1, and where it stands in v2.
pub(super) struct Member {
    old: &'static str,
    new: &'static [&'static str],
    /// Whether v1 writes a quantity even where there is none.
    always: bool,
}

const fn member(old: &'static str, new: &'static [&'static str]) -> Member {
    Member { old, new, always: false }
}

const fn always(old: &'static str, new: &'static [&'static str]) -> Member {
    Member { old, new, always: true }
}

/// The sorts of metric, by the member that holds them, with their members in the order of v1.
pub(super) type Sorts = &'static [(&'static str, &'static [Member])];

/// What a scaler aims at.
pub(super) const WANTED: Sorts = &[
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

/// What a scaler has seen.
pub(super) const SEEN: Sorts = &[
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

/// A metric of v2, as v1 writes it.
pub(super) fn old_metric(metric: &Node<'static>, sorts: Sorts) -> Node<'static> {
    let mut old = Node::map([("type", Node::string(metric.text_at(&["type"]).to_owned()))]);
    for (sort, members) in sorts {
        let Some(source) = metric.get(sort) else { continue };
        let mut inner = Node::empty_map();
        for member in *members {
            let value = source.find(member.new).cloned();
            let value = value.or_else(|| member.always.then(|| Node::string("0")));
            if let Some(value) = value {
                inner.set(member.old, value);
            }
        }
        old.set(*sort, inner);
    }
    old
}

/// A list of metrics of v1, as v2 writes them; none if there is something else in the list.
pub(super) fn new_metrics(list: &Node<'static>, sorts: Sorts) -> Option<Vec<Node<'static>>> {
    list.items().iter().map(|metric| new_metric(metric, sorts)).collect()
}

fn new_metric(metric: &Node<'static>, sorts: Sorts) -> Option<Node<'static>> {
    let mut new = Node::map([("type", metric.get("type")?.clone())]);
    for (sort, members) in sorts {
        let Some(source) = metric.get(sort).filter(|source| !source.is_null()) else { continue };
        let Value::Map(_) = source.value else { return None };
        let mut inner = Node::empty_map();
        for member in *members {
            let Some(value) = source.get(member.old).filter(|value| !value.is_null()) else {
                continue;
            };
            match member.new {
                [name] => inner.set(*name, value.clone()),
                [outer, name] => inner.below(outer).set(*name, value.clone()),
                _ => {}
            }
        }
        if let Some(target) = inner.get_mut("target") {
            set_type(target, sort);
        }
        new.set(*sort, inner);
    }
    Some(new)
}

/// v1 does not say of which type a target is: what is there tells it.
fn set_type(target: &mut Node<'static>, sort: &str) {
    let has = |name: &str| target.get(name).is_some();
    let word = match sort {
        _ if has("averageUtilization") => "Utilization",
        "object" if !has("averageValue") => "Value",
        "external" if has("value") => "Value",
        _ => "AverageValue",
    };
    if word == "AverageValue" && sort == "object" && target.text_at(&["value"]) == "0" {
        target.remove("value");
    }
    target.set("type", Node::string(word));
}
