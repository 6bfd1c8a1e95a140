//! The report of a run, as text and as JSON.

use crate::args::LoadArgs;
use crate::figures::Figures;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// What a run was started with, and what it measured.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The plural of what was written and read.
    pub resource: String,
    /// Clients at once.
    pub clients: u32,
    /// Rounds of each profile.
    pub rounds: u32,
    /// Objects that were there before `get`, `list`, `delete` and `create-list`.
    pub objects: u32,
    /// Objects on a page.
    pub page: u32,
    /// Watchers of `watch-churn`.
    pub watchers: u32,
    /// Writes a second of `watch-churn`.
    pub rate: u32,
    /// One row for each profile.
    pub profiles: Vec<ProfileReport>,
}

/// A profile on one server or two.
#[derive(Clone, Debug, Serialize)]
pub struct ProfileReport {
    /// Its name.
    pub profile: &'static str,
    /// The figures of each server.
    pub servers: Vec<Figures>,
    /// The first server's figures divided by the second one's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ratios: BTreeMap<&'static str, f64>,
}

impl Report {
    pub(crate) fn new(args: &LoadArgs) -> Self {
        Self {
            resource: args.resource.clone(),
            clients: args.clients,
            rounds: args.rounds,
            objects: args.objects,
            page: args.page,
            watchers: args.watchers,
            rate: args.rate,
            profiles: Vec::new(),
        }
    }

    /// Whether nothing failed and no event was lost or repeated.
    pub fn is_clean(&self) -> bool {
        self.profiles.iter().all(|profile| profile.servers.iter().all(Figures::is_clean))
    }

    /// The report as one JSON object.
    pub fn to_json(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string_pretty(self)?)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} clients, {}, {} rounds", self.clients, self.resource, self.rounds)?;
        for profile in &self.profiles {
            writeln!(out, "\n{}", profile.profile)?;
            profile.servers.iter().try_for_each(|figures| write_figures(out, figures))?;
            if !profile.ratios.is_empty() {
                let ratios =
                    profile.ratios.iter().map(|(name, ratio)| format!("{name} {ratio:.3}"));
                let ratios: Vec<String> = ratios.collect();
                writeln!(out, "  first / second: {}", ratios.join(", "))?;
            }
        }
        Ok(())
    }
}

fn write_figures(out: &mut fmt::Formatter<'_>, figures: &Figures) -> fmt::Result {
    writeln!(out, "  {}", figures.server)?;
    let (rate, latency) = (figures.rate, figures.latency);
    writeln!(
        out,
        "    {} operations, {rate:.1} operations/s, p50 {:.2} ms, p99 {:.2} ms, max {:.2} ms, {} errors",
        figures.operations,
        latency.p50_ms,
        latency.p99_ms,
        latency.max_ms,
        figures.error_count()
    )?;
    for (name, request) in &figures.by_request {
        let latency = request.latency;
        writeln!(
            out,
            "    of which {name}: {}, p50 {:.2} ms, p99 {:.2} ms, max {:.2} ms",
            request.operations, latency.p50_ms, latency.p99_ms, latency.max_ms
        )?;
    }
    if let Some(events) = &figures.events {
        let lag = events.lag;
        writeln!(
            out,
            "    {} events, {:.0} events/s, {} lost, {} late, {} repeated, {} stray, {} watches resumed, lag p50 {:.2} ms, p99 {:.2} ms, max {:.2} ms",
            events.delivered,
            events.rate,
            events.lost,
            events.late,
            events.repeated,
            events.stray,
            events.resumed,
            lag.p50_ms,
            lag.p99_ms,
            lag.max_ms
        )?;
    }
    for process in &figures.processes {
        writeln!(
            out,
            "    {} ({}): {:.2} CPU s, {} ms of CPU an operation, memory {:.1} -> {:.1} MB",
            process.name,
            process.pid,
            process.cpu_seconds,
            four_digits(process.cpu_ms_per_operation),
            process.memory_before_mb,
            process.memory_after_mb
        )?;
    }
    let errors = figures.errors.iter().map(|(sort, count)| format!("{count} x {sort}"));
    if let Some(first) = &figures.first_error {
        let errors: Vec<String> = errors.collect();
        writeln!(out, "    errors: {}; the first: {first}", errors.join(", "))?;
    }
    Ok(())
}

/// A figure that ratios are computed from, with four significant digits and at most nine behind the point.
fn four_digits(value: f64) -> String {
    let mut behind = 3;
    while behind > 0 && value.abs() >= 10_f64.powi(4 - behind) {
        behind -= 1;
    }
    while value != 0.0 && behind < 9 && value.abs() < 10_f64.powi(3 - behind) {
        behind += 1;
    }
    format!("{value:.*}", usize::try_from(behind).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{Delivery, EventLedger};
    use crate::figures::ratios;
    use crate::process::Process;
    use crate::sample::{ProcessSample, Sample};
    use clap::Parser;
    use std::time::Duration;

    /// A server that answered two hundred changes in four milliseconds each, and delivered one of two events, late.
    fn figures(server: &str, cpu_seconds: f64) -> Figures {
        let mut sample = Sample { elapsed: Duration::from_secs(2), ..Sample::default() };
        (0..200).for_each(|_| sample.succeeded("patch", Duration::from_millis(4), 10));
        let process = Process { pid: 7, name: "server".to_owned() };
        sample.processes.push(ProcessSample {
            process,
            cpu_seconds,
            memory_before_mb: 10.0,
            memory_after_mb: 12.0,
        });
        let mut ledger = EventLedger::new(2);
        ledger.record(0, Duration::from_millis(300));
        let mut delivery = Delivery::default();
        delivery.add(ledger, &[true, true]);
        sample.delivery = Some(delivery);
        Figures::of(server, sample, Duration::from_millis(250))
    }

    #[test]
    fn figures_have_four_significant_digits() {
        for (value, text) in [
            (0.0147, "0.01470"),
            (0.014_666, "0.01467"),
            (1.087_26, "1.087"),
            (25.04, "25.04"),
            (250.4, "250.4"),
            (12_345.6, "12346"),
            (0.0, "0.000"),
        ] {
            assert_eq!(four_digits(value), text);
        }
    }

    #[test]
    fn the_text_tells_late_events_maxima_cpu_and_ratios() {
        let args = LoadArgs::try_parse_from(["api-load", "--server", "https://a"]).unwrap();
        let servers = vec![figures("https://a", 0.003), figures("https://b", 0.012)];
        let ratios = ratios(&servers[0], &servers[1]);
        let mut report = Report::new(&args);
        report.profiles.push(ProfileReport { profile: "watch-churn", servers, ratios });
        let text = report.to_string();
        for line in [
            "    200 operations, 100.0 operations/s, p50 4.00 ms, p99 4.00 ms, max 4.00 ms, 0 errors\n",
            "    1 events, 0 events/s, 1 lost, 1 late, 0 repeated, 0 stray, 0 watches resumed, lag ",
            "    server (7): 0.00 CPU s, 0.01500 ms of CPU an operation, memory 10.0 -> 12.0 MB\n",
            "    server (7): 0.01 CPU s, 0.06000 ms of CPU an operation, memory 10.0 -> 12.0 MB\n",
            "  first / second: bytes_per_operation 1.000, cpu_per_operation 0.250, cpu_seconds 0.250, ",
            ", max 1.000, memory 1.000, ",
            ", rate 1.000\n",
        ] {
            assert!(text.contains(line), "no {line:?} in {text}");
        }
    }
}
