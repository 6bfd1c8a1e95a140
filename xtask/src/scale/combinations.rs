//! Ways past one server on one store: kinds in stores of their own, and proxies that are sent fewer slices.

use super::limits::MOST_SERVERS;
use super::measured::Measured;
use super::model::{Need, largest, servers};
use super::stores::{store_needs, store_parts};
use super::workload::Workload;

/// How what is stored is spread (`--etcd-servers-overrides`), and how many of the parts have a store of their own.
const STORES: &[(&str, usize)] =
    &[("one store", 0), ("Leases and Events apart", 2), ("Leases, Events and pods apart", 3)];

/// What every proxy is sent, and how many zones share the slices.
const SLICES: &[(&str, f64)] = &[("all slices", 1.0), ("slices of one zone of three", 3.0)];

/// A combination of both, and what it comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Combination {
    pub(super) stores: &'static str,
    pub(super) slices: &'static str,
    /// Nothing if no number of servers is enough.
    pub(super) servers: Option<usize>,
    /// The store of which most is needed, and what.
    pub(super) busiest: (&'static str, Need),
}

impl Combination {
    /// Whether few enough servers and each of the stores bear the load.
    pub(super) fn fits(&self) -> bool {
        let (_, need) = self.busiest;
        need.share() <= 1.0 && self.servers.is_some_and(|count| count <= MOST_SERVERS)
    }
}

/// All combinations for so many nodes.
pub(super) fn combinations(measured: &Measured, nodes: f64) -> Vec<Combination> {
    let mut found = Vec::new();
    for (stores, apart) in STORES.iter().copied() {
        for (slices, zones) in SLICES.iter().copied() {
            let load = Workload::of(nodes).by_zone(zones);
            let Some(busiest) = busiest(measured, &load, apart) else { continue };
            found.push(Combination { stores, slices, servers: servers(measured, &load), busiest });
        }
    }
    found
}

/// The store of which most is needed, where the first so many parts have one of their own.
fn busiest(measured: &Measured, load: &Workload, apart: usize) -> Option<(&'static str, Need)> {
    let parts = store_parts(measured, load);
    let (apart, rest) = parts.split_at_checked(apart)?;
    let name = if apart.is_empty() { "everything" } else { "all others" };
    let stores = apart.iter().map(|part| (part.name, std::slice::from_ref(part)));
    let needs = stores
        .chain([(name, rest)])
        .filter_map(|(name, parts)| Some((name, largest(&store_needs(measured, parts))?)));
    needs.max_by(|(_, one), (_, other)| one.share().total_cmp(&other.share()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_stores_need_less_each_and_fewer_slices_need_fewer_servers() {
        let mut measured = Measured::round();
        measured.server.page_bytes *= 4.0;
        let all = combinations(&measured, 50_000.0);
        let shares: Vec<f64> = all.iter().map(|found| found.busiest.1.share()).collect();
        assert_eq!(all.len(), 6);
        assert!(shares[0] == shares[1] && shares[0] > shares[2] && shares[2] > shares[4]);
        assert_eq!(all[0].busiest.0, "everything");
        assert_eq!((all[2].busiest.0, all[4].busiest.0), ("all others", "pods"));
        let servers: Vec<usize> = all.iter().filter_map(|found| found.servers).collect();
        assert!(servers[0] > servers[1] && servers[0] == servers[2], "{servers:?}");
    }

    #[test]
    fn what_needs_a_hundred_servers_or_a_larger_store_does_not_fit() {
        let measured = Measured::round();
        let mut found = combinations(&measured, 1000.0)[0];
        assert!(found.fits(), "{found:?}");
        for servers in [None, Some(100)] {
            assert!(!Combination { servers, ..found }.fits());
        }
        found.busiest.1.needed = found.busiest.1.available * 1.1;
        assert!(!found.fits());
        assert!(!combinations(&measured, 1e6).iter().any(Combination::fits));
    }
}
