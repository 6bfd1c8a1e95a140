//! A policy that nothing binds yet is tried as if it were bound everywhere.

use super::PolicySet;
use super::around::is_of;
use super::ready::split;
use ratchet_object::Node;
use ratchet_policy::{Binding, KindName};
use std::sync::Arc;

/// Bindings that refuse everywhere what the policy refuses: one for each parameter that is given, and one without if
/// the policy takes none or none is there. They have the name of the policy, for that is what most people call them.
pub(super) fn everywhere(policy: &Node<'_>, book: &PolicySet) -> Vec<Arc<Binding>> {
    let name = policy.text_at(&["metadata", "name"]);
    let Some(kind) = policy.find(&["spec", "paramKind"]).filter(|node| !node.is_null()) else {
        return vec![bound(name, None)];
    };
    let (group, version) = split(kind.text_at(&["apiVersion"]));
    let kind = KindName { group, version, kind: kind.text_at(&["kind"]) };
    let own = book.parameters.iter().filter(|node| is_of(node, &kind));
    let bindings: Vec<Arc<Binding>> = own.map(|parameter| bound(name, Some(parameter))).collect();
    if bindings.is_empty() { vec![bound(name, None)] } else { bindings }
}

fn bound(policy: &str, parameter: Option<&Node<'_>>) -> Arc<Binding> {
    let text = |text: &str| Node::string(text.to_owned());
    let mut spec = Node::map([
        ("policyName", text(policy)),
        ("validationActions", Node::list(vec![text("Deny")])),
    ]);
    if let Some(parameter) = parameter {
        let mut wanted = Node::map([("parameterNotFoundAction", text("Deny"))]);
        for name in ["name", "namespace"] {
            match parameter.text_at(&["metadata", name]) {
                "" => {}
                value => wanted.set(name, text(value)),
            }
        }
        spec.set("paramRef", wanted);
    }
    let metadata = Node::map([("name", text(policy))]);
    Arc::new(Binding::read(&Node::map([("metadata", metadata), ("spec", spec)])))
}
