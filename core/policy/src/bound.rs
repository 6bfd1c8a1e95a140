//! `Bound`: policies of one type with their bindings.

use crate::matching::Criteria;
use crate::policy::{Binding, is_exempt};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// What policies of all types have.
pub(crate) trait NamedPolicy {
    /// The name, which bindings refer to.
    fn name(&self) -> &str;
    /// What it matches; none if that cannot be read.
    fn criteria(&self) -> Option<&Criteria>;
}

/// Policies with their bindings. A policy without a binding, and a binding without a policy, are left out.
#[derive(Debug)]
pub(crate) struct Bound<P>(Vec<(Arc<P>, Vec<Arc<Binding>>)>);

impl<P> Clone for Bound<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P> Default for Bound<P> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<P: NamedPolicy> Bound<P> {
    /// Binds policies, in the order of their names, each with its bindings in the order of theirs.
    pub(crate) fn new(policies: Vec<Arc<P>>, bindings: &[Arc<Binding>]) -> Self {
        let mut bound: Vec<(Arc<P>, Vec<Arc<Binding>>)> = Vec::new();
        for policy in policies {
            let is_own = |binding: &&Arc<Binding>| binding.policy == policy.name();
            let mut own: Vec<Arc<Binding>> = bindings.iter().filter(is_own).cloned().collect();
            own.sort_by(|one, other| one.name.cmp(&other.name));
            if !own.is_empty() {
                bound.push((policy, own));
            }
        }
        bound.sort_by(|one, other| one.0.name().cmp(other.0.name()));
        Self(bound)
    }

    /// Whether nothing is bound.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The policies in their order, each with its bindings.
    pub(crate) fn policies(&self) -> &[(Arc<P>, Vec<Arc<Binding>>)] {
        &self.0
    }

    /// Whether any policy can match a resource under this name.
    pub(crate) fn look_at(&self, group: &str, resource: &str) -> bool {
        let may_match = |policy: &P| {
            policy.criteria().is_none_or(|criteria| criteria.may_match(group, resource))
        };
        !is_exempt(group, resource) && self.0.iter().any(|(policy, _)| may_match(policy))
    }
}
