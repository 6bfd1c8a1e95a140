//! Services by the pods that they select: whose is this pod, without asking every Service.

use crate::labels::labels;
use crate::service::selector;
use crate::{Change, Key};
use ratchet_object::Node;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{PoisonError, RwLock};

/// The selectors of all Services.
#[derive(Default)]
pub(crate) struct Selectors {
    state: RwLock<State>,
}

#[derive(Default)]
struct State {
    /// What each Service selects, and the one label under which it is found.
    services: HashMap<Key, Selector>,
    by_label: HashMap<String, BTreeSet<Key>>,
}

struct Selector {
    labels: BTreeMap<String, String>,
    place: String,
}

fn place(namespace: &str, name: &str, value: &str) -> String {
    [namespace, name, value].join("\0")
}

impl Selectors {
    /// Takes in a change of a Service.
    pub(crate) fn change(&self, change: &Change) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.remove(&change.key);
        if let Some(new) = &change.new {
            state.add(&change.key, new);
        }
    }

    /// The Services that select this pod.
    pub(crate) fn of(&self, pod: &Node<'_>) -> BTreeSet<Key> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let namespace = pod.text_at(&["metadata", "namespace"]);
        let candidates = labels(pod)
            .filter_map(|(name, value)| state.by_label.get(&place(namespace, name, value)))
            .flatten();
        let selects = |key: &&Key| state.services.get(*key).is_some_and(|it| it.matches(pod));
        candidates.filter(selects).cloned().collect()
    }

    /// All Services that select something.
    pub(crate) fn all(&self) -> Vec<Key> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.services.keys().cloned().collect()
    }
}

impl State {
    /// A Service is found under the label that the fewest others are found under, so that one
    /// that all of them name does not bring them all together.
    fn add(&mut self, key: &Key, service: &Node<'_>) {
        let namespace = service.text_at(&["metadata", "namespace"]);
        let places = selector(service).map(|(name, value)| place(namespace, name, value));
        let crowd = |place: &String| self.by_label.get(place).map_or(0, BTreeSet::len);
        let Some(place) = places.min_by_key(crowd) else { return };
        let labels = selector(service);
        let labels = labels.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        self.by_label.entry(place.clone()).or_default().insert(key.clone());
        self.services.insert(key.clone(), Selector { labels, place });
    }

    fn remove(&mut self, key: &Key) {
        let Some(selector) = self.services.remove(key) else { return };
        let Some(there) = self.by_label.get_mut(&selector.place) else { return };
        there.remove(key);
        if there.is_empty() {
            self.by_label.remove(&selector.place);
        }
    }
}

impl Selector {
    fn matches(&self, pod: &Node<'_>) -> bool {
        let has = |(name, value): (&String, &String)| {
            crate::labels::label(pod, name) == Some(value.as_str())
        };
        self.labels.iter().all(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shared;
    use crate::client::read;

    fn service(name: &str, labels: &str) -> Change {
        let text = format!(
            r#"{{"metadata":{{"namespace":"x","name":"{name}"}},"spec":{{"selector":{{{labels}}}}}}}"#
        );
        let node = read(text.as_bytes()).expect("reads").into_owned();
        Change { key: format!("x/{name}").into(), old: None, new: Some(Shared::new(node)) }
    }

    fn of(selectors: &Selectors, namespace: &str, labels: &str) -> Vec<String> {
        let text = format!(r#"{{"metadata":{{"namespace":"{namespace}","labels":{{{labels}}}}}}}"#);
        let pod = read(text.as_bytes()).expect("reads");
        selectors.of(&pod).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_pod_finds_the_services_that_select_it() {
        let selectors = Selectors::default();
        for (name, labels) in [
            ("a", r#""app":"a","by":"helm""#),
            ("b", r#""app":"b","by":"helm""#),
            ("all", r#""by":"helm""#),
            ("none", ""),
        ] {
            selectors.change(&service(name, labels));
        }
        assert_eq!(of(&selectors, "x", r#""app":"a","by":"helm","v":"1""#), ["x/a", "x/all"]);
        assert_eq!(of(&selectors, "x", r#""app":"b""#), [""; 0]);
        assert_eq!(of(&selectors, "y", r#""app":"a","by":"helm""#), [""; 0]);
        assert_eq!(of(&selectors, "x", ""), [""; 0]);
        assert_eq!(selectors.all().len(), 3);
    }

    #[test]
    fn selectors_change_and_go() {
        let selectors = Selectors::default();
        selectors.change(&service("a", r#""app":"a""#));
        selectors.change(&service("a", r#""app":"b""#));
        assert_eq!(of(&selectors, "x", r#""app":"a""#), [""; 0]);
        assert_eq!(of(&selectors, "x", r#""app":"b""#), ["x/a"]);
        selectors.change(&Change { new: None, ..service("a", "") });
        assert_eq!(of(&selectors, "x", r#""app":"b""#), [""; 0]);
        assert!(selectors.state.read().expect("no panic").by_label.is_empty());
    }
}
