//! `cargo xtask load`: latency, throughput, watch fan-out, startup time and memory of `ratchet serve`.
#![allow(clippy::print_stdout, reason = "a measurement speaks by printing")]
#![allow(clippy::unwrap_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::expect_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::indexing_slicing, reason = "a measurement that fails is no measurement")]

mod encodings;
mod fan_out;
#[path = "../measurement/mod.rs"]
mod measurement;
mod rounds;

use measurement::arguments::Arguments;
use measurement::client::Target;
use measurement::figures::Table;
use measurement::process::{self, ServerProcess};
use std::time::Duration;

const USAGE: &str = "\
usage: cargo bench -p ratchet --bench load [-- [--quick] [--encodings] [--kubeconfig FILE --pid PID]]

Without --kubeconfig it starts its own server in a temporary folder; with it, it measures the server that is there.
--encodings measures long lists in every encoding, eight at once, and nothing else.";

/// The size of the measurement; `--quick` is for trying.
struct Scale {
    seconds: f64,
    objects: usize,
    watchers: usize,
    events: usize,
    idle: Duration,
}

const FULL: Scale = Scale {
    seconds: 3.0,
    objects: 10_000,
    watchers: 1000,
    events: 100,
    idle: Duration::from_secs(10),
};
const QUICK: Scale =
    Scale { seconds: 0.5, objects: 2000, watchers: 50, events: 20, idle: Duration::from_secs(1) };

fn main() {
    let Some(args) = Arguments::read(USAGE) else { return };
    let scale = if args.has("--quick") { QUICK } else { FULL };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let mut table = Table::default();
    let encodings_only = args.has("--encodings");
    match args.value("--kubeconfig") {
        Some(kubeconfig) => {
            let pid = args.number("--pid");
            let target = Target::read(kubeconfig);
            match encodings_only {
                true => runtime.block_on(encodings::measure(&target, pid, &scale, &mut table)),
                false => runtime.block_on(measure(&target, pid, &scale, &mut table)),
            }
        }
        None if encodings_only => {
            let folder = tempfile::tempdir().unwrap();
            let server = ServerProcess::start(folder.path());
            let (target, pid) = (server.target(), Some(server.pid()));
            runtime.block_on(encodings::measure(&target, pid, &scale, &mut table));
        }
        None => measure_own_server(&runtime, &scale, &mut table),
    }
    println!("{table}");
}

/// Measures a server of its own, including starts.
fn measure_own_server(runtime: &tokio::runtime::Runtime, scale: &Scale, table: &mut Table) {
    let folder = tempfile::tempdir().unwrap();
    let mut server = ServerProcess::start(folder.path());
    table.row("first start, nothing there", server.startup_summary());
    std::thread::sleep(scale.idle);
    table.row("idle, nothing stored", format!("{:.1} MB", server.memory()));
    for number in 1..=3 {
        server = server.restart();
        table.row(&format!("start {number}, nothing stored"), server.startup_summary());
    }
    let target = server.target();
    runtime.block_on(measure(&target, Some(server.pid()), scale, table));
    for number in 1..=5 {
        server = server.restart();
        let what = format!("start {number}, {} pods stored", scale.objects);
        table.row(&what, server.startup_summary());
    }
    std::thread::sleep(scale.idle);
    let what = format!("idle after a start, {} pods stored", scale.objects);
    table.row(&what, format!("{:.1} MB", server.memory()));
}

/// Measures a running server.
async fn measure(target: &Target, pid: Option<u32>, scale: &Scale, table: &mut Table) {
    rounds::prepare(target).await;
    for connections in [1, 64] {
        let figures = rounds::gets(target, connections, scale.seconds).await;
        table.row(&format!("GET, {connections} connections"), figures);
    }
    for connections in [1, 64] {
        let figures = rounds::creates(target, connections, scale.seconds).await;
        table.row(&format!("create, {connections} connections"), figures);
        let figures = rounds::updates(target, connections, scale.seconds).await;
        table.row(&format!("update, {connections} connections"), figures);
    }
    for objects in [scale.objects / 10, scale.objects] {
        rounds::fill(target, objects).await;
        let figures = rounds::lists(target, scale.seconds).await;
        table.row(&format!("LIST of {objects} pods"), figures);
    }
    if let Some(pid) = pid {
        let what = format!("memory, {} pods stored", scale.objects);
        table.row(&what, format!("{:.1} MB", process::memory(pid)));
    }
    let figures = fan_out::measure(target, scale.watchers, scale.events).await;
    table.row(&format!("1 writer, {} watchers", scale.watchers), figures);
    if let Some(pid) = pid {
        table.row("memory at the end", format!("{:.1} MB", process::memory(pid)));
    }
}
