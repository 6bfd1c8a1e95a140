//! Work of more than a millisecond: a little of it at a time, while other threads answer.
//!
//! A thread of the runtime that computes answers no other request. So whatever may compute for long waits for its turn,
//! and the runtime has as many threads more than processors as there are turns ([`worker_threads`]): however much is
//! computed, there are threads for the others. Their number never changes, since the allocator keeps memory for every
//! thread that ever had work. Work that owns what it needs, and comes back piece by piece, runs on a few threads of its
//! own.

use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::yield_now;
use tokio::time::timeout;

/// What is smaller than this is read and written in less than a millisecond, and is not worth a change of threads.
pub(crate) const SMALL: usize = 32 * 1024;

/// How many turns of each kind there are.
#[derive(Clone, Copy, Debug)]
struct Turns {
    work: usize,
    expressions: usize,
    unmeasured: usize,
    requests: usize,
}

impl Turns {
    fn of(cores: usize) -> Self {
        let half = (cores / 2).max(1);
        Self { work: half, expressions: half, unmeasured: half.max(2), requests: half.max(2) }
    }

    fn all(self) -> usize {
        self.work + self.expressions + self.unmeasured + self.requests
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The threads that a runtime needs to answer with all processors while every turn is taken.
pub fn worker_threads() -> usize {
    cores() + Turns::of(cores()).all()
}

/// The turns of those who compute.
pub struct Compute {
    /// Pieces of work that run at once.
    work: Semaphore,
    /// Expressions that run at once; they may take longer than anything else, so that only their like wait for them.
    expressions: Semaphore,
    /// Expressions of which nobody knows how long they take.
    unmeasured: Semaphore,
    /// Requests with large bodies that are under way at once: each may hold many times its size as a tree.
    requests: Semaphore,
    /// The threads of [`Self::step`]; none where the system has no more threads to give.
    threads: Option<Runtime>,
}

impl Default for Compute {
    fn default() -> Self {
        let turns = Turns::of(cores());
        let mut threads = Builder::new_multi_thread();
        let threads = threads.worker_threads(turns.work).thread_name("compute").build();
        Self {
            work: Semaphore::new(turns.work),
            expressions: Semaphore::new(turns.expressions),
            unmeasured: Semaphore::new(turns.unmeasured),
            requests: Semaphore::new(turns.requests),
            threads: threads.ok(),
        }
    }
}

impl Drop for Compute {
    fn drop(&mut self) {
        // Whoever drops it may be a task, which must not wait for the threads.
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

impl Compute {
    /// Does the next step of work that has many, on a thread for such work.
    pub(crate) async fn step<S: Send + 'static, T: Send + 'static>(
        &self,
        mut state: S,
        work: impl FnOnce(&mut S) -> T + Send + 'static,
    ) -> (S, T) {
        let Some(threads) = &self.threads else {
            let _turn = turn(&self.work).await;
            let done = work(&mut state);
            return (state, done);
        };
        let _turn = self.work.acquire().await;
        let step = threads.spawn(async move {
            let done = work(&mut state);
            (state, done)
        });
        match step.await {
            Ok(done) => done,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The threads end with the server, and with them whoever waits for this.
                Err(_) => std::future::pending().await,
            },
        }
    }

    /// Does a piece of work when it has its turn.
    pub(crate) async fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let _turn = turn(&self.work).await;
        work()
    }

    /// Evaluates expressions that took long before, or may, when they have their turn among their like.
    pub(crate) async fn evaluate<T: Send>(
        &self,
        was_slow: bool,
        work: impl FnOnce() -> T + Send,
    ) -> T {
        let turns = if was_slow { &self.expressions } else { &self.unmeasured };
        let _turn = turn(turns).await;
        work()
    }

    /// Answers a request whose body is large, in turn with its like; none if it took longer than the limit, which is
    /// nothing for ever.
    pub(crate) async fn request<F: Future + Send>(
        &self,
        limit: Duration,
        answer: F,
    ) -> Option<F::Output> {
        let _turn = turn(&self.requests).await;
        match limit.is_zero() {
            true => Some(answer.await),
            false => timeout(limit, answer).await.ok(),
        }
    }
}

/// A turn to compute on this thread. Whatever this thread was to do next is done first: the runtime gives most of it
/// to other threads, but not the task that was woken last.
async fn turn(turns: &Semaphore) -> Option<SemaphorePermit<'_>> {
    // Nobody closes it; without a permit there would be no limit, and nothing else would be wrong.
    let permit = turns.acquire().await.ok();
    yield_now().await;
    permit
}

/// A value that takes long to make: made once, by the first who asks, while the others wait for it.
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
    /// The value.
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
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn narrow() -> Arc<Compute> {
        let one = || Semaphore::new(1);
        let threads = Compute::default().threads.take();
        let (requests, unmeasured) = (Semaphore::new(2), Semaphore::new(2));
        Arc::new(Compute { work: one(), expressions: one(), unmeasured, requests, threads })
    }

    /// How many were within at once.
    #[derive(Default)]
    struct Crowd {
        now: AtomicUsize,
        most: AtomicUsize,
    }

