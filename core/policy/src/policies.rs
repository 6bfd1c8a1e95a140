//! All policies with their bindings, asked about an attempt: the one way in for every door.

use crate::evaluate::{Annotation, Decision, Evaluated, Outcome};
use crate::judged::{Check, Denial, Judged, Reason};
use crate::matching::Met;
use crate::policy::{Action, Binding, Policy};
use crate::request::{namespace_object, request};
use crate::scene::{Authority, Sight};
use crate::{Attempt, Surroundings, parameters, policy};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_cel::Value;
use ratchet_cel::library::authz::{self, Authorizer};
use ratchet_object::{Node, write_text};

/// The key under which the audit log is told of a validation that was not met.
const FAILURE_KEY: &str = "validation.policy.admission.k8s.io/validation_failure";

/// Policies with their bindings. A policy without a binding, and a binding without a policy, do nothing.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    bound: Vec<(Arc<Policy>, Vec<Arc<Binding>>)>,
}

impl Policies {
    /// Binds policies; they are asked in the order of their names, and so are the bindings of each.
    pub fn new(policies: Vec<Arc<Policy>>, bindings: Vec<Arc<Binding>>) -> Self {
        let mut bound: Vec<(Arc<Policy>, Vec<Arc<Binding>>)> = Vec::new();
        for policy in policies {
            let is_own = |binding: &&Arc<Binding>| binding.policy == policy.name;
            let mut own: Vec<Arc<Binding>> = bindings.iter().filter(is_own).cloned().collect();
            own.sort_by(|one, other| one.name.cmp(&other.name));
            if !own.is_empty() {
                bound.push((policy, own));
            }
        }
        bound.sort_by(|one, other| one.0.name.cmp(&other.0.name));
        Self { bound }
    }

    /// Whether no attempt can be refused: nothing is bound.
    pub fn is_empty(&self) -> bool {
        self.bound.is_empty()
    }

    /// Whether any policy can have something to say about a resource under this name. Who serves it under other names
    /// asks for those too.
    pub fn look_at(&self, group: &str, resource: &str) -> bool {
        let may_mean = |policy: &Policy| match &policy.criteria {
            Some(criteria) => criteria.may_mean(group, resource),
            None => true,
        };
        !policy::is_exempt(group, resource) && self.bound.iter().any(|(policy, _)| may_mean(policy))
    }

    /// Asks all policies about an attempt.
    ///
    /// The attempt is as validation left it: with defaults, and valid. Whoever asks refuses with the first of
    /// [`Judged::denials`], tells the writer the warnings, and the audit log the annotations. The answer depends on
    /// nothing but the policies, the attempt and what `around` says.
    pub fn judge(&self, attempt: &Attempt<'_>, around: &dyn Surroundings) -> Judged {
        let mut judged = Judged::default();
        if self.is_empty() || policy::is_exempt(attempt.resource.group, attempt.resource.resource) {
            return judged;
        }
        let asks = self.bound.iter().any(|(policy, _)| policy.asks_rights);
        let authority = if asks { authority(attempt, around) } else { None };
        let namespace = Asked::Not;
        let mut court = Court { attempt, around, authority, namespace, is_there: false };
        for (policy, bindings) in &self.bound {
            court.apply(policy, bindings, &mut judged);
            if judged.missing_namespace.is_some() {
                break;
            }
        }
        judged
    }
}

/// Who is asked what the user may do, in general and with the object at hand.
fn authority(attempt: &Attempt<'_>, around: &dyn Surroundings) -> Option<Authority> {
    let authorizer = Authorizer::new(around.authorizer()?);
    let request_resource = authorizer.resource_check(authz::Resource {
        group: attempt.resource.group.to_owned(),
        resource: attempt.resource.resource.to_owned(),
        subresource: attempt.subresource.to_owned(),
        namespace: attempt.space().to_owned(),
        name: attempt.name.to_owned(),
        ..authz::Resource::default()
    });
    Some(Authority { authorizer: Value::opaque(authorizer), request_resource })
}

