//! Events: what happened to an object, for those who look at it; repeats are counted, not written anew.

use crate::client::escaped;
use crate::{Client, Failure, Patch};
use jiff::Timestamp;
use ratchet_object::Node;
use std::collections::HashMap;
use std::future::Future;
use tokio::sync::mpsc;

/// So many wait to be written; more are dropped, for nobody should wait for an event.
const WAITING: usize = 1000;

/// So many objects and messages are remembered.
const REMEMBERED: usize = 4096;

/// So many events of one sort about one object are written before they are told as one.
const SIMILAR: u32 = 10;

/// Sorts of events are counted anew after so many seconds without one.
const FORGETTING: i64 = 600;

/// So many events about one object are written at once, and one more in so many seconds.
const BURST: f64 = 25.0;
const REFILL: f64 = 300.0;

/// What an event is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct About {
    /// Its group and version.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Its namespace; empty if it stands in none.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Which one it is.
    pub uid: String,
}

impl About {
    /// What an object of this kind is.
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

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Note {
    about: About,
    severity: &'static str,
    reason: &'static str,
    message: String,
}

/// Takes down what happened; it is written when there is time.
#[derive(Clone)]
pub struct Recorder {
    notes: mpsc::Sender<Note>,
}

impl Recorder {
    /// A recorder, and what writes its events for ever.
    pub(crate) fn new(
        client: Client,
        component: &'static str,
    ) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (notes, waiting) = mpsc::channel(WAITING);
        (Self { notes }, write_all(client, component, waiting))
    }

    /// Something went as it should.
    pub fn tell(&self, about: &About, reason: &'static str, message: impl Into<String>) {
        self.note(about, "Normal", reason, message.into());
    }

    /// Something went wrong.
    pub fn warn(&self, about: &About, reason: &'static str, message: impl Into<String>) {
        self.note(about, "Warning", reason, message.into());
    }

    fn note(&self, about: &About, severity: &'static str, reason: &'static str, message: String) {
        let note = Note { about: about.clone(), severity, reason, message };
        if self.notes.try_send(note).is_err() {
            tracing::debug!(reason, name = about.name, "an event was dropped");
        }
    }
}

async fn write_all(client: Client, component: &'static str, mut notes: mpsc::Receiver<Note>) {
    let mut memory = Memory::default();
    while let Some(note) = notes.recv().await {
        let Some(write) = memory.take(note, Timestamp::now()) else { continue };
        if let Err(failure) = write.carry_out(&client, component).await {
            // Nobody depends on an event.
            tracing::debug!(%failure, "an event could not be written");
        }
    }
    std::future::pending::<()>().await;
}

/// An event to be written: a new one if its count is one.
#[derive(Clone, Debug, PartialEq)]
struct Write {
    note: Note,
    name: String,
    first: Timestamp,
    last: Timestamp,
    count: u32,
}

impl Write {
    async fn carry_out(&self, client: &Client, component: &str) -> Result<(), Failure> {
        let namespace = match self.note.about.namespace.as_str() {
            "" => "default",
            namespace => namespace,
        };
        let path = format!("/api/v1/namespaces/{}/events", escaped(namespace));
        if self.count > 1 {
            let one = format!("{path}/{}", escaped(&self.name));
            match client.patch(&one, Patch::Strategic, &self.repeat()).await {
                // It was too old: events are not kept for long.
                Err(failure) if failure.is_not_found() => {}
                answered => return answered.map(drop),
            }
        }
        client.post(&path, &self.whole(namespace, component)).await.map(drop)
    }

    fn repeat(&self) -> Node<'static> {
        Node::map([
            ("count", Node::int(self.count.into())),
            ("lastTimestamp", time(self.last)),
            ("message", Node::string(self.note.message.clone())),
        ])
    }

    fn whole(&self, namespace: &str, component: &str) -> Node<'static> {
        let text = |text: &str| Node::string(text.to_owned());
        let About { api_version, kind, namespace: of, name, uid } = &self.note.about;
        let mut object = Node::map([("kind", text(kind))]);
        for (member, value) in
            [("namespace", of), ("name", name), ("uid", uid), ("apiVersion", api_version)]
        {
            if !value.is_empty() {
                object.set(member, text(value));
            }
        }
        Node::map([
            ("kind", text("Event")),
            ("apiVersion", text("v1")),
            ("metadata", Node::map([("name", text(&self.name)), ("namespace", text(namespace))])),
            ("involvedObject", object),
            ("reason", text(self.note.reason)),
            ("message", text(&self.note.message)),
            ("source", Node::map([("component", text(component))])),
            ("firstTimestamp", time(self.first)),
            ("lastTimestamp", time(self.last)),
            ("count", Node::int(self.count.into())),
            ("type", text(self.note.severity)),
            ("reportingComponent", text(component)),
        ])
    }
}

