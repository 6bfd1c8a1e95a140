//! The frame of every controller: informers feed a queue, workers empty it.

use crate::informer::Informer;
use crate::lease::Candidate;
use crate::meter::{ERRORS, LEADS, LONGEST, UNFINISHED, WORKED};
use crate::store::{Change, Store};
use crate::{
    Api, CONTROLLERS, Client, Failure, Key, Meter, Pace, Queue, Recorder, Settings, Waiting,
};
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

/// A row of the table of controllers.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Names that it had before.
    pub aliases: &'static [&'static str],
    /// Whether `*` means it too.
    pub on_by_default: bool,
    /// How long failed keys wait.
    pub pace: Pace,
    /// How many keys are worked on at once, at least one; no key ever twice at once.
    pub workers: usize,
    /// Makes the controller: it says what it wants to hear of.
    pub start: fn(&mut Setup<'_>) -> Box<dyn Reconcile>,
}

/// What a controller does with a key.
pub trait Reconcile: Send + Sync + 'static {
    /// Makes the world as it should be for this key. It may be called for a key for which nothing
    /// is to be done, and then writes nothing.
    fn reconcile<'a>(&'a self, key: &'a str) -> Waiting<'a, Result<Outcome, Failure>>;
}

/// A controller that has nothing to do here.
pub struct Idle;

impl Reconcile for Idle {
    fn reconcile<'a>(&'a self, _: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
        Box::pin(std::future::ready(Ok(Outcome::Done)))
    }
}

/// How the work for a key ended, if nothing failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing more is to be done.
    Done,
    /// Something must be awaited: look again after so long.
    Again(Duration),
    /// Something must be awaited of which nobody knows how long it takes: look again, later each
    /// time.
    Retry,
}

/// What a controller is made of.
pub struct Setup<'i> {
    /// The API, as this controller sees it.
    pub client: Client,
    /// The keys that it will be given.
    pub queue: Arc<Queue>,
    /// Who measures.
    pub meter: Arc<dyn Meter>,
    /// What flags decide.
    pub settings: Arc<Settings>,
    beside: Beside,
    needs: BTreeSet<&'static str>,
    informers: &'i mut Informers,
}

impl Setup<'_> {
    /// The local copy of the collection at `path`, which is complete before any work begins.
    pub fn collection(&mut self, path: &'static str) -> Arc<Store> {
        self.needs.insert(path);
        self.informers.at(path).store()
    }

    /// Asks to hear of every change in the collection at `path`; at first everything is a change.
    pub fn listen(&mut self, path: &'static str, hear: impl Fn(&Change) + Send + Sync + 'static) {
        self.needs.insert(path);
        self.informers.at(path).listen(Box::new(hear));
    }

    /// Runs something beside the workers, as long as they run.
    pub fn beside(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        self.beside.push(Box::pin(task));
    }

    /// Takes down what happens to objects, as told by `component`.
    pub fn recorder(&mut self, component: &'static str) -> Recorder {
        let (recorder, writing) = Recorder::new(self.client.clone(), component);
        self.beside(writing);
        recorder
    }
}

/// The collections that controllers look at: one informer each, however many look.
struct Informers {
    client: Client,
    meter: Arc<dyn Meter>,
    by_path: BTreeMap<&'static str, Informer>,
}

impl Informers {
    fn at(&mut self, path: &'static str) -> &mut Informer {
        let make = || Informer::new(path, self.client.clone(), self.meter.clone());
        self.by_path.entry(path).or_insert_with(make)
    }
}

/// A controller that is ready to work.
struct Worker {
    name: &'static str,
    hands: usize,
    meter: Arc<dyn Meter>,
    queue: Arc<Queue>,
    needs: BTreeSet<&'static str>,
    /// The keys that are worked on, and since when.
    busy: Mutex<BTreeMap<Key, Instant>>,
    alive: Alive,
    work: Box<dyn Reconcile>,
}

/// Under which name it is measured who holds the Lease.
const LEASE: &str = "ratchet-controllers";

/// Work that takes longer is measured while it goes on.
const LONG: Duration = Duration::from_millis(500);

/// Every task has one, so that its end can be awaited: a task that is aborted while it computes goes on until it waits
/// for something, and then must find the runtime there.
type Alive = mpsc::Sender<()>;

/// Runs a task that is known to be alive.
async fn held<T>(alive: Alive, task: impl Future<Output = T>) -> T {
    let result = task.await;
    drop(alive);
    result
}

/// What runs beside a controller's workers.
type Beside = Vec<Waiting<'static, ()>>;

