//! `Results`: the results of a report, merged with new findings and bounded.

use crate::notice::Notice;
use crate::response::{Finding, FindingVerdict};
use crate::subject::Subject;
use ratchet_object::Node;
use std::time::{SystemTime, UNIX_EPOCH};

/// The most results of one report; the oldest give way.
const MAX_RESULTS: usize = 200;
/// The longest message of a result.
const MAX_MESSAGE: usize = 500;

/// The results of one report, the oldest first.
pub(super) struct Results(Vec<Node<'static>>);

impl Results {
    pub(super) fn of(report: &Node<'static>) -> Self {
        Self(report.get("results").map(|results| results.items().to_vec()).unwrap_or_default())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The objects that have results: kind and name.
    pub(super) fn objects(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|result| {
            let object = result.get("resources")?.items().first()?;
            Some((object.text_at(&["kind"]), object.text_at(&["name"])))
        })
    }

    /// Puts the findings of a request in the place of all that was reported about its object.
    pub(super) fn replace(&mut self, notice: &Notice, now: SystemTime) {
        let subject = &notice.subject;
        let is_other = |result: &Node<'_>| {
            let object = result.get("resources").and_then(|all| all.items().first());
            object.is_none_or(|object| {
                (object.text_at(&["kind"]), object.text_at(&["name"]))
                    != (subject.kind.as_str(), subject.name.as_str())
            })
        };
        self.0.retain(is_other);
        self.0.extend(notice.findings.iter().map(|finding| result(subject, finding, now)));
        let surplus = self.0.len().saturating_sub(MAX_RESULTS);
        self.0.drain(..surplus);
    }

    /// Writes the results and their summary into a report.
    pub(super) fn write_to(&self, report: &mut Node<'static>) {
        let count = |name: &str| {
            let count = self.0.iter().filter(|result| result.text_at(&["result"]) == name).count();
            Node::int(i64::try_from(count).unwrap_or(i64::MAX))
        };
        let summary = ["pass", "fail", "warn", "error", "skip"].map(|name| (name, count(name)));
        report.set("summary", Node::map(summary));
        report.set("results", Node::list(self.0.clone()));
    }
}

fn result(subject: &Subject, finding: &Finding, now: SystemTime) -> Node<'static> {
    let text = |text: &str| Node::string(text.to_owned());
    let family = finding.rule.id.rsplit_once('-').map_or(finding.rule.id, |(family, _)| family);
    let object = [
        ("apiVersion", subject.api_version.as_str()),
        ("kind", &subject.kind),
        ("namespace", &subject.namespace),
        ("name", &subject.name),
        ("uid", &subject.object_uid),
    ];
    let object = object.into_iter().filter(|(_, value)| !value.is_empty());
    let properties = [
        ("field", finding.field.as_str()),
        ("mode", finding.mode.as_str()),
        ("user", &subject.user),
    ];
    let time = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    Node::map([
        ("source", text("ratchet")),
        ("policy", text(finding.rule.id)),
        ("rule", text(finding.rule.title)),
        ("category", text(family)),
        (
            "result",
            text(match finding.verdict {
                FindingVerdict::Denied => "fail",
                FindingVerdict::Warned | FindingVerdict::Audited => "warn",
            }),
        ),
        ("scored", Node::bool(false)),
        ("message", Node::string(finding.message.chars().take(MAX_MESSAGE).collect::<String>())),
        (
            "timestamp",
            Node::map([
                ("seconds", Node::int(seconds)),
                ("nanos", Node::int(time.subsec_nanos().into())),
            ]),
        ),
        ("resources", Node::list(vec![Node::map(object.map(|(key, value)| (key, text(value))))])),
        ("properties", Node::map(properties.map(|(key, value)| (key, text(value))))),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mode::Mode;
    use ratchet_engine::RULES;

    fn notice(name: &str, fields: &[&str]) -> Notice {
        let subject = Subject { kind: "Service".into(), name: name.into(), ..Subject::default() };
        let finding = |field: &&str| Finding {
            rule: RULES[0],
            mode: Mode::Audit,
            verdict: FindingVerdict::Audited,
            field: (*field).to_owned(),
            message: "m".into(),
        };
        Notice { subject, findings: fields.iter().map(finding).collect() }
    }

    #[test]
    fn results_follow_their_objects_and_are_bounded() {
        let mut results = Results(Vec::new());
        let now = SystemTime::now();
        results.replace(&notice("a", &["x", "y"]), now);
        results.replace(&notice("b", &["x"]), now);
        results.replace(&notice("a", &["z"]), now);
        let objects: Vec<_> = results.objects().collect();
        assert_eq!(objects, [("Service", "b"), ("Service", "a")]);
        let mut report = Node::empty_map();
        results.write_to(&mut report);
        assert_eq!(report.find(&["summary", "warn"]).and_then(Node::as_int), Some(2));
        results.replace(&notice("b", &[]), now);
        results.replace(&notice("a", &[]), now);
        assert!(results.is_empty(), "what is repaired is no longer reported");
        for number in 0..MAX_RESULTS + 5 {
            results.replace(&notice(&number.to_string(), &["x"]), now);
        }
        assert_eq!(results.0.len(), MAX_RESULTS);
        assert_eq!(results.objects().next(), Some(("Service", "5")), "the oldest gave way");
    }
}