fn time(at: Timestamp) -> Node<'static> {
    Node::string(at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// What was written, so that repeats are known.
#[derive(Default)]
struct Memory {
    written: HashMap<Note, (String, Timestamp, Timestamp, u32)>,
    sorts: HashMap<(About, &'static str, &'static str), (Timestamp, u32)>,
    taken: HashMap<About, (Timestamp, f64)>,
}

impl Memory {
    /// How a note is written, if it is written at all.
    fn take(&mut self, mut note: Note, now: Timestamp) -> Option<Write> {
        self.forget();
        if !self.may(&note.about, now) {
            return None;
        }
        let sort = (note.about.clone(), note.severity, note.reason);
        let (last, similar) = self.sorts.entry(sort).or_insert((now, 0));
        if now.as_second() - last.as_second() > FORGETTING {
            *similar = 0;
        }
        (*last, *similar) = (now, similar.saturating_add(1));
        let mut key = note.clone();
        if *similar > SIMILAR {
            // One event tells the rest, whatever each of them says.
            key.message.clear();
            note.message = format!("(combined from similar events): {}", note.message);
        }
        let name = format!("{}.{:x}", note.about.name, now.as_nanosecond());
        let (name, first, last, count) = self.written.entry(key).or_insert((name, now, now, 0));
        (*last, *count) = (now, count.saturating_add(1));
        Some(Write { name: name.clone(), first: *first, last: now, count: *count, note })
    }

    /// Whether one more event about this object may be written.
    fn may(&mut self, about: &About, now: Timestamp) -> bool {
        let (since, taken) = self.taken.entry(about.clone()).or_insert((now, 0.0));
        let passed = now.duration_since(*since).as_secs_f64();
        let left = (*taken - passed / REFILL).max(0.0);
        *since = now;
        let may = left + 1.0 <= BURST;
        *taken = if may { left + 1.0 } else { left };
        may
    }

    /// Keeps the memory small; what is forgotten is written as new.
    fn forget(&mut self) {
        if self.written.len() >= REMEMBERED {
            self.written.clear();
        }
        if self.sorts.len() >= REMEMBERED {
            self.sorts.clear();
        }
        if self.taken.len() >= REMEMBERED {
            self.taken.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(name: &str, message: &str) -> Note {
        let about = About {
            api_version: "v1".to_owned(),
            kind: "Node".to_owned(),
            name: name.to_owned(),
            ..About::default()
        };
        Note { about, severity: "Warning", reason: "Why", message: message.to_owned() }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + seconds).expect("a time")
    }

    #[test]
    fn repeats_are_counted_under_the_first_name() {
        let mut memory = Memory::default();
        let first = memory.take(note("a", "x"), at(0)).expect("written");
        let second = memory.take(note("a", "x"), at(5)).expect("written");
        let other = memory.take(note("a", "y"), at(6)).expect("written");
        assert_eq!((first.count, second.count, other.count), (1, 2, 1));
        assert_eq!((&first.name, first.first), (&second.name, second.first));
        assert_ne!(first.name, other.name);
        assert_eq!(
            second.repeat().to_json(),
            r#"{"count":2,"lastTimestamp":"2027-01-15T08:00:05Z","message":"x"}"#
        );
    }

    #[test]
    fn many_of_one_sort_are_told_as_one() {
        let mut memory = Memory::default();
        let writes: Vec<_> = (0..13)
            .filter_map(|n| memory.take(note("a", &format!("m{n}")), at(n * 60)))
            .map(|write| (write.count, write.note.message))
            .collect();
        assert_eq!(writes[9], (1, "m9".to_owned()));
        assert_eq!(writes[10], (1, "(combined from similar events): m10".to_owned()));
        assert_eq!(writes[12], (3, "(combined from similar events): m12".to_owned()));
        let later = memory.take(note("a", "z"), at(13 * 60 + 2000)).expect("written");
        assert_eq!(later.note.message, "z");
    }

    #[test]
    fn one_object_cannot_fill_the_store() {
        let mut memory = Memory::default();
        let count = |memory: &mut Memory, name: &str, from: i64| {
            (0..100).filter(|_| memory.take(note(name, "x"), at(from)).is_some()).count()
        };
        assert_eq!(count(&mut memory, "a", 0), 25);
        assert_eq!(count(&mut memory, "b", 0), 25);
        assert_eq!(count(&mut memory, "a", 600), 2);
    }

    #[test]
    fn an_event_says_what_it_is_about() {
        let write = Memory::default().take(note("n1", "x"), at(0)).expect("written");
        let event = write.whole("default", "me");
        assert_eq!(event.text_at(&["involvedObject", "kind"]), "Node");
        assert_eq!(event.find(&["involvedObject", "namespace"]), None);
        assert_eq!(event.text_at(&["metadata", "namespace"]), "default");
        assert_eq!(event.text_at(&["source", "component"]), "me");
        assert!(event.text_at(&["metadata", "name"]).starts_with("n1."));
    }
}
