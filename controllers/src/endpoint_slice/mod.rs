//! Controller that maintains the EndpointSlices of Services with selectors.

mod desired;
mod hints;
mod inputs;
mod pack;
mod plan;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod topology;

pub(crate) use inputs::SliceInputs;
pub(crate) use plan::plan;

use crate::batching::Batching;
use crate::expectations::Expectations;
use crate::labels::label;
use crate::pod::{self, Pod};
use crate::selectors::Selectors;
use crate::service::{Service, wants_topology_hints};
use crate::slices::{MANAGED_BY, PODS, SERVICE_NAME, SERVICES, SLICES, WriteOutcome, apply_writes};
use crate::trigger::Triggers;
use crate::{
    BoxFuture, Change, Client, Failure, Key, ObjectReference, Outcome, Queue, Reconcile, Recorder,
    RetryDelay, Row, Setup, Shared, Store,
};
use plan::CONTROLLER;
use ratchet_object::{Node, percent_encode};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use topology::Ratios;

pub(crate) const ROW: Row = Row {
    name: "endpointslice-controller",
    aliases: &["endpointslice"],
    on_by_default: true,
    retry_delay: RetryDelay { first: Duration::from_millis(100), longest: Duration::from_secs(60) },
    workers: 5,
    start,
};

const NODES: &str = "/api/v1/nodes";

/// Delay that batches changes of nodes, which seldom change alone.
const NODE_BATCH_DELAY: Duration = Duration::from_millis(200);

/// Delay after a foreign change of our slices, whose author may not be done yet.
pub(crate) const FOREIGN_CHANGE_DELAY: Duration = Duration::from_secs(1);

/// Delay before a plan that met a conflict is made again.
pub(crate) const CONFLICT_DELAY: Duration = Duration::from_millis(20);

/// Keys that stand for all Services, and for those with topology-aware hints, after nodes have
/// changed. No Service can have such a name.
const ALL_SERVICES: &str = "*";
const HINTED_SERVICES: &str = "*spread";

struct Slices {
    client: Client,
    queue: Arc<Queue>,
    events: Recorder,
    services: Arc<Store>,
    pods: Arc<Store>,
    slices: Arc<Store>,
    nodes: Arc<Store>,
    selectors: Arc<Selectors>,
    expectations: Arc<Expectations>,
    batching: Arc<Batching>,
    triggers: Triggers,
    /// CPU ratios by zone, computed when nodes change and not for every Service; `None` until then.
    ratios: Mutex<Option<Option<Arc<Ratios>>>>,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let controller = Slices {
        client: setup.client.clone(),
        queue: setup.queue.clone(),
        events: setup.recorder("endpoint-slice-controller"),
        services: setup.collection(SERVICES),
        pods: setup.collection(PODS),
        slices: setup.collection(SLICES),
        nodes: setup.collection(NODES),
        selectors: Arc::default(),
        expectations: Arc::default(),
        batching: Arc::default(),
        triggers: Triggers::default(),
        ratios: Mutex::default(),
    };
    controller.pods.index_labels();
    controller.slices.index_labels();
    let (queue, selectors) = (setup.queue.clone(), controller.selectors.clone());
    setup.listen(SERVICES, move |change| {
        selectors.change(change);
        queue.add(&change.key);
    });
    let (queue, selectors) = (setup.queue.clone(), controller.selectors.clone());
    let batching = controller.batching.clone();
    setup.listen(PODS, move |change| on_pod_change(&queue, &selectors, &batching, change));
    let (queue, expectations) = (setup.queue.clone(), controller.expectations.clone());
    setup.listen(SLICES, move |change| on_slice_change(&queue, &expectations, CONTROLLER, change));
    let queue = setup.queue.clone();
    setup.listen(NODES, move |change| on_node_change(&queue, change));
    Box::new(controller)
}

/// Any Service may have pods on a node that is added, deleted, or changes its zone; other changes
/// matter only to Services with topology-aware hints.
fn on_node_change(queue: &Queue, change: &Change) {
    let zone = |node: &Option<Shared>| node.as_ref().map(|node| zone_of(node));
    let cpu = |node: &Option<Shared>| node.as_ref().and_then(|node| topology::countable_cpu(node));
    if zone(&change.old) != zone(&change.new) {
        queue.add_soon(ALL_SERVICES, NODE_BATCH_DELAY);
    } else if cpu(&change.old) != cpu(&change.new) {
        queue.add_soon(HINTED_SERVICES, NODE_BATCH_DELAY);
    }
}

fn zone_of(node: &Node<'_>) -> String {
    label(node, topology::ZONE).unwrap_or_default().to_owned()
}

