//! The Endpoints of Services that select pods.

mod plan;
mod subsets;
#[cfg(test)]
mod tests;

pub(crate) use plan::{Inputs, plan};
pub(crate) use subsets::{Address as SubsetAddress, Subset, repacked};

use crate::client::escaped;
use crate::endpoint_slice::{SOON, hear_of_pod};
use crate::expected::Expected;
use crate::gathering::Gathering;
use crate::labels::annotations;
use crate::pod::Pod;
use crate::selectors::Selectors;
use crate::service::Service;
use crate::slices::{Carried, ENDPOINTS, PODS, SERVICES, Write, carry_out};
use crate::trigger::Triggers;
use crate::{
    About, Client, Failure, Outcome, Pace, Queue, Reconcile, Recorder, Row, Setup, Shared, Store,
    Waiting,
};
use std::sync::Arc;

/// The row of this controller.
pub(crate) const ROW: Row = Row {
    name: "endpoints-controller",
    aliases: &["endpoint"],
    on_by_default: true,
    pace: Pace::DEFAULT,
    workers: 5,
    start,
};

/// Endpoints with this annotation are no endpoints: old programs elected their leader by them.
pub(crate) const LEADER: &str = "control-plane.alpha.kubernetes.io/leader";

/// The key that stands for what a start must look at: Endpoints whose Service went while nobody
/// looked. No Service has such a name.
const LEFT_OVER: &str = "*";

struct Endpoints {
    client: Client,
    queue: Arc<Queue>,
    events: Recorder,
    services: Arc<Store>,
    pods: Arc<Store>,
    endpoints: Arc<Store>,
    expected: Arc<Expected>,
    gathering: Arc<Gathering>,
    triggers: Triggers,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let this = Endpoints {
        client: setup.client.clone(),
        queue: setup.queue.clone(),
        events: setup.recorder("endpoint-controller"),
        services: setup.collection(SERVICES),
        pods: setup.collection(PODS),
        endpoints: setup.collection(ENDPOINTS),
        expected: Arc::default(),
        gathering: Arc::default(),
        triggers: Triggers::default(),
    };
    this.pods.index_labels();
    let selectors: Arc<Selectors> = Arc::default();
    let (queue, known) = (setup.queue.clone(), selectors.clone());
    setup.listen(SERVICES, move |change| {
        known.change(change);
        queue.add(&change.key);
    });
    let (queue, gathering) = (setup.queue.clone(), this.gathering.clone());
    setup.listen(PODS, move |change| hear_of_pod(&queue, &selectors, &gathering, change));
    let (queue, expected) = (setup.queue.clone(), this.expected.clone());
    setup.listen(ENDPOINTS, move |change| {
        // Who writes Endpoints by hand is left in peace until the Service or its pods change; but
        // they must be there.
        if !expected.explains(&change.key, change) && change.new.is_none() {
            queue.add(&change.key);
        }
    });
    setup.queue.add(LEFT_OVER);
    Box::new(this)
}

impl Reconcile for Endpoints {
    fn reconcile<'a>(&'a self, key: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            if key == LEFT_OVER {
                self.look_for_leftovers();
                return Ok(Outcome::Done);
            }
            let endpoints = self.endpoints.get(key);
            let (namespace, _) = key.split_once('/').unwrap_or_default();
            let collection = format!("/api/v1/namespaces/{}/endpoints", escaped(namespace));
            let known = endpoints.as_slice();
            let awaited = self.expected.awaited(&self.client, key, &collection, known);
            if let Some(delay) = awaited.await? {
                return Ok(Outcome::Again(delay));
            }
            let Some(write) = self.wanted(key, endpoints) else {
                return Ok(Outcome::Done);
            };
            self.gathering.wrote(key);
            let failed = Failed::of(key, &write);
            let writes = vec![write];
            let carried = carry_out(&self.client, &self.expected, key, &collection, writes).await;
            if let (Err(failure), Some(failed)) = (&carried, failed) {
                self.events.warn(
                    &failed.about,
                    failed.reason,
                    format!("{}: {failure}", failed.what),
                );
            }
            match carried? {
                Carried::Overtaken => Ok(Outcome::Again(SOON)),
                Carried::All | Carried::NamespaceGoes => Ok(Outcome::Done),
            }
        })
    }
}

/// What is told of a write that failed.
struct Failed {
    about: About,
    reason: &'static str,
    what: String,
}

impl Failed {
    fn of(key: &str, write: &Write) -> Option<Self> {
        let (node, reason, what) = match write {
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
        Some(Self { about: About::object("v1", "Endpoints", node), reason, what })
    }
}

impl Endpoints {
    fn look_for_leftovers(&self) {
        for (key, endpoints) in self.endpoints.all() {
            let elects = annotations(&endpoints).any(|(name, _)| name == LEADER);
            if !elects && self.services.get(&key).is_none() {
                self.queue.add(&key);
            }
        }
    }

    fn wanted(&self, key: &str, endpoints: Option<Shared>) -> Option<Write> {
        let Some(service) = self.services.get(key) else {
            self.triggers.forget(key);
            return endpoints.map(Write::Delete);
        };
        let service = Service::read(&service);
        if !service.selects() {
            return None;
        }
        let pods = self.pods.labelled(service.namespace, &service.selector);
        let pods: Vec<_> = pods.iter().map(|pod| Pod::read(pod)).collect();
        plan(&Inputs {
            service: &service,
            pods: &pods,
            endpoints: endpoints.as_ref(),
            trigger: self.triggers.since_last(key, &service, &pods),
        })
    }
}