impl Worker {
    fn set_up(
        row: &Row,
        api: &Arc<dyn Api>,
        settings: &Arc<Settings>,
        meter: &Arc<dyn Meter>,
        informers: &mut Informers,
        alive: &Alive,
    ) -> (Self, Beside) {
        let queue = Arc::new(Queue::new(row.name, meter.clone(), row.pace));
        let client = Client::new(api.clone(), row.name);
        let mut setup = Setup {
            client,
            queue: queue.clone(),
            meter: meter.clone(),
            settings: settings.clone(),
            beside: Vec::new(),
            needs: BTreeSet::new(),
            informers,
        };
        let work = (row.start)(&mut setup);
        let (name, hands) = (row.name, row.workers.max(1));
        let Setup { needs, beside, .. } = setup;
        let (meter, busy, alive) = (meter.clone(), Mutex::default(), alive.clone());
        (Self { name, hands, meter, queue, needs, busy, alive, work }, beside)
    }

    /// Works for ever, on as many keys at once as there are hands.
    async fn run(self, informers: Vec<Arc<Informer>>) {
        for informer in &informers {
            informer.synced().await;
        }
        tracing::info!(controller = self.name, "works");
        let this = Arc::new(self);
        let hand = |_| held(this.alive.clone(), this.clone().toil());
        let mut hands: JoinSet<()> = (0..this.hands).map(hand).collect();
        while let Some(ended) = hands.join_next().await {
            if let Err(why) = ended {
                tracing::error!(controller = this.name, %why, "a worker died");
            }
        }
    }

    /// One worker: one key after another.
    async fn toil(self: Arc<Self>) {
        loop {
            let key = self.queue.next().await;
            self.turn(&key).await;
            self.queue.done(&key);
        }
    }

    async fn turn(self: &Arc<Self>, key: &Key) {
        let started = Instant::now();
        self.busy().insert(key.clone(), started);
        let outcome = self.watched(key).await;
        self.busy().remove(key);
        if started.elapsed() >= LONG {
            self.measure_busy();
        }
        self.meter.observe(self.name, WORKED, started.elapsed().as_secs_f64());
        match outcome {
            Ok(Outcome::Done) => self.queue.forget(key),
            Ok(Outcome::Retry) => self.queue.retry(key),
            Ok(Outcome::Again(delay)) => {
                self.queue.forget(key);
                self.queue.add_after(key, delay);
            }
            // Somebody else was faster: that is no fault, and the next look will see it.
            Err(failure) if failure.is_conflict() => self.queue.retry(key),
            Err(failure) => {
                tracing::warn!(controller = self.name, %key, %failure, "failed, will try again");
                self.meter.count(self.name, ERRORS, 1);
                self.queue.retry(key);
            }
        }
    }

    /// Works on the key, and tells how long it takes while it takes long.
    async fn watched(self: &Arc<Self>, key: &Key) -> Result<Outcome, Failure> {
        let mut attempt = pin!(self.attempt(key));
        loop {
            match timeout(LONG, &mut attempt).await {
                Ok(outcome) => return outcome,
                Err(_) => self.measure_busy(),
            }
        }
    }

    fn measure_busy(&self) {
        let (mut sum, mut longest) = (0.0, 0.0_f64);
        for since in self.busy().values() {
            let seconds = since.elapsed().as_secs_f64();
            sum += seconds;
            longest = longest.max(seconds);
        }
        self.meter.gauge(self.name, UNFINISHED, sum);
        self.meter.gauge(self.name, LONGEST, longest);
    }

    fn busy(&self) -> MutexGuard<'_, BTreeMap<Key, Instant>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the key as a task of its own, so that a bug that one object meets stops neither
    /// the work for the others nor the controller.
    async fn attempt(self: &Arc<Self>, key: &Key) -> Result<Outcome, Failure> {
        let (this, key) = (self.clone(), key.clone());
        let mut task = JoinSet::new();
        task.spawn(held(self.alive.clone(), async move { this.work.reconcile(&key).await }));
        match task.join_next().await {
            Some(Ok(outcome)) => outcome,
            Some(Err(why)) => Err(Failure::new(format!("a bug: {why}"))),
            None => Err(Failure::new("no work was done")),
        }
    }
}

/// Runs the chosen controllers until `stop` is over, while we hold the Lease if there is one, and
/// returns when none of them does anything any more. They keep nothing that a restart would lose.
pub async fn run(
    api: Arc<dyn Api>,
    settings: Settings,
    meter: Arc<dyn Meter>,
    stop: impl Future<Output = ()> + Send,
) {
    let settings = Arc::new(settings);
    let mut stop = pin!(stop);
    let Some(election) = settings.election.clone().filter(|_| is_any_chosen(&settings)) else {
        let (alive, mut ended) = mpsc::channel(1);
        // Dropping the tasks ends them where they wait; what they left undone is seen at the next start.
        tokio::select! {
            () = stop => {}
            () = work(&api, &settings, &meter, &alive) => {}
        }
        drop(alive);
        return ended.recv().await.unwrap_or_default();
    };
    let identity = election.identity.clone();
    let mut candidate = Candidate::new(Client::new(api.clone(), ""), election);
    meter.gauge(LEASE, LEADS, 0.0);
    loop {
        tokio::select! {
            () = &mut stop => return,
            () = candidate.acquire() => {}
        }
        let (alive, mut ended) = mpsc::channel(1);
        tracing::info!(identity, "runs the controllers");
        meter.gauge(LEASE, LEADS, 1.0);
        let is_over = tokio::select! {
            () = &mut stop => true,
            () = candidate.keep() => false,
            () = work(&api, &settings, &meter, &alive) => false,
        };
        // Whoever holds the Lease next must not meet what we have not ended.
        drop(alive);
        ended.recv().await;
        meter.gauge(LEASE, LEADS, 0.0);
        if is_over {
            return candidate.release().await;
        }
        tracing::warn!(identity, "runs the controllers no more: the lease was lost");
    }
}