/// Enqueues the Services that selected the pod before or select it now.
pub(crate) fn on_pod_change(
    queue: &Queue,
    selectors: &Selectors,
    batching: &Batching,
    change: &Change,
) {
    if let (Some(old), Some(new)) = (&change.old, &change.new)
        && !pod::affects_endpoints(old, new)
    {
        return;
    }
    for pod in change.old.iter().chain(&change.new) {
        for service in selectors.of(pod) {
            queue.add_soon(&service, batching.delay(&service));
        }
    }
}

/// Enqueues the Service of a slice of `controller` that somebody else changed, deleted or took
/// over.
pub(crate) fn on_slice_change(
    queue: &Queue,
    expectations: &Expectations,
    controller: &str,
    change: &Change,
) {
    for slice in change.old.iter().chain(&change.new) {
        if label(slice, MANAGED_BY) != Some(controller) {
            continue;
        }
        if let Some(key) = service_of(slice).filter(|key| !expectations.explains(key, change)) {
            queue.add_soon(&key, FOREIGN_CHANGE_DELAY);
        }
    }
}

/// The key of the Service that a slice belongs to.
fn service_of(slice: &Node<'_>) -> Option<Key> {
    let name = label(slice, SERVICE_NAME).filter(|name| !name.is_empty())?;
    Some(Key::from(format!("{}/{name}", slice.metadata().namespace())))
}

impl Reconcile for Slices {
    fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            match key {
                ALL_SERVICES | HINTED_SERVICES => {
                    self.reset_ratios(key == HINTED_SERVICES);
                    Ok(Outcome::Done)
                }
                key => self.reconcile_service(key).await,
            }
        })
    }
}

impl Slices {
    /// Discards the ratios and enqueues the affected Services after nodes have changed.
    fn reset_ratios(&self, only_hinted: bool) {
        *self.ratios.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let is_affected = |key: &Key| {
            !only_hinted
                || self.services.get(key).is_some_and(|service| wants_topology_hints(&service))
        };
        for key in self.selectors.all().into_iter().filter(is_affected) {
            self.queue.add_soon(&key, Duration::ZERO);
        }
    }

    fn ratios(&self) -> Option<Arc<Ratios>> {
        let compute = || {
            let nodes = self.nodes.all();
            topology::ratios(nodes.iter().map(|(_, node)| &**node)).map(Arc::new)
        };
        let mut ratios = self.ratios.lock().unwrap_or_else(PoisonError::into_inner);
        ratios.get_or_insert_with(compute).clone()
    }

    async fn reconcile_service(&self, key: &str) -> Result<Outcome, Failure> {
        let Some(object) = self.services.get(key) else {
            self.triggers.forget(key);
            self.expectations.forget(key);
            return Ok(Outcome::Done);
        };
        let service = Service::from_node(&object);
        if !service.selects() {
            return Ok(Outcome::Done);
        }
        let mut slices = self
            .slices
            .labelled(service.namespace, &[(SERVICE_NAME, service.name), (MANAGED_BY, CONTROLLER)]);
        slices.retain(|slice| slice.metadata().deletion_timestamp().is_empty());
        let namespace = percent_encode(service.namespace);
        let collection = format!("/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices");
        let pending_delay =
            self.expectations.pending_delay(&self.client, key, &collection, &slices);
        if let Some(delay) = pending_delay.await? {
            return Ok(Outcome::RequeueAfter(delay));
        }
        let pods = self.pods.labelled(service.namespace, &service.selector);
        let pods: Vec<_> = pods.iter().map(|pod| Pod::from_node(pod)).collect();
        let ratios = if service.wants_topology_hints { self.ratios() } else { None };
        let writes = plan(&SliceInputs {
            service: &service,
            pods: &pods,
            zone: &|name| self.zone(name),
            ratios: ratios.as_deref(),
            slices: &slices,
            trigger: self.triggers.since_last(key, &service, &pods),
        });
        if writes.is_empty() {
            return Ok(Outcome::Done);
        }
        self.batching.record_write(key);
        let outcome =
            apply_writes(&self.client, &self.expectations, key, &collection, writes).await;
        if let Err(failure) = &outcome {
            let object_ref = ObjectReference::object("v1", "Service", &object);
            let message = format!("Error updating Endpoint Slices for Service {key}: {failure}");
            self.events.warn(&object_ref, "FailedToUpdateEndpointSlices", message);
        }
        match outcome? {
            WriteOutcome::Conflict => Ok(Outcome::RequeueAfter(CONFLICT_DELAY)),
            WriteOutcome::All | WriteOutcome::NamespaceTerminating => Ok(Outcome::Done),
        }
    }

    fn zone(&self, node: &str) -> Option<String> {
        self.nodes.get(node).map(|node| zone_of(&node))
    }
}
