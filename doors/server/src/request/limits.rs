//! `RequestLimits`: inflight limits and timeouts of requests.

use std::time::Duration;

/// Inflight limits and timeouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// The timeout of requests that are not long-running; zero means none.
    pub timeout: Duration,
    /// The minimum duration of a watch without `timeoutSeconds`.
    pub watch: Duration,
    /// Whether FlowSchemas and priority levels divide the sum of both limits of inflight requests.
    pub is_fair: bool,
    /// The limit of inflight reads; zero means none.
    pub reads: usize,
    /// The limit of inflight writes; zero means none.
    pub writes: usize,
    /// The total limit of long-running requests; zero means none.
    pub long_running: usize,
    /// The limit of long-running requests per user; zero means none.
    pub long_running_of_user: usize,
    /// The timeout for a client to read a response; zero means none.
    pub write: Duration,
}