fn is_any_chosen(settings: &Settings) -> bool {
    CONTROLLERS.iter().any(|row| settings.selection.holds(row))
}

/// Runs the chosen controllers for ever.
async fn work(api: &Arc<dyn Api>, settings: &Arc<Settings>, meter: &Arc<dyn Meter>, alive: &Alive) {
    let client = Client::new(api.clone(), "");
    let mut informers = Informers { client, meter: meter.clone(), by_path: BTreeMap::new() };
    let chosen = CONTROLLERS.iter().filter(|row| settings.selection.holds(row));
    let workers: Vec<_> = chosen
        .map(|row| Worker::set_up(row, api, settings, meter, &mut informers, alive))
        .collect();
    let informers: BTreeMap<_, _> =
        informers.by_path.into_iter().map(|(path, informer)| (path, Arc::new(informer))).collect();

    let mut tasks = JoinSet::new();
    for informer in informers.values() {
        let informer = informer.clone();
        tasks.spawn(held(alive.clone(), async move { informer.run().await }));
    }
    for (worker, beside) in workers {
        beside.into_iter().for_each(|task| drop(tasks.spawn(held(alive.clone(), task))));
        let needs = worker.needs.iter().filter_map(|path| informers.get(path).cloned()).collect();
        tasks.spawn(held(alive.clone(), worker.run(needs)));
    }
    mourn(&mut tasks).await;
}

/// Tasks work for ever: one that ends has died of a bug, and the others go on without it.
async fn mourn(tasks: &mut JoinSet<()>) {
    while let Some(ended) = tasks.join_next().await {
        if let Err(why) = ended {
            tracing::error!(%why, "a controller died");
        }
    }
    std::future::pending::<()>().await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    /// Fails in every way there is, by key.
    struct Moody;

    impl Reconcile for Moody {
        fn reconcile<'a>(&'a self, key: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
            Box::pin(async move {
                match key {
                    "bug" => panic!("met a bug"),
                    "error" => Err(Failure::new("no")),
                    "again" => Ok(Outcome::Again(Duration::from_secs(7))),
                    _ => Ok(Outcome::Done),
                }
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_fails_comes_again_even_if_it_was_a_bug() {
        let meter: Arc<dyn Meter> = Arc::new(Silent);
        let queue = Arc::new(Queue::new("test", meter.clone(), Pace::DEFAULT));
        let (needs, work) = (BTreeSet::new(), Box::new(Moody));
        let (busy, hands) = (Mutex::default(), 1);
        let (alive, _ended) = mpsc::channel(1);
        let worker = Worker { name: "test", hands, meter, queue, needs, busy, alive, work };
        let worker = Arc::new(worker);
        for (key, comes_after) in
            [("bug", Some(0)), ("error", Some(0)), ("again", Some(7)), ("done", None)]
        {
            worker.turn(&Key::from(key)).await;
            let start = Instant::now();
            let next = timeout(Duration::from_secs(60), worker.queue.next()).await;
            let came = next.ok().map(|again| {
                assert_eq!(&*again, key);
                worker.queue.done(&again);
                start.elapsed().as_secs()
            });
            assert_eq!(came, comes_after, "{key}");
        }
    }

    /// Computes for a while on its thread, and tells when it has ended.
    struct Slow(Arc<Mutex<Vec<&'static str>>>);

    impl Reconcile for Slow {
        fn reconcile<'a>(&'a self, _: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
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
        let meter: Arc<dyn Meter> = Arc::new(Silent);
        let queue = Arc::new(Queue::new("test", meter.clone(), Pace::DEFAULT));
        queue.add(&Key::from("key"));
        let seen = Arc::new(Mutex::default());
        let (needs, work) = (BTreeSet::new(), Box::new(Slow(Arc::clone(&seen))));
        let (busy, hands) = (Mutex::default(), 1);
        let (alive, mut ended) = mpsc::channel(1);
        let worker = Worker { name: "test", hands, meter, queue, needs, busy, alive, work };
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
