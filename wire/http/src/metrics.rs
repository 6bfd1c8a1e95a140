//! Metrics as kube-apiserver shows them: Prometheus text 0.0.4, families and labels sorted, each with its stability.
//!
//! Written here and not taken from prometheus-client, for that library keeps families in the order of registration and
//! labels in the order of a type, puts a full stop behind every help text, and speaks OpenMetrics, where a counter's family
//! has no `_total`; a filter that undoes all four would be longer than this.

mod family;
mod process;
mod text;

use std::sync::{Arc, Mutex, PoisonError, RwLock};

pub use family::{Counter, CounterVec, Gauge, GaugeVec, Histogram, HistogramVec};
use family::{Family, Series};
pub use process::process_metrics;
pub use text::Writer;

/// The type of the text that [`Registry::render`] writes.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

/// How much a metric's name and labels may change; it stands in front of its help text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stability {
    /// `[ALPHA]`
    Alpha,
    /// `[BETA]`
    Beta,
    /// `[STABLE]`
    Stable,
    /// Nothing: metrics of the process, which are not Kubernetes' own.
    Unmarked,
}

/// What sort of numbers a family holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricType {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
}

/// A family that can write itself.
trait Source: Send + Sync {
    fn write(&self, writer: &mut Writer);
}

/// Computes values when they are asked for.
pub type Collector = Box<dyn Fn(&mut Writer) + Send + Sync>;

/// All metrics of a process; clones are the same registry.
#[derive(Clone, Default)]
pub struct Registry(Arc<Sources>);

#[derive(Default)]
struct Sources {
    families: RwLock<Vec<Arc<dyn Source>>>,
    collectors: Mutex<Vec<Arc<Collector>>>,
}

impl Registry {
    /// A registry with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// A family of counters; without labels it is shown from the start, with labels from its first series on.
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

    /// A family of histograms with these upper bounds, which must rise; the last bucket, +Inf, is added.
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

    /// Adds something that computes its values when they are asked for.
    pub fn collector(&self, collector: Collector) {
        let mut collectors = self.0.collectors.lock().unwrap_or_else(PoisonError::into_inner);
        collectors.push(Arc::new(collector));
    }

    /// The whole text, as `GET /metrics` answers it.
    pub fn render(&self) -> String {
        let mut writer = Writer::default();
        for family in self.0.families.read().unwrap_or_else(PoisonError::into_inner).iter() {
            family.write(&mut writer);
        }
        // Not under the lock: a collector may take its time, and may register more.
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
