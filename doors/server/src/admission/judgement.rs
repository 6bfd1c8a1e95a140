//! Validation by the engine: collects the `Facts` it needs, records its warnings and annotations.

use super::policy_rights;
use crate::csr;
use crate::resource_request::ResourceRequest;
use crate::status::StatusError;
use ratchet_engine::pod_security::PodSecurityMetrics;
use ratchet_engine::{
    Change, EXISTING_PODS_BUDGET, Existing, Facts, Namespace, Status, judge as verdict_on, needs,
};
use ratchet_object::{Node, Object};
use std::time::{Duration, Instant};

/// The result of the engine's own plugins on a valid object. They count and deny at their place in the chain.
pub(super) struct Judgement {
    /// The plugin that denies the change, and its error.
    pub(super) denial: Option<(&'static str, StatusError)>,
    /// Pod Security metrics.
    pub(super) pod_security: Vec<PodSecurityMetrics>,
    /// The duration of the validation.
    pub(super) duration: Duration,
}

/// Validates a change and records its warnings; fails if it is invalid.
pub(super) async fn judge(
    request: &ResourceRequest<'_>,
    change: &Change<'_>,
) -> Result<Judgement, StatusError> {
    let app = request.app;
    let needs = needs(change, &app.api_config);
    let namespace = match needs.namespace {
        true => namespace_node(request),
        false => None,
    };
    let pods: Vec<Object<'static>> = match needs.existing_pods {
        true => pods_in(request, change.new_object().name()),
        false => Vec::new(),
    };
    let facts = Facts {
        namespace: match (needs.namespace, &namespace) {
            (false, _) => Namespace::NotNeeded,
            (true, Some(node)) => Namespace::Labels(node.find(&["metadata", "labels"])),
            (true, None) => Namespace::Missing(&request.path.namespace),
        },
        requester: needs.requester.then_some(request.user.name.as_str()),
        existing_pods: Existing::Pods { pods: pods.iter().collect(), budget: EXISTING_PODS_BUDGET },
    };
    let started = Instant::now();
    let mut verdict = verdict_on(change, &facts, &app.api_config);
    ratchet_policy::validate(change, &app.api_config, &mut verdict);
    csr::check(change, &app.api_config, &mut verdict);
    policy_rights::check(request, change, &mut verdict);
    let duration = started.elapsed();
    for warning in &verdict.warnings {
        request.warnings.add(warning.text.clone());
    }
    for (key, text) in &verdict.audit {
        request.audit.annotate(*key, text.clone());
    }
    let error: Option<StatusError> = Status::of(&verdict, change).map(Into::into);
    let plugin = verdict.denial.as_ref().filter(|_| verdict.errors.is_empty());
    let plugin = plugin.map(|denial| match denial.rule.id.starts_with("RTC-PSA") {
        true => "PodSecurity",
        false => "DenyServiceExternalIPs",
    });
    let denial = match (error, plugin) {
        (Some(error), None) => return Err(error),
        (error, plugin) => plugin.zip(error),
    };
    Ok(Judgement { denial, pod_security: verdict.metrics, duration })
}

fn namespace_node(request: &ResourceRequest<'_>) -> Option<Node<'static>> {
    let resource = request.app.registry.core("namespaces")?;
    Some(resource.cache.get(&request.path.namespace)?.node())
}

/// The pods of a namespace whose Pod Security labels change.
fn pods_in(request: &ResourceRequest<'_>, namespace: &str) -> Vec<Object<'static>> {
    let Some(resource) = request.app.registry.core("pods") else { return Vec::new() };
    let snapshot = resource.cache.now();
    let prefix = format!("{namespace}/");
    let pods = snapshot.within(&prefix).take(EXISTING_PODS_BUDGET);
    pods.map(|item| {
        let mut node = item.node();
        node.set("kind", Node::string("Pod"));
        node.set("apiVersion", Node::string("v1"));
        Object::new(node)
    })
    .collect()
}
