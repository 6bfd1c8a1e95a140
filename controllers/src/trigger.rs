//! Times of the changes that trigger writes of endpoints, which clients use to measure latency.

use crate::Key;
use crate::pod::Pod;
use crate::service::Service;
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

/// The annotation with the time.
pub(crate) const ANNOTATION: &str = "endpoints.kubernetes.io/last-change-trigger-time";

/// The times known when each Service was last reconciled.
#[derive(Default)]
pub(crate) struct Triggers {
    services: Mutex<HashMap<Key, KnownTimes>>,
}

#[derive(Clone, Debug, Default)]
struct KnownTimes {
    service: Option<Timestamp>,
    pods: BTreeMap<String, Timestamp>,
}

impl Triggers {
    /// The earliest change since the last reconciliation; at first, the creation of the Service.
    pub(crate) fn since_last(
        &self,
        key: &str,
        service: &Service<'_>,
        pods: &[Pod<'_>],
    ) -> Option<Timestamp> {
        let times = pods.iter().filter_map(|pod| Some((pod.name, pod.ready_since?)));
        let now = KnownTimes {
            service: service.created,
            pods: times.map(|(name, time)| (name.to_owned(), time)).collect(),
        };
        let mut services = self.services.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(old) = services.insert(Key::from(key), now.clone()) else {
            return service.created;
        };
        let pods = now.pods.iter().filter(|(name, time)| old.pods.get(*name) < Some(*time));
        let changed = pods.map(|(_, time)| *time);
        changed.chain(now.service.filter(|time| old.service < Some(*time))).min()
    }

    /// Forgets a deleted Service.
    pub(crate) fn forget(&self, key: &str) {
        self.services.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::node;

    #[test]
    fn the_earliest_change_since_the_last_look_is_told() {
        let triggers = Triggers::default();
        let trigger = |pods: &[(&str, &str)]| {
            let service = node("{metadata: {creationTimestamp: '2026-01-01T00:00:00Z'}}");
            let pods: Vec<_> = pods
                .iter()
                .map(|(name, time)| {
                    node(&format!(
                        "{{metadata: {{name: {name}}}, status: {{conditions: [{{type: Ready, status: 'True', lastTransitionTime: '{time}'}}]}}}}"
                    ))
                })
                .collect();
            let pods: Vec<_> = pods.iter().map(Pod::from_node).collect();
            let since = triggers.since_last("n/s", &Service::from_node(&service), &pods);
            since.map(|time| time.to_string()).unwrap_or_default()
        };
        let (early, late) = ("2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z");
        assert_eq!(trigger(&[("a", early)]), "2026-01-01T00:00:00Z", "a new Service");
        assert_eq!(trigger(&[("a", early)]), "", "nothing happened");
        assert_eq!(trigger(&[("a", late), ("b", early)]), early);
        assert_eq!(trigger(&[("a", late), ("b", late)]), late);
        assert_eq!(
            trigger(&[("a", "2026-01-03T02:00:00+02:00"), ("b", late)]),
            "",
            "the same time"
        );
        assert_eq!(trigger(&[("a", "never")]), "", "a pod that goes tells nothing");
        triggers.forget("n/s");
        assert_eq!(trigger(&[("a", late)]), "2026-01-01T00:00:00Z");
    }
}
