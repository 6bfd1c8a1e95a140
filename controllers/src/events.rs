//! Event recorder: queues events, aggregates similar ones and counts repeats, like client-go's
//! correlator.

use crate::{Client, Failure, Patch};
use jiff::Timestamp;
use ratchet_object::{Node, percent_encode};
use std::collections::HashMap;
use std::future::Future;
use tokio::sync::mpsc;

/// Capacity of the queue; further events are dropped, for no controller should wait for an event.
const QUEUE_CAPACITY: usize = 1000;

/// Maximum entries in each cache of the correlator.
const CACHE_CAPACITY: usize = 4096;

/// How many events of one kind about one object are written before further ones are combined.
const MAX_SIMILAR: u32 = 10;

/// Seconds without an event after which similar events are counted from zero.
const SIMILAR_WINDOW: i64 = 600;

/// Rate limit per object: the burst, and the seconds after which one more event is allowed.
const BURST: f64 = 25.0;
const REFILL_SECONDS: f64 = 300.0;

/// The object that an event is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectReference {
    /// The `apiVersion` of the object.
    pub api_version: String,
    /// The kind of the object.
    pub kind: String,
    /// The namespace of the object; empty if it is cluster-scoped.
    pub namespace: String,
    /// The name of the object.
    pub name: String,
    /// The uid of the object.
    pub uid: String,
}

impl ObjectReference {
    /// Refers to an object of this kind.
    pub fn object(api_version: &str, kind: &str, object: &Node<'_>) -> Self {
        let at = |name: &str| object.text_at(&["metadata", name]).to_owned();
        Self {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            namespace: at("namespace"),
            name: at("name"),
            uid: at("uid"),
        }
    }
}

/// An event before correlation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Event {
    object: ObjectReference,
    severity: &'static str,
    reason: &'static str,
    message: String,
}

/// Queues events for a background task that writes them.
#[derive(Clone)]
pub struct Recorder {
    events: mpsc::Sender<Event>,
}

impl Recorder {
    /// A recorder, and the task that writes its events for ever.
    pub(crate) fn new(
        client: Client,
        component: &'static str,
    ) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (events, receiver) = mpsc::channel(QUEUE_CAPACITY);
        (Self { events }, write_all(client, component, receiver))
    }

    /// Records a `Normal` event.
    pub fn normal(
        &self,
        object: &ObjectReference,
        reason: &'static str,
        message: impl Into<String>,
    ) {
        self.enqueue(object, "Normal", reason, message.into());
    }

    /// Records a `Warning` event.
    pub fn warn(&self, object: &ObjectReference, reason: &'static str, message: impl Into<String>) {
        self.enqueue(object, "Warning", reason, message.into());
    }

    fn enqueue(
        &self,
        object: &ObjectReference,
        severity: &'static str,
        reason: &'static str,
        message: String,
    ) {
        let event = Event { object: object.clone(), severity, reason, message };
        if self.events.try_send(event).is_err() {
            tracing::debug!(reason, name = object.name, "an event was dropped");
        }
    }
}

async fn write_all(client: Client, component: &'static str, mut events: mpsc::Receiver<Event>) {
    let mut correlator = Correlator::default();
    while let Some(event) = events.recv().await {
        let Some(write) = correlator.correlate(event, Timestamp::now()) else { continue };
        if let Err(failure) = write.submit(&client, component).await {
            // Events are best effort.
            tracing::debug!(%failure, "an event could not be written");
        }
    }
    std::future::pending::<()>().await;
}

/// An event to write: created if its count is one, patched otherwise.
#[derive(Clone, Debug, PartialEq)]
struct EventWrite {
    event: Event,
    name: String,
    first: Timestamp,
    last: Timestamp,
    count: u32,
}

impl EventWrite {
    async fn submit(&self, client: &Client, component: &str) -> Result<(), Failure> {
        let namespace = match self.event.object.namespace.as_str() {
            "" => "default",
            namespace => namespace,
        };
        let path = format!("/api/v1/namespaces/{}/events", percent_encode(namespace));
        if self.count > 1 {
            let event_path = format!("{path}/{}", percent_encode(&self.name));
            match client.patch(&event_path, Patch::Strategic, &self.repeat_patch()).await {
                // The event expired: events have a short lifetime.
                Err(failure) if failure.is_not_found() => {}
                result => return result.map(drop),
            }
        }
        client.post(&path, &self.to_node(namespace, component)).await.map(drop)
    }

    fn repeat_patch(&self) -> Node<'static> {
        Node::map([
            ("count", Node::int(self.count.into())),
            ("lastTimestamp", time(self.last)),
            ("message", Node::string(self.event.message.clone())),
        ])
    }

    fn to_node(&self, namespace: &str, component: &str) -> Node<'static> {
        let text = |text: &str| Node::string(text.to_owned());
        let ObjectReference { api_version, kind, namespace: object_namespace, name, uid } =
            &self.event.object;
        let mut object = Node::map([("kind", text(kind))]);
        for (member, value) in [
            ("namespace", object_namespace),
            ("name", name),
            ("uid", uid),
            ("apiVersion", api_version),
        ] {
            if !value.is_empty() {
                object.set(member, text(value));
            }
        }
        Node::map([
            ("kind", text("Event")),
            ("apiVersion", text("v1")),
            ("metadata", Node::map([("name", text(&self.name)), ("namespace", text(namespace))])),
            ("involvedObject", object),
            ("reason", text(self.event.reason)),
            ("message", text(&self.event.message)),
            ("source", Node::map([("component", text(component))])),
            ("firstTimestamp", time(self.first)),
            ("lastTimestamp", time(self.last)),
            ("count", Node::int(self.count.into())),
            ("type", text(self.event.severity)),
            ("reportingComponent", text(component)),
        ])
    }
}

