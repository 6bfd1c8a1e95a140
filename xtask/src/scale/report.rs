//! What the model says, as text.

use super::combinations::{Combination, combinations};
use super::flags::{needed_flags, nodes_by_default};
use super::limits::MOST_SERVERS;
use super::measured::Measured;
use super::model::{
    Need, all_needs, first_to_break, first_without_policy, largest, most_nodes, servers,
};
use super::points;
use super::stores::{store_needs, store_parts};
use super::workload::Workload;
use std::fmt::Write;

/// Sizes of clusters that are looked at.
const SIZES: &[f64] = &[1000.0, 5000.0, 15_000.0, 100_000.0];

/// Those for which ways past one server on one store are.
const LARGE_SIZES: &[f64] = &[15_000.0, 100_000.0];

/// The whole report: all of the first figures, the points and shares of the others, and the ways past one server on one
/// store by the last, for these are on etcd if any are.
pub(super) fn report(figures: &[Measured]) -> String {
    let mut out = String::new();
    for (index, measured) in figures.iter().enumerate() {
        line(&mut out, &format!("{}{}\n", if index > 0 { "\n" } else { "" }, measured.about));
        write_points(&mut out, measured);
        write_parameters(&mut out, measured);
        write_most(&mut out, measured);
        let loads = SIZES.iter().map(|nodes| Workload::of(*nodes));
        match index {
            0 => loads.for_each(|load| write_size(&mut out, measured, &load)),
            _ => loads.for_each(|load| write_shares(&mut out, measured, &load)),
        }
    }
    if let Some(measured) = figures.last() {
        write_combinations(&mut out, measured);
    }
    out
}

fn write_points(out: &mut String, measured: &Measured) {
    line(out, "points: measured, by the model, deviation");
    for checked in points::check(measured) {
        let (point, percent) = (checked.point, checked.deviation() * 100.0);
        let verdict = if checked.fits() { "" } else { ": more than 20 %" };
        let (measured, predicted) = (point.measured, checked.predicted);
        line(
            out,
            &format!("  {}: {measured:.1}, {predicted:.1}, {percent:+.0} %{verdict}", point.name),
        );
    }
}

fn write_parameters(out: &mut String, measured: &Measured) {
    let server = &measured.server;
    line(
        out,
        &format!(
            "\nCPU ms of a request: get {:.3}, create {:.3}, update {:.3}, delete {:.3}, page of {:.0} {:.3} ({:.0} bytes)",
            server.get_cpu_ms,
            server.create_cpu_ms,
            server.update_cpu_ms,
            server.delete_cpu_ms,
            server.page_objects,
            server.page_cpu_ms,
            server.page_bytes
        ),
    );
    line(
        out,
        &format!(
            "a patch at a low rate {:.3} ms, an event of {:.0} bytes {:.2} us and the piece in which it goes out {:.2} us",
            server.patch_cpu_ms, server.event_bytes, server.event_cpu_us, server.piece_cpu_us
        ),
    );
    line(
        out,
        &format!(
            "memory: {:.1} MB, {:.2} kB a pod, {:.1} kB a watch",
            server.base_memory_mb, server.object_memory_kb, server.watch_memory_kb
        ),
    );
    if let Some(store) = &measured.store {
        let (cpu, memory) = (store.write_cpu_ms, store.object_memory_kb);
        line(out, &format!("etcd: {cpu:.3} ms of CPU a write, {memory:.2} kB an object"));
    }
}

/// The most nodes of one server: as it is, without the limit that is a constant, and with the flags that it has by default.
fn write_most(out: &mut String, measured: &Measured) {
    write_most_by(out, "\none server on one store", |load| first_to_break(measured, load));
    write_most_by(out, "the same if a server accepted more connections", |load| {
        first_without_policy(measured, load)
    });
    let nodes = nodes_by_default();
    line(out, &format!("with the default limits of watches: {nodes:.0} nodes"));
}

fn write_most_by(out: &mut String, what: &str, first: impl Fn(&Workload) -> Option<Need>) {
    let load = Workload::of(most_nodes(&first));
    let limit = first(&load).map_or("", |need| need.limit.name());
    let (nodes, pods, watches) = (load.nodes, load.pods, load.watches);
    let text = format!("{nodes:.0} nodes, {pods:.0} pods, {watches:.0} watches, by {limit}");
    line(out, &format!("{what}: {text}"));
}

fn write_size(out: &mut String, measured: &Measured, load: &Workload) {
    line(
        out,
        &format!(
            "\n{:.0} nodes: {:.0} pods, {:.0} objects, {:.0} watches, {:.0} writes/s, {:.0} events/s delivered",
            load.nodes,
            load.pods,
            load.objects,
            load.watches,
            load.writes(),
            load.all_deliveries()
        ),
    );
    all_needs(measured, load).iter().for_each(|need| write_need(out, "  ", need));
    write_first(out, measured, load);
    match servers(measured, load) {
        Some(count) => {
            line(out, &format!("  servers: {count}"));
            let flags = needed_flags(load, count as f64);
            if !flags.is_empty() {
                line(out, &format!("  each needs {}", flags.join(" ")));
            }
        }
        None => line(out, "  servers: no number of them is enough"),
    }
    for part in store_parts(measured, load) {
        let share = largest(&store_needs(measured, &[part])).map_or(0.0, |need| need.share());
        let (name, writes, percent) = (part.name, part.writes, share * 100.0);
        line(out, &format!("  a store of {name}: {writes:.0} writes/s, {percent:.0} %"));
    }
}

