//! The controller runtime: informers feed a queue, workers reconcile its keys.

use crate::controller::{BackgroundTasks, Informers};
use crate::informer::Informer;
use crate::lease::LeaderElector;
use crate::metrics::{ERRORS, LEADS, LONGEST, UNFINISHED, WORKED};
use crate::table::CONTROLLERS;
use crate::{Api, Client, Failure, Key, Metrics, Outcome, Queue, Reconcile, Row, Settings, Setup};
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

/// A controller that is ready to run.
struct Worker {
    name: &'static str,
    concurrency: usize,
    metrics: Arc<dyn Metrics>,
    queue: Arc<Queue>,
    needs: BTreeSet<&'static str>,
    /// The keys being reconciled, and since when.
    busy: Mutex<BTreeMap<Key, Instant>>,
    alive: Alive,
    reconciler: Box<dyn Reconcile>,
}

/// The name under which leader election is measured.
const LEADER_ELECTION: &str = "ratchet-controllers";

/// Reconciliations that take longer are measured while they run.
const SLOW_RECONCILE: Duration = Duration::from_millis(500);

/// Held by every task, so that its end can be awaited: an aborted task that is computing runs until its next await, and
/// must not outlive the runtime.
type Alive = mpsc::Sender<()>;

/// Runs a task that holds `alive`.
async fn tracked<T>(alive: Alive, task: impl Future<Output = T>) -> T {
    let result = task.await;
    drop(alive);
    result
}

impl Worker {
    fn set_up(
        row: &Row,
        api: &Arc<dyn Api>,
        settings: &Arc<Settings>,
        metrics: &Arc<dyn Metrics>,
        informers: &mut Informers,
        alive: &Alive,
    ) -> (Self, BackgroundTasks) {
        let queue = Arc::new(Queue::new(row.name, metrics.clone(), row.retry_delay));
        let client = Client::new(api.clone(), row.name);
        let mut setup = Setup {
            client,
            queue: queue.clone(),
            metrics: metrics.clone(),
            settings: settings.clone(),
            background: Vec::new(),
            needs: BTreeSet::new(),
            informers,
        };
        let reconciler = (row.start)(&mut setup);
        let (name, concurrency) = (row.name, row.workers.max(1));
        let Setup { needs, background, .. } = setup;
        let (metrics, busy, alive) = (metrics.clone(), Mutex::default(), alive.clone());
        (Self { name, concurrency, metrics, queue, needs, busy, alive, reconciler }, background)
    }

    /// Runs `concurrency` workers for ever.
    async fn run(self, informers: Vec<Arc<Informer>>) {
        for informer in &informers {
            informer.synced().await;
        }
        tracing::info!(controller = self.name, "works");
        let this = Arc::new(self);
        let worker = |_| tracked(this.alive.clone(), this.clone().run_worker());
        let mut workers: JoinSet<()> = (0..this.concurrency).map(worker).collect();
        while let Some(result) = workers.join_next().await {
            if let Err(why) = result {
                tracing::error!(controller = this.name, %why, "a worker died");
            }
        }
    }

    /// One worker, which reconciles one key after another.
    async fn run_worker(self: Arc<Self>) {
        loop {
            let key = self.queue.next().await;
            self.process(&key).await;
            self.queue.done(&key);
        }
    }

    async fn process(self: &Arc<Self>, key: &Key) {
        let started = Instant::now();
        self.busy().insert(key.clone(), started);
        let outcome = self.reconcile_measured(key).await;
        self.busy().remove(key);
        if started.elapsed() >= SLOW_RECONCILE {
            self.report_busy();
        }
        self.metrics.observe(self.name, WORKED, started.elapsed().as_secs_f64());
        match outcome {
            Ok(Outcome::Done) => self.queue.forget(key),
            Ok(Outcome::Retry) => self.queue.retry(key),
            Ok(Outcome::RequeueAfter(delay)) => {
                self.queue.forget(key);
                self.queue.add_after(key, delay);
            }
            // A concurrent write is no error, and the next reconciliation will see it.
            Err(failure) if failure.is_conflict() => self.queue.retry(key),
            Err(failure) => {
                tracing::warn!(controller = self.name, %key, %failure, "failed, will try again");
                self.metrics.count(self.name, ERRORS, 1);
                self.queue.retry(key);
            }
        }
    }

