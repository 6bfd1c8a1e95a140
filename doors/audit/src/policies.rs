//! Policies and webhooks that exist already for what the proposals are about.

use crate::page::Policy;
use ratchet_object::{KINDS, Node, Value};

/// Words of expressions, and what a policy with such a word is about.
const SUBJECTS: &[(&str, &str)] = &[
    ("externalIPs", "external IPs (KEP-2200)"),
    ("isIP(", "IP addresses (KEP-4858)"),
    ("isCIDR(", "CIDRs (KEP-4858)"),
    ("searches", "DNS search names (KEP-4427)"),
    ("httpGet", "probe hosts (KEP-4940)"),
    ("hostNetwork", "Pod Security"),
    ("privileged", "Pod Security"),
];

/// What a policy or a webhook configuration is about, if it is about the same as the audit.
pub(crate) fn policy(node: &Node<'_>) -> Option<Policy> {
    let (kind, name) = (node.text_at(&["kind"]), node.metadata().name());
    let about = match kind {
        "ValidatingAdmissionPolicy" => {
            let spec = node.get("spec")?;
            let is_in = |word: &&(&str, &str)| mentions(spec, word.0);
            let mut subjects: Vec<&str> = SUBJECTS.iter().filter(is_in).map(|row| row.1).collect();
            subjects.dedup();
            subjects.join(", ")
        }
        _ => resources(node).join(", "),
    };
    (!about.is_empty()).then(|| Policy { kind: kind.to_owned(), name: name.to_owned(), about })
}

/// Whether a text below a node has a word.
fn mentions(node: &Node<'_>, word: &str) -> bool {
    match &node.value {
        Value::Text(text) => text.contains(word),
        Value::List(items) => items.iter().any(|item| mentions(item, word)),
        Value::Map(entries) => entries.iter().any(|entry| mentions(&entry.node, word)),
        _ => false,
    }
}

/// The audited resources that webhooks of a configuration are called for.
fn resources(node: &Node<'_>) -> Vec<String> {
    let webhooks = node.get("webhooks").map(Node::items).unwrap_or_default();
    let rules =
        webhooks.iter().flat_map(|hook| hook.get("rules").map(Node::items).unwrap_or_default());
    let names = rules.flat_map(|rule| rule.get("resources").map(Node::items).unwrap_or_default());
    let is_ours = |name: &&str| {
        *name == "*"
            || KINDS.iter().any(|kind| crate::kinds::is_judged(kind) && kind.plural == *name)
    };
    let mut names: Vec<String> =
        names.filter_map(Node::text).filter(is_ours).map(str::to_owned).collect();
    names.sort_unstable();
    names.dedup();
    names
}
