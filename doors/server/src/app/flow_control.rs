//! `FlowController`: API Priority and Fairness of this server, with the FlowSchemas and priority levels that are stored.

mod clock;
mod current;
mod dump;
mod flow;
mod level;
mod metrics;
mod scrape;
mod seat;

pub(crate) use flow::RequestFlow;
pub(crate) use seat::Seat;

use self::clock::Clock;
use self::current::Current;
use self::level::{Held, Level};
use self::metrics::FlowMetrics;
use crate::request::RequestInfo;
use crate::storage::cache::{Cache, ResourceCache};
use arc_swap::ArcSwap;
use ratchet_access::Attributes;
use ratchet_flow_control::{
    Arrival, Configuration, DanglingCondition, Load, PriorityLevel, Rejection, Started, Work,
    adjust, divide, flow_hash,
};
use ratchet_http::metrics::{Registry, Writer};
use ratchet_object::Node;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The API group of FlowSchemas and PriorityLevelConfigurations.
const GROUP: &str = "flowcontrol.apiserver.k8s.io";

/// Gives requests their seats, in the order of the stored configuration.
pub(crate) struct FlowController {
    schemas: Arc<ResourceCache>,
    levels: Arc<ResourceCache>,
    /// The seats of all levels together.
    total: u32,
    /// Which queues a flow has, differs from process to process.
    seed: u64,
    clock: Clock,
    metrics: FlowMetrics,
    current: ArcSwap<Current>,
    /// Held by the one who compiles a changed configuration or divides the seats anew.
    changing: Mutex<()>,
}

/// A request that gets no seat.
pub(crate) struct Rejected {
    /// What it was classified as.
    pub(crate) flow: Arc<RequestFlow>,
    /// After how many seconds the client may come back.
    pub(crate) retry_after: u64,
}

/// A request that asks for a seat.
pub(crate) struct SeatRequest<'a> {
    /// User, verb and target.
    pub(crate) attributes: &'a Attributes<'a>,
    /// The same, for the debug pages.
    pub(crate) info: &'a Arc<RequestInfo>,
    /// When its time in a queue is over.
    pub(crate) wait_until: Instant,
}

impl FlowController {
    /// Divides `total` seats among the priority levels of a cache.
    pub(crate) fn new(cache: &Cache, total: usize, registry: &Registry) -> Self {
        let [schemas, levels] = ["flowschemas", "prioritylevelconfigurations"]
            .map(|plural| cache.resource_cache(&format!("{plural}.{GROUP}")));
        Self::over(schemas, levels, total, registry)
    }

    fn over(
        schemas: Arc<ResourceCache>,
        levels: Arc<ResourceCache>,
        total: usize,
        registry: &Registry,
    ) -> Self {
        Self {
            schemas,
            levels,
            total: u32::try_from(total).unwrap_or(u32::MAX),
            seed: RandomState::new().hash_one(0),
            clock: Clock::new(),
            metrics: FlowMetrics::new(registry),
            current: ArcSwap::from_pointee(Current::default()),
            changing: Mutex::default(),
        }
    }

    /// Waits for a seat. `seats` says how many the request takes, if it may take so many.
    pub(crate) async fn admit(
        &self,
        request: SeatRequest<'_>,
        work: impl FnOnce(u32) -> Work,
    ) -> Result<Seat, Rejected> {
        let (flow, hash) = self.classify(request.attributes);
        let Work { seats, lingers } = work(flow.max_seats);
        flow.series.estimated(seats);
        let held = Held {
            flow: flow.clone(),
            user: request.attributes.user.name.as_str().into(),
            info: request.info.clone(),
            wake: None,
        };
        let began = Instant::now();
        let arrival = Arrival { now: self.clock.at(began), hash, seats };
        let (mut seat, wait) = match flow.level.start(arrival, held) {
            (Started::Executing(ticket) | Started::Waiting(ticket), wait) => {
                (Seat::new(flow, ticket, self.clock, lingers), wait)
            }
            (Started::Rejected(why), _) => return Err(self.reject(flow, why, began)),
        };
        let mut waited = Duration::ZERO;
        if let Some((woken, length)) = wait {
            seat.flow.series.enqueued(length);
            // Who goes away meanwhile drops the seat, and with it the place in the queue.
            let is_woken = tokio::time::timeout_at(request.wait_until.into(), woken).await.is_ok();
            if !is_woken && !seat.outlasts_wait() {
                return Err(self.reject(seat.flow.clone(), Rejection::TimeOut, began));
            }
            waited = began.elapsed();
        }
        seat.flow.series.dispatched(waited);
        seat.begin(began + waited);
        Ok(seat)
    }

