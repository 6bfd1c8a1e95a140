//! Warnings about deprecated node labels in node selectors, affinities and topologies.

use super::ineffective_setting::{warn_at, warn_text};
use super::labels;
use crate::Verdict;
use alloc::format;
use ratchet_object::At;

/// Deprecated labels and their messages.
const DEPRECATED: [(&str, &str); 8] = [
    ("app.kubernetes.io/created-by", "deprecated since v1.9"),
    ("beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"),
    (
        "beta.kubernetes.io/instance-type",
        "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead",
    ),
    ("beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"),
    (
        "failure-domain.beta.kubernetes.io/region",
        "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
    ),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead",
    ),
    ("node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"),
    (
        "scheduler.alpha.kubernetes.io/preferAvoidPods",
        "deprecated since v1.22; use Taints and Tolerations instead",
    ),
];

fn message(label: &str) -> Option<&'static str> {
    DEPRECATED.iter().find(|row| row.0 == label).map(|row| row.1)
}

/// The deprecated labels among the keys of a map, with their messages. The API iterates maps in random order; here the
/// order is that of `DEPRECATED`.
pub(crate) fn of_map<'a>(map: &At<'a>) -> impl Iterator<Item = (At<'a>, &'static str)> {
    let map = *map;
    DEPRECATED.iter().map(move |row| (map.key(row.0), row.1)).filter(|(at, _)| at.is_set())
}

/// Warns about a key that is a deprecated label; the message contains the key.
pub(crate) fn warn_key(key: &At<'_>, verdict: &mut Verdict) {
    if let Some(message) = message(key.text_or_empty()) {
        warn_at(verdict, key, &format!("{} is {message}", key.text_or_empty()));
    }
}

/// Warns about a key that is a deprecated label; the message does not contain the key.
pub(crate) fn warn_bare_key(key: &At<'_>, verdict: &mut Verdict) {
    if let Some(message) = message(key.text_or_empty()) {
        warn_at(verdict, key, message);
    }
}

/// Warns about a node selector term; a preferred one may have invalid label values, which match nothing.
pub(crate) fn warn_term(term: &At<'_>, is_preferred: bool, verdict: &mut Verdict) {
    for expression in term.field("matchExpressions").items() {
        warn_key(&expression.field("key"), verdict);
        if !is_preferred {
            continue;
        }
        for value in expression.field("values").items() {
            let text = value.text_or_empty();
            labels::value_faults(text, |fault| {
                warn_text(verdict, &value, format!("{}: {text} is invalid, {fault}", value.path()));
            });
        }
    }
}

/// Warns about a label selector over nodes.
pub(crate) fn warn_selector(selector: &At<'_>, verdict: &mut Verdict) {
    warn_term(selector, false, verdict);
    let map = selector.field("matchLabels");
    for (at, message) in of_map(&map) {
        let label = at.path().steps().last().map(|step| match step {
            ratchet_object::Step::Key(key) | ratchet_object::Step::Field(key) => key,
            ratchet_object::Step::Index(_) => "",
        });
        // The API writes the label as if it were a field.
        let named = at.with_path(map.path().field(label.unwrap_or_default()));
        warn_at(verdict, &named, message);
    }
}
