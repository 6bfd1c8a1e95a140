//! The flags of `ratchet serve` that limit open watches: what they let in by default, and what a size needs.

use super::limits::USABLE;
use super::workload::Workload;

/// A flag with its default (docs/reference/serve.md).
struct WatchFlag {
    name: &'static str,
    default: f64,
    /// The watches of a workload that count.
    watches: fn(&Workload) -> f64,
}

/// All watches; and those of one user, which all proxies are, while every kubelet is one of its own.
const FLAGS: &[WatchFlag] = &[
    WatchFlag {
        name: "--max-long-running-requests",
        default: 10_000.0,
        watches: |load| load.watches,
    },
    WatchFlag {
        name: "--max-long-running-requests-per-user",
        default: 2500.0,
        watches: |load| load.proxy_watches,
    },
];

/// The nodes whose watches one server lets in without these flags.
pub(super) fn nodes_by_default() -> f64 {
    let node = Workload::of(1.0);
    let nodes = FLAGS.iter().map(|flag| flag.default / (flag.watches)(&node));
    nodes.fold(f64::INFINITY, f64::min).floor()
}

/// What each of so many servers must be started with, in thousands, so that the watches of another one that is lost still
/// fit; nothing where the defaults do.
pub(super) fn needed_flags(load: &Workload, servers: f64) -> Vec<String> {
    FLAGS
        .iter()
        .map(|flag| (flag, (flag.watches)(load) / servers / USABLE))
        .filter(|(flag, watches)| *watches > flag.default)
        .map(|(flag, watches)| format!("{}={:.0}", flag.name, (watches / 1000.0).ceil() * 1000.0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_for_hundreds_of_nodes() {
        assert_eq!(nodes_by_default(), 833.0);
        assert_eq!(needed_flags(&Workload::of(400.0), 1.0), Vec::<String>::new());
    }

    #[test]
    fn what_is_above_a_default_is_a_flag() {
        let load = Workload { watches: 70_000.0, proxy_watches: 1000.0, ..Workload::of(0.0) };
        assert_eq!(needed_flags(&load, 1.0), ["--max-long-running-requests=117000"]);
        let load = Workload { proxy_watches: 20_000.0, ..load };
        assert_eq!(
            needed_flags(&load, 2.0),
            ["--max-long-running-requests=59000", "--max-long-running-requests-per-user=17000"]
        );
    }
}
