//! Suppression of findings by the annotation `ratchet/ignore` of an object.

use crate::policies::RULES as OWN_RULES;
use ratchet_engine::rules::decoding;
use ratchet_engine::{RULES, Rule};
use ratchet_object::{At, Object};

/// The annotation: `RULE[,RULE]: reason`, several of them separated by semicolons or lines.
pub(crate) const ANNOTATION: &str = "ratchet/ignore";

/// The rules that an object's annotation suppresses.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Exceptions<'a> {
    rules: Vec<&'a str>,
    /// Entries that suppress nothing, each with why: no reason, or no such rule.
    ineffective: Vec<(&'a str, &'static str)>,
}

/// Decoding errors cannot be suppressed: nothing else of the object was checked.
const NEVER: [&str; 3] =
    [decoding::WRONG_TYPE.id, decoding::UNREADABLE.id, decoding::UNKNOWN_KIND.id];

impl<'a> Exceptions<'a> {
    /// Parses the annotation of an object, and of its pod template.
    pub(crate) fn of(object: &'a Object<'a>) -> Self {
        let root = object.root();
        let template =
            object.kind().and_then(|kind| kind.pod).filter(|template| !template.0.is_empty());
        let mut exceptions = Self::default();
        exceptions.parse(annotation(&root));
        if let Some(template) = template {
            exceptions.parse(annotation(&root.descend(template.0)));
        }
        exceptions
    }

    fn parse(&mut self, text: &'a str) {
        for entry in text.split([';', '\n']).map(str::trim).filter(|entry| !entry.is_empty()) {
            let (rules, reason) = entry.split_once(':').unwrap_or((entry, ""));
            if reason.trim().is_empty() {
                self.ineffective.push((
                    entry,
                    "without a reason, so it excepts nothing: write \"RULE: reason\"",
                ));
                continue;
            }
            for id in rules.split(',').map(str::trim) {
                let mut rules = RULES.iter().chain(OWN_RULES);
                let is_rule = rules.any(|rule| rule.id.eq_ignore_ascii_case(id));
                if !is_rule {
                    self.ineffective.push((id, "which is no rule: `ratchet explain` lists them"));
                } else if NEVER.iter().any(|never| never.eq_ignore_ascii_case(id)) {
                    self.ineffective.push((
                        id,
                        "which cannot be passed over: nothing else of the object was judged",
                    ));
                } else {
                    self.rules.push(id);
                }
            }
        }
    }

    /// Whether the object suppresses a rule.
    pub(crate) fn cover(&self, rule: &Rule) -> bool {
        self.rules.iter().any(|id| rule.id.eq_ignore_ascii_case(id))
    }

    /// Notes about entries that suppress nothing.
    pub(crate) fn complaints(&self) -> impl Iterator<Item = String> {
        self.ineffective
            .iter()
            .map(|(entry, why)| format!("the annotation {ANNOTATION} names {entry:?} {why}"))
    }
}

fn annotation<'a>(at: &At<'a>) -> &'a str {
    at.field("metadata").field("annotations").key(ANNOTATION).text_or_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_needs_a_reason() {
        let mut exceptions = Exceptions::default();
        exceptions.parse(
            "RTC-IP-001, rtc-ip-002: the old appliance; RTC-DNS-001\nRTC-SVC-001: until May",
        );
        exceptions.parse("RTC-IP-01: x; RTC-API-009: y");
        assert_eq!(exceptions.rules, ["RTC-IP-001", "rtc-ip-002", "RTC-SVC-001"]);
        let ineffective: Vec<&str> =
            exceptions.ineffective.iter().map(|(entry, _)| *entry).collect();
        assert_eq!(ineffective, ["RTC-DNS-001", "RTC-IP-01", "RTC-API-009"]);
        let rule = |id| RULES.iter().find(|rule| rule.id == id).unwrap();
        assert!(exceptions.cover(rule("RTC-IP-002")) && !exceptions.cover(rule("RTC-DNS-001")));
        assert_eq!(exceptions.complaints().count(), 3);
    }
}
