//! Suppression of findings by the annotation `ratchet/ignore` of an object.

use crate::policies::RULES as OWN_RULES;
use ratchet_engine::rules::decoding;
use ratchet_engine::{Exception, RULES, Rule};
use ratchet_object::Object;

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
        let mut exceptions = Self::default();
        exceptions.add(Exception::of(object.node(), object.kind().as_ref()));
        exceptions
    }

    fn add(&mut self, entries: impl IntoIterator<Item = Exception<'a>>) {
        for Exception { text, rules, reason } in entries {
            if reason.is_empty() {
                self.ineffective.push((
                    text,
                    "without a reason, so it excepts nothing: write \"RULE: reason\"",
                ));
                continue;
            }
            for id in rules {
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
        self.ineffective.iter().map(|(entry, why)| {
            format!(
                "the annotation {ANNOTATION} names {entry:?} {why}",
                ANNOTATION = Exception::ANNOTATION
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_needs_a_reason() {
        let mut exceptions = Exceptions::default();
        exceptions.add(Exception::parse(
            "RTC-IP-001, rtc-ip-002: the old appliance; RTC-DNS-001\nRTC-SVC-001: until May",
        ));
        exceptions.add(Exception::parse("RTC-IP-01: x; RTC-API-009: y"));
        assert_eq!(exceptions.rules, ["RTC-IP-001", "rtc-ip-002", "RTC-SVC-001"]);
        let ineffective: Vec<&str> =
            exceptions.ineffective.iter().map(|(entry, _)| *entry).collect();
        assert_eq!(ineffective, ["RTC-DNS-001", "RTC-IP-01", "RTC-API-009"]);
        let rule = |id| RULES.iter().find(|rule| rule.id == id).unwrap();
        assert!(exceptions.cover(rule("RTC-IP-002")) && !exceptions.cover(rule("RTC-DNS-001")));
        assert_eq!(exceptions.complaints().count(), 3);
    }
}