/// What has been asked of the surroundings.
enum Asked {
    Not,
    Known(Option<Node<'static>>),
}

/// An attempt, and what is found out about it once for all policies.
struct Court<'c> {
    attempt: &'c Attempt<'c>,
    around: &'c dyn Surroundings,
    authority: Option<Authority>,
    namespace: Asked,
    /// Whether its namespace is known to exist.
    is_there: bool,
}

/// An object and its predecessor as a policy wants to see them.
struct Seen {
    object: Option<Node<'static>>,
    old: Option<Node<'static>>,
}

impl Court<'_> {
    fn apply(&mut self, policy: &Policy, bindings: &[Arc<Binding>], judged: &mut Judged) {
        let (attempt, around) = (self.attempt, self.around);
        let met = match &policy.criteria {
            None => Err("policy contained no match constraints, a required field".to_owned()),
            Some(criteria) => criteria.meets(attempt, around),
        };
        let met = match met {
            Ok(Met::No) => return,
            Ok(met) => met,
            Err(why) => return misconfigured(policy, None, &why, judged),
        };
        if let Err(why) = parameters::served(policy, around) {
            return misconfigured(policy, None, &why, judged);
        }
        let mut told: Vec<(String, Vec<String>)> = Vec::new();
        let mut seen = None;
        for binding in bindings {
            let met_again = match &binding.criteria {
                None => Ok(Met::Yes),
                Some(criteria) => criteria.meets(attempt, around),
            };
            match met_again {
                Ok(Met::No) => continue,
                Ok(_) => {}
                Err(why) => {
                    misconfigured(policy, Some(binding), &why, judged);
                    continue;
                }
            }
            let found = match parameters::collect(policy, binding, attempt.space(), around) {
                Ok(found) => found,
                Err(why) => {
                    misconfigured(policy, Some(binding), &why, judged);
                    continue;
                }
            };
            if found.is_empty() {
                continue;
            }
            if seen.is_none() {
                match self.seen(&met) {
                    Ok(made) => seen = Some(made),
                    Err(why) => {
                        misconfigured(policy, Some(binding), &why, judged);
                        continue;
                    }
                }
            }
            if let Err(missing) = self.find_namespace(policy.sees_namespace) {
                judged.missing_namespace = Some(missing);
                return;
            }
            for parameter in &found {
                let evaluated = self.evaluate(policy, &met, seen.as_ref(), parameter.as_ref());
                conclude(policy, binding, evaluated, &mut told, judged);
            }
        }
        for (key, values) in told {
            annotate(judged, format!("{}/{key}", policy.name), values.join(", "));
        }
    }

    /// The objects in the version that the policy asked for; none where they are already.
    fn seen(&self, met: &Met) -> Result<Seen, String> {
        let Met::As(other) = met else { return Ok(Seen { object: None, old: None }) };
        let convert = |node: Option<&Node<'_>>| match node {
            None => Ok(None),
            Some(node) => {
                let made = self.around.converted(node, &other.kind_name());
                let why = || {
                    let kind = other.kind_name();
                    format!("failed to convert object version: unable to convert to {kind}")
                };
                made.map(Some).ok_or_else(why)
            }
        };
        Ok(Seen { object: convert(self.attempt.object)?, old: convert(self.attempt.old)? })
    }

    /// Finds the namespace of the attempt once, as far as it is wanted; its name, if there is none.
    fn find_namespace(&mut self, is_wanted: bool) -> Result<(), String> {
        if matches!(self.namespace, Asked::Known(_)) || !is_wanted && self.is_there {
            return Ok(());
        }
        let kind = &self.attempt.kind;
        let is_namespace = (kind.group, kind.version, kind.kind) == ("", "v1", "Namespace");
        let name = if is_namespace { "" } else { self.attempt.space() };
        let found = match name {
            "" => None,
            name if !is_wanted => {
                self.is_there = self.around.has_namespace(name);
                return if self.is_there { Ok(()) } else { Err(name.to_owned()) };
            }
            name => Some(self.around.namespace(name).ok_or_else(|| name.to_owned())?),
        };
        self.namespace = Asked::Known(found.map(namespace_object));
        Ok(())
    }

    fn evaluate(
        &self,
        policy: &Policy,
        met: &Met,
        seen: Option<&Seen>,
        parameter: Option<&Node<'static>>,
    ) -> Evaluated {
        let request = match policy.sees_request {
            true => request(self.attempt, met),
            false => Node::empty_map(),
        };
        let converted = seen.filter(|_| matches!(met, Met::As(_)));
        let sight = Sight {
            object: converted.map_or(self.attempt.object, |seen| seen.object.as_ref()),
            old: converted.map_or(self.attempt.old, |seen| seen.old.as_ref()),
            params: parameter,
            request: &request,
            namespace: match &self.namespace {
                Asked::Known(found) => found.as_ref(),
                Asked::Not => None,
            },
            authority: self.authority.as_ref(),
            variables: &policy.variables,
        };
        policy.evaluate(&sight, &|| self.around.nanoseconds())
    }
}