fn time(at: Timestamp) -> Node<'static> {
    Node::string(at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// Events already written, to recognize repeats.
#[derive(Default)]
struct Correlator {
    written: HashMap<Event, (String, Timestamp, Timestamp, u32)>,
    similar_events: HashMap<(ObjectReference, &'static str, &'static str), (Timestamp, u32)>,
    tokens_taken: HashMap<ObjectReference, (Timestamp, f64)>,
}

impl Correlator {
    /// The write for an event, or `None` if the rate limit drops it.
    fn correlate(&mut self, mut event: Event, now: Timestamp) -> Option<EventWrite> {
        self.evict();
        if !self.allows(&event.object, now) {
            return None;
        }
        let kind = (event.object.clone(), event.severity, event.reason);
        let (last, similar) = self.similar_events.entry(kind).or_insert((now, 0));
        if now.as_second() - last.as_second() > SIMILAR_WINDOW {
            *similar = 0;
        }
        (*last, *similar) = (now, similar.saturating_add(1));
        let mut key = event.clone();
        if *similar > MAX_SIMILAR {
            // One event stands for all similar ones, whatever their messages.
            key.message.clear();
            event.message = format!("(combined from similar events): {}", event.message);
        }
        let name = format!("{}.{:x}", event.object.name, now.as_nanosecond());
        let (name, first, last, count) = self.written.entry(key).or_insert((name, now, now, 0));
        (*last, *count) = (now, count.saturating_add(1));
        Some(EventWrite { name: name.clone(), first: *first, last: now, count: *count, event })
    }

    /// Whether the rate limit allows one more event about this object.
    fn allows(&mut self, object: &ObjectReference, now: Timestamp) -> bool {
        let (since, taken) = self.tokens_taken.entry(object.clone()).or_insert((now, 0.0));
        let elapsed = now.duration_since(*since).as_secs_f64();
        let debt = (*taken - elapsed / REFILL_SECONDS).max(0.0);
        *since = now;
        let allowed = debt + 1.0 <= BURST;
        *taken = if allowed { debt + 1.0 } else { debt };
        allowed
    }

    /// Bounds the caches; a forgotten event is written as new.
    fn evict(&mut self) {
        if self.written.len() >= CACHE_CAPACITY {
            self.written.clear();
        }
        if self.similar_events.len() >= CACHE_CAPACITY {
            self.similar_events.clear();
        }
        if self.tokens_taken.len() >= CACHE_CAPACITY {
            self.tokens_taken.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str, message: &str) -> Event {
        let object = ObjectReference {
            api_version: "v1".to_owned(),
            kind: "Node".to_owned(),
            name: name.to_owned(),
            ..ObjectReference::default()
        };
        Event { object, severity: "Warning", reason: "Why", message: message.to_owned() }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + seconds).expect("a time")
    }

    #[test]
    fn repeats_are_counted_under_the_first_name() {
        let mut correlator = Correlator::default();
        let first = correlator.correlate(event("a", "x"), at(0)).expect("written");
        let second = correlator.correlate(event("a", "x"), at(5)).expect("written");
        let other = correlator.correlate(event("a", "y"), at(6)).expect("written");
        assert_eq!((first.count, second.count, other.count), (1, 2, 1));
        assert_eq!((&first.name, first.first), (&second.name, second.first));
        assert_ne!(first.name, other.name);
        assert_eq!(
            second.repeat_patch().to_json(),
            r#"{"count":2,"lastTimestamp":"2027-01-15T08:00:05Z","message":"x"}"#
        );
    }

    #[test]
    fn many_of_one_sort_are_told_as_one() {
        let mut correlator = Correlator::default();
        let writes: Vec<_> = (0..13)
            .filter_map(|n| correlator.correlate(event("a", &format!("m{n}")), at(n * 60)))
            .map(|write| (write.count, write.event.message))
            .collect();
        assert_eq!(writes[9], (1, "m9".to_owned()));
        assert_eq!(writes[10], (1, "(combined from similar events): m10".to_owned()));
        assert_eq!(writes[12], (3, "(combined from similar events): m12".to_owned()));
        let later = correlator.correlate(event("a", "z"), at(13 * 60 + 2000)).expect("written");
        assert_eq!(later.event.message, "z");
    }

    #[test]
    fn one_object_cannot_fill_the_store() {
        let mut correlator = Correlator::default();
        let count = |correlator: &mut Correlator, name: &str, from: i64| {
            (0..100).filter(|_| correlator.correlate(event(name, "x"), at(from)).is_some()).count()
        };
        assert_eq!(count(&mut correlator, "a", 0), 25);
        assert_eq!(count(&mut correlator, "b", 0), 25);
        assert_eq!(count(&mut correlator, "a", 600), 2);
    }

    #[test]
    fn an_event_says_what_it_is_about() {
        let write = Correlator::default().correlate(event("n1", "x"), at(0)).expect("written");
        let event = write.to_node("default", "me");
        assert_eq!(event.text_at(&["involvedObject", "kind"]), "Node");
        assert_eq!(event.find(&["involvedObject", "namespace"]), None);
        assert_eq!(event.metadata().namespace(), "default");
        assert_eq!(event.text_at(&["source", "component"]), "me");
        assert!(event.metadata().name().starts_with("n1."));
    }
}
