//! The frame of every controller: informers feed a queue, workers empty it.

use crate::informer::Informer;
use crate::meter::{ERRORS, WORKED};
use crate::store::{Change, Store};
use crate::{Api, CONTROLLERS, Client, Failure, Key, Meter, Pace, Queue, Selection, Waiting};
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

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

/// How the work for a key ended, if nothing failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing more is to be done.
    Done,
    /// Something must be awaited: look again after so long.
    Again(Duration),
}

/// What a controller is made of.
pub struct Setup<'i> {
    /// The API, as this controller sees it.
    pub client: Client,
    /// The keys that it will be given.
    pub queue: Arc<Queue>,
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
    work: Box<dyn Reconcile>,
}

impl Worker {
    fn set_up(
        row: &Row,
        api: &Arc<dyn Api>,
        meter: &Arc<dyn Meter>,
        informers: &mut Informers,
    ) -> Self {
        let queue = Arc::new(Queue::new(row.name, meter.clone(), row.pace));
        let client = Client::new(api.clone(), row.name);
        let needs = BTreeSet::new();
        let mut setup = Setup { client, queue: queue.clone(), needs, informers };
        let work = (row.start)(&mut setup);
        let (name, hands) = (row.name, row.workers.max(1));
        Self { name, hands, meter: meter.clone(), queue, needs: setup.needs, work }
    }

    /// Works for ever, on as many keys at once as there are hands.
    async fn run(self, informers: Vec<Arc<Informer>>) {
        for informer in &informers {
            informer.synced().await;
        }
        tracing::info!(controller = self.name, "works");
        let this = Arc::new(self);
        let mut hands: JoinSet<()> = (0..this.hands).map(|_| this.clone().toil()).collect();
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
        let outcome = self.attempt(key).await;
        self.meter.observe(self.name, WORKED, started.elapsed().as_secs_f64());
        match outcome {
            Ok(Outcome::Done) => self.queue.forget(key),
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

    /// Works on the key as a task of its own, so that a bug that one object meets stops neither
    /// the work for the others nor the controller.
    async fn attempt(self: &Arc<Self>, key: &Key) -> Result<Outcome, Failure> {
        let (this, key) = (self.clone(), key.clone());
        let mut task = JoinSet::new();
        task.spawn(async move { this.work.reconcile(&key).await });
        match task.join_next().await {
            Some(Ok(outcome)) => outcome,
            Some(Err(why)) => Err(Failure::new(format!("a bug: {why}"))),
            None => Err(Failure::new("no work was done")),
        }
    }
}

/// Runs the chosen controllers until `stop` is over. They keep nothing that a restart would lose.
pub async fn run(
    api: Arc<dyn Api>,
    selection: Selection,
    meter: Arc<dyn Meter>,
    stop: impl Future<Output = ()> + Send,
) {
    let client = Client::new(api.clone(), "");
    let mut informers = Informers { client, meter: meter.clone(), by_path: BTreeMap::new() };
    let chosen = CONTROLLERS.iter().filter(|row| selection.holds(row));
    let workers: Vec<_> =
        chosen.map(|row| Worker::set_up(row, &api, &meter, &mut informers)).collect();
    let informers: BTreeMap<_, _> =
        informers.by_path.into_iter().map(|(path, informer)| (path, Arc::new(informer))).collect();

    let mut tasks = JoinSet::new();
    for informer in informers.values() {
        let informer = informer.clone();
        tasks.spawn(async move { informer.run().await });
    }
    for worker in workers {
        let needs = worker.needs.iter().filter_map(|path| informers.get(path).cloned()).collect();
        tasks.spawn(worker.run(needs));
    }
    // Dropping the tasks ends them where they wait; what they left undone is seen at the next start.
    tokio::select! {
        () = stop => {}
        () = mourn(&mut tasks) => {}
    }
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
        let worker = Arc::new(Worker { name: "test", hands: 1, meter, queue, needs, work });
        for (key, comes_after) in
            [("bug", Some(0)), ("error", Some(0)), ("again", Some(7)), ("done", None)]
        {
            worker.turn(&Key::from(key)).await;
            let start = Instant::now();
            let next = tokio::time::timeout(Duration::from_secs(60), worker.queue.next()).await;
            let came = next.ok().map(|again| {
                assert_eq!(&*again, key);
                worker.queue.done(&again);
                start.elapsed().as_secs()
            });
            assert_eq!(came, comes_after, "{key}");
        }
    }
}
