//! `Compute`: permits for CPU-bound work, so that worker threads remain for other requests.
//!
//! A runtime thread that computes serves no other request. So work of more than a millisecond waits for a permit, and
//! the runtime has one thread per processor and one per permit ([`worker_threads`]): however much is computed, threads
//! remain for the rest. Their number never changes, because the allocator keeps memory for every thread that ever had
//! work. Work that owns its data and has many steps runs on a few dedicated threads.

use std::future::poll_fn;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::Poll;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Objects up to this size are decoded and encoded in less than a millisecond, which is not worth a thread switch.
pub(crate) const SMALL: usize = 32 * 1024;

/// The stack of a thread that handles requests. Objects and expressions may be as deep as their limits, below handlers
/// whose frames are large in a build without optimisation; memory is taken by what is used only.
pub const STACK_SIZE: usize = 4 << 20;

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

    fn all(self) -> usize {
        self.work + self.expressions + self.unmeasured + self.requests
    }

    /// The threads that a runtime needs so that all processors serve requests while every permit is taken.
    fn worker_threads(self, cores: usize) -> usize {
        cores + self.all()
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The threads that a runtime needs so that all processors serve requests while every permit is taken.
pub fn worker_threads() -> usize {
    Permits::of(cores()).worker_threads(cores())
}

/// Semaphores for CPU-bound work, and its threads.
pub struct Compute {
    /// Permits for pieces of work.
    work: Arc<Semaphore>,
    /// Permits for CEL evaluations; they may take longest, so that only other evaluations wait for them.
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
            let _permit = acquire(&self.work).await;
            let done = work(&mut state);
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
        let _permit = acquire(&self.work).await;
        work()
    }

    /// Evaluates CEL expressions that were slow before, or may be, when they get a permit among their like.
    pub(crate) async fn evaluate<T: Send>(
        &self,
        was_slow: bool,
        work: impl FnOnce() -> T + Send,
    ) -> T {
        let permits = if was_slow { &self.expressions } else { &self.unmeasured };
        let _permit = acquire(permits).await;
        work()
    }

    /// Handles a request with a large body after waiting for a permit; none if it exceeds a nonzero `limit`.
    pub(crate) async fn request<F: Future + Send>(
        &self,
        limit: Duration,
        answer: F,
    ) -> Option<F::Output> {
        let permit = self.requests.clone().acquire_owned().await.ok();
        requeue().await;
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

/// Acquires a permit to compute on this thread. The tasks that this thread would run next run first: other threads can
/// take over most of them, but not the task that was woken last. They may take long, so nobody waits for them with a
/// permit.
async fn acquire(permits: &Semaphore) -> Option<SemaphorePermit<'_>> {
    requeue().await;
    // The semaphore is never closed; without a permit only the limit would be missing.
    permits.acquire().await.ok()
}

/// Puts this task behind those that its thread would run next, where other threads find it. Tokio's `yield_now` puts it
/// where only its own thread finds it, which may compute for somebody else before.
async fn requeue() {
    let mut is_requeued = false;
    poll_fn(|context| {
        if std::mem::replace(&mut is_requeued, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
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