    fn classify(&self, attributes: &Attributes<'_>) -> (Arc<RequestFlow>, u64) {
        let current = self.now();
        let index = current.configuration.classify_index(attributes);
        #[allow(clippy::indexing_slicing, reason = "there is a flow for every schema")]
        let flow = current.flows[index].clone();
        let schema = &flow.schema;
        let distinguisher = schema.distinguisher.map_or("", |method| method.of(attributes));
        let hash = flow_hash(self.seed, &schema.name, distinguisher);
        (flow, hash)
    }

    fn reject(&self, flow: Arc<RequestFlow>, why: Rejection, began: Instant) -> Rejected {
        flow.series.rejected(why, began.elapsed());
        let retry_after = flow.level.reject(self.clock.now() / 1_000_000_000);
        Rejected { flow, retry_after }
    }

    /// The configuration, with every acknowledged write.
    fn now(&self) -> arc_swap::Guard<Arc<Current>> {
        let current = self.current.load();
        if current.revisions == Some(self.revisions()) {
            return current;
        }
        self.compile();
        self.current.load()
    }

    fn revisions(&self) -> [u64; 2] {
        [&self.schemas, &self.levels].map(|cache| cache.revision())
    }

    fn compile(&self) {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let old = self.current.load();
        let (schemas, levels) = (self.schemas.now(), self.levels.now());
        let revisions = Some([schemas.revision, levels.revision]);
        if old.revisions == revisions {
            return;
        }
        let nodes = |items: &crate::storage::cache::Items| -> Vec<Node<'static>> {
            items.values().map(|item| item.node()).collect()
        };
        let configuration = Configuration::new(&nodes(&schemas.items), &nodes(&levels.items));
        let limits = divide(self.total, configuration.levels());
        let now = self.clock.now();
        let mut known: HashMap<&str, &Arc<Level>> =
            old.quiescing.iter().chain(&old.levels).map(|level| (level.name(), level)).collect();
        let pairs = configuration.levels().iter().zip(&limits);
        let levels: Vec<Arc<Level>> = pairs
            .map(|(level, limits)| match known.remove(level.name.as_str()) {
                Some(own) => {
                    own.set_limits(*limits);
                    own.clone()
                }
                None => Arc::new(Level::new(level, *limits, now)),
            })
            .collect();
        let quiescing = known.into_values().filter(|level| !level.is_idle()).cloned().collect();
        self.balance(&levels, configuration.levels(), now);
        let flows = configuration.schemas().iter().map(|schema| {
            let level = configuration.level_of(schema);
            let (limits, own) = (limits.get(schema.level)?, levels.get(schema.level)?);
            Some(Arc::new(RequestFlow::new(schema, level, limits, own, &self.metrics)))
        });
        let flows = flows.collect::<Option<Vec<_>>>().unwrap_or_default();
        self.current.store(Arc::new(Current {
            revisions,
            configuration,
            flows,
            levels,
            quiescing,
        }));
    }

    /// Divides the seats anew, by what each level needed since the last time.
    pub(crate) fn rebalance(&self) {
        let current = self.now().clone();
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        self.balance(&current.levels, current.configuration.levels(), self.clock.now());
    }

    fn balance(&self, levels: &[Arc<Level>], configured: &[PriorityLevel], now: u64) {
        let loads: Vec<Load> = levels.iter().map(|level| level.load(now)).collect();
        let (adjusted, fraction) = adjust(&loads);
        self.metrics.fair_fraction(fraction);
        for ((level, configured), adjusted) in levels.iter().zip(configured).zip(adjusted) {
            level.configure(now, configured.queuing, adjusted);
        }
    }

    /// The objects that have changed since the last call notify these.
    pub(crate) fn changes(&self) -> [watch::Receiver<()>; 2] {
        [self.schemas.changes(), self.levels.changes()]
    }

    /// The FlowSchemas whose status does not say whether their level exists, with what it must say.
    pub(crate) fn dangling(&self) -> Vec<(String, DanglingCondition)> {
        let (schemas, levels) = (self.schemas.now(), self.levels.now());
        let levels: HashMap<Arc<str>, Node<'static>> =
            levels.items.values().map(|item| (item.key.clone(), item.node())).collect();
        let needed = schemas.items.values().filter_map(|item| {
            let condition = DanglingCondition::needed(&item.node(), |name| levels.get(name))?;
            Some((item.key.to_string(), condition))
        });
        needed.collect()
    }

    /// Writes the metrics that are computed when they are scraped.
    pub(crate) fn write_metrics(&self, writer: &mut Writer) {
        scrape::write(&self.now(), writer);
    }

    /// A debug page; none if there is no such page.
    pub(crate) fn dump(&self, page: &str, has_details: bool) -> Option<String> {
        dump::page(&self.now(), self.clock, page, has_details)
    }
}

#[cfg(test)]
mod tests;
