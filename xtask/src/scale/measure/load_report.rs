//! The parts of the load tool's report that matter here.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The report.
#[derive(Deserialize)]
pub(super) struct LoadReport {
    pub(super) profiles: Vec<ProfileReport>,
}

#[derive(Deserialize)]
pub(super) struct ProfileReport {
    pub(super) servers: Vec<Figures>,
}

/// What one profile did to one server.
#[derive(Clone, Deserialize)]
pub(super) struct Figures {
    pub(super) operations: f64,
    pub(super) bytes: f64,
    #[serde(default)]
    by_request: BTreeMap<String, RequestFigures>,
    events: Option<EventFigures>,
    processes: Vec<ProcessFigures>,
}

#[derive(Clone, Deserialize)]
struct RequestFigures {
    operations: f64,
}

#[derive(Clone, Deserialize)]
struct EventFigures {
    delivered: f64,
}

#[derive(Clone, Deserialize)]
pub(super) struct ProcessFigures {
    pub(super) cpu_seconds: f64,
    pub(super) memory_before_mb: f64,
    pub(super) memory_after_mb: f64,
}

impl Figures {
    /// The server's process, which comes first.
    pub(super) fn server(&self) -> Result<&ProcessFigures> {
        self.processes.first().context("the server's process was not seen")
    }

    /// The process of a store behind it, if there is one.
    pub(super) fn store(&self) -> Option<&ProcessFigures> {
        self.processes.get(1)
    }

    pub(super) fn cpu_ms(&self) -> Result<f64> {
        Ok(self.server()?.cpu_seconds * 1000.0)
    }

    pub(super) fn cpu_ms_per_operation(&self) -> Result<f64> {
        ensure!(self.operations > 0.0, "a profile did nothing");
        Ok(self.cpu_ms()? / self.operations)
    }

    /// How many requests of a kind were done.
    pub(super) fn count(&self, request: &str) -> f64 {
        self.by_request.get(request).map_or(0.0, |some| some.operations)
    }

    pub(super) fn bytes_per_event(&self) -> Result<f64> {
        let delivered = self.events.as_ref().map_or(0.0, |events| events.delivered);
        ensure!(delivered > 0.0, "no event was delivered");
        Ok(self.bytes / delivered)
    }
}
