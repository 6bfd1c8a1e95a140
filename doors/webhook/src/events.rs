//! `EventWriter`: findings as Events of the objects they are about, within limits of number and rate.

use crate::excerpt::excerpt;
use crate::leader::micro_time;
use crate::metrics::Metrics;
use crate::notice::Notice;
use crate::response::{Finding, FindingVerdict};
use crate::subject::Subject;
use ratchet_cluster::Cluster;
use ratchet_object::Node;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::mpsc;

/// The Events that may be written at once.
const BURST: u32 = 50;
/// The time in which one more may be written.
const REFILL: Duration = Duration::from_millis(200);
/// The same finding in the same object is told again after this time.
const AGAIN: Duration = Duration::from_secs(600);
/// The most findings that are remembered for this.
const MAX_REMEMBERED: usize = 4096;
/// The longest message that the API takes.
const MAX_MESSAGE: usize = 1024;

/// Writes the Events of one replica.
pub(crate) struct EventWriter {
    cluster: Cluster,
    metrics: Arc<Metrics>,
    queue: mpsc::Receiver<Arc<Notice>>,
    limiter: Limiter,
    replica: String,
}

impl EventWriter {
    pub(crate) fn new(
        cluster: Cluster,
        metrics: Arc<Metrics>,
        queue: mpsc::Receiver<Arc<Notice>>,
    ) -> Self {
        Self {
            cluster,
            metrics,
            queue,
            limiter: Limiter::default(),
            replica: crate::leader::identity(),
        }
    }

    pub(crate) async fn run(mut self) {
        while let Some(notice) = self.queue.recv().await {
            for finding in &notice.findings {
                match self.limiter.admit(&notice.subject, finding, Instant::now()) {
                    Admission::Known => {}
                    Admission::TooMany => self.metrics.events.with(&["dropped"]).inc(),
                    Admission::New => self.write(&notice.subject, finding).await,
                }
            }
        }
    }

    async fn write(&self, subject: &Subject, finding: &Finding) {
        let namespace = event_namespace(subject);
        let event = event(subject, finding, &self.replica, SystemTime::now());
        let path = format!("/api/v1/namespaces/{namespace}/events");
        let why = match self.cluster.create(&path, &event).await {
            Ok(answer) if answer.is_success() => {
                self.metrics.events.with(&["written"]).inc();
                return;
            }
            Ok(answer) => answer.describe(),
            Err(error) => error.to_string(),
        };
        self.metrics.events.with(&["error"]).inc();
        tracing::debug!(namespace, why, "an Event could not be written");
    }
}

/// Events of cluster-scoped objects are in the default namespace.
fn event_namespace(subject: &Subject) -> &str {
    if subject.namespace.is_empty() { "default" } else { &subject.namespace }
}

fn event(subject: &Subject, finding: &Finding, replica: &str, now: SystemTime) -> Node<'static> {
    let text = |text: &str| Node::string(text.to_owned());
    let namespace = event_namespace(subject);
    let time = micro_time(now);
    let seconds = format!("{}Z", time.split('.').next().unwrap_or_default());
    let action = match finding.verdict {
        FindingVerdict::Denied => "Deny",
        FindingVerdict::Warned => "Warn",
        FindingVerdict::Audited => "Audit",
    };
    let message = format!("{}: {}", finding.rule.id, finding.message);
    let host = replica.split('_').next().unwrap_or_default();
    let reference = [
        ("apiVersion", subject.api_version.as_str()),
        ("kind", &subject.kind),
        ("namespace", &subject.namespace),
        ("name", &subject.name),
        ("uid", &subject.object_uid),
        ("fieldPath", &finding.field),
    ];
    let reference = reference.into_iter().filter(|(_, value)| !value.is_empty());
    Node::map([
        ("apiVersion", text("v1")),
        ("kind", text("Event")),
        (
            "metadata",
            Node::map([("generateName", text("ratchet-webhook.")), ("namespace", text(namespace))]),
        ),
        ("involvedObject", Node::map(reference.map(|(key, value)| (key, text(value))))),
        ("type", text("Warning")),
        ("reason", text("PolicyViolation")),
        ("action", text(action)),
        ("message", Node::string(excerpt(&message, MAX_MESSAGE).into_owned())),
        ("eventTime", Node::string(time)),
        ("firstTimestamp", Node::string(seconds.clone())),
        ("lastTimestamp", Node::string(seconds)),
        ("count", Node::int(1)),
        ("source", Node::map([("component", text("ratchet-webhook"))])),
        ("reportingComponent", text("ratchet-webhook")),
        ("reportingInstance", text(host)),
    ])
}

