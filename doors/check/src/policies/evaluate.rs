//! Evaluation of the policies for one object, with findings as the result.

use super::stored_form::{as_stored, split};
use super::{FileCluster, POLICY, PolicySet};
use crate::finding::{PolicyDecision, Severity};
use crate::findings::Findings;
use crate::inspect::first_key;
use crate::{Config, FieldValidation};
use ratchet_access::{AUTHENTICATED, MASTERS, User};
use ratchet_object::{Node, Object, Span};
use ratchet_pipeline::{Judged, denial_status};
use ratchet_policy::{
    Attributes, Check, Denial, GroupVersionKind, GroupVersionResource, Operation, PolicyResult,
};

/// The default user: the administrator that kubeadm creates.
pub fn administrator() -> User {
    let groups = [MASTERS, AUTHENTICATED].map(str::to_owned).to_vec();
    User { name: "kubernetes-admin".into(), groups, ..User::default() }
}

/// A judged change, as policies get it.
#[derive(Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub(crate) object: &'a Object<'a>,
    pub(crate) old: Option<&'a Object<'a>>,
    pub(crate) is_namespaced: bool,
    pub(crate) judged: &'a Judged<'a>,
}

impl PolicySet {
    /// Evaluates the policies for an object; returns the message with which the API server would refuse it.
    pub(crate) fn evaluate(
        &self,
        attempt: &Attempt<'_>,
        (cluster, config): (&FileCluster<'_>, &Config),
        findings: &mut Findings<'_, '_>,
    ) -> Option<String> {
        let Attempt { object, old, is_namespaced, judged } = *attempt;
        let (group, version) = split(object.api_version());
        let kind = GroupVersionKind { group, version, kind: object.kind_name() };
        let plural = self.plural(&kind);
        // The stored form is costly, so objects that no policy matches do not get one.
        if !self.policies.look_at(group, &plural) {
            return None;
        }
        let stored = old.map(|old| as_stored(old, Some(old.node())));
        let new = as_stored(object, stored.as_ref());
        let operation = if old.is_some() { Operation::Update } else { Operation::Create };
        let options = options(operation, config.field_validation);
        let admin;
        let user = match &config.requester {
            Some(user) => user,
            None => {
                admin = administrator();
                &admin
            }
        };
        let attributes = Attributes {
            operation,
            kind,
            resource: GroupVersionResource { group, version, resource: &plural },
            subresource: "",
            name: object.name(),
            namespace: if is_namespaced { object.namespace() } else { "" },
            object: Some(&new),
            old: stored.as_ref(),
            options: Some(&options),
            user,
            dry_run: false,
        };
        let verdicts = judged.evaluate(&self.policies, &attributes, cluster);
        self.add_findings(&verdicts, first_key(object), findings);
        let denial = verdicts.denials.first()?;
        Some(denial_status(denial, &attributes).message)
    }

    fn add_findings(&self, verdicts: &PolicyResult, span: Span, findings: &mut Findings<'_, '_>) {
        for denial in &verdicts.denials {
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
            for check in verdicts.checks.iter().filter(|check| check.action == action) {
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
        for (key, value) in verdicts.annotations.iter().filter(own) {
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

/// The options of a write.
pub(super) fn options(operation: Operation, validation: FieldValidation) -> Node<'static> {
    let kind = if operation == Operation::Create { "CreateOptions" } else { "UpdateOptions" };
    let validation = match validation {
        FieldValidation::Strict => "Strict",
        FieldValidation::Warn => "Warn",
        FieldValidation::Ignore => "Ignore",
    };
    Node::map([
        ("kind", Node::string(kind)),
        ("apiVersion", Node::string("meta.k8s.io/v1")),
        ("fieldValidation", Node::string(validation)),
    ])
}