/// What breaks first, and what would if that is a policy.
fn write_first(out: &mut String, measured: &Measured, load: &Workload) {
    let Some(first) = first_to_break(measured, load) else { return };
    let verdict = if first.share() > 1.0 { "breaks first" } else { "is the closest limit" };
    let next = first_without_policy(measured, load).filter(|next| next.limit != first.limit);
    let next = next.map_or_else(String::new, |next| format!(", then {}", next.limit.name()));
    line(out, &format!("  {verdict}: {}{next}", first.limit.name()));
}

fn write_need(out: &mut String, indent: &str, need: &Need) {
    let (needed, available, percent) = (need.needed, need.available, need.share() * 100.0);
    let limit = need.limit.as_str();
    line(out, &format!("{indent}{limit}: {needed:.1} of {available:.1}, {percent:.0} %"));
}

/// The shares of one size in one line.
fn write_shares(out: &mut String, measured: &Measured, load: &Workload) {
    let share = |need: &Need| format!("{} {:.0} %", need.limit.name(), need.share() * 100.0);
    let shares: Vec<String> = all_needs(measured, load).iter().map(share).collect();
    line(out, &format!("{:.0} nodes: {}", load.nodes, shares.join(", ")));
}

fn write_combinations(out: &mut String, measured: &Measured) {
    line(out, &format!("\npast one server on one store, by the figures of {}", measured.about));
    for nodes in LARGE_SIZES {
        line(
            out,
            &format!(
                "{nodes:.0} nodes: servers, at most {MOST_SERVERS}, and the largest share of any store"
            ),
        );
        let all = combinations(measured, *nodes);
        all.iter().for_each(|combination| write_combination(out, combination));
        if !all.iter().any(Combination::fits) {
            line(out, "  no combination fits: several clusters");
        }
    }
}

fn write_combination(out: &mut String, combination: &Combination) {
    let Combination { stores, slices, servers, busiest: (store, need) } = combination;
    let servers = servers.map_or("no number of".to_owned(), |count| count.to_string());
    let verdict = if combination.fits() { "fits" } else { "too much" };
    let (percent, limit) = (need.share() * 100.0, need.limit.name());
    line(
        out,
        &format!(
            "  {stores}, {slices}: {servers} servers, {percent:.0} % ({store}: {limit}): {verdict}"
        ),
    );
}

fn line(out: &mut String, text: &str) {
    // A write into a text does not fail.
    let _ = writeln!(out, "{text}");
}

#[cfg(test)]
mod tests {
    use super::super::measured::StoreFigures;
    use super::*;

    #[test]
    fn the_report_has_the_points_and_every_size() {
        let text = report(&[Measured::round()]);
        for part in [
            "  memory: 60.0, 60.0, +0 %\n",
            "one server on one store: 4915 nodes, ",
            " watches, by connections\nthe same if a server accepted more connections: ",
            "with the default limits of watches: 833 nodes\n",
            "\n5000 nodes: 150000 pods, ",
            "\n100000 nodes: ",
            "breaks first: connections, then ",
            "CPU ms of a request: get 0.020, ",
            "  each needs --max-long-running-requests=20000 --max-long-running-requests-per-user=5000\n",
            "a store of Leases: 500 writes/s, ",
            "\n15000 nodes: servers, at most 20, and the largest share of any store\n  one store, all slices: ",
            "  no combination fits: several clusters\n",
        ] {
            assert!(text.contains(part), "no {part:?} in {text}");
        }
    }

    #[test]
    fn figures_on_etcd_follow_with_points_and_shares() {
        let store = StoreFigures { write_cpu_ms: 0.5, object_memory_kb: 8.0 };
        let about = "on etcd".to_owned();
        let etcd = Measured { about, store: Some(store), ..Measured::round() };
        let text = report(&[Measured::round(), etcd]);
        let (_, text) = text.split_once("\n\non etcd\n\npoints: ").unwrap();
        for part in [
            "  memory: 60.0, 60.0, +0 %\n",
            "etcd: 0.500 ms of CPU a write, 8.00 kB an object\n",
            "\n5000 nodes: CPU of the server ",
            ", CPU of the store 3 %, memory of the store ",
            "\npast one server on one store, by the figures of on etcd\n",
        ] {
            assert!(text.contains(part), "no {part:?} in {text}");
        }
        assert!(!text.contains("servers: "), "{text}");
    }

    #[test]
    fn a_point_that_the_model_misses_is_marked() {
        let mut measured = Measured::round();
        measured.points[0].measured = 100.0;
        let text = report(&[measured]);
        assert!(text.contains("  memory: 100.0, 60.0, -40 %: more than 20 %\n"), "{text}");
    }
}
