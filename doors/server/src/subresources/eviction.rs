//! `eviction`: a pod is deleted if its disruption budget allows it.

use crate::body::Wanted;
use crate::cache::storable;
use crate::call::{Answered, Call, Reply};
use crate::options::{Asked, DeleteOptions, OptionsKind, WriteOptions};
use crate::refusal::Refusal;
use crate::verbs::delete;
use ratchet_object::Node;
use ratchet_object::selector::LabelSelector;
use ratchet_store::{Act, Commit, Guard, Revision, Write};
use std::sync::Arc;

const EVICTION: Wanted<'static> = Wanted { group: "policy", version: "v1", kind: "Eviction" };

/// Evicts the pod.
pub(super) async fn evict(call: &Call<'_>) -> Answered {
    let options = WriteOptions::read(call.params, OptionsKind::Create)?;
    let eviction = call.object_of(EVICTION, options.fields)?;
    if eviction.text_at(&["metadata", "name"]) != call.place.name {
        return Err(Refusal::bad_request("name in URL does not match name in Eviction object"));
    }
    call.app.cache.fresh().await?;
    crate::admission::on_part(call, &eviction)?;
    crate::admission::on_sent(call, EVICTION.name(), &eviction).await?;
    let nothing = Node::empty_map();
    let asked = eviction.get("deleteOptions").unwrap_or(&nothing);
    let mut wanted = DeleteOptions::read(call.params, Some(asked))?;
    wanted.dry_run |= options.dry_run;
    // An eviction is not also a deletion: the reference asks once.
    wanted.asked = Asked::Nobody;
    let pod = call.current().await?.node();
    if !is_disposable(&pod) {
        spend_budget(call, &pod, wanted.dry_run).await?;
    }
    delete::remove(call, &wanted).await?;
    Ok(Reply::json(
        201,
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}"#,
    ))
}

/// Pods that are over or have not begun disturb nobody.
fn is_disposable(pod: &Node<'_>) -> bool {
    matches!(pod.text_at(&["status", "phase"]), "Succeeded" | "Failed" | "Pending")
        || crate::lifecycle::metadata::is_terminating(pod)
}

fn is_ready(pod: &Node<'_>) -> bool {
    let conditions = pod.find(&["status", "conditions"]).map(Node::items).unwrap_or_default();
    conditions
        .iter()
        .any(|item| item.text_at(&["type"]) == "Ready" && item.text_at(&["status"]) == "True")
}

async fn spend_budget(call: &Call<'_>, pod: &Node<'_>, dry_run: bool) -> Result<(), Refusal> {
    let Some(budgets) = call.app.registry.find("policy", "v1", "poddisruptionbudgets").cloned()
    else {
        return Ok(());
    };
    for _ in 0..16 {
        call.app.cache.fresh().await?;
        let prefix = format!("{}/", call.place.namespace);
        let snapshot = budgets.shelf.now();
        if let Some(found) = snapshot.unreadable_within(&prefix) {
            return Err(found.into());
        }
        let mut guarding: Vec<(Arc<crate::cache::Item>, Node<'static>)> = Vec::new();
        for item in snapshot.within(&prefix) {
            let node = item.node();
            if selects(&node, pod) {
                guarding.push((item.clone(), node));
            }
        }
        let (item, budget) = match guarding.as_slice() {
            [] => return Ok(()),
            [one] => one,
            _ => {
                return Err(Refusal::unclassified(
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
            return Err(too_many(budget, &why_not(budget)));
        }
        if dry_run {
            return Ok(());
        }
        let mut spent = budget.clone();
        let status = spent.below("status");
        status.set("disruptionsAllowed", Node::int(number("disruptionsAllowed") - 1));
        status.below("disruptedPods").set(call.place.name.clone(), Node::string(call.app.now()));
        let write = Write {
            key: budgets.key(&call.place.namespace, budget.text_at(&["metadata", "name"])),
            guard: Guard::At(Revision(item.revision)),
            act: Act::Put { value: storable(spent)?.bytes(), lives: None },
        };
        if let Commit::Done(revision) = call.app.cache.store().commit(vec![write]).await? {
            call.app.cache.wait_for(revision.0).await?;
            return Ok(());
        }
    }
    Err(Refusal::modified(call.served.about(&call.place.name)))
}

/// Why a budget allows nothing now, as the end of a sentence that begins with its name.
fn why_not(budget: &Node<'_>) -> String {
    let number = |name: &str| budget.find(&["status", name]).and_then(Node::as_int).unwrap_or(0);
    let conditions = budget.find(&["status", "conditions"]).map(Node::items).unwrap_or_default();
    let told = conditions.iter().find(|item| {
        item.text_at(&["type"]) == "DisruptionAllowed"
            && item.text_at(&["status"]) == "False"
            && !item.text_at(&["message"]).is_empty()
    });
    let told = told.map(|item| (item.text_at(&["reason"]), item.text_at(&["message"])));
    match told {
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

fn too_many(budget: &Node<'_>, text: &str) -> Refusal {
    let name = budget.text_at(&["metadata", "name"]);
    let refusal = Refusal::too_many_requests(
        "Cannot evict pod as it would violate the pod's disruption budget.",
    );
    refusal.because("DisruptionBudget", "", format!("The disruption budget {name} {text}"))
}

fn selects(budget: &Node<'_>, pod: &Node<'_>) -> bool {
    let Some(selector) = budget.find(&["spec", "selector"]) else { return false };
    let Ok(selector) = LabelSelector::from_tree(Some(selector)) else { return false };
    selector.matches_object(pod)
}
