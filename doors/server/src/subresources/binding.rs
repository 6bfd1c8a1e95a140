//! `binding`: a pod is given its node.

use crate::body::Wanted;
use crate::call::{Answered, Call, Reply};
use crate::lifecycle::metadata;
use crate::options::{OptionsKind, WriteOptions};
use crate::refusal::Refusal;
use crate::request::Place;
use crate::write::{self, Preconditions};
use ratchet_engine::Part;
use ratchet_object::Node;

const BINDING: Wanted<'static> = Wanted { group: "", version: "v1", kind: "Binding" };

/// Binds the pod in the URL, or the pod that the Binding names.
pub(super) async fn bind(call: &Call<'_>) -> Answered {
    let options = WriteOptions::read(call.params, OptionsKind::Create)?;
    let binding = call.object_of(BINDING, options.fields)?;
    bind_to(call, &binding, options.dry_run).await
}

/// Binds the pod that a Binding in the old collection names.
pub(crate) async fn bind_any(call: &Call<'_>) -> Answered {
    let options = WriteOptions::read(call.params, OptionsKind::Create)?;
    let binding = call.object_of(BINDING, options.fields)?;
    let Some(pods) = call.app.registry.core("pods") else { return Err(Refusal::no_resource()) };
    let name = binding.text_at(&["metadata", "name"]).to_owned();
    let place = Place {
        resource: "pods".into(),
        name,
        subresource: "binding".into(),
        ..call.place.clone()
    };
    let pod = Call { served: pods, place: &place, ..*call };
    bind_to(&pod, &binding, options.dry_run).await
}

async fn bind_to(call: &Call<'_>, binding: &Node<'static>, dry_run: bool) -> Answered {
    let name = call.place.name.as_str();
    let said = binding.text_at(&["metadata", "name"]);
    if !said.is_empty() && said != name {
        return Err(Refusal::bad_request("name in URL does not match name in Binding object"));
    }
    check(binding)?;
    crate::admission::on_sent(call, BINDING.name(), binding).await?;
    let node_name = binding.text_at(&["target", "name"]).to_owned();
    let about = crate::refusal::About { group: "", resource: "pods/binding", name };
    let now = call.app.now();
    let edit = |old: &Node<'static>| {
        if metadata::is_terminating(old) {
            return Err(Refusal::conflict(
                about,
                &format!("pod {name} is being deleted, cannot be assigned to a host"),
            ));
        }
        let assigned = old.text_at(&["spec", "nodeName"]);
        if !assigned.is_empty() {
            return Err(Refusal::conflict(
                about,
                &format!("pod {name} is already assigned to node \"{assigned}\""),
            ));
        }
        if old.find(&["spec", "schedulingGates"]).is_some_and(|gates| !gates.items().is_empty()) {
            return Err(Refusal::conflict(
                about,
                &format!("pod {name} has non-empty .spec.schedulingGates"),
            ));
        }
        let mut new = old.clone();
        new.below("spec").set("nodeName", Node::string(node_name.clone()));
        for member in ["annotations", "labels"] {
            let more = binding.find(&["metadata", member]).map(Node::entries).unwrap_or_default();
            for entry in more {
                new.below("metadata").below(member).set(entry.key.clone(), entry.node.clone());
            }
        }
        scheduled(&mut new, &now);
        Ok((new, Preconditions::of(binding)))
    };
    write::change(call, Part::Sub("binding"), dry_run, edit).await?;
    Ok(Reply::json(
        201,
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}"#,
    ))
}

/// Nobody makes a proper refusal of what is wrong with a Binding.
fn check(binding: &Node<'_>) -> Result<(), Refusal> {
    let mut causes = Vec::new();
    let kind = binding.text_at(&["target", "kind"]);
    if !matches!(kind, "" | "Node") {
        let shown = ratchet_net::Quoted(kind);
        causes.push(format!(
            r#"target.kind: Unsupported value: {shown}: supported values: "Node", "<empty>""#
        ));
    }
    if binding.text_at(&["target", "name"]).is_empty() {
        causes.push("target.name: Required value".to_owned());
    }
    match causes.as_slice() {
        [] => Ok(()),
        [one] => Err(Refusal::unclassified(one.clone())),
        all => Err(Refusal::unclassified(format!("[{}]", all.join(", ")))),
    }
}

/// The condition that a pod has got its node.
fn scheduled(pod: &mut Node<'static>, now: &str) {
    let status = pod.below("status");
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
