//! The garbage collector: deletes dependents whose owners are gone, before or after them, or
//! orphans them.

mod absent;
mod collector;
mod definitions;
mod graph;
mod identity;
mod monitors;
#[cfg(test)]
mod tests;
mod uid;
mod verdict;

use crate::{Reconcile, RetryDelay, Row, Setup};
use collector::{Collector, SharedState};
use std::sync::Arc;
use std::time::Duration;

pub(crate) const ROW: Row = Row {
    name: "garbage-collector-controller",
    aliases: &["garbagecollector"],
    on_by_default: true,
    // An owner of a kind that is not served is retried again and again, as it may be served one
    // day; that must cost little.
    retry_delay: RetryDelay { longest: Duration::from_secs(300), ..RetryDelay::DEFAULT },
    workers: 20,
    start,
};

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let recorder = setup.recorder(ROW.name);
    let shared = Arc::new(SharedState::new(setup.queue.clone(), recorder));
    let (client, metrics) = (setup.client.clone(), setup.metrics.clone());
    setup.background(monitors::run(client.clone(), metrics, shared.clone()));
    Box::new(Collector { client, shared })
}
