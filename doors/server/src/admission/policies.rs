//! ValidatingAdmissionPolicy: evaluates the policies of the cluster on writes, deletions and connections.

use super::input::AdmissionInput;
use super::plugin::{Plugin, PluginResult, Subject};
use super::scope::AdmissionScope;
use crate::app::metrics::Step;
use crate::app::request_cluster::RequestCluster;
use crate::status::StatusError;
use ratchet_pipeline::{PolicyVerdict, evaluate_policies};
use ratchet_policy::{Policies, is_exempt};
use std::sync::Arc;
use std::time::Instant;

/// The plugin's name.
const PLUGIN: &str = "ValidatingAdmissionPolicy";

/// `ValidatingAdmissionPolicy`.
pub(super) struct ValidatingAdmissionPolicies;

impl Plugin for ValidatingAdmissionPolicies {
    fn name(&self) -> &'static str {
        PLUGIN
    }

    fn validate<'a>(&'a self, subject: &'a Subject<'_>) -> PluginResult<'a, ()> {
        let policies = match policies(&subject.scope()) {
            Ok(Some(policies)) => policies,
            Ok(None) => return PluginResult::Now(Ok(())),
            Err(error) => return PluginResult::Now(Err(error)),
        };
        PluginResult::later(async move {
            match AdmissionInput::of(subject)? {
                Some(input) => evaluate(&policies, &input).await,
                None => Ok(()),
            }
        })
    }
}

/// The current policies; none if the resource is exempt or there are no policies.
fn policies(scope: &AdmissionScope<'_>) -> Result<Option<Arc<Policies>>, StatusError> {
    let row = scope.resource.row();
    if is_exempt(row.group, row.plural) {
        return Ok(None);
    }
    let policies = scope.app.policies.now()?;
    Ok((!policies.is_empty()).then_some(policies))
}

async fn evaluate(policies: &Arc<Policies>, input: &AdmissionInput<'_>) -> Result<(), StatusError> {
    let (scope, attributes) = (input.scope, input.attributes());
    let started = Instant::now();
    // An expression may use its whole cost budget, which is more than other requests should wait for.
    let cluster = RequestCluster::new(scope.app, scope.user);
    let judge = || evaluate_policies(policies, &attributes, &cluster);
    let pace_key = scope.pace_key();
    let verdict = scope.app.pace.evaluate(&scope.app.compute, policies, &pace_key, judge).await;
    let PolicyVerdict { result, status } = verdict;
    cluster.check()?;
    let labels = (PLUGIN, Step::Validate, attributes.operation);
    scope.app.metrics.plugin_ran(labels, status.is_some(), started.elapsed());
    for check in &result.checks {
        scope.app.metrics.policy_checked(check);
    }
    for warning in result.warnings {
        scope.warnings.add(warning);
    }
    for (key, text) in result.annotations {
        scope.audit.annotate(key, text);
    }
    match status {
        Some(status) => Err(status.into()),
        None => Ok(()),
    }
}
