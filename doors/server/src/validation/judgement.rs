//! Validation of a change: reads its facts from the watch cache, records warnings and audit annotations.

use super::policy_rights;
use crate::app::request_cluster::RequestCluster;
use crate::app::resource_request::ResourceRequest;
use crate::status::StatusError;
use crate::validation::csr;
use ratchet_engine::pod_security::PodSecurityMetrics;
use ratchet_engine::{Change, Status};
use ratchet_object::Kind;
use ratchet_pipeline::gather;
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
    let cluster = RequestCluster::new(app, request.user);
    let facts = gather(change, &app.api_config, &cluster, Some(&request.user.name));
    let started = Instant::now();
    let object_type = request.resource.object_type();
    let mut verdict = object_type.validate(change, &facts.as_facts(), &app.api_config);
    csr::check(change, &app.api_config, &mut verdict);
    policy_rights::check(request, change, &mut verdict);
    let duration = started.elapsed();
    for warning in &verdict.warnings {
        request.warnings.add(warning.text.clone());
    }
    for (key, text) in &verdict.audit {
        request.audit.annotate(*key, text.clone());
    }
    // An object without a Go type is called what it says it is, even if that is wrong.
    let kind = match request.resource.defined() {
        Some(_) => Kind { name: change.new_object().kind_name(), ..change.kind },
        None => change.kind,
    };
    let error: Option<StatusError> =
        Status::of(&verdict, &Change { kind, ..*change }).map(Into::into);
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
