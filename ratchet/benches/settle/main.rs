//! `cargo xtask settle`: time until the controllers have written all EndpointSlices and Endpoints.
#![allow(clippy::print_stdout, reason = "a measurement speaks by printing")]
#![allow(clippy::unwrap_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::expect_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::indexing_slicing, reason = "a measurement that fails is no measurement")]

mod cluster;
mod endpoints;
#[path = "../measurement/mod.rs"]
mod measurement;

use cluster::Scale;
use endpoints::EndpointState;
use measurement::arguments::Arguments;
use measurement::figures::Table;
use measurement::process::ServerProcess;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

const USAGE: &str = "\
usage: cargo bench -p ratchet --bench settle [-- [--quick] [--services N] [--pods N]]

Makes Services and pods that are ready without the controllers of endpoints, and measures how long those need for all of
them; then makes them beside the controllers, and measures how long after the last write slices and Endpoints are right, and how long after a restart every Service has been looked at.";

/// The timeout of the measurement.
const LONGEST: Duration = Duration::from_secs(300);

/// The controller without which no pod can be created.
const ACCOUNTS: &str = "serviceaccount-controller";

/// Time in which a settled cluster must not change.
const QUIET_PERIOD: Duration = Duration::from_secs(5);

fn main() {
    let Some(args) = Arguments::read(USAGE) else { return };
    let quick = args.has("--quick");
    let (services, pods) = if quick { (100, 1000) } else { (1000, 10_000) };
    let scale = Scale {
        services: args.number("--services").unwrap_or(services),
        pods: args.number("--pods").unwrap_or(pods),
    };
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let mut table = Table::default();
    measure_cold_start(&runtime, scale, &mut table);
    let folder = tempfile::tempdir().unwrap();
    let mut server = ServerProcess::start(folder.path());
    runtime.block_on(fill(&server, scale, &mut table));
    for round in 1..=3 {
        server = server.restart();
        runtime.block_on(measure_restart(&server, scale, round, &mut table));
    }
    println!("{table}");
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// Measures a cluster that exists before the endpoint controllers run for the first time.
fn measure_cold_start(runtime: &Runtime, scale: Scale, table: &mut Table) {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start_with(folder.path(), &["--controllers", ACCOUNTS]);
    let expected = runtime.block_on(async {
        let target = server.target();
        cluster::prepare(&target).await;
        cluster::make_services(&target, scale).await;
        cluster::make_pods(&target, scale).await
    });
    let server = server.restart();
    let Scale { services, pods } = scale;
    let what =
        format!("{services} Services and {pods} pods settled, from the start of the controllers");
    let (state, took) = runtime.block_on(wait_until_settled(&server, scale));
    table.row(&what, seconds(took));
    state.check(&expected, services);
}

/// Waits until all pods are in slices and Endpoints; returns the state and the time.
async fn wait_until_settled(server: &ServerProcess, scale: Scale) -> (EndpointState, Duration) {
    let (target, begun, pods) = (server.target(), Instant::now(), scale.pods);
    loop {
        let state = EndpointState::read(&target).await;
        if state.counts() == (pods, pods) {
            return (state, begun.elapsed());
        }
        assert!(begun.elapsed() < LONGEST, "not settled: {:?} of {pods}", state.counts());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn fill(server: &ServerProcess, scale: Scale, table: &mut Table) {
    let Scale { services, pods } = scale;
    let target = server.target();
    cluster::prepare(&target).await;
    let begun = Instant::now();
    cluster::make_services(&target, scale).await;
    table.row(&format!("writing {services} Services"), seconds(begun.elapsed()));
    let begun = Instant::now();
    let expected = cluster::make_pods(&target, scale).await;
    table.row(&format!("writing {pods} pods and their status"), seconds(begun.elapsed()));
    let (state, took) = wait_until_settled(server, scale).await;
    let what = format!("settled after the last write, {services} Services, {pods} pods");
    table.row(&what, seconds(took));
    state.check(&expected, services);
    tokio::time::sleep(QUIET_PERIOD).await;
    let later = EndpointState::read(&target).await;
    assert!(state == later, "a settled cluster was written to");
    table.row("memory, settled", format!("{:.1} MB", server.memory()));
}

async fn measure_restart(server: &ServerProcess, scale: Scale, round: usize, table: &mut Table) {
    let begun = Instant::now();
    let target = server.target();
    let before = EndpointState::read(&target).await;
    while !endpoints::all_synced(&target, scale.services).await {
        assert!(begun.elapsed() < LONGEST, "not all Services were looked at");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let what = format!("restart {round}: every Service looked at, after the server was ready");
    table.row(&what, format!("{} ({})", seconds(begun.elapsed()), server.startup_summary()));
    tokio::time::sleep(QUIET_PERIOD).await;
    assert!(before == EndpointState::read(&target).await, "a settled cluster was written to");
}
