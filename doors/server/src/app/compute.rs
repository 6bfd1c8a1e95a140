//! `Compute`: permits for CPU-bound work, so that worker threads remain for other requests.
//!
//! A runtime thread that computes serves no other request. So work of more than a millisecond waits for a permit, and
//! another thread takes over the tasks of the one that computes ([`in_place`]): however much is computed, as many
//! threads as there are processors serve the rest. More of them from the start would cost every request: tasks and what
//! they allocate would wander between threads, which was measured as a quarter of the processor time of a GET. A thread
//! that has nothing to do ends soon, because the allocator keeps memory for every thread that ever had work. Work that
//! owns its data and has many steps runs on a few dedicated threads.

use std::future::poll_fn;
use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinHandle, block_in_place};
use tokio::time::timeout;

/// Objects up to this size are decoded and encoded in less than a millisecond, which is not worth a thread switch.
pub(crate) const SMALL: usize = 32 * 1024;

/// The stack of a thread that handles requests. Objects and expressions may be as deep as their limits, below handlers
/// whose frames are large in a build without optimisation; memory is taken by what is used only.
const STACK_SIZE: usize = 4 << 20;

/// The number of permits of each kind.
#[derive(Clone, Copy, Debug)]
struct Permits {
    work: usize,
    expressions: usize,
    unmeasured: usize,
    requests: usize,
}

impl Permits {
    fn of(cores: usize) -> Self {
        let half = (cores / 2).max(1);
        Self { work: half, expressions: half, unmeasured: half.max(2), requests: half.max(2) }
    }

