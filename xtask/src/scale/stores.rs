//! What stores hold and bear: objects, and the history that they keep of each.

use super::limits::{Limit, STORE_LIMITS};
use super::measured::Measured;
use super::model::Need;
use super::workload::{EVENT_BYTES, LEASE_BYTES, Workload};

/// What was replaced or deleted stays until the second compaction after it, and one comes every five minutes
/// (`--etcd-compaction-interval`).
const HISTORY_SECONDS: f64 = 2.0 * 300.0;

/// A part of what is stored, which can have a store of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StorePart {
    pub(super) name: &'static str,
    /// Writes a second.
    pub(super) writes: f64,
    objects: f64,
    object_bytes: f64,
}

impl StorePart {
    /// Objects, and what they were before.
    fn revisions(&self) -> f64 {
        self.objects + self.writes * HISTORY_SECONDS
    }
}

/// The parts of what a cluster stores; the first ones are the first to move.
pub(super) fn store_parts(measured: &Measured, load: &Workload) -> [StorePart; 4] {
    let writes = load.lease_writes + load.event_writes + load.pod_writes;
    let objects = load.nodes + load.events + load.pods;
    let object_bytes = measured.server.object_bytes();
    let part =
        |name, writes, objects, object_bytes| StorePart { name, writes, objects, object_bytes };
    [
        part("Leases", load.lease_writes, load.nodes, LEASE_BYTES),
        part("Events", load.event_writes, load.events, EVENT_BYTES),
        part("pods", load.pod_writes, load.pods, object_bytes),
        part("all others", load.writes() - writes, load.objects - objects, object_bytes),
    ]
}

/// What one store must bear of these parts. What an etcd uses is left out where none was measured; the embedded store is
/// a part of the server, and so are its costs.
pub(super) fn store_needs(measured: &Measured, parts: &[StorePart]) -> Vec<Need> {
    let store = measured.store.as_ref();
    let writes: f64 = parts.iter().map(|part| part.writes).sum();
    let revisions: f64 = parts.iter().map(StorePart::revisions).sum();
    let bytes = parts.iter().map(|part| part.revisions() * part.object_bytes).sum();
    let needed = |limit| match limit {
        Limit::StoreCpu => store.map(|store| writes * store.write_cpu_ms / 1000.0),
        Limit::StoreMemory => store.map(|store| revisions * store.object_memory_kb / 1000.0),
        _ => Some(bytes),
    };
    STORE_LIMITS
        .iter()
        .filter_map(|(limit, available)| {
            Some(Need { limit: *limit, needed: needed(*limit)?, available: *available })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::measured::StoreFigures;
    use super::*;

    const PART: StorePart =
        StorePart { name: "a", writes: 1000.0, objects: 400_000.0, object_bytes: 2000.0 };

    #[test]
    fn a_store_keeps_what_ten_minutes_replaced_beside_the_objects() {
        let needs = store_needs(&Measured::round(), &[PART, StorePart { writes: 0.0, ..PART }]);
        assert_eq!(needs[0].limit, Limit::StoreBytes);
        assert_eq!(needs[0].needed, 2000.0 * (400_000.0 + 600_000.0 + 400_000.0));
    }

    #[test]
    fn an_etcd_counts_where_it_was_measured() {
        let mut measured = Measured::round();
        let limits = |measured: &Measured| -> Vec<Limit> {
            store_needs(measured, &[PART]).iter().map(|need| need.limit).collect()
        };
        assert_eq!(limits(&measured), [Limit::StoreBytes]);
        measured.store = Some(StoreFigures { write_cpu_ms: 2.0, object_memory_kb: 8.0 });
        assert_eq!(limits(&measured), [Limit::StoreCpu, Limit::StoreMemory, Limit::StoreBytes]);
        let needs = store_needs(&measured, &[PART]);
        assert_eq!((needs[0].needed, needs[1].needed), (2.0, 8000.0));
    }

    #[test]
    fn parts_of_the_store_are_the_whole() {
        let load = Workload::of(5000.0);
        let parts = store_parts(&Measured::round(), &load);
        let writes: f64 = parts.iter().map(|part| part.writes).sum();
        let objects: f64 = parts.iter().map(|part| part.objects).sum();
        assert!((writes - load.writes()).abs() < 1e-6 && (objects - load.objects).abs() < 1e-3);
        assert!(parts.iter().all(|part| part.writes > 0.0 && part.objects > 0.0), "{parts:?}");
    }
}
