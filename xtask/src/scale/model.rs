//! The model: what a workload needs of servers and stores, by measured costs.

use super::delivery::changes_per_piece;
use super::limits::{Limit, SERVER_LIMITS};
use super::measured::Measured;
use super::stores::{store_needs, store_parts};
use super::workload::{SLICE_BYTES, Workload};

/// What a workload needs of something that is limited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Need {
    pub(super) limit: Limit,
    pub(super) needed: f64,
    /// What one server or store has.
    pub(super) available: f64,
}

impl Need {
    /// How many servers or stores it takes; more than one is more than one bears.
    pub(super) fn share(&self) -> f64 {
        self.needed / self.available
    }
}

/// CPU cores of one of several servers: it has its share of requests and deliveries, and takes in every write of the
/// others, which costs no more than the write itself.
fn cores(measured: &Measured, load: &Workload, servers: f64) -> f64 {
    let server = &measured.server;
    let requests = load.gets * server.get_cpu_ms
        + load.creates * server.create_cpu_ms
        + load.updates * server.update_cpu_ms
        + load.deletes * server.delete_cpu_ms
        + load.writes() * server.lone_write_cpu_ms(load.writes());
    // Of other objects too few hear for a pause; of slices all proxies of a server do.
    let together = changes_per_piece(load.slice_changes, load.nodes / servers);
    let deliveries_us = load.deliveries * server.delivery_cpu_us(server.event_bytes, 1.0)
        + load.slice_deliveries() * server.delivery_cpu_us(SLICE_BYTES, together);
    let writes_of_others = load.writes() * (1.0 - 1.0 / servers);
    ((requests + deliveries_us / 1000.0) / servers + writes_of_others * server.update_cpu_ms)
        / 1000.0
}

fn memory_mb(measured: &Measured, load: &Workload, servers: f64) -> f64 {
    let server = &measured.server;
    server.base_memory_mb
        + load.objects * server.object_memory_kb / 1000.0
        + load.watches / servers * server.watch_memory_kb / 1000.0
}

fn network_bytes(measured: &Measured, load: &Workload, servers: f64) -> f64 {
    let server = &measured.server;
    (load.deliveries * server.event_bytes
        + load.slice_deliveries() * SLICE_BYTES
        + (load.gets + load.writes()) * server.object_bytes())
        / servers
}

/// What each of so many servers must bear.
pub(super) fn server_needs(measured: &Measured, load: &Workload, servers: f64) -> Vec<Need> {
    let needed = |limit| match limit {
        Limit::Cpu => cores(measured, load, servers),
        Limit::Memory => memory_mb(measured, load, servers),
        Limit::Network => network_bytes(measured, load, servers),
        Limit::Connections => load.connections / servers,
        Limit::StoreCpu | Limit::StoreMemory | Limit::StoreBytes => 0.0,
    };
    SERVER_LIMITS
        .iter()
        .map(|(limit, available)| Need {
            limit: *limit,
            needed: needed(*limit),
            available: *available,
        })
        .collect()
}

/// What one server on one store must bear.
pub(super) fn all_needs(measured: &Measured, load: &Workload) -> Vec<Need> {
    let mut needs = server_needs(measured, load, 1.0);
    needs.extend(store_needs(measured, &store_parts(measured, load)));
    needs
}

/// The need with the largest share.
pub(super) fn largest(needs: &[Need]) -> Option<Need> {
    needs.iter().copied().max_by(|one, other| one.share().total_cmp(&other.share()))
}

/// What breaks first with one server on one store.
pub(super) fn first_to_break(measured: &Measured, load: &Workload) -> Option<Need> {
    largest(&all_needs(measured, load))
}

/// The same without the limits that the server sets itself.
pub(super) fn first_without_policy(measured: &Measured, load: &Workload) -> Option<Need> {
    let mut needs = all_needs(measured, load);
    needs.retain(|need| !need.limit.is_policy());
    largest(&needs)
}

