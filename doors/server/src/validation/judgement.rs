//! Validation of a change: reads its facts from the watch cache, records warnings and audit annotations.

use super::policy_rights;
use crate::app::resource_request::ResourceRequest;
use crate::status::StatusError;
use crate::validation::csr;
use ratchet_engine::pod_security::PodSecurityMetrics;
use ratchet_engine::{Change, Status};
use ratchet_object::{Node, Object};
use ratchet_pipeline::{FactsReader, gather, validate};
use std::time::{Duration, Instant};

/// The result of the engine's own plugins on a valid object. They count and deny at their place in the chain.
pub(crate) struct Judgement {
    /// The plugin that denies the change, and its error.
    pub(crate) denial: Option<(&'static str, StatusError)>,
    /// Pod Security metrics.
    pub(crate) pod_security: Vec<PodSecurityMetrics>,
    /// The duration of the validation.
    pub(crate) duration: Duration,
}

/// Validates a change and records its warnings; fails if it is invalid.
pub(crate) fn judge(
    request: &ResourceRequest<'_>,
    change: &Change<'_>,
) -> Result<Judgement, StatusError> {
    let app = request.app;
    let facts = gather(change, &app.api_config, &CachedFacts(request));
    let started = Instant::now();
    let mut verdict = validate(change, &facts.as_facts(), &app.api_config);
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

/// The facts of a request, from the watch cache.
struct CachedFacts<'a>(&'a ResourceRequest<'a>);

impl FactsReader for CachedFacts<'_> {
    fn namespace_labels(&self, _: &str) -> Option<Option<Node<'static>>> {
        let resource = self.0.app.registry.core("namespaces")?;
        // The namespace of the URL, which the object's own has been compared with.
        let namespace = resource.cache.get(&self.0.path.namespace)?.node();
        Some(namespace.find(&["metadata", "labels"]).cloned())
    }

    fn pods(&self, namespace: &str, limit: usize) -> Vec<Object<'static>> {
        let Some(resource) = self.0.app.registry.core("pods") else { return Vec::new() };
        let snapshot = resource.cache.now();
        let prefix = format!("{namespace}/");
        let pods = snapshot.within(&prefix).take(limit);
        pods.map(|item| {
            let mut node = item.node();
            node.set("kind", Node::string("Pod"));
            node.set("apiVersion", Node::string("v1"));
            Object::new(node)
        })
        .collect()
    }

    fn requester(&self) -> Option<&str> {
        Some(&self.0.user.name)
    }
}
