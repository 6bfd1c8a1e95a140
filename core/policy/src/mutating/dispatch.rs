//! The application of mutating policies to one attempt: conditions, mutations, versions, reinvocation.

use super::patch::{PatchError, Patcher};
use super::policy::MutatingPolicy;
use super::result::{MutationFailure, PolicyError};
use crate::activation::{ActivationInputs, AuthorizerValues};
use crate::attempt::NamespaceLookup;
use crate::matching::MatchKind;
use crate::objects::{ObjectInterfaces, TypeConverter, changed_kind};
use crate::observation::{self, Observation, condition_labels};
use crate::policy::Binding;
use crate::reinvocation::{InvocationKey, ReinvocationContext};
use crate::request::{request, request_for};
use crate::{Attributes, GroupVersionKind, conditions};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::Node;

/// One application of a policy: with one binding, and one parameter or none.
pub(super) struct Invocation<'p> {
    pub(super) policy: &'p MutatingPolicy,
    pub(super) binding: &'p Binding,
    pub(super) matched: MatchKind,
    pub(super) parameter: Option<Node<'static>>,
}

impl Invocation<'_> {
    /// The kind that was matched.
    fn kind<'a>(&'a self, attributes: &Attributes<'a>) -> GroupVersionKind<'a> {
        match &self.matched {
            MatchKind::Equivalent(other) => other.kind_name(),
            MatchKind::Exact | MatchKind::NoMatch => attributes.kind,
        }
    }

    /// The inputs of its expressions.
    fn inputs<'s, 't>(
        &'t self,
        versioned: &'t Versioned<'_>,
        request: &'t Node<'t>,
        namespace: Option<&'t Node<'t>>,
        authorizer_values: Option<&'s AuthorizerValues>,
    ) -> ActivationInputs<'s, 't>
    where
        't: 's,
    {
        ActivationInputs {
            object: Some(&versioned.object),
            old: versioned.old.as_ref(),
            params: self.parameter.as_ref(),
            request,
            namespace,
            authorizer_values,
            variables: &self.policy.variables,
        }
    }

    fn key(&self) -> InvocationKey {
        let parameter = self.parameter.as_ref().map(|parameter| {
            let metadata = parameter.metadata();
            (metadata.namespace().to_string(), metadata.name().to_string())
        });
        let (policy, binding) = (self.policy.name.clone(), self.binding.name.clone());
        InvocationKey { policy, binding, parameter }
    }
}

pub(super) fn policy_error(
    policy: &MutatingPolicy,
    binding: Option<&Binding>,
    words: String,
    reason: &'static str,
) -> PolicyError {
    let binding = binding.map(|binding| binding.name.clone());
    PolicyError { policy: policy.name.clone(), binding, words, reason }
}

/// The objects of an attempt in one version.
struct Versioned<'a> {
    kind: GroupVersionKind<'a>,
    object: Node<'static>,
    old: Option<Node<'static>>,
    is_dirty: bool,
}

/// The application of policies to one attempt.
pub(super) struct Dispatch<'d> {
    pub(super) attributes: &'d Attributes<'d>,
    pub(super) objects: &'d dyn ObjectInterfaces,
    pub(super) converter: &'d dyn TypeConverter,
    pub(super) reinvocation: &'d mut ReinvocationContext,
    /// The errors, and whether each is ignored.
    pub(super) errors: &'d mut Vec<(PolicyError, bool)>,
    pub(super) observations: &'d mut Vec<Observation>,
}

