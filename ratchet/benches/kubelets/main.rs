//! `cargo xtask streams`: throughput from kubelets through `ratchet serve`, compared with a plain copy in the same run.
#![allow(clippy::print_stdout, reason = "a measurement speaks by printing")]
#![allow(clippy::unwrap_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::expect_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::indexing_slicing, reason = "a measurement that fails is no measurement")]

#[path = "../measurement/arguments.rs"]
mod arguments;
mod dial;
mod flows;
mod followers;
mod framed;
mod frames;
mod plain;
mod process;
mod rounds;
mod served;

use arguments::Arguments;
use served::Fixture;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

const USAGE: &str = "\
usage: cargo bench -p ratchet --bench kubelets [-- [--quick] [--only TEXT]]

Starts a server, a kubelet and a plain proxy of its own. Rounds of all flows follow one another, and each flow is compared
with the plain copy of its own round, for the machine may be busy with others. --only takes the flows whose names
contain TEXT, or `followers`.";

/// The size of the measurement; `--quick` is for trying.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) rounds: usize,
    pub(crate) time: Duration,
    pub(crate) followers: usize,
    pub(crate) watch: Duration,
}

const FULL: Scale = Scale {
    rounds: 15,
    time: Duration::from_millis(700),
    followers: 500,
    watch: Duration::from_secs(10),
};
const QUICK: Scale = Scale {
    rounds: 2,
    time: Duration::from_millis(500),
    followers: 50,
    watch: Duration::from_secs(3),
};

fn main() {
    let Some(args) = Arguments::read(USAGE) else { return };
    if let Some(folder) = args.value(plain::PROXY) {
        return Runtime::new().unwrap().block_on(plain::proxy(folder));
    }
    let scale = if args.has("--quick") { QUICK } else { FULL };
    let only = args.value("--only").unwrap_or_default();
    // One thread for all senders and one for all readers: on shared threads they would wake each other more often than
    // the server does.
    let sources = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let clients = Builder::new_current_thread().enable_all().build().unwrap();
    clients.block_on(async {
        let fixture = Fixture::prepare(sources.handle()).await;
        rounds::measure(&fixture, scale, only).await;
        if only.is_empty() || only == "followers" {
            followers::measure(&fixture, scale).await;
        }
    });
}
