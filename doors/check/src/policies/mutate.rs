//! MutatingAdmissionPolicies from files: the object as they would leave it, which is what is checked then.

use super::stored_form::{as_stored, split};
use super::write_request::WriteRequest;
use super::{FileCluster, POLICY, PolicySet};
use crate::Config;
use crate::finding::{PolicyDecision, Severity};
use crate::findings::Findings;
use crate::inspect::first_key;
use ratchet_apply::{TypeRef, merge_configuration, unstructured_error};
use ratchet_engine::Status;
use ratchet_object::{Node, Object, Span, schema};
use ratchet_pipeline::mutation_status;
use ratchet_policy::{
    GroupVersionKind, MutationFailure, ObjectInterfaces, Operation, ReinvocationContext,
    TypeConverter,
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

    fn decode_error(&self, kind: &GroupVersionKind<'_>, object: &Node<'_>) -> Option<String> {
        unstructured_error(object, *kind)
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
        let flags = (old.is_some(), is_namespaced);
        let request = WriteRequest::new(object, (kind, &plural), flags, config);
        let attributes = request.attributes(None, stored.as_ref());
        let mut reinvocation = ReinvocationContext::new(request.operation == Operation::Create);
        let mut node = object.node().clone().into_owned();
        let mut is_changed = false;
        loop {
            let result =
                self.mutating.mutate(&attributes, node, cluster, cluster, &mut reinvocation);
            if let Some(failure) = result.failure {
                let status = mutation_status(&failure, &attributes);
                add_refusal(failure, &status, first_key(object), findings);
                return Mutated::Refused(status.message);
            }
            (node, is_changed) = (result.object, is_changed | result.is_patched);
            if !reinvocation.begin_reinvocation() {
                break;
            }
        }
        if is_changed { Mutated::Changed(node) } else { Mutated::Unchanged }
    }
}

/// Adds a finding for each policy that refuses the object, or one for what fails without them.
fn add_refusal(
    failure: MutationFailure,
    status: &Status,
    span: Span,
    findings: &mut Findings<'_, '_>,
) {
    let mut add = |policy: String, binding: Option<String>, text: &str| {
        let (validation, expression) = (None, None);
        let decision = PolicyDecision { policy, binding, validation, action: "Deny", expression };
        findings.add_policy_decision(Severity::Error, &POLICY, text, span, decision);
    };
    match failure {
        MutationFailure::Denied(denials) => {
            for denial in denials {
                let text = denial.message();
                add(denial.policy, denial.binding, &text);
            }
        }
        MutationFailure::Internal(_) | MutationFailure::MissingNamespace(_) => {
            add(String::new(), None, &status.message);
        }
    }
}