impl Dispatch<'_> {
    /// Applies all invocations; the object in the end, in the requested version, and whether it was patched.
    pub(super) fn run(
        &mut self,
        invocations: &[Invocation<'_>],
        object: Node<'static>,
    ) -> Result<(Node<'static>, bool), MutationFailure> {
        let is_reinvoke = self.reinvocation.is_reinvoke();
        self.reinvocation.policies.begin(is_reinvoke, Some(&object));
        let result = self.apply_all(invocations, object);
        self.reinvocation.policies.end(result.as_ref().ok().map(|(object, _)| object));
        result
    }

    fn apply_all(
        &mut self,
        invocations: &[Invocation<'_>],
        object: Node<'static>,
    ) -> Result<(Node<'static>, bool), MutationFailure> {
        let uses_namespace = invocations.iter().any(|one| one.policy.uses_namespace);
        let mut namespace = NamespaceLookup::new(self.attributes);
        namespace.find(self.objects, uses_namespace).map_err(MutationFailure::MissingNamespace)?;
        let asks = invocations.iter().any(|one| one.policy.uses_authorizer);
        let authorizer_values =
            if asks { AuthorizerValues::of(self.attributes, self.objects) } else { None };
        let mut versions: Vec<Versioned<'_>> = Vec::new();
        let mut last = None;
        for invocation in invocations {
            let kind = invocation.kind(self.attributes);
            let index = match versions.iter().position(|versioned| versioned.kind == kind) {
                Some(index) => index,
                None => match self.versioned(kind, &object) {
                    Ok(versioned) => {
                        versions.push(versioned);
                        versions.len() - 1
                    }
                    Err(error) => {
                        let words = format!("failed to configure policy: {error}");
                        self.fail(invocation, None, words, "Forbidden");
                        continue;
                    }
                },
            };
            let Some(versioned) = versions.get_mut(index) else { continue };
            let context = (namespace.object(), authorizer_values.as_ref());
            if self.apply(invocation, versioned, context)? {
                last = Some(index);
            }
        }
        let Some(versioned) = last.and_then(|index| versions.get_mut(index)) else {
            return Ok((object, false));
        };
        if !versioned.is_dirty {
            return Ok((object, false));
        }
        self.reinvocation.policies.require_reinvoking();
        self.reinvocation.set_should_reinvoke();
        let patched = core::mem::replace(&mut versioned.object, Node::empty_map());
        let converted = self.in_requested_version(patched, versioned.kind).map_err(|error| {
            MutationFailure::Internal(format!("failed to convert object: {error}"))
        })?;
        Ok((converted, true))
    }

    /// The objects of the attempt in the version of a kind.
    fn versioned<'a>(
        &self,
        kind: GroupVersionKind<'a>,
        object: &Node<'_>,
    ) -> Result<Versioned<'a>, String> {
        let convert = |node: &Node<'_>| match kind == self.attributes.kind {
            true => Ok(node.clone().into_owned()),
            false => self
                .objects
                .converted(node, &kind)
                .ok_or_else(|| format!("unable to convert to {kind}")),
        };
        let old = self.attributes.old.map(convert).transpose()?;
        Ok(Versioned { kind, object: convert(object)?, old, is_dirty: false })
    }

    fn in_requested_version(
        &self,
        object: Node<'static>,
        kind: GroupVersionKind<'_>,
    ) -> Result<Node<'static>, String> {
        if let Some(error) = changed_kind(&object, &kind) {
            return Err(error);
        }
        if kind == self.attributes.kind {
            return Ok(object);
        }
        let requested = self.attributes.kind;
        self.objects
            .converted(&object, &requested)
            .ok_or_else(|| format!("unable to convert to {requested}"))
    }

    fn fail(
        &mut self,
        invocation: &Invocation<'_>,
        binding: Option<&Binding>,
        words: String,
        reason: &'static str,
    ) {
        let policy = invocation.policy;
        self.errors.push((policy_error(policy, binding, words, reason), policy.ignores_failures));
    }

    /// Applies one invocation; false if it does not apply.
    fn apply(
        &mut self,
        invocation: &Invocation<'_>,
        versioned: &mut Versioned<'_>,
        (namespace, authorizer_values): (Option<&Node<'static>>, Option<&AuthorizerValues>),
    ) -> Result<bool, MutationFailure> {
        let policy = invocation.policy;
        let attributes = self.attributes;
        if !policy.conditions.is_empty() {
            let request = request_for(attributes, &versioned.kind, &attributes.resource);
            let inputs = invocation.inputs(versioned, &request, None, authorizer_values);
            match self.conditions_hold(policy, &inputs) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) => {
                    self.fail(invocation, Some(invocation.binding), error, "Invalid");
                    return Ok(false);
                }
            }
        }
        let key = invocation.key();
        if self.reinvocation.is_reinvoke() && !self.reinvocation.policies.should_reinvoke(&key) {
            return Ok(false);
        }
        let request = request(attributes, &invocation.matched);
        let mut is_changed = false;
        for mutation in &policy.mutations {
            let patcher =
                Patcher { kind: versioned.kind, objects: self.objects, converter: self.converter };
            let started = self.objects.nanoseconds();
            let inputs = invocation.inputs(versioned, &request, namespace, authorizer_values);
            let patched = patcher
                .patch(mutation, &inputs)
                .and_then(|object| self.with_defaults(object, &versioned.kind));
            let nanoseconds = self.objects.nanoseconds().saturating_sub(started);
            self.observe(invocation, patched.as_ref().err(), nanoseconds);
            match patched {
                Ok(object) => {
                    is_changed |= self.reinvocation.has_changed(&versioned.object, &object);
                    versioned.object = object;
                    versioned.is_dirty = true;
                }
                Err(PatchError::Internal(error)) => return Err(MutationFailure::Internal(error)),
                Err(PatchError::Failed(error)) => {
                    self.fail(invocation, Some(invocation.binding), error, "Invalid");
                }
            }
        }
        if is_changed {
            self.reinvocation.policies.require_reinvoking();
            self.reinvocation.set_should_reinvoke();
        }
        if policy.is_reinvocable {
            self.reinvocation.policies.add_reinvocable(key);
        }
        Ok(!policy.mutations.is_empty())
    }

    /// A patched object with defaults. The reference cannot bring an object with a Go type back to the requested
    /// version if a policy matched another one.
    fn with_defaults(
        &self,
        mut object: Node<'static>,
        kind: &GroupVersionKind<'_>,
    ) -> Result<Node<'static>, PatchError> {
        let requested = &self.attributes.kind;
        if kind != requested && !self.objects.converts_patched(kind) {
            let (from, to) = (kind, requested);
            return Err(PatchError::Failed(format!(
                "converting ({}.{}) to ({}.{}): unknown conversion",
                from.version, from.kind, to.version, to.kind
            )));
        }
        self.objects.default_object(&mut object, kind);
        Ok(object)
    }

    fn conditions_hold(
        &mut self,
        policy: &MutatingPolicy,
        inputs: &ActivationInputs<'_, '_>,
    ) -> Result<bool, String> {
        let started = self.objects.nanoseconds();
        let result = conditions::evaluate(&policy.conditions, policy.ignores_failures, inputs);
        let nanoseconds = self.objects.nanoseconds().saturating_sub(started);
        // The reference says `validate` here, for mutating policies too.
        let operation = self.attributes.operation.as_str();
        let labels = || condition_labels("policy", &policy.name, operation, "validate");
        for _ in 0..result.errors {
            self.observations.push(Observation::count(observation::CONDITION_ERRORS, labels()));
        }
        if result.matches != Ok(true) {
            let metric = observation::CONDITION_DURATION;
            self.observations.push(Observation::time(metric, labels(), nanoseconds));
        }
        result.matches
    }

    fn observe(
        &mut self,
        invocation: &Invocation<'_>,
        error: Option<&PatchError>,
        nanoseconds: u64,
    ) {
        let error_type = match error {
            None => "no_error",
            Some(PatchError::Failed(text)) if text.starts_with("compilation") => "compile_error",
            Some(PatchError::Failed(text))
                if text.starts_with("validation failed due to running out of cost budget") =>
            {
                "out_of_budget"
            }
            Some(_) => "invalid_error",
        };
        let labels = || {
            alloc::vec![
                ("error_type", error_type.into()),
                ("policy", invocation.policy.name.clone().into()),
                ("policy_binding", invocation.binding.name.clone().into()),
            ]
        };
        self.observations.push(Observation::count(observation::POLICY_CHECKS, labels()));
        let metric = observation::POLICY_CHECK_DURATION;
        self.observations.push(Observation::time(metric, labels(), nanoseconds));
    }
}
