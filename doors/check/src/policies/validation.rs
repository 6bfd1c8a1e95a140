//! Validation of policies and bindings themselves: the engine validates metadata, expressions are validated here.

use super::stored_form::split;
use ratchet_engine::{ApiConfig, Change, Verdict};
use ratchet_object::{Object, defaults};

/// The group of policies and bindings.
pub(super) const GROUP: &str = "admissionregistration.k8s.io";

/// Adds the errors of a policy or a binding to a verdict; does nothing for other kinds. Defaults are applied first;
/// they have no spans, so the values in the file keep theirs.
pub(crate) fn validate(
    object: &Object<'_>,
    old: Option<&Object<'_>>,
    config: &ApiConfig,
    verdict: &mut Verdict,
) {
    if split(object.api_version()).0 != GROUP {
        return;
    }
    let with_defaults = |object: &Object<'_>| {
        let mut node = object.node().clone().into_owned();
        let (group, version) = split(object.api_version());
        defaults::apply(group, version, object.kind_name(), &mut node);
        Object::new(node)
    };
    let new = with_defaults(object);
    let old = old.map(with_defaults);
    let change = match &old {
        Some(old) => Change::update(old, &new),
        None => Change::create(&new),
    };
    if let Some(change) = change {
        ratchet_policy::validate(&change, config, verdict);
    }
}
