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
/// Seconds that keys have been worked on that are not done, together.
pub const UNFINISHED: &str = "workqueue_unfinished_work_seconds";
/// Seconds that the key which was longest worked on has taken so far.
pub const LONGEST: &str = "workqueue_longest_running_processor_seconds";
/// One if this server runs the controllers, zero if it waits.
pub const LEADS: &str = "leader_election_master_status";
/// Keys whose work ended with an error.
pub const ERRORS: &str = "reconcile_errors_total";
/// Lists that informers took.
pub const LISTS: &str = "informer_lists_total";
/// Watches that informers began.
pub const WATCHES: &str = "informer_watches_total";

/// Takes the measurements. `controller` is its name, or the path that an informer reads; `what` is
/// one of the constants of this module.
pub trait Metrics: Send + Sync + 'static {
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

impl Metrics for Silent {
    fn count(&self, _: &'static str, _: &'static str, _: u64) {}
    fn gauge(&self, _: &'static str, _: &'static str, _: f64) {}
    fn observe(&self, _: &'static str, _: &'static str, _: f64) {}
}
