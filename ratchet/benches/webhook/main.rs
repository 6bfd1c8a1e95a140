//! `cargo bench -p ratchet --bench webhook`: reviews a second, their latency and the memory of `ratchet webhook`.
#![allow(clippy::print_stdout, reason = "a measurement speaks by printing")]
#![allow(clippy::unwrap_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::expect_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::indexing_slicing, reason = "a measurement that fails is no measurement")]

mod api_server;
#[path = "../../../doors/webhook/tests/webhook/client.rs"]
#[allow(dead_code, reason = "tests of the webhook send more kinds of requests")]
mod client;
#[path = "../measurement/mod.rs"]
mod measurement;
mod namespaces;
mod process;
mod reviews;

use api_server::ApiServer;
use measurement::arguments::Arguments;
use measurement::figures::Table;
use measurement::process::{memory, peak, processor, reset_peak};
use measurement::times::Times;
use process::WebhookProcess;
use reviews::Mix;
use std::time::{Duration, Instant};
use tokio::runtime::Builder;

const USAGE: &str = "\
usage: cargo bench -p ratchet --bench webhook [-- [--quick] [--seconds N] [--connections N] [--in-flight N]]

Starts `ratchet webhook` and sends it mixed reviews as an API server does: HTTP/2 over TLS, a few connections with many
calls under way, everything on this machine. The client has one thread and shares the processors with the webhook.
A call follows as soon as one is answered, so the rate is the highest that both reach together.
At the end it is started beside a cluster with few namespaces, and beside the same cluster with 10,000 more.

  --seconds N      duration of a measurement (10; 2 with --quick)
  --connections N  connections (2, as of two API servers)
  --in-flight N    calls under way on all connections (24)";

/// What is sent, and how.
#[derive(Clone, Copy)]
struct Load {
    time: Duration,
    connections: usize,
    in_flight: usize,
}

/// What came of a load.
struct Outcome {
    times: Times,
    took: Duration,
}

fn main() {
    let Some(args) = Arguments::read(USAGE) else { return };
    let seconds = if args.has("--quick") { 2.0 } else { 10.0 };
    let load = Load {
        time: Duration::from_secs_f64(args.number("--seconds").unwrap_or(seconds)),
        connections: args.number("--connections").unwrap_or(2),
        in_flight: args.number("--in-flight").unwrap_or(24),
    };
    let webhook = WebhookProcess::start();
    let mut table = Table::default();
    std::thread::sleep(Duration::from_millis(500));
    table.row("memory, idle", format!("{:.1} MB", memory(webhook.pid())));
    // One thread: the client must not take more of the machine than an API server's part of the work would.
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let mix = Mix::new();
    table.row("mix", mix.summary());
    runtime.block_on(run(&webhook, &mix, Load { time: load.time / 4, ..load }));
    reset_peak(webhook.pid());
    let before = processor(webhook.pid());
    let mut outcome = runtime.block_on(run(&webhook, &mix, load));
    let busy = processor(webhook.pid()).saturating_sub(before);
    table.row(&format!("mixed reviews, {} calls under way", load.in_flight), outcome.summary());
    table.row("processor time of the webhook", share(&outcome, busy));
    table.row("memory, loaded", format!("{:.1} MB at most", peak(webhook.pid())));
    for (name, single) in mix.single() {
        let mut outcome =
            runtime.block_on(run(&webhook, &single, Load { time: load.time / 4, ..load }));
        table.row(&format!("only: {name}"), outcome.summary());
    }
    let mut calm = runtime.block_on(run(&webhook, &mix, Load { in_flight: 1, ..load }));
    table.row("mixed reviews, one call at a time", calm.summary());
    drop(webhook);
    for (count, memory) in runtime.block_on(namespaces::measure()) {
        table.row(&format!("memory, idle, with {count} namespaces"), memory);
    }
    println!("{table}");
}

impl Outcome {
    fn summary(&mut self) -> String {
        let worst = self.times.at(1.0);
        format!("{}, longest {worst:.2} ms", self.times.summary(self.took))
    }
}

fn share(outcome: &Outcome, busy: Duration) -> String {
    let each = busy.as_secs_f64() * 1e6 / outcome.times.0.len().max(1) as f64;
    format!(
        "{each:.0} µs a review, {:.2} processors",
        busy.as_secs_f64() / outcome.took.as_secs_f64()
    )
}

/// Sends reviews for a time, each stream of calls in the order of the mix from another place on.
async fn run(webhook: &WebhookProcess, mix: &Mix, load: Load) -> Outcome {
    let mut servers = Vec::new();
    for _ in 0..load.connections.clamp(1, load.in_flight) {
        servers.push(ApiServer::connect(webhook.address(), webhook.authority()).await);
    }
    let begun = Instant::now();
    let end = begun + load.time;
    let mut calls = tokio::task::JoinSet::new();
    for stream in 0..load.in_flight {
        let mut server = servers[stream % servers.len()].clone();
        let mix = mix.clone();
        calls.spawn(async move {
            let mut times = Vec::new();
            let mut next = stream * 7;
            while Instant::now() < end {
                let start = Instant::now();
                server.send(mix.review(next)).await;
                times.push(start.elapsed());
                next += 1;
            }
            times
        });
    }
    let mut times = Times::default();
    while let Some(own) = calls.join_next().await {
        times.0.extend(own.unwrap());
    }
    Outcome { times, took: begun.elapsed() }
}
