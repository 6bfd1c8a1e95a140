//! A probe that requests `/livez` all the time and measures its latency.

use crate::hostile::Client;
use crate::hostile::wire::request;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Pause between requests.
const PAUSE: Duration = Duration::from_millis(20);

/// Latencies, and the number of failures.
#[derive(Default)]
pub(crate) struct Times(pub(crate) Vec<Duration>, pub(crate) Failed);

/// Number of requests without a successful answer.
pub(crate) type Failed = u64;

impl Times {
    /// The quantile `share` in milliseconds.
    pub(crate) fn at(&mut self, share: f64) -> f64 {
        self.0.sort_unstable();
        let last = self.0.len().saturating_sub(1);
        let index = (last as f64 * share).round() as usize;
        self.0.get(index).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    }
}

/// Probes until the end.
pub(crate) fn start(mut client: Client, ends: Instant) -> JoinHandle<Times> {
    std::thread::spawn(move || {
        let mut times = Times::default();
        let livez_request = request("GET", "/livez", &[], b"");
        while Instant::now() < ends {
            let begun = Instant::now();
            match client.try_raw(&livez_request, false) {
                Ok(answer) if answer.code == 200 => times.0.push(begun.elapsed()),
                _ => {
                    times.1 += 1;
                    client = client.again();
                }
            }
            std::thread::sleep(PAUSE);
        }
        times
    })
}
