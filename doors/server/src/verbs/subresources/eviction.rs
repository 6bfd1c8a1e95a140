//! `pods/eviction`: deletes a pod if its disruption budget allows it.

use crate::admission::Chain;
use crate::app::resource_request::{HandlerResult, Reply, ResourceRequest};
use crate::request::body::ExpectedKind;
use crate::request::options::{DeleteOptions, DeleteScope, OptionsKind, WriteOptions};
use crate::status::StatusError;
use crate::storage::cache::storable;
use crate::verbs::delete;
use crate::verbs::write::set_namespace;
use ratchet_object::selector::LabelSelector;
use ratchet_object::{GroupVersionKind, Node};
use ratchet_store::{Commit, Guard, Operation, Revision, Write};
use std::sync::Arc;

const EVICTION: ExpectedKind<'static> =
    ExpectedKind::of_kind(GroupVersionKind { group: "policy", version: "v1", kind: "Eviction" });

/// Evicts the pod.
pub(super) async fn evict(request: &ResourceRequest<'_>) -> HandlerResult {
    let options = WriteOptions::from_params(request.params, OptionsKind::Create)?;
    let mut eviction = request.object_of(EVICTION, options.fields)?;
    set_namespace(request, &mut eviction)?;
    request.app.cache.fresh().await?;
    Chain::of(request.app).admit_body(request, EVICTION.name(), &mut eviction).await?;
    if eviction.text_at(&["metadata", "name"]) != request.path.name {
        return Err(StatusError::bad_request("name in URL does not match name in Eviction object"));
    }
    Chain::of(request.app).validate_body(request, EVICTION.name(), &eviction).await?;
    let nothing = Node::empty_map();
    let delete_options = eviction.get("deleteOptions").unwrap_or(&nothing);
    let mut wanted = DeleteOptions::parse(request.params, Some(delete_options))?;
    wanted.dry_run |= options.dry_run;
    // The policies have seen the eviction; the reference does not evaluate the deletion too.
    wanted.scope = DeleteScope::None;
    let pod = request.current().await?.node();
    if !is_disposable(&pod) {
        consume_budget(request, &pod, wanted.dry_run).await?;
    }
    delete::remove(request, &wanted).await?;
    Ok(Reply::json(
        201,
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}"#,
    ))
}

/// Whether a pod is terminal, pending or terminating: its eviction needs no budget.
fn is_disposable(pod: &Node<'_>) -> bool {
    matches!(pod.text_at(&["status", "phase"]), "Succeeded" | "Failed" | "Pending")
        || crate::registry::metadata::is_terminating(pod)
}

fn is_ready(pod: &Node<'_>) -> bool {
    let conditions = pod.find(&["status", "conditions"]).map(Node::items).unwrap_or_default();
    conditions
        .iter()
        .any(|item| item.text_at(&["type"]) == "Ready" && item.text_at(&["status"]) == "True")
}

async fn consume_budget(
    request: &ResourceRequest<'_>,
    pod: &Node<'_>,
    dry_run: bool,
) -> Result<(), StatusError> {
    let Some(budgets) = request.app.registry.find("policy", "v1", "poddisruptionbudgets") else {
        return Ok(());
    };
    for _ in 0..16 {
        request.app.cache.fresh().await?;
        let prefix = format!("{}/", request.path.namespace);
        let snapshot = budgets.cache.now();
        if let Some(found) = snapshot.unreadable_within(&prefix) {
            return Err(found.into());
        }
        let mut budgets_of_pod: Vec<(Arc<crate::storage::cache::Item>, Node<'static>)> = Vec::new();
        for item in snapshot.within(&prefix) {
            let node = item.node();
            if selects(&node, pod) {
                budgets_of_pod.push((item.clone(), node));
            }
        }
        let (item, budget) = match budgets_of_pod.as_slice() {
            [] => return Ok(()),
            [one] => one,
            _ => {
                return Err(StatusError::unclassified(
                    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
                ));
            }
        };
        let number =
            |name: &str| budget.find(&["status", name]).and_then(Node::as_int).unwrap_or(0);
        if !is_ready(pod) {
            let always = budget.text_at(&["spec", "unhealthyPodEvictionPolicy"]) == "AlwaysAllow";
            let healthy = number("currentHealthy") >= number("desiredHealthy")
                && number("desiredHealthy") > 0;
            if always || healthy {
                return Ok(());
            }
        }
        if number("observedGeneration")
            < budget.find(&["metadata", "generation"]).and_then(Node::as_int).unwrap_or(0)
        {
            let text = "is still being processed by the server.";
            return Err(too_many(budget, text).retry_in(10));
        }
        if number("disruptionsAllowed") <= 0 {
            return Err(too_many(budget, &denial_reason(budget)));
        }
        if dry_run {
            return Ok(());
        }
        let mut spent = budget.clone();
        let status = spent.map_mut("status");
        status.set("disruptionsAllowed", Node::int(number("disruptionsAllowed") - 1));
        status
            .map_mut("disruptedPods")
            .set(request.path.name.clone(), Node::string(request.app.now()));
        let write = Write {
            key: budgets.key(&request.path.namespace, budget.text_at(&["metadata", "name"])),
            guard: Guard::At(Revision(item.revision)),
            act: Operation::Put { value: storable(&spent)?.bytes(), lives: None },
        };
        if let Commit::Done(_) = request.app.cache.commit(vec![write]).await? {
            return Ok(());
        }
    }
    Err(StatusError::modified(request.resource.about(&request.path.name)))
}

/// Why a budget allows no disruption, as a sentence fragment after its name.
fn denial_reason(budget: &Node<'_>) -> String {
    let number = |name: &str| budget.find(&["status", name]).and_then(Node::as_int).unwrap_or(0);
    let conditions = budget.find(&["status", "conditions"]).map(Node::items).unwrap_or_default();
    let condition = conditions.iter().find(|item| {
        item.text_at(&["type"]) == "DisruptionAllowed"
            && item.text_at(&["status"]) == "False"
            && !item.text_at(&["message"]).is_empty()
    });
    let condition = condition.map(|item| (item.text_at(&["reason"]), item.text_at(&["message"])));
    match condition {
        Some(("SyncFailed", text)) => {
            format!("does not allow evicting pods currently because it failed sync: {text}")
        }
        _ if number("currentHealthy") <= number("desiredHealthy") => format!(
            "needs {} healthy pods and has {} currently",
            number("desiredHealthy"),
            number("currentHealthy")
        ),
        Some((reason, text)) => {
            format!("does not allow evicting pods currently ({reason}): {text}")
        }
        None => "does not allow evicting pods currently".to_owned(),
    }
}

fn too_many(budget: &Node<'_>, text: &str) -> StatusError {
    let name = budget.text_at(&["metadata", "name"]);
    let error = StatusError::too_many_requests(
        "Cannot evict pod as it would violate the pod's disruption budget.",
    );
    error.because("DisruptionBudget", "", format!("The disruption budget {name} {text}"))
}

fn selects(budget: &Node<'_>, pod: &Node<'_>) -> bool {
    let Some(selector) = budget.find(&["spec", "selector"]) else { return false };
    let Ok(selector) = LabelSelector::from_tree(Some(selector)) else { return false };
    selector.matches_object(pod)
}
