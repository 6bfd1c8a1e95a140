//! What belongs to an owner goes with it, before it or after it, or is let go.

mod absent;
mod collector;
mod graph;
mod identity;
mod monitors;
#[cfg(test)]
mod tests;
mod verdict;

use crate::{Pace, Reconcile, Row, Setup};
use collector::{Collector, Shelf};
use std::sync::Arc;
use std::time::Duration;

/// The row of this controller.
pub(crate) const ROW: Row = Row {
    name: "garbage-collector-controller",
    aliases: &["garbagecollector"],
    on_by_default: true,
    // An owner of a kind that nobody offers is asked for again and again, as it may be offered
    // one day; that must cost nothing.
    pace: Pace { longest: Duration::from_secs(300), ..Pace::DEFAULT },
    workers: 20,
    start,
};

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let recorder = setup.recorder(ROW.name);
    let shelf = Arc::new(Shelf::new(setup.queue.clone(), recorder));
    let (client, meter) = (setup.client.clone(), setup.meter.clone());
    setup.beside(monitors::run(client.clone(), meter, shelf.clone()));
    Box::new(Collector { client, shelf })
}
