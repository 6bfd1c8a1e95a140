//! Metrics as kube-apiserver exposes them: Prometheus text 0.0.4, families and labels sorted, each
//! with its stability.
//!
//! Not based on prometheus-client, because that library keeps families in the order of registration
//! and labels in the order of a type, adds a full stop to every help text, and writes OpenMetrics,
//! where a counter's family has no `_total`; a filter that undoes all four would be longer than
//! this.

mod by_labels;
mod family;
mod process;
mod text;

use std::sync::{Arc, Mutex, PoisonError, RwLock};

pub use by_labels::ByLabels;
pub use family::{Counter, CounterVec, Gauge, GaugeVec, Histogram, HistogramVec};
use family::{Family, Series};
pub use process::{process_metrics, process_start_time};
pub use text::Writer;

/// The content type of [`Registry::render`].
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

/// The stability of a metric's name and labels, which precedes its help text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stability {
    /// `[ALPHA]`
    Alpha,
    /// `[BETA]`
    Beta,
    /// `[STABLE]`
    Stable,
    /// No stability: metrics of the process, which are not Kubernetes' own.
    Unmarked,
}

/// The type of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricType {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
}

/// A family that can be written.
trait Source: Send + Sync {
    fn write(&self, writer: &mut Writer);
}

/// Computes values when they are scraped.
pub type Collector = Box<dyn Fn(&mut Writer) + Send + Sync>;

/// All metrics of a process; clones share the registry.
#[derive(Clone, Default)]
pub struct Registry(Arc<Sources>);

#[derive(Default)]
struct Sources {
    families: RwLock<Vec<Arc<dyn Source>>>,
    collectors: Mutex<Vec<Arc<Collector>>>,
}

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// A family of counters; without labels it is exposed from the start, with labels from its
    /// first series on.
    pub fn counter(
        &self,
        name: &'static str,
        stability: Stability,
        help: &'static str,
        labels: &[&'static str],
    ) -> CounterVec {
        CounterVec(self.family(name, stability, help, labels, &[]))
    }

    /// A family of gauges.
    pub fn gauge(
        &self,
        name: &'static str,
        stability: Stability,
        help: &'static str,
        labels: &[&'static str],
    ) -> GaugeVec {
        GaugeVec(self.family(name, stability, help, labels, &[]))
    }

    /// A family of histograms with these increasing upper bounds; the bucket +Inf is added.
    pub fn histogram(
        &self,
        name: &'static str,
        stability: Stability,
        help: &'static str,
        labels: &[&'static str],
        buckets: &[f64],
    ) -> HistogramVec {
        HistogramVec(self.family(name, stability, help, labels, buckets))
    }

    /// Adds a collector that computes its values when they are scraped.
    pub fn collector(&self, collector: Collector) {
        let mut collectors = self.0.collectors.lock().unwrap_or_else(PoisonError::into_inner);
        collectors.push(Arc::new(collector));
    }

    /// The complete text, as `GET /metrics` returns it.
    pub fn render(&self) -> String {
        let mut writer = Writer::default();
        for family in self.0.families.read().unwrap_or_else(PoisonError::into_inner).iter() {
            family.write(&mut writer);
        }
        // Not under the lock: a collector may be slow, and may register more.
        let collectors = self.0.collectors.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for collector in collectors {
            collector(&mut writer);
        }
        writer.finish()
    }

    fn family<T: Series>(
        &self,
        name: &'static str,
        stability: Stability,
        help: &'static str,
        labels: &[&'static str],
        buckets: &[f64],
    ) -> Arc<Family<T>> {
        let family = Arc::new(Family::new(name, stability, help, labels, buckets));
        let mut families = self.0.families.write().unwrap_or_else(PoisonError::into_inner);
        families.push(Arc::clone(&family) as Arc<dyn Source>);
        family
    }
}

#[cfg(test)]
mod tests;
