//! App: configuration enters at start; the shared state of the server leaves by reference, with every
//! `ResourceRequest`.

pub(crate) mod aggregator;
pub(crate) mod audit;
pub(crate) mod backends;
pub(crate) mod compute;
pub(crate) mod definitions;
pub(crate) mod documents;
pub(crate) mod enabled_plugins;
pub(crate) mod flow_control;
pub(crate) mod guarded_body;
pub mod metrics;
pub(crate) mod pace;
pub(crate) mod policy_set;
pub(crate) mod quota_locks;
pub(crate) mod request_cluster;
pub(crate) mod resource_request;
pub(crate) mod service_resolver;
pub(crate) mod token_usage;
pub(crate) mod version;
pub(crate) mod webhook_set;

use self::aggregator::Aggregator;
use self::audit::Auditing;
use self::backends::Backends;
use self::compute::Compute;
use self::definitions::Definitions;
use self::documents::{DocumentSource, Documents};
use self::enabled_plugins::EnabledPlugins;
use self::flow_control::FlowController;
use self::metrics::Metrics;
use self::pace::Pace;
use self::policy_set::{Mutating, PolicySet, Validating};
use self::quota_locks::QuotaLocks;
use self::token_usage::TokenRecorder;
use self::webhook_set::WebhookSet;
use crate::access::authorize::Authorizer;
use crate::registry::own_webhook::OwnWebhook;
use crate::registry::services::ServiceAllocator;
use crate::registry::{Registry, clock};
use crate::request::limits::RequestLimits;
use crate::request::long_running::LongRunning;
use crate::storage::cache::Cache;
use crate::storage::held_revisions::HeldRevisions;
use jiff::{SignedDuration, Timestamp};
use ratchet_allocation::Ranges;
use ratchet_apply::CreatedFields;
use ratchet_engine::ApiConfig;
use ratchet_http::Drain;
use ratchet_http::health::Checks;
use ratchet_identity::{Authenticators, ServiceAccounts};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The storage name of CustomResourceDefinitions.
const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";

/// Everything that a request handler may use.
pub struct App {
    /// The watch cache of all stored objects.
    pub cache: Cache,
    /// The revisions that are not compacted yet, because a backup reads them.
    pub(crate) held_revisions: HeldRevisions,
    /// The served resources.
    pub registry: Registry,
    /// The CustomResourceDefinitions of the cluster.
    pub definitions: Definitions,
    /// Release, behavior and feature gates of the engine.
    pub api_config: ApiConfig,
    /// The version that `/version` reports instead of this program's own.
    pub reported_version: Option<String>,
    /// What managers of new objects own, by the structure of the object.
    pub(crate) created_fields: Mutex<CreatedFields>,
    /// The enabled admission plugins.
    pub plugins: EnabledPlugins,
    /// The queues of requests that charge a quota.
    pub quota_locks: QuotaLocks,
    /// The compiled ValidatingAdmissionPolicies and their bindings.
    pub policies: PolicySet<Validating>,
    /// The compiled MutatingAdmissionPolicies and their bindings.
    pub mutating_policies: PolicySet<Mutating>,
    /// The compiled MutatingWebhookConfigurations.
    pub mutating_webhooks: WebhookSet,
    /// The compiled ValidatingWebhookConfigurations.
    pub validating_webhooks: WebhookSet,
    /// The authenticators, in the order in which they are tried.
    pub identity: Authenticators,
    /// Issuer of service account tokens.
    pub accounts: Arc<ServiceAccounts>,
    /// The recorder of the use of service account tokens.
    pub(crate) tokens: TokenRecorder,
    /// The authorization modes, in order.
    pub authorizer: Authorizer,
    /// The ranges from which Services get cluster IPs and node ports.
    pub ranges: Ranges,
    /// The metrics that `/metrics` exposes.
    pub metrics: Arc<Metrics>,
    /// The checks behind `/livez`, `/readyz` and `/healthz`.
    pub health: Checks,
    /// The audit log, if one is configured.
    pub(crate) audit: Option<Auditing>,
    /// Inflight limits and timeouts.
    pub limits: RequestLimits,
    /// API Priority and Fairness, unless it is turned off.
    pub(crate) flow_control: Option<FlowController>,
    /// The numbers of inflight requests: reads, writes.
    pub running: [AtomicUsize; 2],
    /// The counters of long-running requests.
    pub long_running: Arc<LongRunning>,
    /// The scheduler of CPU-bound work.
    pub compute: Arc<Compute>,
    /// Which policy evaluations are fast enough to run on the request's own thread.
    pub pace: Pace,
    /// The same for mutating policies.
    pub mutation_pace: Pace,
    /// The same for the match conditions of webhooks.
    pub condition_pace: Pace,
    /// The same for the rules of definitions.
    pub rule_pace: Pace,
    /// Clients of kubelets, pods, Services and nodes.
    pub backends: Backends,
    /// Webhooks that this server itself answers.
    pub(crate) own_webhook: Arc<dyn OwnWebhook>,
    /// What is known of extension API servers.
    pub(crate) aggregator: Aggregator,
    /// The time to live of Events.
    pub event_life: Duration,
    /// Signals graceful shutdown.
    pub drain: Drain,
    /// `host:port` under which clients reach the server.
    pub address: String,
    /// Discovery and OpenAPI documents, built at the first request for them.
    pub(crate) documents: Documents,
}

