//! Families of series: looked up by label values, counted with atomics.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::by_labels::ByLabels;
use super::text::Writer;
use super::{Source, Stability};

/// The label value of the series beyond those that a family may have, which are counted together.
const OVERFLOW: &str = "overflow";

/// The value of one set of label values.
pub(super) trait Series: Send + Sync + 'static {
    /// The Prometheus name of the type.
    const TYPE: &'static str;
    fn new(buckets: &Arc<[f64]>) -> Self;
    fn write(&self, name: &str, labels: &[(&str, &str)], writer: &mut Writer);
}

/// All series of one name.
pub(super) struct Family<T> {
    name: &'static str,
    stability: Stability,
    help: &'static str,
    labels: Box<[&'static str]>,
    buckets: Arc<[f64]>,
    series: ByLabels<T>,
}

impl<T: Series> Family<T> {
    pub(super) fn new(
        name: &'static str,
        stability: Stability,
        help: &'static str,
        labels: &[&'static str],
        buckets: &[f64],
    ) -> Self {
        let family = Self {
            name,
            stability,
            help,
            labels: labels.into(),
            buckets: buckets.into(),
            series: ByLabels::default(),
        };
        if labels.is_empty() {
            family.with(&[]);
        }
        family
    }

    /// The series of these values, in the order of the labels; missing values are empty.
    fn with(&self, values: &[&str]) -> Arc<T> {
        debug_assert_eq!(values.len(), self.labels.len(), "labels of {}", self.name);
        let fresh = || T::new(&self.buckets);
        self.series
            .find_or_insert(values, fresh)
            .unwrap_or_else(|| self.series.find_or_force(&vec![OVERFLOW; self.labels.len()], fresh))
    }

    fn remove(&self, values: &[&str]) {
        self.series.remove(values);
    }
}

impl<T: Series> Source for Family<T> {
    fn write(&self, writer: &mut Writer) {
        let mut has_header = false;
        self.series.for_each(|values, series| {
            if !has_header {
                writer.header(self.name, T::TYPE, self.stability, self.help);
                has_header = true;
            }
            let values = values.iter().map(AsRef::as_ref);
            let labels: Vec<_> = self.labels.iter().copied().zip(values).collect();
            series.write(self.name, &labels, writer);
        });
    }
}

/// A value that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds one.
    pub fn inc(&self) {
        self.add(1);
    }

    /// Adds `by`.
    pub fn add(&self, by: u64) {
        self.0.fetch_add(by, Ordering::Relaxed);
    }

    /// The current value.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Series for Counter {
    const TYPE: &'static str = "counter";

    fn new(_: &Arc<[f64]>) -> Self {
        Self::default()
    }

    fn write(&self, name: &str, labels: &[(&str, &str)], writer: &mut Writer) {
        writer.line(name, "", labels, None, self.get() as f64);
    }
}

/// A value that goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicU64);

impl Gauge {
    /// Sets the value.
    pub fn set(&self, value: f64) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }

    /// Adds `by`, which may be negative.
    pub fn add(&self, by: f64) {
        add(&self.0, by);
    }

    /// Adds one.
    pub fn inc(&self) {
        self.add(1.0);
    }

    /// Subtracts one.
    pub fn dec(&self) {
        self.add(-1.0);
    }

    /// The current value.
    pub fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }
}

impl Series for Gauge {
    const TYPE: &'static str = "gauge";

    fn new(_: &Arc<[f64]>) -> Self {
        Self::default()
    }

    fn write(&self, name: &str, labels: &[(&str, &str)], writer: &mut Writer) {
        writer.line(name, "", labels, None, self.get());
    }
}

/// Observations counted by buckets.
#[derive(Debug)]
pub struct Histogram {
    bounds: Arc<[f64]>,
    /// Observations between a bound and the one before it; one entry more than there are bounds.
    counts: Box<[AtomicU64]>,
    sum: AtomicU64,
}

impl Histogram {
    /// Records one observation.
    pub fn observe(&self, value: f64) {
        let bucket = self.bounds.partition_point(|&bound| bound < value);
        if let Some(count) = self.counts.get(bucket) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        add(&self.sum, value);
    }
}

impl Series for Histogram {
    const TYPE: &'static str = "histogram";

    fn new(buckets: &Arc<[f64]>) -> Self {
        let counts = (0..=buckets.len()).map(|_| AtomicU64::new(0)).collect();
        Self { bounds: Arc::clone(buckets), counts, sum: AtomicU64::new(0) }
    }

    fn write(&self, name: &str, labels: &[(&str, &str)], writer: &mut Writer) {
        let mut so_far = 0;
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        for (bound, count) in bounds.zip(&self.counts) {
            so_far += count.load(Ordering::Relaxed);
            writer.line(name, "_bucket", labels, Some(bound), so_far as f64);
        }
        let sum = f64::from_bits(self.sum.load(Ordering::Relaxed));
        writer.line(name, "_sum", labels, None, sum);
        writer.line(name, "_count", labels, None, so_far as f64);
    }
}

fn add(bits: &AtomicU64, by: f64) {
    let sum = |old: u64| Some((f64::from_bits(old) + by).to_bits());
    // The closure never returns `None`.
    let _ = bits.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum);
}

macro_rules! vectors {
    ($($(#[$doc:meta])* $vector:ident of $series:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $vector(pub(super) Arc<Family<$series>>);

        impl $vector {
            /// The series of these label values, in the order of the label names; keep it where
            /// performance matters.
            pub fn with(&self, values: &[&str]) -> Arc<$series> {
                self.0.with(values)
            }

            /// Removes the series of these label values.
            pub fn remove(&self, values: &[&str]) {
                self.0.remove(values);
            }
        }
    )*};
}

vectors! {
    /// Counters of one name.
    CounterVec of Counter,
    /// Gauges of one name.
    GaugeVec of Gauge,
    /// Histograms of one name.
    HistogramVec of Histogram
}
