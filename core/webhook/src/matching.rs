//! Matching: whether a webhook is called for an attempt, and in which version.

use crate::configuration::Webhook;
use crate::rejection::Rejection;
use alloc::string::String;
use ratchet_object::selector::LabelSelector;
use ratchet_policy::{
    Attributes, GroupVersionKind, GroupVersionResource, MatchKind, ObjectInterfaces,
    is_in_namespace, matches_namespace_selector, matches_object_selector,
};

/// The kind and the resource that a webhook matched.
pub(crate) fn matched_names<'a>(
    matched: &'a MatchKind,
    attributes: &Attributes<'a>,
) -> (GroupVersionKind<'a>, GroupVersionResource<'a>) {
    match matched {
        MatchKind::Equivalent(other) => (other.kind_name(), other.name()),
        MatchKind::Exact | MatchKind::NoMatch => (attributes.kind, attributes.resource),
    }
}

/// How selectors and rules of a webhook match an attempt. Errors do not count for a webhook that does not match anyway.
pub(crate) fn matches(
    webhook: &Webhook,
    attributes: &Attributes<'_>,
    objects: &dyn ObjectInterfaces,
) -> Result<MatchKind, Rejection> {
    let by_labels = match &webhook.objects {
        Ok(selector) => Ok(matches_object_selector(selector, attributes)),
        Err(error) => Err(Rejection::Internal(error.clone())),
    };
    if by_labels == Ok(false) {
        return Ok(MatchKind::NoMatch);
    }
    // Rules are cheaper than the labels of a namespace; their only error is about a webhook that matches.
    let by_rules = webhook.rules.matches(attributes, objects);
    if by_rules == Ok(MatchKind::NoMatch) {
        return Ok(MatchKind::NoMatch);
    }
    let by_namespace = by_namespace(&webhook.namespaces, attributes, objects);
    if by_namespace == Ok(false) {
        return Ok(MatchKind::NoMatch);
    }
    let matched = by_rules.map_err(Rejection::Internal)?;
    by_namespace?;
    by_labels?;
    Ok(matched)
}

fn by_namespace(
    selector: &Result<LabelSelector, String>,
    attributes: &Attributes<'_>,
    objects: &dyn ObjectInterfaces,
) -> Result<bool, Rejection> {
    if !is_in_namespace(attributes) {
        return Ok(true);
    }
    let selector = selector.as_ref().map_err(|error| Rejection::Internal(error.clone()))?;
    matches_namespace_selector(selector, attributes, objects).map_err(Rejection::NamespaceNotFound)
}
