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
            "    {} ({}): {:.2} CPU s, {:.3} ms of CPU an operation, memory {:.1} -> {:.1} MB",
            process.name,
            process.pid,
            process.cpu_seconds,
            process.cpu_ms_per_operation,
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
