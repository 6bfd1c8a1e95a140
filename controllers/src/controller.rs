//! Controller: its row in the table, its reconciliation, and the setup it is constructed from.

use crate::informer::Informer;
use crate::selection::Selection;
use crate::store::{Change, Store};
use crate::{BoxFuture, Client, Failure, Metrics, Queue, Recorder, RetryDelay, Settings};
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// A controller in the table of all controllers.
pub struct Row {
    /// The name, as the `--controllers` flag spells it.
    pub name: &'static str,
    /// Former names, which the flag still accepts.
    pub aliases: &'static [&'static str],
    /// Whether `*` includes the controller.
    pub on_by_default: bool,
    /// The delays before a failed key is retried.
    pub retry_delay: RetryDelay,
    /// How many keys are reconciled concurrently, at least one; no key is ever reconciled twice at
    /// once.
    pub workers: usize,
    /// Constructs the controller, which registers the collections it needs.
    pub start: fn(&mut Setup<'_>) -> Box<dyn Reconcile>,
}

impl Row {
    /// Whether the `--controllers` flag turns the controller on.
    pub fn is_enabled(&self, selection: &Selection) -> bool {
        selection.enables(self.name, self.on_by_default)
    }
}

/// The reconciliation of a controller.
pub trait Reconcile: Send + Sync + 'static {
    /// Brings the object of this key to its desired state. May be called for a key with nothing to
    /// do, and then writes nothing.
    fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>>;
}

/// A controller that the settings leave without work.
pub struct Idle;

impl Reconcile for Idle {
    fn reconcile<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
        Box::pin(std::future::ready(Ok(Outcome::Done)))
    }
}

/// The result of a successful reconciliation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing more to do.
    Done,
    /// Reconcile again after this delay.
    RequeueAfter(Duration),
    /// Reconcile again after an exponential backoff, because the wait is unknown.
    Retry,
}

/// What a controller is constructed from.
pub struct Setup<'i> {
    /// A client in the name of this controller.
    pub client: Client,
    /// The queue of keys to reconcile.
    pub queue: Arc<Queue>,
    /// Receives the measurements.
    pub metrics: Arc<dyn Metrics>,
    /// The settings from flags.
    pub settings: Arc<Settings>,
    pub(crate) background: BackgroundTasks,
    /// The paths of the collections that must be complete before reconciliation starts.
    pub(crate) needs: BTreeSet<&'static str>,
    pub(crate) informers: &'i mut Informers,
}

impl Setup<'_> {
    /// The local copy of the collection at `path`, which is complete before reconciliation starts.
    pub fn collection(&mut self, path: &'static str) -> Arc<Store> {
        self.needs.insert(path);
        self.informers.at(path).store()
    }

    /// Calls `handler` for every change in the collection at `path`; at first every object is a
    /// change.
    pub fn listen(
        &mut self,
        path: &'static str,
        handler: impl Fn(&Change) + Send + Sync + 'static,
    ) {
        self.needs.insert(path);
        self.informers.at(path).listen(Box::new(handler));
    }

    /// Runs a task as long as the workers run.
    pub fn background(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        self.background.push(Box::pin(task));
    }

    /// An event recorder whose source is `component`.
    pub fn recorder(&mut self, component: &'static str) -> Recorder {
        let (recorder, write_events) = Recorder::new(self.client.clone(), component);
        self.background(write_events);
        recorder
    }
}

/// One informer per collection, however many controllers use it.
pub(crate) struct Informers {
    pub(crate) client: Client,
    pub(crate) metrics: Arc<dyn Metrics>,
    pub(crate) by_path: BTreeMap<&'static str, Informer>,
}

impl Informers {
    fn at(&mut self, path: &'static str) -> &mut Informer {
        let make = || Informer::new(path, self.client.clone(), self.metrics.clone());
        self.by_path.entry(path).or_insert_with(make)
    }
}

/// The background tasks of a controller.
pub(crate) type BackgroundTasks = Vec<BoxFuture<'static, ()>>;
