//! `Changes`: the events at which the controllers of an APIService wake.

use crate::app::App;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// What an APIService depends on: its spec, whether it is available, and the revisions of its Service and of the
/// Service's EndpointSlices. Not its own revision: a message that never is the same twice would never let it rest.
pub(super) fn inputs(app: &App, name: &str) -> Vec<u64> {
    let set = app.aggregator.services.now();
    let Some(service) = set.get(name) else { return Vec::new() };
    let own = [service.spec, service.is_available.into()];
    let Some(remote) = &service.remote else { return own.into() };
    let resolver = &app.aggregator.resolver;
    let found = resolver.service(&remote.service).map_or(0, |item| item.revision);
    let slices = resolver.slices(&remote.service);
    own.into_iter().chain([found]).chain(slices.iter().map(|item| item.revision)).collect()
}

/// Wakes at changes of APIServices, Services and EndpointSlices, and at requests that were not answered.
pub(super) struct Changes([watch::Receiver<()>; 4]);

impl Changes {
    pub(super) fn subscribe(app: &App) -> Self {
        let aggregator = &app.aggregator;
        let resolver = &aggregator.resolver;
        Self([
            aggregator.services.cache.changes(),
            resolver.services.changes(),
            resolver.slices.changes(),
            aggregator.suspects.changes(),
        ])
    }

    /// Waits until `is_other` says that a change matters, or for so long.
    pub(super) async fn wait(&mut self, most: Duration, is_other: impl Fn() -> bool) {
        let ends = Instant::now() + most;
        while !is_other() {
            let [services, endpoints, slices, suspects] = &mut self.0;
            let changed = tokio::select! {
                changed = services.changed() => changed,
                changed = endpoints.changed() => changed,
                changed = slices.changed() => changed,
                changed = suspects.changed() => changed,
                () = tokio::time::sleep_until(ends) => return,
            };
            if changed.is_err() {
                // The caches are gone, and so is the server.
                return std::future::pending().await;
            }
        }
    }
}
