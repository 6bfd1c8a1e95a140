//! MutatingAdmissionPolicy: lets the mutating policies of the cluster change an object.

use super::mutation::Mutation;
use super::mutator::Mutator;
use super::plugin::Plugin;
use crate::app::request_cluster::RequestCluster;
use crate::status::{About, StatusError};
use ratchet_engine::StatusCause;
use ratchet_object::Node;
use ratchet_policy::{MutatingPolicies, MutationFailure, PolicyError};
use std::sync::Arc;

/// `MutatingAdmissionPolicy`.
pub(super) struct MutatingAdmissionPolicies;

impl Plugin for MutatingAdmissionPolicies {
    fn name(&self) -> &'static str {
        "MutatingAdmissionPolicy"
    }

    fn handles_unstored(&self) -> bool {
        true
    }

    fn mutator(&self) -> Option<Mutator> {
        Some(Mutator::Policies)
    }
}

/// Applies the policies; the object, if they have patched it.
pub(super) async fn mutate(
    mutation: &mut Mutation<'_>,
    policies: &Arc<MutatingPolicies>,
    object: Node<'static>,
) -> Result<Option<Node<'static>>, StatusError> {
    let scope = mutation.input.scope;
    let app = scope.app;
    let cluster = RequestCluster::new(app, scope.user);
    let mut reinvocation = std::mem::take(&mut mutation.reinvocation);
    let attributes = mutation.input.attributes();
    let pace_key = scope.pace_key();
    let mutate = || policies.mutate(&attributes, object, &cluster, &cluster, &mut reinvocation);
    let result = app.mutation_pace.evaluate(&app.compute, policies, &pace_key, mutate).await;
    mutation.reinvocation = reinvocation;
    cluster.check()?;
    app.metrics.observe(&result.observations);
    match result.failure {
        None => Ok(result.is_patched.then_some(result.object)),
        Some(failure) => Err(error_of(&failure, scope.resource.about(&mutation.input.name))),
    }
}

fn error_of(failure: &MutationFailure, about: About<'_>) -> StatusError {
    match failure {
        MutationFailure::Denied(denials) => denied(denials, about),
        MutationFailure::Internal(why) => StatusError::internal(why),
        MutationFailure::MissingNamespace(name) => {
            StatusError::not_found(About { group: "", resource: "namespaces", name })
        }
    }
}

/// The error of policies that could not be applied: that of the first, with all as causes.
fn denied(denials: &[PolicyError], about: About<'_>) -> StatusError {
    let Some(first) = denials.first() else {
        return StatusError::internal("a denial without a cause");
    };
    let mut error = StatusError::forbidden_message(about, first.message());
    error.reason = first.reason;
    if let Some(details) = &mut error.details {
        let cause = |denial: &PolicyError| StatusCause {
            reason: "",
            message: denial.message(),
            field: String::new(),
        };
        details.causes = denials.iter().map(cause).collect();
    }
    error
}
