//! `scale`: the replica count of workloads as an `autoscaling/v1` Scale.

use crate::body::ExpectedKind;
use crate::cache::Item;
use crate::resource_request::{HandlerResult, Reply, ResourceRequest};
use crate::status::StatusError;
use crate::verbs::update_body::UpdateBody;
use crate::write;
use ratchet_engine::Part;
use ratchet_object::{Entry, Node};
use std::sync::Arc;

const SCALE: ExpectedKind<'static> =
    ExpectedKind { group: "autoscaling", version: "v1", kind: "Scale" };

/// Handles a request for the scale of an object.
pub(super) async fn answer(request: &ResourceRequest<'_>, verb: &str) -> HandlerResult {
    let item = match verb {
        "get" => request.current().await?,
        _ => save(request, verb).await?,
    };
    Ok(Reply::json(200, scale_from(&write::to_request_version(request, &item)).to_json()))
}

async fn save(request: &ResourceRequest<'_>, verb: &str) -> Result<Arc<Item>, StatusError> {
    let sent = UpdateBody::decode(request, verb, SCALE)?;
    let edit = |old: &Node<'static>| {
        let (scale, conditions) = sent.apply_to(request, &scale_from(old))?;
        check(request, &scale)?;
        let mut new = old.clone();
        let replicas = scale.find(&["spec", "replicas"]).and_then(Node::as_int).unwrap_or(0);
        new.map_mut("spec").set("replicas", Node::int(replicas));
        Ok((new, conditions))
    };
    write::change(request, Part::Sub("scale"), sent.dry_run, edit).await
}

fn check(request: &ResourceRequest<'_>, scale: &Node<'_>) -> Result<(), StatusError> {
    let replicas = scale.find(&["spec", "replicas"]).and_then(Node::as_int).unwrap_or(0);
    if replicas >= 0 {
        return Ok(());
    }
    let cause = ratchet_engine::StatusCause {
        reason: "FieldValueInvalid",
        message: format!("Invalid value: {replicas}: must be greater than or equal to 0"),
        field: "spec.replicas".into(),
    };
    Err(StatusError::invalid_object("Scale", "autoscaling", &request.path.name, vec![cause]))
}

pub(crate) fn scale_from(object: &Node<'static>) -> Node<'static> {
    let from = |name: &str| object.find(&["metadata", name]).cloned();
    let names = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"];
    let metadata = names.into_iter().filter_map(|name| Some((name, from(name)?)));
    let count = |side: &str| object.find(&[side, "replicas"]).and_then(Node::as_int).unwrap_or(0);
    let mut status = Node::map([("replicas", Node::int(count("status")))]);
    let selector = selector_text(object);
    if !selector.is_empty() {
        status.set("selector", Node::string(selector));
    }
    let mut spec = Node::empty_map();
    if count("spec") != 0 {
        spec.set("replicas", Node::int(count("spec")));
    }
    Node::map([
        ("kind", Node::string("Scale")),
        ("apiVersion", Node::string("autoscaling/v1")),
        ("metadata", Node::map(metadata)),
        ("spec", spec),
        ("status", status),
    ])
}

/// The selector of a workload in query syntax.
fn selector_text(object: &Node<'_>) -> String {
    let Some(selector) = object.find(&["spec", "selector"]) else { return String::new() };
    let is_plain =
        selector.get("matchLabels").is_none() && selector.get("matchExpressions").is_none();
    let labels = if is_plain { Some(selector) } else { selector.get("matchLabels") };
    let equal =
        |entry: &Entry<'_>| format!("{}={}", entry.key, entry.node.text().unwrap_or_default());
    let mut parts: Vec<String> =
        labels.map(Node::entries).unwrap_or_default().iter().map(equal).collect();
    for expression in selector.get("matchExpressions").map(Node::items).unwrap_or_default() {
        let key = expression.text_at(&["key"]);
        let values: Vec<&str> = expression
            .get("values")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Node::text)
            .collect();
        let values = values.join(",");
        parts.push(match expression.text_at(&["operator"]) {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        });
    }
    parts.sort();
    parts.join(",")
}
