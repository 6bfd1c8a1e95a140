//! Slices that show hand-made Endpoints, for those who read slices only.

mod plan;
#[cfg(test)]
mod tests;

use crate::client::escaped;
use crate::endpoint_slice::{SOON, hear_of_slice};
use crate::expected::Expected;
use crate::service::selector;
use crate::slices::{
    Carried, ENDPOINTS, MANAGED_BY, SERVICE_NAME, SERVICES, SLICES, Write, carry_out,
};
use crate::{
    About, Client, Failure, Outcome, Pace, Reconcile, Recorder, Row, Setup, Shared, Store, Waiting,
};
pub(crate) use plan::plan;
use plan::{CONTROLLER, MOST, Plan, is_mirrored};
use std::sync::Arc;
use std::time::Duration;

/// The row of this controller.
pub(crate) const ROW: Row = Row {
    name: "endpointslice-mirroring-controller",
    aliases: &["endpointslicemirroring"],
    on_by_default: true,
    pace: Pace { first: Duration::from_millis(100), longest: Duration::from_secs(60) },
    workers: 5,
    start,
};

struct Mirroring {
    client: Client,
    events: Recorder,
    services: Arc<Store>,
    endpoints: Arc<Store>,
    slices: Arc<Store>,
    expected: Arc<Expected>,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let this = Mirroring {
        client: setup.client.clone(),
        events: setup.recorder("endpoint-slice-mirroring-controller"),
        services: setup.collection(SERVICES),
        endpoints: setup.collection(ENDPOINTS),
        slices: setup.collection(SLICES),
        expected: Arc::default(),
    };
    this.slices.index_labels();
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
    let (queue, services) = (setup.queue.clone(), this.services.clone());
    setup.listen(ENDPOINTS, move |change| {
        let mirrored = change.old.iter().chain(&change.new).any(|endpoints| is_mirrored(endpoints));
        // Those of Services that select pods are many, and never mirrored.
        let selects = services.get(&change.key).is_some_and(|it| selector(&it).next().is_some());
        if mirrored && !selects {
            queue.add(&change.key);
        }
    });
    let (queue, expected) = (setup.queue.clone(), this.expected.clone());
    setup.listen(SLICES, move |change| hear_of_slice(&queue, &expected, CONTROLLER, change));
    Box::new(this)
}

impl Reconcile for Mirroring {
    fn reconcile<'a>(&'a self, key: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            let (namespace, name) = key.split_once('/').unwrap_or_default();
            let mut slices =
                self.slices.labelled(namespace, &[(SERVICE_NAME, name), (MANAGED_BY, CONTROLLER)]);
            slices.retain(|slice| slice.text_at(&["metadata", "deletionTimestamp"]).is_empty());
            let collection = format!(
                "/apis/discovery.k8s.io/v1/namespaces/{}/endpointslices",
                escaped(namespace)
            );
            let awaited = self.expected.awaited(&self.client, key, &collection, &slices);
            if let Some(delay) = awaited.await? {
                return Ok(Outcome::Again(delay));
            }
            let writes = self.wanted(key, slices);
            match carry_out(&self.client, &self.expected, key, &collection, writes).await? {
                Carried::Overtaken => Ok(Outcome::Again(SOON)),
                Carried::All | Carried::NamespaceGoes => Ok(Outcome::Done),
            }
        })
    }
}

impl Mirroring {
    fn wanted(&self, key: &str, slices: Vec<Shared>) -> Vec<Write> {
        let by_hand =
            self.services.get(key).is_some_and(|service| selector(&service).next().is_none());
        let endpoints = self.endpoints.get(key).filter(|endpoints| is_mirrored(endpoints));
        let Some(endpoints) = endpoints.filter(|_| by_hand) else {
            return slices.into_iter().map(Write::Delete).collect();
        };
        let plan = plan(&endpoints, &slices);
        self.tell(&endpoints, &plan);
        plan.writes
    }
    /// Tells what cannot be mirrored.
    fn tell(&self, endpoints: &Shared, plan: &Plan) {
        let about = About::object("v1", "Endpoints", endpoints);
        let (bad, all) = (plan.unreadable, plan.unreadable + plan.excess);
        if bad > 0 {
            let what =
                format!("Skipped {bad} invalid IP addresses when mirroring to EndpointSlices");
            self.events.warn(&about, "InvalidIPAddress", what);
        }
        if plan.excess > 0 {
            let what = format!(
                "A max of {MOST} addresses can be mirrored to EndpointSlices per Endpoints subset. {all} addresses were skipped"
            );
            self.events.warn(&about, "TooManyAddressesToMirror", what);
        }
    }
}
