//! Controller that mirrors custom Endpoints into EndpointSlices, for clients that read slices only.

mod plan;
#[cfg(test)]
mod tests;

use crate::endpoint_slice::{CONFLICT_DELAY, on_slice_change};
use crate::expectations::Expectations;
use crate::service::selector;
use crate::slices::{
    ENDPOINTS, MANAGED_BY, SERVICE_NAME, SERVICES, SLICES, Write, WriteOutcome, apply_writes,
};
use crate::{
    BoxFuture, Client, Failure, ObjectReference, Outcome, Reconcile, Recorder, RetryDelay, Row,
    Setup, Shared, Store,
};
pub(crate) use plan::plan;
use plan::{CONTROLLER, MAX_ADDRESSES, Plan, is_mirrored};
use ratchet_object::percent_encode;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const ROW: Row = Row {
    name: "endpointslice-mirroring-controller",
    aliases: &["endpointslicemirroring"],
    on_by_default: true,
    retry_delay: RetryDelay { first: Duration::from_millis(100), longest: Duration::from_secs(60) },
    workers: 5,
    start,
};

struct Mirroring {
    client: Client,
    events: Recorder,
    services: Arc<Store>,
    endpoints: Arc<Store>,
    slices: Arc<Store>,
    expectations: Arc<Expectations>,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let controller = Mirroring {
        client: setup.client.clone(),
        events: setup.recorder("endpoint-slice-mirroring-controller"),
        services: setup.collection(SERVICES),
        endpoints: setup.collection(ENDPOINTS),
        slices: setup.collection(SLICES),
        expectations: Arc::default(),
    };
    controller.slices.index_labels();
    let queue = setup.queue.clone();
    setup.listen(SERVICES, move |change| {
        let selects = |service: &Option<Shared>| {
            service.as_ref().map(|service| selector(service).next().is_some())
        };
        let (old, new) = (selects(&change.old), selects(&change.new));
        if old != new && (old, new) != (None, Some(true)) {
            queue.add(&change.key);
        }
    });
    let (queue, services) = (setup.queue.clone(), controller.services.clone());
    setup.listen(ENDPOINTS, move |change| {
        let mirrored = change.old.iter().chain(&change.new).any(|endpoints| is_mirrored(endpoints));
        // Endpoints of Services with selectors are many, and never mirrored.
        let selects = services.get(&change.key).is_some_and(|it| selector(&it).next().is_some());
        if mirrored && !selects {
            queue.add(&change.key);
        }
    });
    let (queue, expectations) = (setup.queue.clone(), controller.expectations.clone());
    setup.listen(SLICES, move |change| on_slice_change(&queue, &expectations, CONTROLLER, change));
    Box::new(controller)
}

impl Reconcile for Mirroring {
    fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            let (namespace, name) = key.split_once('/').unwrap_or_default();
            let mut slices =
                self.slices.labelled(namespace, &[(SERVICE_NAME, name), (MANAGED_BY, CONTROLLER)]);
            slices.retain(|slice| slice.metadata().deletion_timestamp().is_empty());
            let collection = format!(
                "/apis/discovery.k8s.io/v1/namespaces/{}/endpointslices",
                percent_encode(namespace)
            );
            let pending_delay =
                self.expectations.pending_delay(&self.client, key, &collection, &slices);
            if let Some(delay) = pending_delay.await? {
                return Ok(Outcome::RequeueAfter(delay));
            }
            let writes = self.planned_writes(key, slices);
            match apply_writes(&self.client, &self.expectations, key, &collection, writes).await? {
                WriteOutcome::Conflict => Ok(Outcome::RequeueAfter(CONFLICT_DELAY)),
                WriteOutcome::All | WriteOutcome::NamespaceTerminating => Ok(Outcome::Done),
            }
        })
    }
}

impl Mirroring {
    fn planned_writes(&self, key: &str, slices: Vec<Shared>) -> Vec<Write> {
        let has_no_selector =
            self.services.get(key).is_some_and(|service| selector(&service).next().is_none());
        let endpoints = self.endpoints.get(key).filter(|endpoints| is_mirrored(endpoints));
        let Some(endpoints) = endpoints.filter(|_| has_no_selector) else {
            return slices.into_iter().map(Write::Delete).collect();
        };
        let plan = plan(&endpoints, &slices);
        self.record_events(&endpoints, &plan);
        plan.writes
    }
    /// Records events for addresses that cannot be mirrored.
    fn record_events(&self, endpoints: &Shared, plan: &Plan) {
        let object = ObjectReference::object("v1", "Endpoints", endpoints);
        let (invalid, skipped) = (plan.invalid, plan.invalid + plan.excess);
        if invalid > 0 {
            let message =
                format!("Skipped {invalid} invalid IP addresses when mirroring to EndpointSlices");
            self.events.warn(&object, "InvalidIPAddress", message);
        }
        if plan.excess > 0 {
            let message = format!(
                "A max of {MAX_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. {skipped} addresses were skipped"
            );
            self.events.warn(&object, "TooManyAddressesToMirror", message);
        }
    }
}
