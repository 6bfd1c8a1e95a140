//! The EndpointSlices of Services that select pods.

mod desired;
mod hints;
mod pack;
mod plan;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod topology;

pub(crate) use plan::{Inputs, plan};

use crate::client::escaped;
use crate::expected::Expected;
use crate::gathering::Gathering;
use crate::labels::label;
use crate::pod::{self, Pod};
use crate::selectors::Selectors;
use crate::service::{Service, spreads};
use crate::slices::{Carried, MANAGED_BY, PODS, SERVICE_NAME, SERVICES, SLICES, carry_out};
use crate::trigger::Triggers;
use crate::{
    About, Change, Client, Failure, Key, Outcome, Pace, Queue, Reconcile, Recorder, Row, Setup,
    Shared, Store, Waiting,
};
use plan::CONTROLLER;
use ratchet_object::Node;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use topology::Ratios;

/// The row of this controller.
pub(crate) const ROW: Row = Row {
    name: "endpointslice-controller",
    aliases: &["endpointslice"],
    on_by_default: true,
    pace: Pace { first: Duration::from_millis(100), longest: Duration::from_secs(60) },
    workers: 5,
    start,
};

const NODES: &str = "/api/v1/nodes";

/// Nodes seldom change alone.
const GATHER: Duration = Duration::from_millis(200);

/// Who else changes our slices may not be done yet.
pub(crate) const RESPITE: Duration = Duration::from_secs(1);

/// A plan that somebody overtook is made again after so long.
pub(crate) const SOON: Duration = Duration::from_millis(20);

/// The keys that stand for all Services, and for those whose load is spread over zones, for when
/// nodes have changed. No Service has such a name.
const ALL: &str = "*";
const SPREAD: &str = "*spread";

struct Slices {
    client: Client,
    queue: Arc<Queue>,
    events: Recorder,
    services: Arc<Store>,
    pods: Arc<Store>,
    slices: Arc<Store>,
    nodes: Arc<Store>,
    selectors: Arc<Selectors>,
    expected: Arc<Expected>,
    gathering: Arc<Gathering>,
    triggers: Triggers,
    /// Counted when nodes change, not for every Service; nothing if that was not done yet.
    ratios: Mutex<Option<Option<Arc<Ratios>>>>,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let this = Slices {
        client: setup.client.clone(),
        queue: setup.queue.clone(),
        events: setup.recorder("endpoint-slice-controller"),
        services: setup.collection(SERVICES),
        pods: setup.collection(PODS),
        slices: setup.collection(SLICES),
        nodes: setup.collection(NODES),
        selectors: Arc::default(),
        expected: Arc::default(),
        gathering: Arc::default(),
        triggers: Triggers::default(),
        ratios: Mutex::default(),
    };
    this.pods.index_labels();
    this.slices.index_labels();
    let (queue, selectors) = (setup.queue.clone(), this.selectors.clone());
    setup.listen(SERVICES, move |change| {
        selectors.change(change);
        queue.add(&change.key);
    });
    let (queue, selectors) = (setup.queue.clone(), this.selectors.clone());
    let gathering = this.gathering.clone();
    setup.listen(PODS, move |change| hear_of_pod(&queue, &selectors, &gathering, change));
    let (queue, expected) = (setup.queue.clone(), this.expected.clone());
    setup.listen(SLICES, move |change| hear_of_slice(&queue, &expected, CONTROLLER, change));
    let queue = setup.queue.clone();
    setup.listen(NODES, move |change| hear_of_node(&queue, change));
    Box::new(this)
}

/// Any Service may have pods on a node that comes, goes, or changes its zone; what else a node has
/// matters only to those whose load is spread.
fn hear_of_node(queue: &Queue, change: &Change) {
    let zone = |node: &Option<Shared>| node.as_ref().map(|node| zone_of(node));
    let power = |node: &Option<Shared>| node.as_ref().and_then(|node| topology::power(node));
    if zone(&change.old) != zone(&change.new) {
        queue.add_soon(ALL, GATHER);
    } else if power(&change.old) != power(&change.new) {
        queue.add_soon(SPREAD, GATHER);
    }
}

fn zone_of(node: &Node<'_>) -> String {
    label(node, topology::ZONE).unwrap_or_default().to_owned()
}