/// A policy or a binding that cannot be applied refuses everything it is about, unless its failures are ignored.
fn misconfigured(policy: &Policy, binding: Option<&Binding>, why: &str, judged: &mut Judged) {
    if policy.ignores_failures {
        return;
    }
    let what = if binding.is_some() { "binding" } else { "policy" };
    judged.denials.push(Denial {
        policy: policy.name.clone(),
        binding: binding.map(|binding| binding.name.clone()),
        words: format!("failed to configure {what}: {why}"),
        reason: Reason::default(),
        validation: None,
    });
}

fn conclude(
    policy: &Policy,
    binding: &Binding,
    evaluated: Evaluated,
    told: &mut Vec<(String, Vec<String>)>,
    judged: &mut Judged,
) {
    let (denials, checks) = (judged.denials.len(), judged.checks.len());
    for (index, decision) in evaluated.decisions.into_iter().enumerate() {
        match decision.outcome {
            Outcome::Met => {}
            Outcome::Forgiven => {
                count(policy, binding, (Some(index), &decision), "allow", judged);
            }
            Outcome::Unmet | Outcome::Failed => {
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
            Annotation::Told(key, value) => match told.iter_mut().find(|(own, _)| *own == key) {
                None => told.push((key, alloc::vec![value])),
                Some((_, values)) if values.contains(&value) => {}
                Some((_, values)) => values.push(value),
            },
            Annotation::Failed { words, nanoseconds } => {
                let (outcome, reason) = (Outcome::Failed, Reason::default());
                let decision = Decision { outcome, words, reason, nanoseconds };
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
    judged: &mut Judged,
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
                policy.name, binding.name, decision.words
            ));
            count(policy, binding, (Some(index), decision), "warn", judged);
        }
    }
}

fn deny(
    policy: &Policy,
    binding: &Binding,
    (index, decision): (Option<usize>, &Decision),
    judged: &mut Judged,
) {
    count(policy, binding, (index, decision), "deny", judged);
    judged.denials.push(Denial {
        policy: policy.name.clone(),
        binding: Some(binding.name.clone()),
        words: decision.words.clone(),
        reason: decision.reason,
        validation: index,
    });
}

/// Tells the audit log something; what was told first under a key stays.
fn annotate(judged: &mut Judged, key: String, value: String) {
    if !judged.annotations.iter().any(|(own, _)| *own == key) {
        judged.annotations.push((key, value));
    }
}

/// A list of one, in JSON, in the order of the API's own type.
fn failure_value(binding: &Binding, index: usize, decision: &Decision) -> String {
    let mut out = String::from("[{");
    let texts =
        [("message", &decision.words), ("policy", &binding.policy), ("binding", &binding.name)];
    for (name, text) in texts {
        out.push_str(&format!("\"{name}\":"));
        // Writing to a String cannot fail.
        let _ = write_text(&mut out, text);
        out.push(',');
    }
    let actions: Vec<String> =
        binding.actions.iter().map(|action| format!("\"{}\"", action.word())).collect();
    let actions = actions.join(",");
    out.push_str(&format!("\"expressionIndex\":{index},\"validationActions\":[{actions}]}}]"));
    out
}

fn count(
    policy: &Policy,
    binding: &Binding,
    (validation, decision): (Option<usize>, &Decision),
    action: &'static str,
    judged: &mut Judged,
) {
    let words = decision.words.as_str();
    let error = if words.starts_with("compilation") {
        "compile_error"
    } else if words.starts_with("validation failed due to running out of cost budget") {
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
        words: decision.words.clone(),
    });
}
