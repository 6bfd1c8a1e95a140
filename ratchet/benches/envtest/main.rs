//! `cargo xtask envtest`: time until a control plane is ready, and memory of many at once.
#![allow(clippy::print_stdout, reason = "a measurement speaks by printing")]
#![allow(clippy::unwrap_used, reason = "a measurement that fails is no measurement")]
#![allow(dead_code, reason = "what it shares with the tests can do more than is needed here")]

#[path = "../measurement/arguments.rs"]
mod arguments;
#[path = "../../tests/envtest/client.rs"]
mod client;
#[path = "../../tests/envtest/control_plane.rs"]
mod control_plane;
#[path = "../../tests/envtest/tiny_ca.rs"]
mod tiny_ca;

use arguments::Arguments;
use control_plane::{ApiServer, Etcd, Process, assets, usage};
use std::path::Path;
use std::time::{Duration, Instant};

const USAGE: &str = "\
usage: cargo bench -p ratchet --bench envtest [-- [--starts N] [--servers N]]

Starts control planes with the command lines of envtest, one after the other, and measures the time from the start of
kube-apiserver to the first 200 of /healthz; then starts many at once, and adds up their memory.";

fn main() {
    let Some(args) = Arguments::read(USAGE) else { return };
    let assets = assets();
    one_by_one(assets.path(), args.number("--starts").unwrap_or(20));
    all_at_once(assets.path(), args.number("--servers").unwrap_or(50));
}

fn milliseconds(time: Duration) -> u128 {
    time.as_millis()
}

/// Starts an API server; returns how long it took to be healthy, asked every millisecond.
fn start(server: &ApiServer) -> (Process, Duration) {
    let nobody = server.nobody();
    let since = Instant::now();
    let process = Process::start(&server.program, &server.arguments());
    while !nobody.request("GET", "/healthz", "").is_ok_and(|(code, _)| code == 200) {
        assert!(since.elapsed() < Duration::from_secs(60), "it does not become healthy");
        std::thread::sleep(Duration::from_millis(1));
    }
    (process, since.elapsed())
}

fn one_by_one(assets: &Path, starts: usize) {
    let mut times: Vec<Duration> = (0..starts)
        .map(|_| {
            let etcd = Etcd::start(assets);
            let server = ApiServer::prepare(assets, &etcd.url);
            start(&server).1
        })
        .collect();
    times.sort();
    if let (Some(first), Some(middle), Some(last)) =
        (times.first(), times.get(starts / 2), times.last())
    {
        let [first, middle, last] = [first, middle, last].map(|time| milliseconds(*time));
        println!(
            "{starts} starts: ready in {first} ms at best, {middle} ms p50, {last} ms at worst"
        );
    }
}

fn all_at_once(assets: &Path, servers: usize) {
    let planes: Vec<(Etcd, ApiServer)> = (0..servers)
        .map(|_| {
            let etcd = Etcd::start(assets);
            let server = ApiServer::prepare(assets, &etcd.url);
            (etcd, server)
        })
        .collect();
    let since = Instant::now();
    let processes: Vec<Process> = std::thread::scope(|scope| {
        let all: Vec<_> =
            planes.iter().map(|(_, server)| scope.spawn(|| start(server).0)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    println!("{servers} servers at once: all ready in {} ms", milliseconds(since.elapsed()));
    std::thread::sleep(Duration::from_secs(5));
    let ids: Vec<u32> = processes.iter().map(|process| process.id).collect();
    let etcds: Vec<u32> = planes.iter().map(|(etcd, _)| etcd.process.id).collect();
    for (what, ids) in [("kube-apiserver", ids), ("etcd", etcds)] {
        let sum = |field: &str| -> u64 { ids.iter().filter_map(|id| usage(*id, field)).sum() };
        let [own, seen] = [sum("Pss:"), sum("Rss:")].map(|kilobytes| kilobytes / 1024);
        println!(
            "{servers} {what}: {own} MB with their shares of common pages, {seen} MB resident added up"
        );
    }
}