/// The Services of a pod must be looked at, both those that it had and those that it has.
pub(crate) fn hear_of_pod(
    queue: &Queue,
    selectors: &Selectors,
    gathering: &Gathering,
    change: &Change,
) {
    if let (Some(old), Some(new)) = (&change.old, &change.new)
        && !pod::matters(old, new)
    {
        return;
    }
    for pod in change.old.iter().chain(&change.new) {
        for service in selectors.of(pod) {
            queue.add_soon(&service, gathering.delay(&service));
        }
    }
}

/// Whoever changes a slice that `controller` keeps, or takes it away from it, makes work.
pub(crate) fn hear_of_slice(queue: &Queue, expected: &Expected, controller: &str, change: &Change) {
    for slice in change.old.iter().chain(&change.new) {
        if label(slice, MANAGED_BY) != Some(controller) {
            continue;
        }
        if let Some(key) = service_of(slice).filter(|key| !expected.explains(key, change)) {
            queue.add_soon(&key, RESPITE);
        }
    }
}

/// The key of the Service that a slice belongs to.
fn service_of(slice: &Node<'_>) -> Option<Key> {
    let name = label(slice, SERVICE_NAME).filter(|name| !name.is_empty())?;
    Some(Key::from(format!("{}/{name}", slice.text_at(&["metadata", "namespace"]))))
}

impl Reconcile for Slices {
    fn reconcile<'a>(&'a self, key: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            match key {
                ALL | SPREAD => {
                    self.count_again(key == SPREAD);
                    Ok(Outcome::Done)
                }
                key => self.settle(key).await,
            }
        })
    }
}

impl Slices {
    /// Nodes have changed.
    fn count_again(&self, only_spread: bool) {
        *self.ratios.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let concerned = |key: &Key| {
            !only_spread || self.services.get(key).is_some_and(|service| spreads(&service))
        };
        for key in self.selectors.all().into_iter().filter(concerned) {
            self.queue.add_soon(&key, Duration::ZERO);
        }
    }

    fn ratios(&self) -> Option<Arc<Ratios>> {
        let count = || {
            let nodes = self.nodes.all();
            topology::ratios(nodes.iter().map(|(_, node)| &**node)).map(Arc::new)
        };
        let mut ratios = self.ratios.lock().unwrap_or_else(PoisonError::into_inner);
        ratios.get_or_insert_with(count).clone()
    }

    async fn settle(&self, key: &str) -> Result<Outcome, Failure> {
        let Some(object) = self.services.get(key) else {
            self.triggers.forget(key);
            self.expected.forget(key);
            return Ok(Outcome::Done);
        };
        let service = Service::read(&object);
        if !service.selects() {
            return Ok(Outcome::Done);
        }
        let mut slices = self
            .slices
            .labelled(service.namespace, &[(SERVICE_NAME, service.name), (MANAGED_BY, CONTROLLER)]);
        slices.retain(|slice| slice.text_at(&["metadata", "deletionTimestamp"]).is_empty());
        let namespace = escaped(service.namespace);
        let collection = format!("/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices");
        let awaited = self.expected.awaited(&self.client, key, &collection, &slices);
        if let Some(delay) = awaited.await? {
            return Ok(Outcome::Again(delay));
        }
        let pods = self.pods.labelled(service.namespace, &service.selector);
        let pods: Vec<_> = pods.iter().map(|pod| Pod::read(pod)).collect();
        let ratios = if service.spreads { self.ratios() } else { None };
        let writes = plan(&Inputs {
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
        self.gathering.wrote(key);
        let carried = carry_out(&self.client, &self.expected, key, &collection, writes).await;
        if let Err(failure) = &carried {
            let about = About::object("v1", "Service", &object);
            let what = format!("Error updating Endpoint Slices for Service {key}: {failure}");
            self.events.warn(&about, "FailedToUpdateEndpointSlices", what);
        }
        match carried? {
            Carried::Overtaken => Ok(Outcome::Again(SOON)),
            Carried::All | Carried::NamespaceGoes => Ok(Outcome::Done),
        }
    }

    fn zone(&self, node: &str) -> Option<String> {
        self.nodes.get(node).map(|node| zone_of(&node))
    }
}
