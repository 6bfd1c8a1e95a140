//! Controller that maintains the Endpoints of Services with selectors.

mod plan;
mod subsets;
#[cfg(test)]
mod tests;

pub(crate) use plan::{EndpointsInputs, plan};
pub(crate) use subsets::{EndpointAddress, Subset, repacked};

use crate::batching::Batching;
use crate::endpoint_slice::{CONFLICT_DELAY, on_pod_change};
use crate::expectations::Expectations;
use crate::labels::annotations;
use crate::pod::Pod;
use crate::selectors::Selectors;
use crate::service::Service;
use crate::slices::{ENDPOINTS, PODS, SERVICES, Write, WriteOutcome, apply_writes};
use crate::trigger::Triggers;
use crate::{
    BoxFuture, Client, Failure, ObjectReference, Outcome, Queue, Reconcile, Recorder, RetryDelay,
    Row, Setup, Shared, Store,
};
use ratchet_object::percent_encode;
use std::sync::Arc;

pub(crate) const ROW: Row = Row {
    name: "endpoints-controller",
    aliases: &["endpoint"],
    on_by_default: true,
    retry_delay: RetryDelay::DEFAULT,
    workers: 5,
    start,
};

/// Annotation of Endpoints that are leader election locks of old programs, and not endpoints.
pub(crate) const LEADER: &str = "control-plane.alpha.kubernetes.io/leader";

/// The key that stands for the check at startup for Endpoints whose Service was deleted while no
/// controller ran. No Service can have such a name.
const LEFTOVERS: &str = "*";

struct Endpoints {
    client: Client,
    queue: Arc<Queue>,
    events: Recorder,
    services: Arc<Store>,
    pods: Arc<Store>,
    endpoints: Arc<Store>,
    expectations: Arc<Expectations>,
    batching: Arc<Batching>,
    triggers: Triggers,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let controller = Endpoints {
        client: setup.client.clone(),
        queue: setup.queue.clone(),
        events: setup.recorder("endpoint-controller"),
        services: setup.collection(SERVICES),
        pods: setup.collection(PODS),
        endpoints: setup.collection(ENDPOINTS),
        expectations: Arc::default(),
        batching: Arc::default(),
        triggers: Triggers::default(),
    };
    controller.pods.index_labels();
    let selectors: Arc<Selectors> = Arc::default();
    let (queue, service_selectors) = (setup.queue.clone(), selectors.clone());
    setup.listen(SERVICES, move |change| {
        service_selectors.change(change);
        queue.add(&change.key);
    });
    let (queue, batching) = (setup.queue.clone(), controller.batching.clone());
    setup.listen(PODS, move |change| on_pod_change(&queue, &selectors, &batching, change));
    let (queue, expectations) = (setup.queue.clone(), controller.expectations.clone());
    setup.listen(ENDPOINTS, move |change| {
        // Endpoints changed by hand stay until the Service or its pods change, but deleted ones are
        // created again.
        if !expectations.explains(&change.key, change) && change.new.is_none() {
            queue.add(&change.key);
        }
    });
    setup.queue.add(LEFTOVERS);
    Box::new(controller)
}

impl Reconcile for Endpoints {
    fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            if key == LEFTOVERS {
                self.enqueue_leftovers();
                return Ok(Outcome::Done);
            }
            let endpoints = self.endpoints.get(key);
            let (namespace, _) = key.split_once('/').unwrap_or_default();
            let collection = format!("/api/v1/namespaces/{}/endpoints", percent_encode(namespace));
            let current = endpoints.as_slice();
            let pending_delay =
                self.expectations.pending_delay(&self.client, key, &collection, current);
            if let Some(delay) = pending_delay.await? {
                return Ok(Outcome::RequeueAfter(delay));
            }
            let Some(write) = self.planned_write(key, endpoints) else {
                return Ok(Outcome::Done);
            };
            self.batching.record_write(key);
            let event = FailureEvent::for_write(key, &write);
            let writes = vec![write];
            let outcome =
                apply_writes(&self.client, &self.expectations, key, &collection, writes).await;
            if let (Err(failure), Some(event)) = (&outcome, event) {
                self.events.warn(
                    &event.object,
                    event.reason,
                    format!("{}: {failure}", event.message),
                );
            }
            match outcome? {
                WriteOutcome::Conflict => Ok(Outcome::RequeueAfter(CONFLICT_DELAY)),
                WriteOutcome::All | WriteOutcome::NamespaceTerminating => Ok(Outcome::Done),
            }
        })
    }
}

/// The event for a failed write.
struct FailureEvent {
    object: ObjectReference,
    reason: &'static str,
    message: String,
}

impl FailureEvent {
    fn for_write(key: &str, write: &Write) -> Option<Self> {
        let (node, reason, message) = match write {
            Write::Create(node) => (
                node,
                "FailedToCreateEndpoint",
                format!("Failed to create endpoint for service {key}"),
            ),
            Write::Update(node) => {
                (node, "FailedToUpdateEndpoint", format!("Failed to update endpoint {key}"))
            }
            Write::Delete(_) => return None,
        };
        Some(Self { object: ObjectReference::object("v1", "Endpoints", node), reason, message })
    }
}

impl Endpoints {
    fn enqueue_leftovers(&self) {
        for (key, endpoints) in self.endpoints.all() {
            let is_election_lock = annotations(&endpoints).any(|(name, _)| name == LEADER);
            if !is_election_lock && self.services.get(&key).is_none() {
                self.queue.add(&key);
            }
        }
    }

    fn planned_write(&self, key: &str, endpoints: Option<Shared>) -> Option<Write> {
        let Some(service) = self.services.get(key) else {
            self.triggers.forget(key);
            return endpoints.map(Write::Delete);
        };
        let service = Service::from_node(&service);
        if !service.selects() {
            return None;
        }
        let pods = self.pods.labelled(service.namespace, &service.selector);
        let pods: Vec<_> = pods.iter().map(|pod| Pod::from_node(pod)).collect();
        plan(&EndpointsInputs {
            service: &service,
            pods: &pods,
            endpoints: endpoints.as_ref(),
            trigger: self.triggers.since_last(key, &service, &pods),
        })
    }
}
