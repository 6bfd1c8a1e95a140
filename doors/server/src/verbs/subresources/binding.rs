//! `pods/binding`: assigns a pod to a node.

use crate::admission::Chain;
use crate::app::resource_request::{HandlerResult, Reply, ResourceRequest};
use crate::registry::metadata;
use crate::request::ResourcePath;
use crate::request::body::ExpectedKind;
use crate::request::options::{OptionsKind, WriteOptions};
use crate::status::StatusError;
use crate::verbs::managed_fields::Tracking;
use crate::verbs::write::{self, Preconditions, set_namespace};
use ratchet_engine::Part;
use ratchet_object::{GroupVersionKind, Node};

const BINDING: ExpectedKind<'static> =
    ExpectedKind::of_kind(GroupVersionKind { group: "", version: "v1", kind: "Binding" });

/// Binds the pod in the URL.
pub(super) async fn bind(request: &ResourceRequest<'_>) -> HandlerResult {
    let options = WriteOptions::from_params(request.params, OptionsKind::Create)?;
    let binding = request.object_of(BINDING, options.fields)?;
    bind_to(request, binding, options.dry_run).await
}

/// Binds the pod that a Binding in the deprecated `bindings` collection names.
pub(crate) async fn bind_any(request: &ResourceRequest<'_>) -> HandlerResult {
    let options = WriteOptions::from_params(request.params, OptionsKind::Create)?;
    let binding = request.object_of(BINDING, options.fields)?;
    let Some(pods) = request.app.registry.core("pods") else {
        return Err(StatusError::no_resource());
    };
    let name = binding.text_at(&["metadata", "name"]).to_owned();
    let path = ResourcePath {
        resource: "pods".into(),
        name,
        subresource: "binding".into(),
        ..request.path.clone()
    };
    let pod = ResourceRequest { resource: &pods, path: &path, ..*request };
    bind_to(&pod, binding, options.dry_run).await
}

async fn bind_to(
    request: &ResourceRequest<'_>,
    mut binding: Node<'static>,
    dry_run: bool,
) -> HandlerResult {
    set_namespace(request, &mut binding)?;
    request.app.cache.fresh().await?;
    Chain::of(request.app).admit_body(request, BINDING.name(), &mut binding).await?;
    let binding = &binding;
    let name = request.path.name.as_str();
    let stated_name = binding.text_at(&["metadata", "name"]);
    if !stated_name.is_empty() && stated_name != name {
        return Err(StatusError::bad_request("name in URL does not match name in Binding object"));
    }
    check(binding)?;
    Chain::of(request.app).validate_body(request, BINDING.name(), binding).await?;
    let node_name = binding.text_at(&["target", "name"]).to_owned();
    let about = crate::status::About { group: "", resource: "pods/binding", name };
    let now = request.app.now();
    let edit = |old: &Node<'static>| {
        if metadata::is_terminating(old) {
            return Err(StatusError::conflict(
                about,
                &format!("pod {name} is being deleted, cannot be assigned to a host"),
            ));
        }
        let assigned = old.text_at(&["spec", "nodeName"]);
        if !assigned.is_empty() {
            return Err(StatusError::conflict(
                about,
                &format!("pod {name} is already assigned to node \"{assigned}\""),
            ));
        }
        if old.find(&["spec", "schedulingGates"]).is_some_and(|gates| !gates.items().is_empty()) {
            return Err(StatusError::conflict(
                about,
                &format!("pod {name} has non-empty .spec.schedulingGates"),
            ));
        }
        let mut new = old.clone();
        new.map_mut("spec").set("nodeName", Node::string(node_name.clone()));
        for member in ["annotations", "labels"] {
            let more = binding.find(&["metadata", member]).map(Node::entries).unwrap_or_default();
            for entry in more {
                new.map_mut("metadata").map_mut(member).set(entry.key.clone(), entry.node.clone());
            }
        }
        set_scheduled_condition(&mut new, &now);
        Ok((new, Preconditions::of(binding)))
    };
    write::change(request, Part::Sub("binding"), dry_run, Tracking::Done, edit).await?;
    Ok(Reply::json(
        201,
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}"#,
    ))
}

/// Validates a Binding; the reference reports errors without a `Status` reason.
fn check(binding: &Node<'_>) -> Result<(), StatusError> {
    let mut causes = Vec::new();
    let kind = binding.text_at(&["target", "kind"]);
    if !matches!(kind, "" | "Node") {
        let quoted = ratchet_net::Quoted(kind);
        causes.push(format!(
            r#"target.kind: Unsupported value: {quoted}: supported values: "Node", "<empty>""#
        ));
    }
    if binding.text_at(&["target", "name"]).is_empty() {
        causes.push("target.name: Required value".to_owned());
    }
    match causes.as_slice() {
        [] => Ok(()),
        [one] => Err(StatusError::unclassified(one.clone())),
        all => Err(StatusError::unclassified(format!("[{}]", all.join(", ")))),
    }
}

/// Sets the PodScheduled condition.
fn set_scheduled_condition(pod: &mut Node<'static>, now: &str) {
    let status = pod.map_mut("status");
    let mut conditions = status.remove("conditions").unwrap_or_else(|| Node::list(Vec::new()));
    let condition = Node::map([
        ("type", Node::string("PodScheduled")),
        ("status", Node::string("True")),
        ("lastProbeTime", Node::new(ratchet_object::Value::Null)),
        ("lastTransitionTime", Node::string(now.to_owned())),
    ]);
    if let Some(items) = conditions.items_mut() {
        items.retain(|item| item.text_at(&["type"]) != "PodScheduled");
        items.push(condition);
    }
    status.set("conditions", conditions);
}
