//! Evaluation of the policies for one object, with findings as the result.

use super::stored_form::{as_stored, split};
use super::write_request::WriteRequest;
use super::{FileCluster, POLICY, PolicySet};
use crate::Config;
use crate::finding::{PolicyDecision, Severity};
use crate::findings::Findings;
use crate::inspect::first_key;
use ratchet_object::{Object, Span};
use ratchet_pipeline::{PolicyVerdict, evaluate_policies};
use ratchet_policy::{Check, Denial, GroupVersionKind, PolicyResult};

/// A change that was judged, as policies get it.
#[derive(Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub(crate) object: &'a Object<'a>,
    pub(crate) old: Option<&'a Object<'a>>,
    pub(crate) is_namespaced: bool,
}

impl PolicySet {
    /// Evaluates the policies for an object; returns the message with which the API server would refuse it.
    pub(crate) fn evaluate(
        &self,
        attempt: &Attempt<'_>,
        (cluster, config): (&FileCluster<'_>, &Config),
        findings: &mut Findings<'_, '_>,
    ) -> Option<String> {
        let Attempt { object, old, is_namespaced } = *attempt;
        let (group, version) = split(object.api_version());
        let kind = GroupVersionKind { group, version, kind: object.kind_name() };
        let plural = self.plural(&kind);
        // The stored form is costly, so objects that no policy matches do not get one.
        if !self.policies.look_at(group, &plural) {
            return None;
        }
        let stored = old.map(|old| as_stored(old, Some(old.node())));
        let new = as_stored(object, stored.as_ref());
        let flags = (old.is_some(), is_namespaced);
        let request = WriteRequest::new(object, (kind, &plural), flags, config);
        let attributes = request.attributes(Some(&new), stored.as_ref());
        let PolicyVerdict { result, status } =
            evaluate_policies(&self.policies, &attributes, cluster);
        self.add_findings(&result, first_key(object), findings);
        status.map(|status| status.message)
    }

    fn add_findings(&self, result: &PolicyResult, span: Span, findings: &mut Findings<'_, '_>) {
        for denial in &result.denials {
            let Denial { policy, binding, validation, .. } = denial;
            let decision = self.decision(policy, binding.clone(), *validation, "Deny");
            findings.add_policy_decision(
                Severity::Error,
                &POLICY,
                &denial.message(),
                span,
                decision,
            );
        }
        // `Warn` and `Audit` have the same text; the client gets only the warning.
        for (action, action_name, severity) in
            [("warn", "Warn", Severity::Warning), ("audit", "Audit", Severity::Note)]
        {
            for check in result.checks.iter().filter(|check| check.action == action) {
                let Check { policy, binding, validation, words, .. } = check;
                let text = format!(
                    "Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{binding}': {words}"
                );
                let decision =
                    self.decision(policy, Some(binding.clone()), *validation, action_name);
                findings.add_policy_decision(severity, &POLICY, &text, span, decision);
            }
        }
        let own = |row: &&(String, String)| !row.0.starts_with("validation.policy.");
        for (key, value) in result.annotations.iter().filter(own) {
            let policy = key.rsplit_once('/').map_or(key.as_str(), |(policy, _)| policy);
            let text = format!("the audit log is told {key}: {value}");
            let decision = self.decision(policy, None, None, "Audit");
            findings.add_policy_decision(Severity::Note, &POLICY, &text, span, decision);
        }
    }

    fn decision(
        &self,
        policy: &str,
        binding: Option<String>,
        validation: Option<usize>,
        action: &'static str,
    ) -> PolicyDecision {
        let expressions = self.expressions.get(policy);
        let expression = validation.and_then(|index| expressions?.get(index)).cloned();
        PolicyDecision { policy: policy.to_owned(), binding, validation, action, expression }
    }
}
