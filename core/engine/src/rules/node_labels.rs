//! Labels of nodes that were renamed, and the places that choose nodes by them.

use super::labels;
use super::pod_notes::{say, tell};
use crate::Verdict;
use alloc::format;
use ratchet_object::At;

/// Each label, and what is said of it.
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

/// What is said of the renamed labels among the keys of a map. The API reads its maps in any order; here it is theirs.
pub(crate) fn of_map<'a>(map: &At<'a>) -> impl Iterator<Item = (At<'a>, &'static str)> {
    let map = *map;
    DEPRECATED.iter().map(move |row| (map.key(row.0), row.1)).filter(|(at, _)| at.is_set())
}

/// A key that is a renamed label, told with its name.
pub(crate) fn warn_key(key: &At<'_>, verdict: &mut Verdict) {
    if let Some(message) = message(key.text_or_empty()) {
        say(verdict, key, &format!("{} is {message}", key.text_or_empty()));
    }
}

/// A key that is a renamed label, told without its name.
pub(crate) fn warn_bare_key(key: &At<'_>, verdict: &mut Verdict) {
    if let Some(message) = message(key.text_or_empty()) {
        say(verdict, key, message);
    }
}

/// A term that chooses nodes; one that is preferred may hold values that no label can have, which chooses nothing.
pub(crate) fn warn_term(term: &At<'_>, is_preferred: bool, verdict: &mut Verdict) {
    for expression in term.field("matchExpressions").items() {
        warn_key(&expression.field("key"), verdict);
        if !is_preferred {
            continue;
        }
        for value in expression.field("values").items() {
            let text = value.text_or_empty();
            labels::value_faults(text, |fault| {
                tell(verdict, &value, format!("{}: {text} is invalid, {fault}", value.path()));
            });
        }
    }
}

/// A label selector over nodes.
pub(crate) fn warn_selector(selector: &At<'_>, verdict: &mut Verdict) {
    warn_term(selector, false, verdict);
    let map = selector.field("matchLabels");
    for (at, message) in of_map(&map) {
        let label = at.path().steps().last().map(|step| match step {
            ratchet_object::Step::Key(key) | ratchet_object::Step::Field(key) => *key,
            _ => "",
        });
        // The API writes the label as if it were a field.
        let named = at.named(map.path().field(label.unwrap_or_default()));
        say(verdict, &named, message);
    }
}