    /// Reconciles the key, and reports the duration while it takes long.
    async fn reconcile_measured(self: &Arc<Self>, key: &Key) -> Result<Outcome, Failure> {
        let mut reconciliation = pin!(self.reconcile_isolated(key));
        loop {
            match timeout(SLOW_RECONCILE, &mut reconciliation).await {
                Ok(outcome) => return outcome,
                Err(_) => self.report_busy(),
            }
        }
    }

    fn report_busy(&self) {
        let (mut sum, mut longest) = (0.0, 0.0_f64);
        for since in self.busy().values() {
            let seconds = since.elapsed().as_secs_f64();
            sum += seconds;
            longest = longest.max(seconds);
        }
        self.metrics.gauge(self.name, UNFINISHED, sum);
        self.metrics.gauge(self.name, LONGEST, longest);
    }

    fn busy(&self) -> MutexGuard<'_, BTreeMap<Key, Instant>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reconciles the key in a task of its own, so that a panic for one object stops neither the
    /// other keys nor the controller.
    async fn reconcile_isolated(self: &Arc<Self>, key: &Key) -> Result<Outcome, Failure> {
        let (this, key) = (self.clone(), key.clone());
        let mut task = JoinSet::new();
        task.spawn(tracked(
            self.alive.clone(),
            async move { this.reconciler.reconcile(&key).await },
        ));
        match task.join_next().await {
            Some(Ok(outcome)) => outcome,
            Some(Err(why)) => Err(Failure::new(format!("a bug: {why}"))),
            None => Err(Failure::new("no work was done")),
        }
    }
}

/// Runs the selected controllers until `stop` completes, and only while this server holds the Lease
/// if there is one; returns when all tasks have ended. They keep no state that a restart would lose.
pub async fn run(
    api: Arc<dyn Api>,
    settings: Settings,
    metrics: Arc<dyn Metrics>,
    stop: impl Future<Output = ()> + Send,
) {
    let settings = Arc::new(settings);
    let mut stop = pin!(stop);
    let Some(election) = settings.election.clone().filter(|_| is_any_selected(&settings)) else {
        let (alive, mut ended) = mpsc::channel(1);
        // Dropping the tasks ends them at their next await; unfinished work is found at the next
        // start.
        tokio::select! {
            () = stop => {}
            () = run_controllers(&api, &settings, &metrics, &alive) => {}
        }
        drop(alive);
        return ended.recv().await.unwrap_or_default();
    };
    let identity = election.identity.clone();
    let mut elector = LeaderElector::new(Client::new(api.clone(), ""), election);
    metrics.gauge(LEADER_ELECTION, LEADS, 0.0);
    loop {
        if !elector.acquire(&mut stop).await {
            return;
        }
        let (alive, mut ended) = mpsc::channel(1);
        tracing::info!(identity, "runs the controllers");
        metrics.gauge(LEADER_ELECTION, LEADS, 1.0);
        let is_stopped = tokio::select! {
            () = &mut stop => true,
            () = elector.renew() => false,
            () = run_controllers(&api, &settings, &metrics, &alive) => false,
        };
        // The next leader must not overlap with unfinished work.
        drop(alive);
        ended.recv().await;
        metrics.gauge(LEADER_ELECTION, LEADS, 0.0);
        if is_stopped {
            return elector.release().await;
        }
        tracing::warn!(identity, "runs the controllers no more: the lease was lost");
    }
}

fn is_any_selected(settings: &Settings) -> bool {
    CONTROLLERS.iter().any(|row| row.is_enabled(&settings.selection))
}