impl App {
    /// The current time as a `metav1.Time`.
    pub fn now(&self) -> String {
        clock::now()
    }

    /// The time `seconds` from now as a `metav1.Time`.
    pub fn now_plus(&self, seconds: i64) -> String {
        let later = Timestamp::now().checked_add(SignedDuration::from_secs(seconds));
        clock::format_time(later.unwrap_or(Timestamp::MAX))
    }

    /// The current Unix time in seconds.
    pub fn seconds(&self) -> i64 {
        Timestamp::now().as_second()
    }

    /// The `deletionTimestamp` and length of a grace period that is shortened from `stored` to `wanted` seconds; the
    /// end is never in the past.
    pub fn earlier(&self, ends: &str, stored: i64, wanted: i64) -> (String, i64) {
        let now = Timestamp::now();
        let ends: Timestamp = ends.parse().unwrap_or(now);
        let moved = ends.checked_add(SignedDuration::from_secs(wanted - stored)).unwrap_or(now);
        match moved < now {
            true => (clock::format_time(now), if wanted == 0 { 0 } else { 1 }),
            false => (clock::format_time(moved), wanted),
        }
    }

    /// Registers the collectors that are evaluated at each scrape: objects, connections, audit.
    pub fn count_objects(self: &Arc<Self>) {
        let app = Arc::downgrade(self);
        self.metrics.registry.collector(Box::new(move |writer| {
            if let Some(app) = app.upgrade() {
                metrics::write_objects(&app.cache, writer);
                metrics::write_connections(app.backends.kubelets.connections(), writer);
                app.aggregator.write_metrics(writer);
                if let Some(flow_control) = &app.flow_control {
                    flow_control.write_metrics(writer);
                }
                if let Some(audit) = &app.audit {
                    metrics::write_audit(audit.counts(), writer);
                }
            }
        }));
    }

    /// The allocator of cluster IPs and node ports.
    pub(crate) fn services(&self) -> ServiceAllocator<'_> {
        ServiceAllocator { registry: &self.registry, cache: &self.cache, ranges: &self.ranges }
    }

    /// What discovery and OpenAPI documents are built from.
    pub(crate) fn document_source(&self) -> DocumentSource<'_> {
        DocumentSource {
            served: self.registry.now(),
            definitions: self.cache.resource_cache(DEFINITIONS),
            compute: &self.compute,
        }
    }

    /// A random uid for a new object.
    pub fn new_uid(&self) -> String {
        clock::new_uid()
    }
}
