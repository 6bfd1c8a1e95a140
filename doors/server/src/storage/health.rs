//! Health of the store in the log, the health checks and the metrics; clients see neither files nor causes.

use crate::status::StatusError;
use ratchet_http::health::{Checks, Endpoint, LogProbe};
use ratchet_http::metrics::{MetricType, Stability, Writer};
use ratchet_store::{Health, State, Store, StoreError};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The interval at which the store's health is checked for the log.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Flags for the health checks.
#[derive(Clone, Debug, Default)]
pub(crate) struct HealthFlags {
    /// The server is shutting down and should get no more traffic.
    pub(crate) shutting_down: Arc<AtomicBool>,
    /// The store is no longer watched: the cache becomes stale.
    pub(crate) store_lost: Arc<AtomicBool>,
    /// The bootstrap objects exist.
    pub(crate) bootstrapped: Arc<AtomicBool>,
    /// Whether somebody takes what is logged.
    pub(crate) log: LogProbe,
}

/// What a hook of kube-apiserver waits for here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hook {
    /// The cache, which follows the store as informers do.
    Followed,
    /// The objects and registrations that are made at the start.
    Bootstrapped,
}

/// The hooks of kube-apiserver that this server has the work of, in its order.
const HOOKS: &[(&str, Hook)] = &[
    ("poststarthook/start-apiserver-admission-initializer", Hook::Bootstrapped),
    ("poststarthook/generic-apiserver-start-informers", Hook::Followed),
    ("poststarthook/start-apiextensions-informers", Hook::Followed),
    ("poststarthook/start-apiextensions-controllers", Hook::Bootstrapped),
    ("poststarthook/crd-informer-synced", Hook::Followed),
    ("poststarthook/start-system-namespaces-controller", Hook::Bootstrapped),
    ("poststarthook/start-cluster-authentication-info-controller", Hook::Bootstrapped),
    ("poststarthook/storage-readiness", Hook::Followed),
    ("poststarthook/start-service-ip-repair-controllers", Hook::Bootstrapped),
    ("poststarthook/rbac/bootstrap-roles", Hook::Bootstrapped),
    ("poststarthook/scheduling/bootstrap-system-priority-classes", Hook::Bootstrapped),
    ("poststarthook/bootstrap-controller", Hook::Bootstrapped),
    ("poststarthook/start-kube-aggregator-informers", Hook::Followed),
    ("poststarthook/apiservice-status-local-available-controller", Hook::Bootstrapped),
    ("poststarthook/apiservice-status-remote-available-controller", Hook::Bootstrapped),
    ("poststarthook/apiservice-registration-controller", Hook::Bootstrapped),
    ("poststarthook/apiservice-discovery-controller", Hook::Bootstrapped),
    ("poststarthook/kube-apiserver-autoregistration", Hook::Bootstrapped),
    ("autoregister-completion", Hook::Bootstrapped),
    ("poststarthook/apiservice-openapi-controller", Hook::Bootstrapped),
    ("poststarthook/apiservice-openapiv3-controller", Hook::Bootstrapped),
];

/// What a server whose store is full says of itself, though it is ready.
const NO_ROOM: &str =
    "the store has no room: writes are refused and reads go on; the log says why, and what to do";

/// The health checks. A server whose store is full stays ready: it can be read and recovers by itself. One whose store
/// is broken is neither ready nor alive: a restart may help, waiting does not.
pub(crate) fn checks(store: &Arc<dyn Store>, flags: &HealthFlags) -> Checks {
    let flag = |flag: &Arc<AtomicBool>, good: bool, why: &'static str| {
        let flag = flag.clone();
        move || match flag.load(Ordering::Relaxed) == good {
            true => Ok(()),
            false => Err(why.to_owned()),
        }
    };
    let store_followed = || flag(&flags.store_lost, false, "the store is no longer followed");
    let store_works = || {
        let (store, store_followed) = (store.clone(), store_followed());
        move || match store.health().state {
            State::Broken(_) => Err("the store cannot be written to; the log says why".to_owned()),
            State::Sound | State::Full(_) => store_followed(),
        }
    };
    let is_running = flag(&flags.shutting_down, false, "process is shutting down");
    let log = flags.log.clone();
    let mut checks = Checks::new()
        .with("log", &Endpoint::ALL, move || log.check())
        .with("etcd", &Endpoint::ALL, store_works())
        .with("etcd-readiness", &[Endpoint::Readyz], store_works())
        .with("informer-sync", &[Endpoint::Readyz], store_followed());
    for (name, hook) in HOOKS {
        checks = match hook {
            Hook::Followed => checks.with(*name, &Endpoint::ALL, store_followed()),
            Hook::Bootstrapped => {
                let finished = flag(&flags.bootstrapped, true, "not finished");
                checks.with(*name, &Endpoint::ALL, finished)
            }
        };
    }
    let noted = store.clone();
    let note = move || match noted.health().state {
        State::Full(_) => Some(NO_ROOM.to_owned()),
        State::Sound | State::Broken(_) => None,
    };
    checks.with("shutdown", &[Endpoint::Readyz], is_running).with_note(note)
}

