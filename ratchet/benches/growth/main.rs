//! `cargo xtask growth`: what every verb costs the server, by the number of stored objects and of watches.
#![allow(clippy::print_stdout, reason = "a measurement speaks by printing")]
#![allow(clippy::unwrap_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::expect_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::indexing_slicing, reason = "a measurement that fails is no measurement")]

mod cluster;
mod grid;
#[path = "../measurement/mod.rs"]
mod measurement;
mod verbs;
mod watches;

use cluster::Cluster;
use grid::Grid;
use measurement::arguments::Arguments;
use measurement::process::ServerProcess;

const USAGE: &str = "\
usage: cargo bench -p ratchet --bench growth [-- [--quick] [--objects N,N,…] [--watches N,N,…] [--binary PATH]]

Starts its own server, fills it with pods and measures at each number of pods: processor time of the server for one request
and the median time until the answer, for every verb. Then, for numbers of watches, each of the pods of one node, the verbs
that are used most, the server's memory, and what one hundred changes a second of one pod cost. --quick: 1,000 and 4,000 pods, 1 and 100 watches. --binary: a server that is built
already; then the client is not optimised.";

/// Limits that let thousands of watches of one user in.
const FLAGS: &[&str] =
    &["--max-long-running-requests=20000", "--max-long-running-requests-per-user=20000"];

fn main() {
    let Some(args) = Arguments::read(USAGE) else { return };
    let numbers = |name: &str| -> Option<Vec<usize>> {
        args.value(name)?.split(',').map(|number| number.parse().ok()).collect()
    };
    let (objects, watches): (&[usize], &[usize]) = match args.has("--quick") {
        true => (&[1000, 4000], &[1, 100]),
        false => (&[1000, 10_000, 100_000, 300_000], &[1, 100, 1000, 5000]),
    };
    let objects = numbers("--objects").unwrap_or_else(|| objects.to_vec());
    let watches = numbers("--watches").unwrap_or_else(|| watches.to_vec());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start_with(folder.path(), FLAGS);
    let (verbs, watching) = runtime.block_on(measure(&server, &objects, &watches));
    println!("\n{verbs}\n{watching}");
}

async fn measure(server: &ServerProcess, objects: &[usize], watches: &[usize]) -> (Grid, Grid) {
    let mut cluster = Cluster::new(server.target(), server.pid()).await;
    let mut verbs = Grid::new("CPU / p50 of one request, ms", "pods", objects);
    for count in objects {
        cluster.fill(*count).await;
        println!("{count} pods: {:.0} MB", cluster.memory());
        verbs::measure(&mut cluster, &mut verbs).await;
    }
    let title = format!("beside {} pods; CPU / p50 of one request, ms", cluster.pods());
    let mut watching = Grid::new(&title, "watches", watches);
    for count in watches {
        watches::measure(&mut cluster, *count, &mut watching).await;
    }
    (verbs, watching)
}
