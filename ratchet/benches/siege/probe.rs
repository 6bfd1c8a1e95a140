//! A probe that requests `/livez` all the time and measures its latency.

use crate::hostile::Client;
use crate::hostile::wire::request;
use crate::times::Times;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Pause between requests.
const PAUSE: Duration = Duration::from_millis(20);

/// Latencies, and the number of requests without a successful answer.
#[derive(Default)]
pub(crate) struct Probed {
    pub(crate) times: Times,
    pub(crate) failed: u64,
}

/// Probes until the end.
pub(crate) fn start(mut client: Client, ends: Instant) -> JoinHandle<Probed> {
    std::thread::spawn(move || {
        let mut probed = Probed::default();
        let livez_request = request("GET", "/livez", &[], b"");
        while Instant::now() < ends {
            let begun = Instant::now();
            match client.try_raw(&livez_request, false) {
                Ok(answer) if answer.code == 200 => probed.times.0.push(begun.elapsed()),
                _ => {
                    probed.failed += 1;
                    client = client.again();
                }
            }
            std::thread::sleep(PAUSE);
        }
        probed
    })
}
