//! Metrics of API Priority and Fairness, under the names of kube-apiserver.

use ratchet_flow_control::{FlowSchema, PriorityLevel, Rejection};
use ratchet_http::metrics::{
    Counter, CounterVec, GaugeVec, Histogram, HistogramVec, Registry, Stability,
};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

const DURATIONS: &[f64] = &[0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0];
const LENGTHS: &[f64] = &[0.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0];
const SEATS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 100.0];

/// The families that are counted as requests pass.
#[derive(Clone)]
pub(super) struct FlowMetrics {
    dispatched: CounterVec,
    rejected: CounterVec,
    waits: HistogramVec,
    executions: HistogramVec,
    queue_lengths: HistogramVec,
    seats: HistogramVec,
    fair_fraction: GaugeVec,
}

impl FlowMetrics {
    pub(super) fn new(registry: &Registry) -> Self {
        let flow = ["priority_level", "flow_schema"];
        let and = |last: &'static str| ["priority_level", "flow_schema", last];
        let (alpha, beta) = (Stability::Alpha, Stability::Beta);
        Self {
            dispatched: registry.counter("apiserver_flowcontrol_dispatched_requests_total", beta, "Requests that got their seats.", &flow),
            rejected: registry.counter("apiserver_flowcontrol_rejected_requests_total", beta, "Requests that got no seat, by the reason.", &and("reason")),
            waits: registry.histogram("apiserver_flowcontrol_request_wait_duration_seconds", beta, "How long requests waited for their seats, in seconds, and whether they got them.", &and("execute"), DURATIONS),
            executions: registry.histogram("apiserver_flowcontrol_request_execution_seconds", alpha, "How long requests had their seats, in seconds; a watch until it begins.", &and("type"), DURATIONS),
            queue_lengths: registry.histogram("apiserver_flowcontrol_request_queue_length_after_enqueue", alpha, "How long a queue was for a request that joined it, itself included.", &flow, LENGTHS),
            seats: registry.histogram("apiserver_flowcontrol_work_estimated_seats", alpha, "How many seats requests were expected to take.", &flow, SEATS),
            fair_fraction: registry.gauge("apiserver_flowcontrol_seat_fair_frac", alpha, "The part of its target that a priority level got where no limit mattered, when seats were last lent.", &[]),
        }
    }

    pub(super) fn fair_fraction(&self, fraction: f64) {
        self.fair_fraction.with(&[]).set(fraction);
    }
}

/// The series of one flow, each looked up once.
pub(super) struct FlowSeries {
    level: String,
    schema: String,
    is_exempt: bool,
    metrics: FlowMetrics,
    dispatched: OnceLock<Arc<Counter>>,
    waits: OnceLock<Arc<Histogram>>,
    seats: OnceLock<Arc<Histogram>>,
    executions: OnceLock<Arc<Histogram>>,
}

impl FlowSeries {
    pub(super) fn new(metrics: &FlowMetrics, level: &PriorityLevel, schema: &FlowSchema) -> Self {
        Self {
            level: level.name.clone(),
            schema: schema.name.clone(),
            is_exempt: level.queuing.is_exempt(),
            metrics: metrics.clone(),
            dispatched: OnceLock::new(),
            waits: OnceLock::new(),
            seats: OnceLock::new(),
            executions: OnceLock::new(),
        }
    }

    fn labels(&self) -> [&str; 2] {
        [&self.level, &self.schema]
    }

    fn and<'a>(&'a self, last: &'a str) -> [&'a str; 3] {
        [&self.level, &self.schema, last]
    }

    /// A request was classified.
    pub(super) fn estimated(&self, seats: u32) {
        let series = self.seats.get_or_init(|| self.metrics.seats.with(&self.labels()));
        series.observe(f64::from(seats));
    }

    /// A request waits.
    pub(super) fn enqueued(&self, length: usize) {
        #[allow(clippy::cast_precision_loss, reason = "queues are short")]
        self.metrics.queue_lengths.with(&self.labels()).observe(length as f64);
    }

    /// A request has its seats.
    pub(super) fn dispatched(&self, waited: Duration) {
        self.dispatched.get_or_init(|| self.metrics.dispatched.with(&self.labels())).inc();
        if !self.is_exempt {
            let waits = self.waits.get_or_init(|| self.metrics.waits.with(&self.and("true")));
            waits.observe(waited.as_secs_f64());
        }
    }

    /// A request gets no seat.
    pub(super) fn rejected(&self, why: Rejection, waited: Duration) {
        self.metrics.rejected.with(&self.and(why.as_str())).inc();
        self.metrics.waits.with(&self.and("false")).observe(waited.as_secs_f64());
    }

    /// A request has given its seats back.
    pub(super) fn executed(&self, is_watch: bool, took: Duration) {
        let of = |kind: &str| self.metrics.executions.with(&self.and(kind));
        match is_watch {
            true => of("watch").observe(took.as_secs_f64()),
            false => self.executions.get_or_init(|| of("regular")).observe(took.as_secs_f64()),
        }
    }
}
