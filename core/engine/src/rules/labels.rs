//! Labels must be spelled as the API spells them.

use crate::scene::Scene;
use crate::{Origin, Problem, Ratchet, Rule, Verdict};
use alloc::vec::Vec;
use ratchet_net::dns;
use ratchet_object::At;

/// The row.
pub(crate) static RULE: Rule = Rule {
    id: "RTC-API-003",
    fields: &["metadata.labels of every kind"],
    title: "malformed label",
    origin: Origin::Api,
    demands: "A label's value is empty or at most 63 letters, digits, dashes, underscores and dots, beginning and ending with a letter or a digit; its key may have a DNS name and a slash before such a name.",
    why: "Selectors, Pod Security levels among them, are matched against labels; what cannot be a label cannot be matched.",
    fix: "Use letters, digits, `-`, `_` and `.`, and begin and end with a letter or a digit.",
    ratchet: Ratchet::Never,
    versions: "All releases.",
};

const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LONGEST: usize = 63;

/// Kinds taken to list a label's cause four times on update, the others thrice. Only Namespace was
/// seen on a real server; the rest is inferred from it, and only the number of causes hangs on it.
const FOUR_TIMES: [&str; 4] = ["Namespace", "Node", "Pod", "Service"];

/// The API repeats itself: an update lists each of these causes as often as it was found.
pub(crate) fn check(scene: &Scene<'_>, verdict: &mut Verdict) {
    let change = scene.change;
    let times = match (change.is_create(), FOUR_TIMES.contains(&change.kind.name)) {
        (true, _) => 1,
        (false, true) => 4,
        (false, false) => 3,
    };
    let labels = change.new_root().field("metadata").field("labels");
    // By name: the order in which a person wrote them must not show.
    let mut sorted: Vec<(&str, At<'_>)> = labels.entries().collect();
    sorted.sort_unstable_by_key(|(key, _)| *key);
    for _ in 0..times {
        for (key, at) in &sorted {
            check_key(&at.named(*labels.path()), key, verdict);
            check_value(&at.named(*labels.path()), at.text_or_empty(), verdict);
        }
    }
}

fn check_value(at: &At<'_>, text: &str, verdict: &mut Verdict) {
    if text.len() > LONGEST {
        verdict.problem(Problem::invalid(&RULE, at, text, "must be no more than 63 characters"));
    }
    if !text.is_empty() && !is_name(text) {
        verdict.problem(Problem::invalid(&RULE, at, text, VALUE));
    }
}

fn check_key(at: &At<'_>, key: &str, verdict: &mut Verdict) {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if name.contains('/') {
        let detail = "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
        return verdict.problem(Problem::invalid(&RULE, at, key, detail));
    }
    match prefix {
        Some("") => {
            verdict.problem(Problem::invalid(&RULE, at, key, "prefix part must be non-empty"));
        }
        Some(prefix) if !dns::subdomain(prefix).is_ok() => {
            let detail = alloc::format!("prefix part {}", super::dns_search::STRICT_PATTERN);
            verdict.problem(Problem::invalid(&RULE, at, key, detail));
        }
        _ => {}
    }
    if name.is_empty() {
        verdict.problem(Problem::invalid(&RULE, at, key, "name part must be non-empty"));
    } else if name.len() > LONGEST {
        verdict.problem(Problem::invalid(
            &RULE,
            at,
            key,
            "name part must be no more than 63 characters",
        ));
    }
    if !is_name(name) {
        verdict.problem(Problem::invalid(&RULE, at, key, NAME));
    }
}

fn is_name(text: &str) -> bool {
    let is_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    is_end(bytes.first())
        && is_end(bytes.last())
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}
