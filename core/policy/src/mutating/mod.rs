//! MutatingAdmissionPolicies with their bindings, applied to an object one after another.

mod dispatch;
mod native;
mod patch;
mod policy;
mod result;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub(crate) use patch::{PatchError, Patcher};
pub use policy::MutatingPolicy;
pub(crate) use policy::{Mutation, PatchType};
pub use result::{MutationFailure, MutationResult, PolicyError};

use crate::bound::Bound;
use crate::matching::MatchKind;
use crate::objects::{ObjectInterfaces, TypeConverter};
use crate::policy::Binding;
use crate::reinvocation::ReinvocationContext;
use crate::{Attributes, Operation, is_exempt, parameters};
use alloc::format;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use dispatch::{Dispatch, Invocation, policy_error};
use ratchet_object::Node;

/// Mutating policies with their bindings. A policy without a binding, and a binding without a policy, have no effect.
#[derive(Clone, Debug, Default)]
pub struct MutatingPolicies {
    bound: Bound<MutatingPolicy>,
}

impl MutatingPolicies {
    /// Binds policies; they are applied in the order of their names, and so are the bindings of each. In the reference
    /// policies have no order.
    pub fn new(policies: Vec<Arc<MutatingPolicy>>, bindings: Vec<Arc<Binding>>) -> Self {
        Self { bound: Bound::new(policies, &bindings) }
    }

    /// Whether nothing is bound, so that no object is mutated.
    pub fn is_empty(&self) -> bool {
        self.bound.is_empty()
    }

    /// Whether any policy can match a resource under this name. A caller that serves it under other names
    /// checks those too.
    pub fn look_at(&self, group: &str, resource: &str) -> bool {
        self.bound.look_at(group, resource)
    }

    /// Applies all policies to the object of an attempt; [`Attributes::object`] is not looked at.
    ///
    /// The object is as the built-in mutating plugins left it, with defaults. The caller runs its chain of mutating
    /// plugins once more if `reinvocation` says so afterwards. Deletions have no object to mutate.
    pub fn mutate(
        &self,
        attributes: &Attributes<'_>,
        object: Node<'static>,
        objects: &dyn ObjectInterfaces,
        converter: &dyn TypeConverter,
        reinvocation: &mut ReinvocationContext,
    ) -> MutationResult {
        let resource = &attributes.resource;
        if self.is_empty()
            || attributes.operation == Operation::Delete
            || is_exempt(resource.group, resource.resource)
        {
            let observations = Vec::new();
            return MutationResult { object, is_patched: false, failure: None, observations };
        }
        let mut observations = Vec::new();
        let mut errors = Vec::new();
        let invocations = self.invocations(attributes, &object, objects, &mut errors);
        let mut dispatch = Dispatch {
            attributes,
            objects,
            converter,
            reinvocation,
            errors: &mut errors,
            observations: &mut observations,
        };
        let outcome = match invocations.is_empty() {
            true => Ok((object, false)),
            false => dispatch.run(&invocations, object),
        };
        let (object, is_patched, failure) = match outcome {
            Ok((object, is_patched)) => {
                errors.retain(|(_, ignores_failures)| !ignores_failures);
                let denials: Vec<PolicyError> =
                    errors.into_iter().map(|(error, _)| error).collect();
                let denied = (!denials.is_empty()).then_some(MutationFailure::Denied(denials));
                (object, is_patched, denied)
            }
            Err(failure) => (Node::empty_map(), false, Some(failure)),
        };
        MutationResult { object, is_patched, failure, observations }
    }

    /// The policies that match, with their bindings and parameters, before anything is mutated.
    fn invocations<'p>(
        &'p self,
        attributes: &Attributes<'_>,
        object: &Node<'_>,
        objects: &dyn ObjectInterfaces,
        errors: &mut Vec<(PolicyError, bool)>,
    ) -> Vec<Invocation<'p>> {
        let attributes = &Attributes { object: Some(object), ..*attributes };
        let mut invocations = Vec::new();
        for (policy, bindings) in self.bound.policies() {
            let mut misconfigured = |binding: Option<&Binding>, error: &str| {
                let subject = if binding.is_some() { "binding" } else { "policy" };
                let words = format!("failed to configure {subject}: {error}");
                errors.push((
                    policy_error(policy, binding, words, "Forbidden"),
                    policy.ignores_failures,
                ));
            };
            let matched = match &policy.criteria {
                None => Err("policy contained no match constraints, a required field".to_string()),
                Some(criteria) => criteria.matches(attributes, objects),
            };
            let matched = match matched {
                Ok(MatchKind::NoMatch) => continue,
                Ok(matched) => matched,
                Err(error) => {
                    misconfigured(None, &error);
                    continue;
                }
            };
            if let Err(error) = parameters::mapping(policy.parameters.as_ref(), objects) {
                misconfigured(None, &error);
                continue;
            }
            for binding in bindings {
                let binding_matched = match &binding.criteria {
                    None => Ok(MatchKind::Exact),
                    Some(criteria) => criteria.matches(attributes, objects),
                };
                match binding_matched {
                    Ok(MatchKind::NoMatch) => continue,
                    Ok(_) => {}
                    Err(error) => {
                        misconfigured(Some(binding), &error);
                        continue;
                    }
                }
                let params = parameters::collect(
                    policy.parameters.as_ref(),
                    binding.parameter.as_ref(),
                    attributes.effective_namespace(),
                    objects,
                );
                match params {
                    Err(error) => misconfigured(Some(binding), &error),
                    Ok(params) => invocations.extend(params.into_iter().map(|parameter| {
                        Invocation { policy, binding, matched: matched.clone(), parameter }
                    })),
                }
            }
        }
        invocations
    }
}
