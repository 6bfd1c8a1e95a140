//! Whether the API would take a policy or a binding: the engine looks at metadata, expressions are looked at here.

use super::ready::split;
use ratchet_engine::{Change, Policy, Verdict};
use ratchet_object::{Object, defaults};

/// The group of policies and bindings.
pub(super) const GROUP: &str = "admissionregistration.k8s.io";

/// Adds to a verdict what is wrong with a policy or a binding; nothing for every other kind. It is read with its
/// defaults, which have no places, so that what was written keeps its own.
pub(crate) fn validate(
    object: &Object<'_>,
    old: Option<&Object<'_>>,
    policy: &Policy,
    verdict: &mut Verdict,
) {
    if split(object.api_version()).0 != GROUP {
        return;
    }
    let filled = |object: &Object<'_>| {
        let mut node = object.node().clone().into_owned();
        let (group, version) = split(object.api_version());
        defaults::apply(group, version, object.kind_name(), &mut node);
        Object::new(node)
    };
    let new = filled(object);
    let old = old.map(filled);
    let change = match &old {
        Some(old) => Change::update(old, &new),
        None => Change::create(&new),
    };
    if let Some(change) = change {
        ratchet_policy::validate(&change, policy, verdict);
    }
}
