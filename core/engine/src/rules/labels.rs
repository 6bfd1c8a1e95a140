//! Rule RTC-API-003: the format of label keys and values.

use crate::{FieldError, Origin, Ratchet, Rule, Verdict};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use ratchet_net::dns;
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-API-003",
    fields: &[
        "metadata.labels of every kind and of every pod template",
        "Pod spec.nodeSelector",
        "Service spec.selector",
        "matchLabels of every label selector",
    ],
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

const KEY: &str = "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";

/// Checks every key and every value of a map of labels.
pub(crate) fn check_map(labels: &At<'_>, verdict: &mut Verdict) {
    // Sorted by key: the order in the source text must not affect the result.
    let mut sorted: Vec<(&str, At<'_>)> = labels.entries().collect();
    sorted.sort_unstable_by_key(|(key, _)| *key);
    for (key, at) in &sorted {
        let at = at.with_path(*labels.path());
        key_faults(key, |detail| verdict.add_error(FieldError::invalid(&RULE, &at, key, detail)));
        let text = at.text_or_empty();
        value_faults(text, |detail| {
            verdict.add_error(FieldError::invalid(&RULE, &at, text, detail));
        });
    }
}

/// Reports the format violations of a label value.
pub(crate) fn value_faults(text: &str, mut report: impl FnMut(&'static str)) {
    if text.len() > LONGEST {
        report("must be no more than 63 bytes");
    }
    if !text.is_empty() && !is_name(text) {
        report(VALUE);
    }
}

/// Reports the format violations of a label key.
pub(crate) fn key_faults(key: &str, mut report: impl FnMut(Cow<'static, str>)) {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if name.contains('/') {
        return report(KEY.into());
    }
    match prefix {
        Some("") => report("prefix part must be non-empty".into()),
        Some(prefix) => {
            let faults = dns::subdomain(prefix);
            if faults.too_long {
                report("prefix part must be no more than 253 bytes".into());
            }
            if faults.pattern {
                report(alloc::format!("prefix part {}", super::dns_search::STRICT_PATTERN).into());
            }
        }
        None => {}
    }
    if name.is_empty() {
        report("name part must be non-empty".into());
    } else if name.len() > LONGEST {
        report("name part must be no more than 63 bytes".into());
    }
    if !is_name(name) {
        report(NAME.into());
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
