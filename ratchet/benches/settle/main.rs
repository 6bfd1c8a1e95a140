//! `cargo xtask settle`: how long the controllers need until slices and Endpoints show what there is.
#![allow(clippy::print_stdout, reason = "a measurement speaks by printing")]
#![allow(clippy::unwrap_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::expect_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::indexing_slicing, reason = "a measurement that fails is no measurement")]
#![allow(dead_code, reason = "what it shares with `load` can do more than is needed here")]

#[path = "../load/client.rs"]
mod client;
mod cluster;
#[path = "../load/figures.rs"]
mod figures;
#[path = "../load/process.rs"]
mod process;
#[path = "../../tests/hostile/trusting.rs"]
mod trusting;
mod watched;

use cluster::Scale;
use figures::Table;
use process::Served;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use watched::Shown;

const USAGE: &str = "\
usage: cargo bench -p ratchet --bench settle [-- [--quick] [--services N] [--pods N]]

Makes Services and pods that are ready without the controllers of endpoints, and measures how long those need for all of
them; then makes them beside the controllers, and measures how long after the last write slices and Endpoints are right, and how long after a restart every Service has been looked at.";

/// Nothing takes longer, or the measurement has failed.
const LONGEST: Duration = Duration::from_secs(300);

/// The controller without which no pod can be made.
const ACCOUNTS: &str = "serviceaccount-controller";

/// So long a settled cluster is looked at.
const PEACE: Duration = Duration::from_secs(5);

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if args.iter().any(|arg| arg == "--help") {
        println!("{USAGE}");
        return;
    }
    let number = |name: &str| {
        let at = args.iter().position(|arg| arg == name)?;
        args.get(at + 1)?.parse().ok()
    };
    let quick = args.iter().any(|arg| arg == "--quick");
    let (services, pods) = if quick { (100, 1000) } else { (1000, 10_000) };
    let scale = Scale {
        services: number("--services").unwrap_or(services),
        pods: number("--pods").unwrap_or(pods),
    };
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let mut table = Table::default();
    cold(&runtime, scale, &mut table);
    let folder = tempfile::tempdir().unwrap();
    let mut server = Served::start(folder.path());
    runtime.block_on(fill(&server, scale, &mut table));
    for round in 1..=3 {
        server = server.again();
        runtime.block_on(look_again(&server, scale, round, &mut table));
    }
    println!("{table}");
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// Everything is there before the controllers that make endpoints run for the first time.
fn cold(runtime: &Runtime, scale: Scale, table: &mut Table) {
    let folder = tempfile::tempdir().unwrap();
    let server = Served::start_with(folder.path(), &["--controllers", ACCOUNTS]);
    let made = runtime.block_on(async {
        let target = server.target();
        cluster::prepare(&target).await;
        cluster::make_services(&target, scale).await;
        cluster::make_pods(&target, scale).await
    });
    let server = server.again();
    let Scale { services, pods } = scale;
    let what =
        format!("{services} Services and {pods} pods settled, from the start of the controllers");
    let (shown, took) = runtime.block_on(settled(&server, scale));
    table.row(&what, seconds(took));
    shown.check(&made, services);
}

/// Waits until everything is shown; says how long that took.
async fn settled(server: &Served, scale: Scale) -> (Shown, Duration) {
    let (target, begun, pods) = (server.target(), Instant::now(), scale.pods);
    loop {
        let shown = Shown::read(&target).await;
        if shown.counts() == (pods, pods) {
            return (shown, begun.elapsed());
        }
        assert!(begun.elapsed() < LONGEST, "not settled: {:?} of {pods}", shown.counts());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn fill(server: &Served, scale: Scale, table: &mut Table) {
    let Scale { services, pods } = scale;
    let target = server.target();
    cluster::prepare(&target).await;
    let begun = Instant::now();
    cluster::make_services(&target, scale).await;
    table.row(&format!("writing {services} Services"), seconds(begun.elapsed()));
    let begun = Instant::now();
    let made = cluster::make_pods(&target, scale).await;
    table.row(&format!("writing {pods} pods and their status"), seconds(begun.elapsed()));
    let (shown, took) = settled(server, scale).await;
    let what = format!("settled after the last write, {services} Services, {pods} pods");
    table.row(&what, seconds(took));
    shown.check(&made, services);
    tokio::time::sleep(PEACE).await;
    let later = Shown::read(&target).await;
    assert!(shown == later, "a settled cluster was written to");
    table.row("memory, settled", format!("{:.1} MB", server.memory()));
}

async fn look_again(server: &Served, scale: Scale, round: usize, table: &mut Table) {
    let begun = Instant::now();
    let target = server.target();
    let before = Shown::read(&target).await;
    while !watched::all_seen(&target, scale.services).await {
        assert!(begun.elapsed() < LONGEST, "not all Services were looked at");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let what = format!("restart {round}: every Service looked at, after the server was ready");
    table.row(&what, format!("{} ({})", seconds(begun.elapsed()), server.took()));
    tokio::time::sleep(PEACE).await;
    assert!(before == Shown::read(&target).await, "a settled cluster was written to");
}
