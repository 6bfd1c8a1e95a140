//! Validation of a change: reads its facts from the watch cache, records warnings and audit annotations.

use super::{device_rights, pod_certificate, policy_rights, trust_bundle};
use crate::app::request_cluster::RequestCluster;
use crate::app::resource_request::ResourceRequest;
use crate::status::StatusError;
use crate::validation::csr;
use ratchet_engine::pod_security::PodSecurityMetrics;
use ratchet_pipeline::Paired;
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
pub(crate) async fn judge(
    request: &ResourceRequest<'_>,
    paired: &Paired<'_, '_>,
) -> Result<Judgement, StatusError> {
    let (app, row) = (request.app, request.resource.row());
    if !row.is_defined() {
        return match (row.group, row.plural) {
            // Labels of Pod Security are held against the pods that are there, up to three thousand.
            ("", "namespaces") => app.compute.evaluate(true, || validate(request, paired)).await,
            _ => validate(request, paired),
        };
    }
    // The rules of a definition may use their whole cost budget, which is more than other requests should wait for.
    let key = format!("{}/{}/{}", row.group, row.version, row.plural);
    let served = app.registry.now();
    app.rule_pace.evaluate(&app.compute, &served, &key, || validate(request, paired)).await
}

fn validate(
    request: &ResourceRequest<'_>,
    paired: &Paired<'_, '_>,
) -> Result<Judgement, StatusError> {
    let app = request.app;
    let cluster = RequestCluster::new(app, request.user);
    let started = Instant::now();
    let mut judged = paired.judge(&app.api_config, &cluster, Some(&request.user.name));
    if let Some(change) = &paired.change() {
        csr::check(change, &app.api_config, judged.verdict_mut());
        trust_bundle::check(change, &app.api_config, judged.verdict_mut());
        pod_certificate::check(request, change, judged.verdict_mut());
        policy_rights::check(request, change, judged.verdict_mut());
        device_rights::check(request, change, judged.verdict_mut());
    }
    let error: Option<StatusError> = judged.status().map(Into::into);
    let verdict = judged.into_verdict();
    let duration = started.elapsed();
    for warning in &verdict.warnings {
        request.warnings.add(warning.text.clone());
    }
    for (key, text) in &verdict.audit {
        request.audit.annotate(*key, text.clone());
    }
    let plugin = verdict.denial.as_ref().filter(|_| verdict.errors.is_empty());
    let plugin = plugin.map(|denial| denial.plugin);
    let denial = match (error, plugin) {
        (Some(error), None) => return Err(error),
        (error, plugin) => plugin.zip(error),
    };
    Ok(Judgement { denial, pod_security: verdict.metrics, duration })
}
