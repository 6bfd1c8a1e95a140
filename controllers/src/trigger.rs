//! When that happened which endpoints are written for: programs measure by it how late they are.

use crate::Key;
use crate::pod::Pod;
use crate::service::Service;
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

/// The annotation that tells it.
pub(crate) const ANNOTATION: &str = "endpoints.kubernetes.io/last-change-trigger-time";

/// What was known when a Service was last looked at.
#[derive(Default)]
pub(crate) struct Triggers {
    services: Mutex<HashMap<Key, Known>>,
}

#[derive(Clone, Debug, Default)]
struct Known {
    service: Option<Timestamp>,
    pods: BTreeMap<String, Timestamp>,
}

impl Triggers {
    /// The earliest of what happened since the last look; at the first look, when the Service was
    /// made.
    pub(crate) fn since_last(
        &self,
        key: &str,
        service: &Service<'_>,
        pods: &[Pod<'_>],
    ) -> Option<Timestamp> {
        let times = pods.iter().filter_map(|pod| Some((pod.name, pod.ready_since?)));
        let now = Known {
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

    /// The Service is gone.
    pub(crate) fn forget(&self, key: &str) {
        self.services.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}
