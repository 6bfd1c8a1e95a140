//! Metrics of controllers: their names, and the trait that receives them.

/// Keys added to a queue.
pub const ADDS: &str = "workqueue_adds_total";
/// Keys added again after an error.
pub const RETRIES: &str = "workqueue_retries_total";
/// Keys that wait for a worker.
pub const DEPTH: &str = "workqueue_depth";
/// Seconds that a key waited for a worker.
pub const WAITED: &str = "workqueue_queue_duration_seconds";
/// Seconds that a worker took for a key.
pub const WORKED: &str = "workqueue_work_duration_seconds";
/// Seconds that unfinished keys have taken so far, in total.
pub const UNFINISHED: &str = "workqueue_unfinished_work_seconds";
/// Seconds that the longest unfinished key has taken so far.
pub const LONGEST: &str = "workqueue_longest_running_processor_seconds";
/// 1 if this server runs the controllers, 0 if it waits for the Lease.
pub const LEADS: &str = "leader_election_master_status";
/// Keys whose reconciliation failed.
pub const ERRORS: &str = "reconcile_errors_total";
/// Lists by informers.
pub const LISTS: &str = "informer_lists_total";
/// Watches started by informers.
pub const WATCHES: &str = "informer_watches_total";

/// Receives measurements. `controller` is its name, or the path of an informer's collection; `what`
/// is one of the constants of this module.
pub trait Metrics: Send + Sync + 'static {
    /// Adds `n` to a counter.
    fn count(&self, controller: &'static str, what: &'static str, n: u64);

    /// Sets a gauge.
    fn gauge(&self, controller: &'static str, what: &'static str, value: f64);

    /// Observes a duration in a histogram.
    fn observe(&self, controller: &'static str, what: &'static str, seconds: f64);
}

/// Discards all measurements.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoopMetrics;

impl Metrics for NoopMetrics {
    fn count(&self, _: &'static str, _: &'static str, _: u64) {}
    fn gauge(&self, _: &'static str, _: &'static str, _: f64) {}
    fn observe(&self, _: &'static str, _: &'static str, _: f64) {}
}