/// The last logged cause, so that each cause is logged once, however many requests fail.
static LAST_LOGGED: Mutex<Option<String>> = Mutex::new(None);

fn log_failure(why: &str) {
    let mut last = LAST_LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
    if last.as_deref() != Some(why) {
        tracing::error!(why, "the store failed");
        *last = Some(why.to_owned());
    }
}

/// Logs when the store becomes unwritable, and when it recovers.
pub(crate) async fn log_health(store: Arc<dyn Store>) {
    loop {
        tokio::time::sleep(CHECK_INTERVAL).await;
        log_health_change(&store.health());
    }
}

/// Logs the state of the store unless it is already logged.
pub(crate) fn log_health_change(health: &Health) {
    match &health.state {
        State::Full(why) | State::Broken(why) => log_failure(why),
        State::Sound => {
            let last = LAST_LOGGED.lock().unwrap_or_else(PoisonError::into_inner).take();
            if last.is_some() {
                let failures = health.failures;
                tracing::warn!(failures, "the store can be written to again");
            }
        }
    }
}

/// Writes the state of the store and the number of failed writes.
pub(crate) fn write_metrics(health: &Health, writer: &mut Writer) {
    let states = [
        ("broken", matches!(health.state, State::Broken(_))),
        ("full", matches!(health.state, State::Full(_))),
        ("sound", health.state == State::Sound),
    ];
    let help = "Whether the store can be written to: sound, full (reads go on, and writes as soon as there is room) or broken.";
    let mut family =
        writer.family("ratchet_storage_state", MetricType::Gauge, Stability::Alpha, help);
    for (state, holds) in states {
        family.sample(&[("state", state)], f64::from(u8::from(holds)));
    }
    let help = "Writes of the store that its disk did not take, those that the store tries by itself included.";
    let mut family = writer.family(
        "ratchet_storage_write_failures_total",
        MetricType::Counter,
        Stability::Alpha,
        help,
    );
    #[allow(clippy::cast_precision_loss, reason = "numbers of failures are far below 2^52")]
    family.sample(&[], health.failures as f64);
}

