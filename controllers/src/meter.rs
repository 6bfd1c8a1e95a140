//! What controllers tell about themselves.

/// Keys that were put into a queue.
pub const ADDS: &str = "workqueue_adds_total";
/// Keys that were put back after an error.
pub const RETRIES: &str = "workqueue_retries_total";
/// Keys that wait for the worker.
pub const DEPTH: &str = "workqueue_depth";
/// Seconds that a key waited for the worker.
pub const WAITED: &str = "workqueue_queue_duration_seconds";
/// Seconds that the worker needed for a key.
pub const WORKED: &str = "workqueue_work_duration_seconds";
/// Keys whose work ended with an error.
pub const ERRORS: &str = "reconcile_errors_total";
/// Lists that informers took.
pub const LISTS: &str = "informer_lists_total";
/// Watches that informers began.
pub const WATCHES: &str = "informer_watches_total";

/// Takes the measurements. `controller` is its name, or the path that an informer reads; `what` is
/// one of the constants of this module.
pub trait Meter: Send + Sync + 'static {
    /// Something happened `n` times.
    fn count(&self, controller: &'static str, what: &'static str, n: u64);

    /// Something is so large now.
    fn gauge(&self, controller: &'static str, what: &'static str, value: f64);

    /// Something took so many seconds.
    fn observe(&self, controller: &'static str, what: &'static str, seconds: f64);
}

/// Takes no notice.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Meter for Silent {
    fn count(&self, _: &'static str, _: &'static str, _: u64) {}
    fn gauge(&self, _: &'static str, _: &'static str, _: f64) {}
    fn observe(&self, _: &'static str, _: &'static str, _: f64) {}
}
