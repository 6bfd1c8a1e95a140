//! Mutations: the object as an expression of a MutatingAdmissionPolicy leaves it.

use ratchet_check::merge_built_in;
use ratchet_object::{NoCluster, Node};
use ratchet_policy::{GroupVersionKind, Setting, Trial, TypeConverter};

/// Merges apply configurations of built-in kinds.
struct BuiltInKinds;

impl TypeConverter for BuiltInKinds {
    fn merge(
        &self,
        kind: &GroupVersionKind<'_>,
        object: &Node<'_>,
        configuration: &Node<'_>,
    ) -> Result<Node<'static>, String> {
        merge_built_in(kind, object, configuration)
    }
}

/// The patched object; or why there is none, as the API server tells it.
pub(super) fn patched(
    trial: &Trial,
    expression: &str,
    setting: &Setting<'_>,
) -> Result<Node<'static>, String> {
    trial.mutate(expression, setting, (&NoCluster, &BuiltInKinds))
}
