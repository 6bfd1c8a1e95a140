//! An object can carry its own exceptions, each with a reason.

use ratchet_object::{At, Object};

/// The annotation: `RULE[,RULE]: reason`, several of them separated by semicolons or lines.
pub(crate) const ANNOTATION: &str = "ratchet/ignore";

/// What an object wants to have passed over.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Exceptions<'a> {
    rules: Vec<&'a str>,
    /// Entries that name rules but no reason; they except nothing.
    pub(crate) unreasoned: Vec<&'a str>,
}

impl<'a> Exceptions<'a> {
    /// Reads the annotation of an object, and of the pod template in it.
    pub(crate) fn of(object: &'a Object<'a>) -> Self {
        let root = object.root();
        let template = object.kind().and_then(|kind| kind.pod).map(|place| root.descend(place.0));
        let mut exceptions = Self::default();
        for at in [Some(root), template].into_iter().flatten() {
            exceptions.read(annotation(&at));
        }
        exceptions
    }

    fn read(&mut self, text: &'a str) {
        for entry in text.split([';', '\n']).map(str::trim).filter(|entry| !entry.is_empty()) {
            let (rules, reason) = entry.split_once(':').unwrap_or((entry, ""));
            if reason.trim().is_empty() {
                self.unreasoned.push(entry);
            } else {
                self.rules.extend(rules.split(',').map(str::trim));
            }
        }
    }

    /// Whether the object excepts this rule.
    pub(crate) fn cover(&self, rule: &str) -> bool {
        self.rules.contains(&rule)
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
        exceptions
            .read("RTC-IP-001, RTC-IP-002: the old appliance; RTC-DNS-001\nRTC-SVC-001: until May");
        assert_eq!(exceptions.rules, ["RTC-IP-001", "RTC-IP-002", "RTC-SVC-001"]);
        assert_eq!(exceptions.unreasoned, ["RTC-DNS-001"]);
        assert!(exceptions.cover("RTC-IP-002") && !exceptions.cover("RTC-DNS-001"));
    }
}
