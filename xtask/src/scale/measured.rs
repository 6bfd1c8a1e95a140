//! Measured figures: parameters of the model, and points that it must reproduce.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The file of figures.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Measured {
    /// What was measured, on what.
    pub(super) about: String,
    pub(super) server: ServerFigures,
    /// Only where an etcd stored for the server.
    pub(super) store: Option<StoreFigures>,
    pub(super) points: Vec<Point>,
}

/// What one `ratchet serve` uses; CPU is that of the server's process alone.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServerFigures {
    /// CPU of one request.
    pub(super) get_cpu_ms: f64,
    pub(super) create_cpu_ms: f64,
    pub(super) update_cpu_ms: f64,
    pub(super) delete_cpu_ms: f64,
    /// Creates a second when that was measured, and the clients that wrote at once: at lower rates fewer writes share a
    /// transaction.
    pub(super) write_rate: f64,
    pub(super) write_clients: f64,
    /// CPU and bytes of a page of `page_objects` pods.
    pub(super) page_cpu_ms: f64,
    pub(super) page_bytes: f64,
    pub(super) page_objects: f64,
    /// CPU of a small patch at a low rate.
    pub(super) patch_cpu_ms: f64,
    /// CPU of an event for one watcher, and of the piece in which it goes out, alone or with others.
    pub(super) event_cpu_us: f64,
    pub(super) piece_cpu_us: f64,
    pub(super) event_bytes: f64,
    /// Memory without objects, and of one more pod and one more open watch.
    pub(super) base_memory_mb: f64,
    pub(super) object_memory_kb: f64,
    pub(super) watch_memory_kb: f64,
}

impl ServerFigures {
    /// Bytes of a pod, which stands for every object but the small ones.
    pub(super) fn object_bytes(&self) -> f64 {
        self.page_bytes / self.page_objects
    }

    /// What a write costs more at so many a second than at the full rate. A lone patch has a transaction of its own, the
    /// creates at the full rate one for all clients; in between, a write shares its own with those that come meanwhile, which
    /// are as many as the rate is high.
    pub(super) fn lone_write_cpu_ms(&self, writes_per_second: f64) -> f64 {
        let share = (writes_per_second / self.write_rate).min(1.0);
        let at_full_rate = 1.0 / self.write_clients;
        let writes = 1.0 + (self.write_clients - 1.0) * share;
        let lone = (1.0 / writes - at_full_rate) / (1.0 - at_full_rate);
        (self.patch_cpu_ms - self.create_cpu_ms).max(0.0) * lone
    }
}

/// What one etcd uses.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoreFigures {
    pub(super) write_cpu_ms: f64,
    pub(super) object_memory_kb: f64,
}

/// A load that was measured as a whole; none of the parameters is made from it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Point {
    pub(super) name: String,
    pub(super) load: PointLoad,
    /// CPU milliseconds or megabytes, as the load says.
    pub(super) measured: f64,
}

/// What was done at a point.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum PointLoad {
    /// CPU milliseconds of creates and pages together, within so many seconds.
    Requests { creates: f64, pages: f64, seconds: f64 },
    /// CPU milliseconds of writes and of their events, within so many seconds.
    Churn { writes: f64, watchers: f64, seconds: f64 },
    /// Megabytes with so many pods.
    Memory { pods: f64 },
}

impl Measured {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let name = path.display();
        let text = std::fs::read_to_string(path).with_context(|| {
            format!("no figures in {name}: cargo xtask scale --measure --binary PATH --write")
        })?;
        serde_json::from_str(&text).with_context(|| format!("{name} cannot be read"))
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        std::fs::write(path, format!("{text}\n"))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Made-up figures for tests, with numbers that are easy to compute with.
    #[cfg(test)]
    pub(super) fn round() -> Self {
        let server = ServerFigures {
            get_cpu_ms: 0.02,
            create_cpu_ms: 0.4,
            update_cpu_ms: 0.5,
            delete_cpu_ms: 0.3,
            write_rate: 0.001,
            write_clients: 16.0,
            page_cpu_ms: 2.0,
            page_bytes: 500_000.0,
            page_objects: 500.0,
            patch_cpu_ms: 1.0,
            event_cpu_us: 4.0,
            piece_cpu_us: 6.0,
            event_bytes: 2000.0,
            base_memory_mb: 20.0,
            object_memory_kb: 4.0,
            watch_memory_kb: 50.0,
        };
        let points = vec![Point {
            name: "memory".to_owned(),
            load: PointLoad::Memory { pods: 10_000.0 },
            measured: 60.0,
        }];
        Self { about: "round".to_owned(), server, store: None, points }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_as_they_were_written() {
        let path = std::env::temp_dir().join(format!("scale-{}.json", std::process::id()));
        Measured::round().write(&path).unwrap();
        assert_eq!(Measured::read(&path).unwrap(), Measured::round());
        std::fs::remove_file(&path).unwrap();
        let error = Measured::read(&path).unwrap_err().to_string();
        assert!(error.starts_with("no figures in "), "{error}");
    }
}
