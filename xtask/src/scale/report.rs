//! What the model says, as text.

use super::measured::Measured;
use super::model::{
    Need, first_to_break, most_nodes, server_needs, servers, store_needs, store_parts,
};
use super::points::CheckedPoint;
use super::workload::Workload;
use std::fmt::Write;

/// Sizes of clusters that are looked at.
const SIZES: &[f64] = &[1000.0, 5000.0, 15_000.0, 100_000.0];

/// The whole report.
pub(super) fn report(measured: &Measured, points: &[CheckedPoint<'_>]) -> String {
    let mut out = format!("{}\n\n", measured.about);
    write_points(&mut out, points);
    write_parameters(&mut out, measured);
    let most = most_nodes(measured);
    let load = Workload::of(most);
    line(
        &mut out,
        &format!(
            "\none server on one store: {most:.0} nodes, {:.0} pods, {:.0} watches",
            load.pods, load.watches
        ),
    );
    for nodes in SIZES {
        write_size(&mut out, measured, &Workload::of(*nodes));
    }
    out
}

fn write_points(out: &mut String, points: &[CheckedPoint<'_>]) {
    line(out, "points: measured, by the model, deviation");
    for checked in points {
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
            "a patch at a low rate {:.3} ms, an event {:.2} us and {:.0} bytes",
            server.patch_cpu_ms, server.event_cpu_us, server.event_bytes
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
    let one = server_needs(measured, load, 1.0);
    let store = store_needs(measured, load.writes(), load.objects);
    one.iter().chain(&store).for_each(|need| write_need(out, "  ", need));
    if let Some(first) = first_to_break(measured, load) {
        let verdict = if first.share() > 1.0 { "breaks first" } else { "is the closest limit" };
        line(out, &format!("  {verdict}: {}", first.limit.as_str()));
    }
    match servers(measured, load) {
        Some(count) => line(out, &format!("  servers: {count}")),
        None => line(out, "  servers: no number of them is enough"),
    }
    for (part, writes, objects) in store_parts(load) {
        let needs = store_needs(measured, writes, objects);
        let largest = needs.iter().map(Need::share).fold(0.0, f64::max);
        line(out, &format!("  a store of {part}: {writes:.0} writes/s, {:.0} %", largest * 100.0));
    }
}

fn write_need(out: &mut String, indent: &str, need: &Need) {
    let (needed, available, percent) = (need.needed, need.available, need.share() * 100.0);
    let limit = need.limit.as_str();
    line(out, &format!("{indent}{limit}: {needed:.1} of {available:.1}, {percent:.0} %"));
}

fn line(out: &mut String, text: &str) {
    // A write into a text does not fail.
    let _ = writeln!(out, "{text}");
}

#[cfg(test)]
mod tests {
    use super::super::points;
    use super::*;

    #[test]
    fn the_report_has_the_points_and_every_size() {
        let measured = Measured::round();
        let text = report(&measured, &points::check(&measured));
        for part in [
            "  memory: 60.0, 60.0, +0 %\n",
            "one server on one store: ",
            "\n5000 nodes: 150000 pods, ",
            "\n100000 nodes: ",
            "breaks first: ",
            "CPU ms of a request: get 0.020, ",
            "a store of leases: 500 writes/s, ",
        ] {
            assert!(text.contains(part), "no {part:?} in {text}");
        }
    }

    #[test]
    fn a_point_that_the_model_misses_is_marked() {
        let mut measured = Measured::round();
        measured.points[0].measured = 100.0;
        let text = report(&measured, &points::check(&measured));
        assert!(text.contains("  memory: 100.0, 60.0, -40 %: more than 20 %\n"), "{text}");
    }
}
