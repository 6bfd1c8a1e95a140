//! `Mutation`: an object on its way through mutating policies and webhooks.

use super::input::{AdmissionInput, canonicalize, set_type};
use super::scope::AdmissionScope;
use crate::status::StatusError;
use crate::storage::convert::SCALE;
use ratchet_object::Node;
use ratchet_pipeline::BuiltInType;
use ratchet_policy::{MutatingPolicies, Operation, ReinvocationContext, semantically_equal};
use ratchet_webhook::Webhooks;
use std::sync::Arc;

/// The policies and webhooks that may change an object of a request, as of its beginning.
pub(super) struct Mutators {
    pub(super) policies: Option<Arc<MutatingPolicies>>,
    pub(super) webhooks: Option<Arc<Webhooks>>,
}

impl Mutators {
    /// Those that look at the resource of a request; none if there are none.
    pub(super) fn of(scope: &AdmissionScope<'_>) -> Result<Option<Self>, StatusError> {
        let looks_at = |look: &dyn Fn(&str, &str) -> bool| scope.is_looked_at(look);
        let policies = scope.app.mutating_policies.now()?;
        let is_mutated =
            !policies.is_empty() && looks_at(&|group, plural| policies.look_at(group, plural));
        let hooks = scope.app.mutating_webhooks.now()?;
        let is_called =
            !hooks.is_empty() && looks_at(&|group, plural| hooks.look_at(group, plural));
        Ok((is_mutated || is_called).then(|| Self {
            policies: is_mutated.then_some(policies),
            webhooks: is_called.then_some(hooks),
        }))
    }
}

/// The mutating admission of one request.
pub(super) struct Mutation<'a> {
    pub(super) input: AdmissionInput<'a>,
    pub(super) reinvocation: ReinvocationContext,
    pub(super) mutators: Mutators,
}

impl<'a> Mutation<'a> {
    /// The mutation of a new object or of a new state of one: `object` is what it begins with.
    pub(super) fn new(
        mutators: Mutators,
        input: AdmissionInput<'a>,
        object: Option<&Node<'_>>,
    ) -> Self {
        // A write has an entry of its own in the managed fields, with the time of now.
        let has_fresh_times = match (input.operation, object, &input.old) {
            (Operation::Create, ..) => true,
            (Operation::Update, Some(object), Some(old)) => !semantically_equal(object, old),
            _ => false,
        };
        let input = AdmissionInput { object: None, ..input };
        Self { input, reinvocation: ReinvocationContext::new(has_fresh_times), mutators }
    }

    /// Whether another round of all mutating plugins begins.
    pub(super) fn begins_again(&mut self) -> bool {
        self.reinvocation.begin_reinvocation()
    }

    fn is_scale(&self) -> bool {
        self.input.kind == SCALE
    }

    /// An object as others see it: of the kind of the request, in its canonical form.
    pub(super) fn presented(&self, object: &Node<'static>) -> Node<'static> {
        if self.is_scale() {
            return self.input.scope.resource.scale_of(object);
        }
        let (kind, resource) = (self.input.kind, self.input.scope.resource);
        let mut presented = object.clone();
        set_type(&mut presented, kind);
        match BuiltInType::of(kind) {
            _ if kind == resource.row().gvk() => {
                canonicalize(resource.object_type().as_ref(), &mut presented);
            }
            Some(built_in) => canonicalize(&built_in, &mut presented),
            None => {}
        }
        presented
    }

    /// Takes over what others made of an object.
    pub(super) fn take_over(&self, object: &mut Node<'static>, patched: Node<'static>) {
        if !self.is_scale() {
            *object = patched;
            if self.input.kind == self.input.scope.resource.row().gvk() {
                self.input.scope.resource.complete(object);
            }
            return;
        }
        self.input.scope.resource.write_scale(object, &patched);
        let version = patched.text_at(&["metadata", "resourceVersion"]).to_owned();
        object.map_mut("metadata").set("resourceVersion", Node::string(version));
    }
}
