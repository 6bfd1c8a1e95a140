//! `WebhookSet`: the admission webhooks of one type, each configuration compiled once.

use super::policy_set::{Compiled, GROUP, VERSION, compile_changed};
use crate::status::StatusError;
use crate::storage::cache::{Cache, ResourceCache};
use arc_swap::ArcSwap;
use ratchet_policy::Reader;
use ratchet_webhook::{AdmissionType, WebhookConfiguration, Webhooks};
use std::sync::{Arc, OnceLock};

/// The webhooks as of the last change of a configuration.
pub struct WebhookSet {
    admission: AdmissionType,
    resource_cache: Arc<ResourceCache>,
    /// Created for the first configuration: many clusters have none.
    reader: OnceLock<Reader>,
    current: ArcSwap<Current>,
}

struct Current {
    revision: Option<u64>,
    configurations: Compiled<WebhookConfiguration>,
    all: Arc<Webhooks>,
}

impl WebhookSet {
    /// Uses the cache of the configurations of a type.
    pub(crate) fn new(cache: &Cache, admission: AdmissionType) -> Self {
        let plural = match admission {
            AdmissionType::Mutating => "mutatingwebhookconfigurations",
            AdmissionType::Validating => "validatingwebhookconfigurations",
        };
        Self::over(cache.resource_cache(&format!("{plural}.{GROUP}")), admission)
    }

    fn over(resource_cache: Arc<ResourceCache>, admission: AdmissionType) -> Self {
        let current = Current {
            revision: None,
            configurations: Compiled::new(),
            all: Arc::new(Webhooks::new(admission, Vec::new())),
        };
        let (reader, current) = (OnceLock::new(), ArcSwap::from_pointee(current));
        Self { admission, resource_cache, reader, current }
    }

    /// The current webhooks, with every acknowledged configuration. Fails if one cannot be decoded: its webhooks may
    /// deny the request.
    pub(crate) fn now(&self) -> Result<Arc<Webhooks>, StatusError> {
        let snapshot = self.resource_cache.now();
        if let Some(found) = snapshot.unreadable_within("") {
            return Err(found.into());
        }
        let revision = Some(snapshot.revision);
        let known = self.current.load();
        if known.revision == revision {
            return Ok(known.all.clone());
        }
        let configurations = compile_changed(&snapshot.items, &known.configurations, |node| {
            let reader = self.reader.get_or_init(|| Reader::new(VERSION));
            WebhookConfiguration::compile(node, self.admission, reader)
        });
        let all = configurations.values().map(|(_, configuration)| configuration.clone());
        let all = Arc::new(Webhooks::new(self.admission, all.collect()));
        let current = Current { revision, configurations, all: all.clone() };
        self.current.store(Arc::new(current));
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::cache::{Item, ObjectState, Unreadable};

    #[test]
    fn webhooks_are_in_force_at_once_and_compiled_once() {
        let cache: Arc<ResourceCache> = Arc::default();
        let put = |revision: u64, name: &str| {
            let value = format!(
                r#"{{"metadata":{{"name":"{name}"}},"webhooks":[{{"name":"a.b.c","rules":[{{"apiGroups":[""],"resources":["pods"],"operations":["*"],"apiVersions":["v1"]}}]}}]}}"#
            );
            let item = Item::stored(name.into(), revision, value.as_bytes()).unwrap();
            cache.apply(vec![(revision, name.into(), ObjectState::Item(item))]);
        };
        let set = WebhookSet::over(cache.clone(), AdmissionType::Validating);
        assert!(set.now().unwrap().is_empty());
        put(3, "one");
        assert!(set.now().unwrap().look_at("", "pods"));
        let compiled = || set.current.load().configurations.get("one").unwrap().1.clone();
        let first = compiled();
        put(4, "two");
        assert!(!set.now().unwrap().look_at("", "nodes"));
        assert!(Arc::ptr_eq(&first, &compiled()), "another configuration is no reason to compile");
        let deleted = |name: &str| (5, name.into(), ObjectState::Deleted);
        cache.apply(vec![deleted("one"), deleted("two")]);
        assert!(set.now().unwrap().is_empty());
        let lost = Unreadable { key: "/registry/x".into(), why: "odd".into() };
        cache.apply(vec![(6, "one".into(), ObjectState::Unreadable(Arc::new(lost)))]);
        assert_eq!(set.now().unwrap_err().code, 500, "nobody knows what it forbids");
    }
}
