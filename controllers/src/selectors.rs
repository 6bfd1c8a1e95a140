//! Index of the selectors of Services: the Services of a pod, without comparing every Service.

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
    /// The selector of each Service, and the one label under which it is indexed.
    services: HashMap<Key, Selector>,
    by_label: HashMap<String, BTreeSet<Key>>,
}

struct Selector {
    labels: BTreeMap<String, String>,
    index_key: String,
}

fn index_key(namespace: &str, name: &str, value: &str) -> String {
    [namespace, name, value].join("\0")
}

impl Selectors {
    /// Applies a change of a Service.
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
        let namespace = pod.metadata().namespace();
        let candidates = labels(pod)
            .filter_map(|(name, value)| state.by_label.get(&index_key(namespace, name, value)))
            .flatten();
        let selects = |key: &&Key| state.services.get(*key).is_some_and(|it| it.matches(pod));
        candidates.filter(selects).cloned().collect()
    }

    /// All Services with a selector.
    pub(crate) fn all(&self) -> Vec<Key> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.services.keys().cloned().collect()
    }
}

impl State {
    /// A Service is indexed under the label that the fewest others are indexed under, so that a
    /// label common to all does not collect them all.
    fn add(&mut self, key: &Key, service: &Node<'_>) {
        let namespace = service.metadata().namespace();
        let index_keys = selector(service).map(|(name, value)| index_key(namespace, name, value));
        let bucket_size =
            |index_key: &String| self.by_label.get(index_key).map_or(0, BTreeSet::len);
        let Some(index_key) = index_keys.min_by_key(bucket_size) else { return };
        let labels = selector(service);
        let labels = labels.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        self.by_label.entry(index_key.clone()).or_default().insert(key.clone());
        self.services.insert(key.clone(), Selector { labels, index_key });
    }

    fn remove(&mut self, key: &Key) {
        let Some(selector) = self.services.remove(key) else { return };
        let Some(bucket) = self.by_label.get_mut(&selector.index_key) else { return };
        bucket.remove(key);
        if bucket.is_empty() {
            self.by_label.remove(&selector.index_key);
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
    use crate::client::parse_json;

    fn service(name: &str, labels: &str) -> Change {
        let text = format!(
            r#"{{"metadata":{{"namespace":"x","name":"{name}"}},"spec":{{"selector":{{{labels}}}}}}}"#
        );
        let node = parse_json(text.as_bytes()).expect("reads").into_owned();
        Change { key: format!("x/{name}").into(), old: None, new: Some(Shared::new(node)) }
    }

    fn of(selectors: &Selectors, namespace: &str, labels: &str) -> Vec<String> {
        let text = format!(r#"{{"metadata":{{"namespace":"{namespace}","labels":{{{labels}}}}}}}"#);
        let pod = parse_json(text.as_bytes()).expect("reads");
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
