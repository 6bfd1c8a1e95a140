//! One object is put before the policies, and what they say becomes findings.

use super::ready::{as_stored, split};
use super::{Around, POLICY, PolicySet};
use crate::finding::{Ruling, Severity};
use crate::findings::Findings;
use crate::inspect::first_key;
use crate::{Config, FieldValidation};
use ratchet_access::{AUTHENTICATED, MASTERS, User};
use ratchet_net::Quoted;
use ratchet_object::{Node, Object, Scope, Span};
use ratchet_policy::{Attempt, Check, Denial, Judged, KindName, Operation, ResourceName};

/// Whoever writes the objects, if nobody is named: the administrator that kubeadm makes.
pub fn administrator() -> User {
    let groups = [MASTERS, AUTHENTICATED].map(str::to_owned).to_vec();
    User { name: "kubernetes-admin".into(), groups, ..User::default() }
}

/// The resource of a kind that is not built in, guessed as kubectl guesses it.
pub fn plural_of(kind: &str) -> String {
    let kind = kind.to_lowercase();
    match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if kind.ends_with('s') => format!("{kind}es"),
        None => format!("{kind}s"),
    }
}

impl PolicySet {
    /// Asks about an object; gives the message with which the API would refuse it.
    pub(crate) fn ask(
        &self,
        object: &Object<'_>,
        old: Option<&Object<'_>>,
        (around, config): (&Around<'_>, &Config),
        said: &mut Findings<'_, '_>,
    ) -> Option<String> {
        let (group, version) = split(object.api_version());
        let custom = self.custom(group, object.kind_name()).map(|row| row.plural.clone());
        let built_in = object.kind();
        let plural = match &built_in {
            Some(row) => row.plural.to_owned(),
            None => custom.unwrap_or_else(|| plural_of(object.kind_name())),
        };
        // Objects are many, and made ready only for those who look at them.
        if !self.policies.look_at(group, &plural) {
            return None;
        }
        let is_namespaced = built_in.is_none_or(|row| row.scope == Scope::Namespaced);
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
        let attempt = Attempt {
            operation,
            kind: KindName { group, version, kind: object.kind_name() },
            resource: ResourceName { group, version, resource: &plural },
            subresource: "",
            name: object.name(),
            namespace: if is_namespaced { object.namespace() } else { "" },
            object: Some(&new),
            old: stored.as_ref(),
            options: Some(&options),
            user,
            dry_run: false,
        };
        let judged = self.policies.judge(&attempt, around);
        self.tell(&judged, first_key(object), said);
        let denial = judged.denials.first()?;
        let resource = match group {
            "" => plural,
            group => format!("{plural}.{group}"),
        };
        let name = Quoted(object.name());
        Some(format!("{resource} {name} is forbidden: {}", denial.message()))
    }

    fn tell(&self, judged: &Judged, span: Span, said: &mut Findings<'_, '_>) {
        for denial in &judged.denials {
            let Denial { policy, binding, validation, .. } = denial;
            let ruling = self.ruling(policy, binding.clone(), *validation, "Deny");
            said.rule(Severity::Error, &POLICY, &denial.message(), span, ruling);
        }
        // What warns and what is only written down has the same words; one is told to the writer.
        for (action, word, severity) in
            [("warn", "Warn", Severity::Warning), ("audit", "Audit", Severity::Note)]
        {
            for check in judged.checks.iter().filter(|check| check.action == action) {
                let Check { policy, binding, validation, words, .. } = check;
                let text = format!(
                    "Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{binding}': {words}"
                );
                let ruling = self.ruling(policy, Some(binding.clone()), *validation, word);
                said.rule(severity, &POLICY, &text, span, ruling);
            }
        }
        let own = |row: &&(String, String)| !row.0.starts_with("validation.policy.");
        for (key, value) in judged.annotations.iter().filter(own) {
            let policy = key.rsplit_once('/').map_or(key.as_str(), |(policy, _)| policy);
            let text = format!("the audit log is told {key}: {value}");
            let ruling = self.ruling(policy, None, None, "Audit");
            said.rule(Severity::Note, &POLICY, &text, span, ruling);
        }
    }

    fn ruling(
        &self,
        policy: &str,
        binding: Option<String>,
        validation: Option<usize>,
        action: &'static str,
    ) -> Ruling {
        let labels = self.labels.get(policy);
        let label = validation.and_then(|index| labels?.get(index)).cloned();
        Ruling { policy: policy.to_owned(), binding, validation, action, label }
    }
}

fn options(operation: Operation, validation: FieldValidation) -> Node<'static> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_guessed_as_kubectl_guesses_them() {
        for (kind, plural) in [("Widget", "widgets"), ("Policy", "policies"), ("Glass", "glasses")]
        {
            assert_eq!(plural_of(kind), plural);
        }
    }
}
