//! Default bindings for policies without one: a policy that nothing binds is evaluated as if bound everywhere.

use super::PolicySet;
use super::kinds::is_of;
use super::stored_form::split;
use ratchet_object::Node;
use ratchet_policy::{Binding, GroupVersionKind};
use std::sync::Arc;

/// Bindings with `Deny` for all objects: one for each parameter in the files, and one without a parameter if the
/// policy takes none or there is none. They have the policy's name, which is what most bindings are called.
pub(super) fn everywhere(policy: &Node<'_>, policy_set: &PolicySet) -> Vec<Arc<Binding>> {
    let name = policy.text_at(&["metadata", "name"]);
    let Some(kind) = policy.find(&["spec", "paramKind"]).filter(|node| !node.is_null()) else {
        return vec![binding(name, None)];
    };
    let (group, version) = split(kind.text_at(&["apiVersion"]));
    let kind = GroupVersionKind { group, version, kind: kind.text_at(&["kind"]) };
    let parameters = policy_set.parameters.iter().filter(|node| is_of(node, &kind));
    let bindings: Vec<Arc<Binding>> =
        parameters.map(|parameter| binding(name, Some(parameter))).collect();
    if bindings.is_empty() { vec![binding(name, None)] } else { bindings }
}

fn binding(policy: &str, parameter: Option<&Node<'_>>) -> Arc<Binding> {
    let text = |text: &str| Node::string(text.to_owned());
    let mut spec = Node::map([
        ("policyName", text(policy)),
        ("validationActions", Node::list(vec![text("Deny")])),
    ]);
    if let Some(parameter) = parameter {
        let mut param_ref = Node::map([("parameterNotFoundAction", text("Deny"))]);
        for name in ["name", "namespace"] {
            match parameter.text_at(&["metadata", name]) {
                "" => {}
                value => param_ref.set(name, text(value)),
            }
        }
        spec.set("paramRef", param_ref);
    }
    let metadata = Node::map([("name", text(policy))]);
    Arc::new(Binding::from_object(&Node::map([("metadata", metadata), ("spec", spec)])))
}