/// The most nodes that one server on one store bears, by the need that breaks first.
pub(super) fn most_nodes(first: impl Fn(&Workload) -> Option<Need>) -> f64 {
    let bears = |nodes: f64| first(&Workload::of(nodes)).is_some_and(|need| need.share() <= 1.0);
    let (mut low, mut high) = (0.0, 1e7);
    while high - low > 0.01 {
        let middle = f64::midpoint(low, high);
        if bears(middle) { low = middle } else { high = middle }
    }
    low.floor()
}

/// How many servers a workload takes; nothing if no number of them helps, because each has to bear too much of all.
pub(super) fn servers(measured: &Measured, load: &Workload) -> Option<usize> {
    const MOST: usize = 1000;
    (1..=MOST).find(|servers| {
        server_needs(measured, load, *servers as f64).iter().all(|need| need.share() <= 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_server_takes_the_sum_of_all_costs() {
        let measured = Measured::round();
        let idle = Workload { gets: 1000.0, ..zero() };
        assert!((cores(&measured, &idle, 1.0) - 0.02).abs() < 1e-9);
        let watched = Workload { deliveries: 100_000.0, ..zero() };
        assert!((cores(&measured, &watched, 1.0) - 1.0).abs() < 1e-9);
        assert!((network_bytes(&measured, &watched, 2.0) - 1e8).abs() < 1e-3);
    }

    fn zero() -> Workload {
        Workload::of(0.0)
    }

    #[test]
    fn slices_cost_by_their_size_and_by_how_many_changes_go_out_together() {
        let measured = Measured::round();
        let load = Workload { nodes: 1000.0, slice_changes: 40.0, ..zero() };
        // Two changes come in a pause of a thousand watchers; five hundred get each change alone.
        assert!((cores(&measured, &load, 1.0) - 0.04 * (18.25 + 3.0)).abs() < 1e-9);
        assert!((cores(&measured, &load, 2.0) - 0.02 * (18.25 + 6.0)).abs() < 1e-9);
        assert!((network_bytes(&measured, &load, 2.0) - 20_000.0 * 9125.0).abs() < 1e-3);
    }

    #[test]
    fn servers_share_deliveries_but_each_takes_in_every_write() {
        let measured = Measured::round();
        let load = Workload { updates: 1000.0, ..zero() };
        assert!((cores(&measured, &load, 1.0) - 0.5).abs() < 1e-9);
        assert!((cores(&measured, &load, 2.0) - 0.5).abs() < 1e-9);
        let deliveries = Workload { deliveries: 1_000_000.0, ..zero() };
        assert!((cores(&measured, &deliveries, 4.0) - 2.5).abs() < 1e-9);
        assert_eq!(memory_mb(&measured, &zero(), 9.0), 20.0);
    }

    #[test]
    fn the_largest_share_breaks_first() {
        let measured = Measured::round();
        let load = Workload { connections: 1e6, deliveries: 1.0, ..zero() };
        assert_eq!(first_to_break(&measured, &load).unwrap().limit, Limit::Connections);
        assert_eq!(first_without_policy(&measured, &load).unwrap().limit, Limit::Memory);
        let load = Workload { updates: 1e6, ..zero() };
        assert_eq!(first_to_break(&measured, &load).unwrap().limit, Limit::StoreBytes);
        let load = Workload { gets: 1e6, ..zero() };
        assert_eq!(first_to_break(&measured, &load).unwrap().limit, Limit::Cpu);
    }

    #[test]
    fn one_server_bears_its_most_and_no_more() {
        let measured = Measured::round();
        let most = most_nodes(|load| first_to_break(&measured, load));
        let share = |nodes| first_to_break(&measured, &Workload::of(nodes)).unwrap().share();
        assert!(share(most) <= 1.0 && share(most + 1.0) > 1.0, "{most}");
        assert!(most_nodes(|load| first_without_policy(&measured, load)) > most);
    }

    #[test]
    fn more_nodes_take_more_servers_until_none_help() {
        let measured = Measured::round();
        let of = |nodes| servers(&measured, &Workload::of(nodes));
        assert_eq!(of(100.0), Some(1));
        assert!(of(20_000.0).unwrap() > of(5000.0).unwrap());
        // The objects alone are more than the memory of one server, however many there are.
        assert_eq!(of(1e7), None);
    }
}
