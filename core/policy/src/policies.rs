//! All policies with their bindings, evaluated on an attempt: the entry point for every door.

use crate::activation::{ActivationInputs, AuthorizerValues};
use crate::attempt::{NamespaceLookup, VersionedObjects};
use crate::bound::{Bound, NamedPolicy};
use crate::evaluate::{Annotation, Decision, Evaluated, Outcome};
use crate::matching::Criteria;
use crate::matching::MatchKind;
use crate::policy::{Action, Binding, Policy};
use crate::request::request;
use crate::result::{Check, Denial, PolicyResult, Reason};
use crate::{Attributes, PolicyContext, parameters, policy};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_object::{Node, write_text};

/// The key of the audit annotation for a failed validation.
const FAILURE_KEY: &str = "validation.policy.admission.k8s.io/validation_failure";

/// Policies with their bindings. A policy without a binding, and a binding without a policy, have no effect.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    bound: Bound<Policy>,
}

impl NamedPolicy for Policy {
    fn name(&self) -> &str {
        &self.name
    }

    fn criteria(&self) -> Option<&Criteria> {
        self.criteria.as_ref()
    }
}

impl Policies {
    /// Binds policies; they are evaluated in the order of their names, and so are the bindings of each.
    pub fn new(policies: Vec<Arc<Policy>>, bindings: Vec<Arc<Binding>>) -> Self {
        Self { bound: Bound::new(policies, &bindings) }
    }

    /// Whether nothing is bound, so that no attempt can be denied.
    pub fn is_empty(&self) -> bool {
        self.bound.is_empty()
    }

    /// Whether any policy can match a resource under this name. A caller that serves it under other names
    /// checks those too.
    pub fn look_at(&self, group: &str, resource: &str) -> bool {
        self.bound.look_at(group, resource)
    }

    /// Evaluates all policies on an attempt.
    ///
    /// The attempt is as validation left it: with defaults, and valid. The caller denies with the first of
    /// [`PolicyResult::denials`], sends the warnings to the client, and the annotations to the audit log. The result depends
    /// on nothing but the policies, the attempt and what `cluster` returns.
    pub fn judge(&self, attributes: &Attributes<'_>, cluster: &dyn PolicyContext) -> PolicyResult {
        let mut judged = PolicyResult::default();
        if self.is_empty()
            || policy::is_exempt(attributes.resource.group, attributes.resource.resource)
        {
            return judged;
        }
        let asks = self.bound.policies().iter().any(|(policy, _)| policy.uses_authorizer);
        let authorizer_values = if asks { AuthorizerValues::of(attributes, cluster) } else { None };
        let namespace = NamespaceLookup::new(attributes);
        let mut context = AttemptContext { attributes, cluster, authorizer_values, namespace };
        for (policy, bindings) in self.bound.policies() {
            context.apply(policy, bindings, &mut judged);
            if judged.missing_namespace.is_some() {
                break;
            }
        }
        judged
    }
}

/// An attempt with what all policies share about it.
struct AttemptContext<'c> {
    attributes: &'c Attributes<'c>,
    cluster: &'c dyn PolicyContext,
    authorizer_values: Option<AuthorizerValues>,
    namespace: NamespaceLookup<'c>,
}

impl AttemptContext<'_> {
    fn apply(&mut self, policy: &Policy, bindings: &[Arc<Binding>], judged: &mut PolicyResult) {
        let (attributes, cluster) = (self.attributes, self.cluster);
        let matched = match &policy.criteria {
            None => Err("policy contained no match constraints, a required field".to_owned()),
            Some(criteria) => criteria.matches(attributes, cluster),
        };
        let matched = match matched {
            Ok(MatchKind::NoMatch) => return,
            Ok(matched) => matched,
            Err(error) => return misconfigured(policy, None, &error, judged),
        };
        if let Err(error) = parameters::mapping(policy.parameters.as_ref(), cluster) {
            return misconfigured(policy, None, &error, judged);
        }
        let mut published: Vec<(String, Vec<String>)> = Vec::new();
        let mut versioned = None;
        for binding in bindings {
            let met_again = match &binding.criteria {
                None => Ok(MatchKind::Exact),
                Some(criteria) => criteria.matches(attributes, cluster),
            };
            match met_again {
                Ok(MatchKind::NoMatch) => continue,
                Ok(_) => {}
                Err(error) => {
                    misconfigured(policy, Some(binding), &error, judged);
                    continue;
                }
            }
            let params = match parameters::collect(
                policy.parameters.as_ref(),
                binding.parameter.as_ref(),
                attributes.effective_namespace(),
                cluster,
            ) {
                Ok(params) => params,
                Err(error) => {
                    misconfigured(policy, Some(binding), &error, judged);
                    continue;
                }
            };
            if params.is_empty() {
                continue;
            }
            if versioned.is_none() {
                match VersionedObjects::convert(attributes, &matched, cluster) {
                    Ok(versioned_objects) => versioned = Some(versioned_objects),
                    Err(error) => {
                        misconfigured(policy, Some(binding), &error, judged);
                        continue;
                    }
                }
            }
            if let Err(missing) = self.namespace.find(cluster, policy.uses_namespace) {
                judged.missing_namespace = Some(missing);
                return;
            }
            for parameter in &params {
                let evaluated =
                    self.evaluate(policy, &matched, versioned.as_ref(), parameter.as_ref());
                apply_decisions(policy, binding, evaluated, &mut published, judged);
            }
        }
        for (key, values) in published {
            annotate(judged, format!("{}/{key}", policy.name), values.join(", "));
        }
    }

    fn evaluate(
        &self,
        policy: &Policy,
        matched: &MatchKind,
        versioned: Option<&VersionedObjects>,
        parameter: Option<&Node<'static>>,
    ) -> Evaluated {
        let request = match policy.uses_request {
            true => request(self.attributes, matched),
            false => Node::empty_map(),
        };
        let converted = versioned.filter(|_| matches!(matched, MatchKind::Equivalent(_)));
        let inputs = ActivationInputs {
            object: converted.map_or(self.attributes.object, |versioned| versioned.object.as_ref()),
            old: converted.map_or(self.attributes.old, |versioned| versioned.old.as_ref()),
            params: parameter,
            request: &request,
            namespace: self.namespace.object(),
            authorizer_values: self.authorizer_values.as_ref(),
            variables: &policy.variables,
        };
        policy.evaluate(&inputs, &|| self.cluster.nanoseconds())
    }
}

