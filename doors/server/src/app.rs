//! The server's parts, put together once at the start and then only read.

use crate::admission::{Pace, Plugins, PolicySet};
use crate::audit::Auditing;
use crate::authorize::Authorizer;
use crate::cache::Cache;
use crate::compute::Compute;
use crate::config::RequestLimits;
use crate::connect::Backends;
use crate::documents::Documents;
use crate::long_running::LongRunning;
use crate::metrics::Metrics;
use crate::registry::Registry;
use crate::services::Ranges;
use jiff::{SignedDuration, Timestamp};
use ratchet_engine::Policy;
use ratchet_http::Drain;
use ratchet_http::health::Checks;
use ratchet_identity::{Authenticators, ServiceAccounts};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

/// Everything that a request may need.
pub struct App {
    /// What is stored, in memory.
    pub cache: Cache,
    /// What is served.
    pub registry: Registry,
    /// The rules in force.
    pub policy: Policy,
    /// The admission plugins that are on.
    pub plugins: Plugins,
    /// The policies of the cluster, compiled.
    pub policies: PolicySet,
    /// Who asks.
    pub identity: Authenticators,
    /// Whose tokens are issued here.
    pub accounts: Arc<ServiceAccounts>,
    /// Who may.
    pub authorizer: Authorizer,
    /// The addresses and ports that Services are given.
    pub ranges: Ranges,
    /// What is counted.
    pub metrics: Metrics,
    /// How the server is.
    pub health: Checks,
    /// What is told about requests.
    pub(crate) audit: Option<Auditing>,
    /// How much may be asked at once, and for how long.
    pub limits: RequestLimits,
    /// How many requests run now: reads, writes.
    pub running: [AtomicUsize; 2],
    /// The requests that last.
    pub long_running: Arc<LongRunning>,
    /// The turns of those who compute.
    pub compute: Arc<Compute>,
    /// How long policies think.
    pub pace: Pace,
    /// How what is behind the server is reached.
    pub backends: Backends,
    /// How long Events are kept.
    pub event_life: Duration,
    /// Whether the server is on its way out.
    pub drain: Drain,
    /// `host:port` under which clients reach the server.
    pub address: String,
    /// Discovery and OpenAPI; made when first asked for.
    pub(crate) documents: Documents,
}

impl App {
    /// Now, as objects write it.
    pub fn now(&self) -> String {
        written(Timestamp::now())
    }

    /// So many seconds from now.
    pub fn now_plus(&self, seconds: i64) -> String {
        let later = Timestamp::now().checked_add(SignedDuration::from_secs(seconds));
        written(later.unwrap_or(Timestamp::MAX))
    }

    /// Seconds since 1970.
    pub fn seconds(&self) -> i64 {
        Timestamp::now().as_second()
    }

    /// The end of a grace period that is shortened from `stored` to `wanted` seconds, and its length: it does not end
    /// in the past.
    pub fn earlier(&self, ends: &str, stored: i64, wanted: i64) -> (String, i64) {
        let now = Timestamp::now();
        let ends: Timestamp = ends.parse().unwrap_or(now);
        let moved = ends.checked_add(SignedDuration::from_secs(wanted - stored)).unwrap_or(now);
        match moved < now {
            true => (written(now), if wanted == 0 { 0 } else { 1 }),
            false => (written(moved), wanted),
        }
    }

    /// Shows how many objects there are whenever the metrics are asked for.
    pub fn count_objects(self: &Arc<Self>) {
        let app = Arc::downgrade(self);
        self.metrics.registry.collector(Box::new(move |writer| {
            if let Some(app) = app.upgrade() {
                crate::metrics::write_objects(&app, writer);
                crate::metrics::write_connections(app.backends.kubelets.connections(), writer);
                if let Some(audit) = &app.audit {
                    crate::metrics::write_audit(audit.counts(), writer);
                }
            }
        }));
    }

    /// A new identity.
    pub fn new_uid(&self) -> String {
        uuid::Uuid::new_v4().to_string()
    }
}

/// A time as objects write it: whole seconds, UTC.
fn written(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