    /// The most threads that compute at once.
    fn all(self) -> usize {
        self.work + self.expressions + self.unmeasured + self.requests
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// A runtime for requests: as many threads as there are processors, and one more for every permit that is in use.
pub fn runtime() -> std::io::Result<Runtime> {
    request_threads(cores()).build()
}

fn request_threads(cores: usize) -> Builder {
    let mut threads = Builder::new_multi_thread();
    threads
        .worker_threads(cores.max(2))
        .max_blocking_threads(Permits::of(cores).all() + WAITING)
        .thread_keep_alive(KEEP_ALIVE)
        .thread_stack_size(STACK_SIZE)
        .enable_all();
    threads
}

/// How long a thread remains that has nothing to do.
const KEEP_ALIVE: Duration = Duration::from_secs(2);

/// The most threads for what waits for the system: look-ups of names, files. The limit is for all that take over tasks,
/// too: where processors are short, those that were woken and do not run yet are not idle, so that the runtime starts more,
/// and each is woken again before it ends.
const WAITING: usize = 16;

/// Semaphores for CPU-bound work, and its threads.
pub struct Compute {
    /// Permits for pieces of work.
    work: Arc<Semaphore>,
    /// Permits for CEL evaluations and for what looks at a whole namespace; they may take longest, so that only
    /// others of their like wait for them.
    expressions: Semaphore,
    /// Permits for CEL evaluations whose duration is unknown.
    unmeasured: Semaphore,
    /// Permits for requests with large bodies: each may hold many times its size in memory.
    requests: Arc<Semaphore>,
    /// The threads of [`Self::step`]; none if they could not be created.
    threads: Option<Runtime>,
}

impl Default for Compute {
    fn default() -> Self {
        Self::new(Permits::of(cores()))
    }
}

impl Compute {
    fn new(permits: Permits) -> Self {
        let mut threads = Builder::new_multi_thread();
        let threads = threads
            .worker_threads(permits.work)
            .thread_name("compute")
            .thread_stack_size(STACK_SIZE)
            .build();
        Self {
            work: Arc::new(Semaphore::new(permits.work)),
            expressions: Semaphore::new(permits.expressions),
            unmeasured: Semaphore::new(permits.unmeasured),
            requests: Arc::new(Semaphore::new(permits.requests)),
            threads: threads.ok(),
        }
    }
}

impl Drop for Compute {
    fn drop(&mut self) {
        // It may be dropped in a task, which must not block until the threads end.
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

impl Compute {
    /// Runs the next step of multi-step work on a compute thread.
    pub(crate) async fn step<S: Send + 'static, T: Send + 'static>(
        &self,
        mut state: S,
        work: impl FnOnce(&mut S) -> T + Send + 'static,
    ) -> (S, T) {
        let Some(threads) = &self.threads else {
            let done = in_place_of(&self.work, || work(&mut state)).await;
            return (state, done);
        };
        // The permit is the step's and not the caller's: a response body is not polled while its client does not read,
        // and would keep the permit until it is.
        let permits = self.work.clone();
        let mut step = SpawnedStep(threads.spawn(async move {
            let _permit = permits.acquire().await;
            let done = work(&mut state);
            (state, done)
        }));
        match (&mut step.0).await {
            Ok(done) => done,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The compute threads only end at shutdown, and so does this task.
                Err(_) => std::future::pending().await,
            },
        }
    }

    /// Runs a piece of work after waiting for a permit.
    pub(crate) async fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        in_place_of(&self.work, work).await
    }

    /// Evaluates what was slow before, such as CEL expressions, or may be, when it gets a permit among its like.
    pub(crate) async fn evaluate<T: Send>(
        &self,
        was_slow: bool,
        work: impl FnOnce() -> T + Send,
    ) -> T {
        let permits = if was_slow { &self.expressions } else { &self.unmeasured };
        in_place_of(permits, work).await
    }

    /// Handles a request with a large body after waiting for a permit; none if it exceeds a nonzero `limit`.
    pub(crate) async fn request<F: Future + Send>(
        &self,
        limit: Duration,
        answer: F,
    ) -> Option<F::Output> {
        let permit = self.requests.clone().acquire_owned().await.ok();
        let mut answer = pin!(answer);
        let answer = poll_fn(|context| in_place(|| answer.as_mut().poll(context)));
        let answer = PERMIT.scope(Mutex::new(permit), answer);
        match limit.is_zero() {
            true => Some(answer.await),
            false => timeout(limit, answer).await.ok(),
        }
    }

    /// Waits for others, such as webhooks: a request with a large body gives its permit back until they have answered.
    pub(crate) async fn wait<F: Future>(&self, others: F) -> F::Output {
        let take =
            |permit: &RequestPermit| permit.lock().unwrap_or_else(PoisonError::into_inner).take();
        let had_one = PERMIT.try_with(take).is_ok_and(|permit| permit.is_some());
        let answer = others.await;
        if had_one {
            let next = self.requests.clone().acquire_owned().await.ok();
            // The scope that was there before is still there.
            let _ = PERMIT.try_with(|permit| {
                *permit.lock().unwrap_or_else(PoisonError::into_inner) = next;
            });
        }
        answer
    }
}

/// The permit of a request with a large body, while it has one.
type RequestPermit = Mutex<Option<OwnedSemaphorePermit>>;

tokio::task_local! {
    static PERMIT: RequestPermit;
}

/// A step on a compute thread; dropped with its caller, so that nothing is computed for a client that left.
struct SpawnedStep<T>(JoinHandle<T>);

impl<T> Drop for SpawnedStep<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Runs work in place after waiting for one of the permits.
async fn in_place_of<T>(permits: &Semaphore, work: impl FnOnce() -> T) -> T {
    // The semaphore is never closed; without a permit only the limit would be missing.
    let _permit = permits.acquire().await.ok();
    in_place(work)
}

/// Runs work on this thread, whose tasks another thread takes over; a runtime of one thread has no other.
fn in_place<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
        _ => work(),
    }
}

/// A value that is expensive to compute: computed once, by the first caller, while others wait.
#[derive(Debug)]
pub(crate) struct Lazy<T> {
    value: OnceLock<T>,
    making: tokio::sync::Mutex<()>,
}

impl<T> Default for Lazy<T> {
    fn default() -> Self {
        Self { value: OnceLock::new(), making: tokio::sync::Mutex::default() }
    }
}

impl<T: Send + Sync> Lazy<T> {
    /// The value, if it is computed already.
    pub(crate) fn known(&self) -> Option<&T> {
        self.value.get()
    }

    /// Returns the value, computing it if necessary.
    pub(crate) async fn get(&self, compute: &Compute, make: impl FnOnce() -> T + Send) -> &T {
        if let Some(value) = self.value.get() {
            return value;
        }
        let _making = self.making.lock().await;
        if let Some(value) = self.value.get() {
            return value;
        }
        let made = compute.run(make).await;
        self.value.get_or_init(|| made)
    }
}

#[cfg(test)]
mod tests;