/// A policy or a binding that cannot be applied denies everything it matches, unless its failures are ignored.
fn misconfigured(
    policy: &Policy,
    binding: Option<&Binding>,
    error: &str,
    judged: &mut PolicyResult,
) {
    if policy.ignores_failures {
        return;
    }
    let subject = if binding.is_some() { "binding" } else { "policy" };
    judged.denials.push(Denial {
        policy: policy.name.clone(),
        binding: binding.map(|binding| binding.name.clone()),
        words: format!("failed to configure {subject}: {error}"),
        reason: Reason::default(),
        validation: None,
    });
}

fn apply_decisions(
    policy: &Policy,
    binding: &Binding,
    evaluated: Evaluated,
    published: &mut Vec<(String, Vec<String>)>,
    judged: &mut PolicyResult,
) {
    let (denials, checks) = (judged.denials.len(), judged.checks.len());
    for (index, decision) in evaluated.decisions.into_iter().enumerate() {
        match decision.outcome {
            Outcome::Admitted => {}
            Outcome::ErrorIgnored => {
                count(policy, binding, (Some(index), &decision), "allow", judged);
            }
            Outcome::Denied | Outcome::Error => {
                for action in &binding.actions {
                    act(*action, policy, binding, (index, &decision), judged);
                }
            }
        }
    }
    if evaluated.is_whole {
        judged.denials.iter_mut().skip(denials).for_each(|denial| denial.validation = None);
        judged.checks.iter_mut().skip(checks).for_each(|check| check.validation = None);
    }
    for annotation in evaluated.annotations {
        match annotation {
            Annotation::Publish(key, value) => {
                match published.iter_mut().find(|(own, _)| *own == key) {
                    None => published.push((key, alloc::vec![value])),
                    Some((_, values)) if values.contains(&value) => {}
                    Some((_, values)) => values.push(value),
                }
            }
            Annotation::Error { message, nanoseconds } => {
                let (outcome, reason) = (Outcome::Error, Reason::default());
                let decision = Decision { outcome, message, reason, nanoseconds };
                deny(policy, binding, (None, &decision), judged);
            }
        }
    }
}

fn act(
    action: Action,
    policy: &Policy,
    binding: &Binding,
    (index, decision): (usize, &Decision),
    judged: &mut PolicyResult,
) {
    match action {
        Action::Deny => deny(policy, binding, (Some(index), decision), judged),
        Action::Audit => {
            annotate(judged, FAILURE_KEY.to_owned(), failure_value(binding, index, decision));
            count(policy, binding, (Some(index), decision), "audit", judged);
        }
        Action::Warn => {
            judged.warnings.push(format!(
                "Validation failed for ValidatingAdmissionPolicy '{}' with binding '{}': {}",
                policy.name, binding.name, decision.message
            ));
            count(policy, binding, (Some(index), decision), "warn", judged);
        }
    }
}

fn deny(
    policy: &Policy,
    binding: &Binding,
    (index, decision): (Option<usize>, &Decision),
    judged: &mut PolicyResult,
) {
    count(policy, binding, (index, decision), "deny", judged);
    judged.denials.push(Denial {
        policy: policy.name.clone(),
        binding: Some(binding.name.clone()),
        words: decision.message.clone(),
        reason: decision.reason,
        validation: index,
    });
}

/// Adds an audit annotation; the first value of a key stays.
fn annotate(judged: &mut PolicyResult, key: String, value: String) {
    if !judged.annotations.iter().any(|(own, _)| *own == key) {
        judged.annotations.push((key, value));
    }
}

/// A JSON list of one item, with the fields in the order of the API type.
fn failure_value(binding: &Binding, index: usize, decision: &Decision) -> String {
    let mut out = String::from("[{");
    let texts =
        [("message", &decision.message), ("policy", &binding.policy), ("binding", &binding.name)];
    for (name, text) in texts {
        out.push_str(&format!("\"{name}\":"));
        // Writing to a String cannot fail.
        let _ = write_text(&mut out, text);
        out.push(',');
    }
    let actions: Vec<String> =
        binding.actions.iter().map(|action| format!("\"{}\"", action.as_str())).collect();
    let actions = actions.join(",");
    out.push_str(&format!("\"expressionIndex\":{index},\"validationActions\":[{actions}]}}]"));
    out
}

fn count(
    policy: &Policy,
    binding: &Binding,
    (validation, decision): (Option<usize>, &Decision),
    action: &'static str,
    judged: &mut PolicyResult,
) {
    let message = decision.message.as_str();
    let error = if message.starts_with("compilation") {
        "compile_error"
    } else if message.starts_with("validation failed due to running out of cost budget") {
        "out_of_budget"
    } else {
        "invalid_error"
    };
    judged.checks.push(Check {
        policy: policy.name.clone(),
        binding: binding.name.clone(),
        error,
        action,
        nanoseconds: decision.nanoseconds,
        validation,
        words: decision.message.clone(),
    });
}