    impl Crowd {
        fn visit(&self) {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(2));
            self.now.fetch_sub(1, Ordering::SeqCst);
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn others_are_answered_while_somebody_computes() {
        let compute = narrow();
        let (sender, receiver) = std::sync::mpsc::channel();
        let computing = tokio::spawn(async move {
            // This thread waits here for what another one has to do.
            compute.run(move || receiver.recv().unwrap()).await
        });
        yield_now().await;
        let answered = tokio::spawn(async move { sender.send(7).unwrap() });
        answered.await.unwrap();
        assert_eq!(computing.await.unwrap(), 7);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn turns_are_taken_one_after_the_other() {
        let (compute, work) = (narrow(), Arc::new(Crowd::default()));
        let expressions = Arc::new(Crowd::default());
        let mut tasks = Vec::new();
        for number in 0..16 {
            let (compute, work) = (compute.clone(), work.clone());
            let expressions = expressions.clone();
            tasks.push(tokio::spawn(async move {
                match number % 3 {
                    0 => compute.run(|| work.visit()).await,
                    1 => compute.step(work, |work| work.visit()).await.1,
                    _ => compute.evaluate(true, || expressions.visit()).await,
                }
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(work.most.load(Ordering::SeqCst), 1);
        assert_eq!(expressions.most.load(Ordering::SeqCst), 1);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn large_requests_have_a_limit_and_may_compute_within() {
        let (compute, crowd) = (narrow(), Arc::new(Crowd::default()));
        let mut tasks = Vec::new();
        for _ in 0..8 {
            let (compute, crowd) = (compute.clone(), crowd.clone());
            tasks.push(tokio::spawn(async move {
                let answer = async {
                    crowd.visit();
                    yield_now().await;
                    compute.evaluate(true, || 1).await + compute.run(|| 1).await
                };
                compute.request(Duration::from_secs(60), answer).await
            }));
        }
        for task in tasks {
            assert_eq!(task.await.unwrap(), Some(2));
        }
        assert!(crowd.most.load(Ordering::SeqCst) <= 2);
        let never = compute.request(Duration::from_millis(5), std::future::pending::<()>());
        assert_eq!(never.await, None);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn what_takes_long_is_made_once() {
        let (compute, lazy) = (narrow(), Arc::new(Lazy::<usize>::default()));
        let made = Arc::new(AtomicUsize::new(0));
        let mut tasks = Vec::new();
        for _ in 0..8 {
            let (compute, lazy, made) = (compute.clone(), lazy.clone(), made.clone());
            tasks.push(tokio::spawn(async move {
                let make = || made.fetch_add(1, Ordering::SeqCst);
                *lazy.get(&compute, make).await
            }));
        }
        for task in tasks {
            assert_eq!(task.await.unwrap(), 0);
        }
        assert_eq!(made.load(Ordering::SeqCst), 1);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn steps_run_on_the_same_few_threads() {
        let compute = narrow();
        let half = std::thread::available_parallelism().map_or(1, |cores| (cores.get() / 2).max(1));
        let mut seen = std::collections::HashSet::new();
        for _ in 0..100 {
            let (state, thread) = compute.step(seen, |_| std::thread::current().id()).await;
            seen = state;
            seen.insert(thread);
        }
        assert!(seen.len() <= half, "{seen:?}");
        assert!(!seen.contains(&std::thread::current().id()));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_step_that_panics_ends_its_own_task_only() {
        let compute = narrow();
        let own = compute.clone();
        let task = tokio::spawn(async move { own.step((), |()| panic!("on purpose")).await });
        assert!(task.await.is_err_and(|error| error.is_panic()));
        assert_eq!(compute.step(1, |state| *state + 1).await, (1, 2));
    }

    #[tokio::test]
    async fn a_runtime_with_one_thread_does_it_at_once() {
        let compute = narrow();
        assert_eq!(compute.run(|| 1).await, 1);
        assert_eq!(compute.evaluate(false, || 2).await, 2);
        assert_eq!(compute.request(Duration::ZERO, async { 3 }).await, Some(3));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 3)]
    async fn work_starts_no_threads() {
        let (compute, crowd) = (Arc::new(Compute::default()), Arc::new(Crowd::default()));
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..64 {
            let (compute, crowd) = (compute.clone(), crowd.clone());
            tasks.spawn(async move {
                let visit = || {
                    crowd.visit();
                    std::thread::current().id()
                };
                match number % 2 {
                    0 => compute.run(visit).await,
                    _ => compute
                        .request(Duration::ZERO, compute.evaluate(false, visit))
                        .await
                        .unwrap(),
                }
            });
        }
        let threads: std::collections::HashSet<_> = tasks.join_all().await.into_iter().collect();
        assert!(threads.len() <= 3, "{threads:?}");
    }

    #[test]
    fn there_are_threads_for_others_while_every_turn_is_taken() {
        for cores in [1, 2, 3, 8, 64] {
            let turns = Turns::of(cores);
            assert!(turns.work >= 1 && turns.expressions >= 1);
            assert!(turns.unmeasured >= 2 && turns.requests >= 2);
            assert!(turns.all() <= 6.max(2 * cores), "{cores}");
        }
        assert_eq!(worker_threads(), cores() + Turns::of(cores()).all());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn however_many_expressions_are_unmeasured_few_threads_evaluate_them() {
        let (compute, crowd) = (narrow(), Arc::new(Crowd::default()));
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..64 {
            let (compute, crowd) = (compute.clone(), crowd.clone());
            tasks.spawn(async move { compute.evaluate(false, || crowd.visit()).await });
        }
        tasks.join_all().await;
        assert_eq!(crowd.most.load(Ordering::SeqCst), 2);
    }
}
