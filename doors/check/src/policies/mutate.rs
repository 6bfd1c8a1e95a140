//! MutatingAdmissionPolicies from files: the object as they would leave it, which is what is checked then.

use super::evaluate::{administrator, options};
use super::stored_form::{as_stored, split};
use super::{FileCluster, POLICY, PolicySet};
use crate::Config;
use crate::finding::{PolicyDecision, Severity};
use crate::findings::Findings;
use crate::inspect::first_key;
use ratchet_apply::{TypeRef, merge_configuration};
use ratchet_net::Quoted;
use ratchet_object::{Node, Object, schema};
use ratchet_policy::{
    Attributes, GroupVersionKind, GroupVersionResource, MutationFailure, ObjectInterfaces,
    Operation, ReinvocationContext, TypeConverter,
};

impl ObjectInterfaces for FileCluster<'_> {}

impl TypeConverter for FileCluster<'_> {
    fn merge(
        &self,
        kind: &GroupVersionKind<'_>,
        object: &Node<'_>,
        configuration: &Node<'_>,
    ) -> Result<Node<'static>, String> {
        merge_built_in(kind, object, configuration)
    }
}

/// Merges an apply configuration into an object of a built-in kind.
pub fn merge_built_in(
    kind: &GroupVersionKind<'_>,
    object: &Node<'_>,
    configuration: &Node<'_>,
) -> Result<Node<'static>, String> {
    match schema::kind(kind.group, kind.version, kind.kind) {
        Some(row) => merge_configuration(object, configuration, TypeRef::built_in(row.ty)),
        None => Err(format!(
            "failed to convert patch object to typed object: no corresponding type for {kind}"
        )),
    }
}

/// What mutating policies make of an object.
pub(crate) enum Mutated {
    /// They leave it as it is.
    Unchanged,
    /// They change it.
    Changed(Node<'static>),
    /// The API server would refuse it with this message.
    Refused(String),
}

impl PolicySet {
    /// Applies the mutating policies to an object with defaults, and once more those that others have changed it after.
    pub(crate) fn mutate(
        &self,
        (node, old): (&Node<'_>, Option<&Node<'_>>),
        is_namespaced: bool,
        (cluster, config): (&FileCluster<'_>, &Config),
        findings: &mut Findings<'_, '_>,
    ) -> Mutated {
        let (group, version) = split(node.text_at(&["apiVersion"]));
        let kind = GroupVersionKind { group, version, kind: node.text_at(&["kind"]) };
        let plural = self.plural(&kind);
        if !self.mutating.look_at(group, &plural) {
            return Mutated::Unchanged;
        }
        let object = &Object::new(node.clone());
        let stored = old.map(|old| as_stored(&Object::new(old.clone()), Some(old)));
        let operation = if old.is_some() { Operation::Update } else { Operation::Create };
        let options = options(operation, config.field_validation);
        let user = config.requester.clone().unwrap_or_else(administrator);
        let attributes = Attributes {
            operation,
            kind,
            resource: GroupVersionResource { group, version, resource: &plural },
            subresource: "",
            name: object.name(),
            namespace: if is_namespaced { object.namespace() } else { "" },
            object: None,
            old: stored.as_ref(),
            options: Some(&options),
            user: &user,
            dry_run: false,
        };
        let mut reinvocation = ReinvocationContext::new(operation == Operation::Create);
        let mut node = object.node().clone().into_owned();
        let mut is_changed = false;
        loop {
            let result =
                self.mutating.mutate(&attributes, node, cluster, cluster, &mut reinvocation);
            if let Some(failure) = result.failure {
                return self.refused(failure, (&plural, object), findings);
            }
            (node, is_changed) = (result.object, is_changed | result.is_patched);
            if !reinvocation.begin_reinvocation() {
                break;
            }
        }
        if is_changed { Mutated::Changed(node) } else { Mutated::Unchanged }
    }

    fn refused(
        &self,
        failure: MutationFailure,
        (plural, object): (&str, &Object<'_>),
        findings: &mut Findings<'_, '_>,
    ) -> Mutated {
        let mut add = |policy: String, binding: Option<String>, text: &str| {
            let decision = PolicyDecision {
                policy,
                binding,
                validation: None,
                action: "Deny",
                expression: None,
            };
            findings.add_policy_decision(
                Severity::Error,
                &POLICY,
                text,
                first_key(object),
                decision,
            );
        };
        match failure {
            MutationFailure::Denied(denials) => {
                let message =
                    denials.first().map(ratchet_policy::PolicyError::message).unwrap_or_default();
                for denial in denials {
                    let text = denial.message();
                    add(denial.policy, denial.binding, &text);
                }
                Mutated::Refused(message)
            }
            MutationFailure::Internal(why) => {
                let message = format!("Internal error occurred: {why}");
                add(String::new(), None, &message);
                Mutated::Refused(message)
            }
            MutationFailure::MissingNamespace(name) => {
                let message = format!("namespaces {} not found", Quoted(&name));
                add(plural.to_owned(), None, &message);
                Mutated::Refused(message)
            }
        }
    }
}