impl From<StoreError> for StatusError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Compacted { .. } => {
                Self::expired("The resourceVersion for the provided list is too old.")
            }
            StoreError::Future { latest } => Self::too_large_version(0, latest.0),
            StoreError::Full(why) => {
                log_failure(&why);
                Self::unavailable("the store has no room: nothing was written, and reads go on")
            }
            StoreError::Quota(why) => {
                log_failure(&why);
                Self::unavailable(why)
            }
            StoreError::TooLarge(why) => Self::unclassified(why),
            StoreError::Broken(why) => {
                log_failure(&why);
                Self::internal("the store failed")
            }
            StoreError::Closed => {
                Self::unavailable("the store is closed: the server is shutting down")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_http::health::HealthQuery;
    use ratchet_store::{Answer, Commit, Page, Query, Record, Revision, Watch, Write};

    /// A store that only has a health.
    struct Patient(Mutex<State>);

    fn nothing<'a, T: Send + 'a>() -> Answer<'a, T> {
        Box::pin(std::future::ready(Err(StoreError::Closed)))
    }

    impl Store for Patient {
        fn latest(&self) -> Answer<'_, Revision> {
            nothing()
        }
        fn get(&self, _: &str) -> Answer<'_, Option<Record>> {
            nothing()
        }
        fn list(&self, _: Query) -> Answer<'_, Page> {
            nothing()
        }
        fn commit(&self, _: Vec<Write>) -> Answer<'_, Commit> {
            nothing()
        }
        fn watch(&self, _: &str, _: Revision) -> Answer<'_, Box<dyn Watch>> {
            nothing()
        }
        fn compact(&self, _: Revision) -> Answer<'_, ()> {
            nothing()
        }
        fn size(&self) -> Answer<'_, u64> {
            nothing()
        }
        fn health(&self) -> Health {
            Health { state: self.0.lock().unwrap().clone(), failures: 3 }
        }
    }

    /// The failing checks of all endpoints.
    fn failing(checks: &Checks) -> Vec<String> {
        let mut found = Vec::new();
        for endpoint in Endpoint::ALL {
            let (code, text) = checks.render(endpoint, &HealthQuery::default(), None);
            let lines = text.lines().filter_map(|line| line.strip_prefix("[-]"));
            let names = lines.filter_map(|line| line.split(' ').next());
            found.extend(names.map(|name| format!("{}/{name}", endpoint.name())));
            assert_eq!(code.is_success(), !text.contains("[-]"), "{text}");
        }
        found
    }

    #[test]
    fn every_check_but_the_first_can_fail() {
        let patient = Arc::new(Patient(Mutex::new(State::Sound)));
        let store: Arc<dyn Store> = patient.clone();
        let flags = HealthFlags::default();
        let checks = checks(&store, &flags);
        let hooks = |wanted: Hook| -> Vec<String> {
            let names = HOOKS.iter().filter(|(_, hook)| *hook == wanted).map(|(name, _)| name);
            let names: Vec<&&str> = names.collect();
            let of = |endpoint: Endpoint| {
                names.iter().map(move |name| format!("{}/{name}", endpoint.name()))
            };
            Endpoint::ALL.into_iter().flat_map(of).collect()
        };
        assert_eq!(failing(&checks), hooks(Hook::Bootstrapped));
        flags.bootstrapped.store(true, Ordering::Relaxed);
        assert_eq!(failing(&checks), [""; 0]);
        *patient.0.lock().unwrap() = State::Full("/data/state.redb".into());
        assert_eq!(failing(&checks), [""; 0], "it can be read, and recovers by itself");
        let verbose = HealthQuery { verbose: true, ..HealthQuery::default() };
        let (_, text) = checks.render(Endpoint::Readyz, &verbose, None);
        assert!(text.contains(&format!("warn: {NO_ROOM}\n")) && !text.contains("/data"), "{text}");
        *patient.0.lock().unwrap() = State::Broken("/data/state.redb".into());
        let dead = ["healthz/etcd", "livez/etcd", "readyz/etcd", "readyz/etcd-readiness"];
        assert_eq!(failing(&checks), dead);
        for name in ["etcd", "etcd-readiness"] {
            let alone = checks.render(Endpoint::Readyz, &HealthQuery::default(), Some(name));
            assert!(!alone.1.contains("/data"), "{}", alone.1);
        }
        *patient.0.lock().unwrap() = State::Sound;
        flags.store_lost.store(true, Ordering::Relaxed);
        assert!(failing(&checks).contains(&"readyz/informer-sync".to_owned()));
        assert!(failing(&checks).contains(&"livez/etcd".to_owned()));
        for hook in hooks(Hook::Followed) {
            assert!(failing(&checks).contains(&hook), "{hook}");
        }
        flags.store_lost.store(false, Ordering::Relaxed);
        flags.shutting_down.store(true, Ordering::Relaxed);
        assert_eq!(failing(&checks), ["readyz/shutdown"]);
    }

    #[test]
    fn clients_see_what_a_quota_needs() {
        let error = StatusError::from(StoreError::Quota("the alarm NOSPACE".to_owned()));
        assert_eq!((error.code, error.message.as_str()), (503, "the alarm NOSPACE"));
    }

    #[test]
    fn clients_see_no_files() {
        let path = || "cannot write /data/state.redb (Input/output error)".to_owned();
        for (error, code) in [(StoreError::Full(path()), 503), (StoreError::Broken(path()), 500)] {
            let error = StatusError::from(error);
            assert_eq!(error.code, code);
            assert!(!error.to_json().contains("/data"), "{}", error.to_json());
        }
    }

    #[test]
    fn the_state_is_a_metric() {
        let registry = ratchet_http::metrics::Registry::new();
        registry.collector(Box::new(|writer| {
            write_metrics(&Health { state: State::Full("x".into()), failures: 7 }, writer);
        }));
        let text = registry.render();
        for line in [
            "ratchet_storage_state{state=\"full\"} 1\n",
            "ratchet_storage_state{state=\"sound\"} 0\n",
            "ratchet_storage_write_failures_total 7\n",
        ] {
            assert!(text.contains(line), "{text}");
        }
    }
}