/// Runs the selected controllers for ever.
async fn run_controllers(
    api: &Arc<dyn Api>,
    settings: &Arc<Settings>,
    metrics: &Arc<dyn Metrics>,
    alive: &Alive,
) {
    let client = Client::new(api.clone(), "");
    let mut informers = Informers { client, metrics: metrics.clone(), by_path: BTreeMap::new() };
    let selected = CONTROLLERS.iter().filter(|row| row.is_enabled(&settings.selection));
    let workers: Vec<_> = selected
        .map(|row| Worker::set_up(row, api, settings, metrics, &mut informers, alive))
        .collect();
    let informers: BTreeMap<_, _> =
        informers.by_path.into_iter().map(|(path, informer)| (path, Arc::new(informer))).collect();

    let mut tasks = JoinSet::new();
    for informer in informers.values() {
        let informer = informer.clone();
        tasks.spawn(tracked(alive.clone(), async move { informer.run().await }));
    }
    for (worker, background) in workers {
        background.into_iter().for_each(|task| drop(tasks.spawn(tracked(alive.clone(), task))));
        let needs = worker.needs.iter().filter_map(|path| informers.get(path).cloned()).collect();
        tasks.spawn(tracked(alive.clone(), worker.run(needs)));
    }
    join_all(&mut tasks).await;
}

/// Tasks run for ever: one that ends has panicked, and the others continue without it.
async fn join_all(tasks: &mut JoinSet<()>) {
    while let Some(result) = tasks.join_next().await {
        if let Err(why) = result {
            tracing::error!(%why, "a controller died");
        }
    }
    std::future::pending::<()>().await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BoxFuture, NoopMetrics, RetryDelay};

    /// Ends in every possible way, by key.
    struct Unreliable;

    impl Reconcile for Unreliable {
        fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
            Box::pin(async move {
                match key {
                    "bug" => panic!("met a bug"),
                    "error" => Err(Failure::new("no")),
                    "again" => Ok(Outcome::RequeueAfter(Duration::from_secs(7))),
                    _ => Ok(Outcome::Done),
                }
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_fails_comes_again_even_if_it_was_a_bug() {
        let metrics: Arc<dyn Metrics> = Arc::new(NoopMetrics);
        let queue = Arc::new(Queue::new("test", metrics.clone(), RetryDelay::DEFAULT));
        let (needs, reconciler) = (BTreeSet::new(), Box::new(Unreliable));
        let (busy, concurrency) = (Mutex::default(), 1);
        let (alive, _ended) = mpsc::channel(1);
        let worker =
            Worker { name: "test", concurrency, metrics, queue, needs, busy, alive, reconciler };
        let worker = Arc::new(worker);
        for (key, comes_after) in
            [("bug", Some(0)), ("error", Some(0)), ("again", Some(7)), ("done", None)]
        {
            worker.process(&Key::from(key)).await;
            let start = Instant::now();
            let next = timeout(Duration::from_secs(60), worker.queue.next()).await;
            let elapsed = next.ok().map(|again| {
                assert_eq!(&*again, key);
                worker.queue.done(&again);
                start.elapsed().as_secs()
            });
            assert_eq!(elapsed, comes_after, "{key}");
        }
    }

    /// A reconciler that blocks its thread and records when it began and ended.
    struct Slow(Arc<Mutex<Vec<&'static str>>>);

    impl Reconcile for Slow {
        fn reconcile<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
            Box::pin(async move {
                self.0.lock().unwrap().push("begun");
                tokio::task::block_in_place(|| std::thread::sleep(Duration::from_millis(300)));
                self.0.lock().unwrap().push("ended");
                std::future::pending().await
            })
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_end_of_a_task_that_computes_can_be_awaited() {
        let metrics: Arc<dyn Metrics> = Arc::new(NoopMetrics);
        let queue = Arc::new(Queue::new("test", metrics.clone(), RetryDelay::DEFAULT));
        queue.add(&Key::from("key"));
        let seen = Arc::new(Mutex::default());
        let (needs, reconciler) = (BTreeSet::new(), Box::new(Slow(Arc::clone(&seen))));
        let (busy, concurrency) = (Mutex::default(), 1);
        let (alive, mut ended) = mpsc::channel(1);
        let worker =
            Worker { name: "test", concurrency, metrics, queue, needs, busy, alive, reconciler };
        let mut tasks = JoinSet::new();
        tasks.spawn(worker.run(Vec::new()));
        while seen.lock().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        drop(tasks);
        assert_eq!(ended.recv().await, None);
        assert_eq!(*seen.lock().unwrap(), ["begun", "ended"]);
    }
}
