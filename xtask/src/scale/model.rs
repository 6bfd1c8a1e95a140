//! The model: what a workload needs of servers and stores, by measured costs.

use super::limits::{Limit, SERVER_LIMITS, STORE_LIMITS};
use super::measured::Measured;
use super::workload::Workload;

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
    let deliveries = load.all_deliveries() * server.event_cpu_us / 1000.0;
    let writes_of_others = load.writes() * (1.0 - 1.0 / servers);
    ((requests + deliveries) / servers + writes_of_others * server.update_cpu_ms) / 1000.0
}

fn memory_mb(measured: &Measured, load: &Workload, servers: f64) -> f64 {
    let server = &measured.server;
    server.base_memory_mb
        + load.objects * server.object_memory_kb / 1000.0
        + load.watches / servers * server.watch_memory_kb / 1000.0
}

fn network_bytes(measured: &Measured, load: &Workload, servers: f64) -> f64 {
    let server = &measured.server;
    let object_bytes = server.page_bytes / server.page_objects;
    (load.all_deliveries() * server.event_bytes + (load.gets + load.writes()) * object_bytes)
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

/// What one store must bear of these writes a second and objects. What an etcd uses is left out where none was measured;
/// the embedded store is a part of the server, and so are its costs.
pub(super) fn store_needs(measured: &Measured, writes: f64, objects: f64) -> Vec<Need> {
    let store = measured.store.as_ref();
    let bytes = objects * measured.server.page_bytes / measured.server.page_objects;
    let needed = |limit| match limit {
        Limit::StoreCpu => store.map(|store| writes * store.write_cpu_ms / 1000.0),
        Limit::StoreMemory => store.map(|store| objects * store.object_memory_kb / 1000.0),
        _ => Some(bytes),
    };
    STORE_LIMITS
        .iter()
        .filter_map(|(limit, available)| {
            Some(Need { limit: *limit, needed: needed(*limit)?, available: *available })
        })
        .collect()
}

/// What breaks first with one server on one store.
pub(super) fn first_to_break(measured: &Measured, load: &Workload) -> Option<Need> {
    let mut needs = server_needs(measured, load, 1.0);
    needs.extend(store_needs(measured, load.writes(), load.objects));
    needs.into_iter().max_by(|one, other| one.share().total_cmp(&other.share()))
}

/// The most nodes that one server on one store bears.
pub(super) fn most_nodes(measured: &Measured) -> f64 {
    let bears = |nodes: f64| {
        let first = first_to_break(measured, &Workload::of(nodes));
        first.is_some_and(|need| need.share() <= 1.0)
    };
    let (mut low, mut high) = (0.0, 1e7);
    while high - low > 1.0 {
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

/// How the writes are spread over stores: the name of each part, its writes a second and its objects.
pub(super) fn store_parts(load: &Workload) -> Vec<(&'static str, f64, f64)> {
    let events = load.event_writes / 2.0 * 3600.0;
    vec![
        ("leases", load.lease_writes, load.nodes),
        ("events", load.event_writes, events),
        (
            "all others",
            load.writes() - load.lease_writes - load.event_writes,
            load.objects - load.nodes - events,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::measured::StoreFigures;
    use super::*;

    #[test]
    fn one_server_takes_the_sum_of_all_costs() {
        let measured = Measured::round();
        let idle = Workload { gets: 1000.0, ..zero() };
        assert!((cores(&measured, &idle, 1.0) - 0.02).abs() < 1e-9);
        let watched = Workload { slice_deliveries: 100_000.0, ..zero() };
        assert!((cores(&measured, &watched, 1.0) - 1.0).abs() < 1e-9);
        assert!((network_bytes(&measured, &watched, 2.0) - 1e8).abs() < 1e-3);
    }

    fn zero() -> Workload {
        Workload::of(0.0)
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
        let load = Workload { updates: 1e6, ..zero() };
        assert_eq!(first_to_break(&measured, &load).unwrap().limit, Limit::Cpu);
    }

    #[test]
    fn an_etcd_counts_where_it_was_measured() {
        let mut measured = Measured::round();
        let limits = |measured: &Measured| -> Vec<Limit> {
            store_needs(measured, 1000.0, 1000.0).iter().map(|need| need.limit).collect()
        };
        assert_eq!(limits(&measured), [Limit::StoreBytes]);
        measured.store = Some(StoreFigures { write_cpu_ms: 2.0, object_memory_kb: 8.0 });
        assert_eq!(limits(&measured), [Limit::StoreCpu, Limit::StoreMemory, Limit::StoreBytes]);
        let needs = store_needs(&measured, 1000.0, 1000.0);
        assert_eq!((needs[0].needed, needs[1].needed), (2.0, 8.0));
    }

    #[test]
    fn one_server_bears_its_most_and_no_more() {
        let measured = Measured::round();
        let most = most_nodes(&measured);
        let share = |nodes| first_to_break(&measured, &Workload::of(nodes)).unwrap().share();
        assert!(share(most) <= 1.0 && share(most + 2.0) > 1.0, "{most}");
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

    #[test]
    fn parts_of_the_store_are_the_whole() {
        let load = Workload::of(5000.0);
        let writes: f64 = store_parts(&load).iter().map(|(_, writes, _)| writes).sum();
        let objects: f64 = store_parts(&load).iter().map(|(_, _, objects)| objects).sum();
        assert!((writes - load.writes()).abs() < 1e-6 && (objects - load.objects).abs() < 1e-3);
    }
}
