//! MutatingAdmissionPolicy: lets the mutating policies of the cluster change an object.

use super::mutation::Mutation;
use super::mutator::Mutator;
use super::plugin::Plugin;
use crate::app::request_cluster::RequestCluster;
use crate::status::StatusError;
use ratchet_object::Node;
use ratchet_pipeline::mutation_status;
use ratchet_policy::MutatingPolicies;
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
        Some(failure) => Err(mutation_status(&failure, &attributes).into()),
    }
}