/// Whether an Event is written.
#[derive(Debug, PartialEq, Eq)]
enum Admission {
    New,
    Known,
    TooMany,
}

/// The limits of number and rate.
#[derive(Default)]
struct Limiter {
    /// When a finding may be told again, by a text of all that makes it the same.
    known: HashMap<String, Instant>,
    /// When the tokens that were used up are back.
    full_at: Option<Instant>,
}

impl Limiter {
    fn admit(&mut self, subject: &Subject, finding: &Finding, now: Instant) -> Admission {
        let Subject { api_version, kind, namespace, name, .. } = subject;
        let (rule, verdict) = (finding.rule.id, finding.verdict.as_str());
        let key =
            format!("{api_version}/{kind}/{namespace}/{name}/{rule}/{verdict}/{}", finding.field);
        if self.known.get(&key).is_some_and(|until| *until > now) {
            return Admission::Known;
        }
        let full_at = self.full_at.unwrap_or(now).max(now) + REFILL;
        if full_at > now + REFILL * BURST {
            return Admission::TooMany;
        }
        if self.known.len() >= MAX_REMEMBERED {
            self.known.retain(|_, until| *until > now);
        }
        if self.known.len() >= MAX_REMEMBERED {
            return Admission::TooMany;
        }
        self.full_at = Some(full_at);
        self.known.insert(key, now + AGAIN);
        Admission::New
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mode::Mode;
    use ratchet_engine::RULES;

    fn subject(name: &str) -> Subject {
        Subject { kind: "Node".into(), name: name.into(), ..Subject::default() }
    }

    fn finding(message: &str) -> Finding {
        Finding {
            rule: RULES[0],
            mode: Mode::Warn,
            verdict: FindingVerdict::Warned,
            field: "spec".into(),
            message: message.into(),
        }
    }

    #[test]
    fn the_same_finding_is_told_once_and_many_are_dropped() {
        let (mut limiter, now) = (Limiter::default(), Instant::now());
        let mut admit = |name: &str, at: Instant| limiter.admit(&subject(name), &finding("m"), at);
        assert_eq!(admit("a", now), Admission::New);
        assert_eq!(admit("a", now), Admission::Known);
        for number in 1..BURST {
            assert_eq!(admit(&number.to_string(), now), Admission::New);
        }
        assert_eq!(admit("b", now), Admission::TooMany);
        assert_eq!(admit("b", now + REFILL), Admission::New, "a place is free again");
        assert_eq!(admit("a", now + AGAIN), Admission::New);
    }

    #[test]
    fn an_event_is_within_the_limits_of_the_api() {
        let event = event(&subject("n"), &finding(&"ä".repeat(2000)), "pod-1_x", SystemTime::now());
        assert_eq!(event.text_at(&["metadata", "namespace"]), "default");
        assert_eq!(event.text_at(&["involvedObject", "fieldPath"]), "spec");
        assert!(event.find(&["involvedObject", "uid"]).is_none(), "it is not stored yet");
        let message = event.text_at(&["message"]);
        assert!(message.len() <= MAX_MESSAGE && message.ends_with("ä..."), "{message}");
        assert_eq!(event.text_at(&["reportingInstance"]), "pod-1");
    }
}
