//! A live cluster: lists every audited kind page by page, within the limits of load, and judges each page as it comes.

use crate::collector::Collector;
use crate::config::Live;
use crate::journal::{Head, Journal, Line, Progress};
use crate::judge::Judge;
use crate::missing::Missing;
use crate::namespace_labels::NamespaceLabels;
use crate::page::Page;
use crate::progress::ListProgress;
use crate::requests::Requests;
use crate::served::{ServedKind, discover};
use crate::{AuditError, Config};
use indicatif::ProgressBar;
use ratchet_cluster::ClusterError;
use ratchet_manifests::ListHead;
use ratchet_object::{Limits, Node, Value, decode_json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;

/// How often a list begins anew without a new object, before it is given up.
const RESTARTS: u32 = 4;

/// What the tasks of one audit share.
struct Shared {
    requests: Requests,
    config: Config,
    /// Pages that may be decoded at the same time: a tree is many times as large as its text.
    judges: Semaphore,
    namespaces: NamespaceLabels,
    collected: Mutex<Collected>,
    bar: ProgressBar,
}

/// The results so far, and their journal.
struct Collected {
    collector: Collector,
    journal: Option<Journal>,
}

/// Reads a cluster and judges everything that may be seen. Returns the URL of the server, too.
pub(crate) async fn read(
    config: &Config,
    live: &Live,
    mut collector: Collector,
    bar: &ProgressBar,
) -> Result<(Collector, String), AuditError> {
    let requests = Requests::connect(live).await.map_err(setup)?;
    let server = requests.server().to_owned();
    let kinds = discover(&requests).await?;
    let mut progress = BTreeMap::new();
    let mut journal = None;
    if let Some(path) = &live.resume {
        let targets = config.targets.iter().map(|target| format!("{:?}", target.api_config));
        let head = Head::new(&server, targets.collect());
        let numbers: BTreeMap<String, u32> =
            kinds.iter().map(|kind| (kind.resource(), kind.number)).collect();
        let opened = Journal::open(path, &head, |line| {
            let number = numbers.get(&line.resource).copied().unwrap_or(u32::MAX);
            bar.inc_length(line.page.objects);
            bar.inc(line.page.objects);
            collector.absorb(number, line.number, line.page)
        });
        let (opened, pages) = opened.map_err(AuditError::Setup)?;
        (journal, progress) = (Some(opened), pages);
    }
    let namespaces = namespaces(&requests, &kinds, &mut collector.missing).await?;
    let shared = Arc::new(Shared {
        requests,
        config: config.clone(),
        judges: Semaphore::new(config.workers.get()),
        namespaces,
        collected: Mutex::new(Collected { collector, journal }),
        bar: bar.clone(),
    });
    let mut tasks = tokio::task::JoinSet::new();
    for kind in kinds {
        let done = progress.remove(&kind.resource());
        let shared = Arc::clone(&shared);
        tasks.spawn(async move { list(&shared, &kind, done).await });
    }
    let mut failed = None;
    while let Some(done) = tasks.join_next().await {
        let result = done.unwrap_or_else(|error| Err(AuditError::Setup(error.to_string())));
        failed = failed.or(result.err());
    }
    if let Some(error) = failed {
        return Err(error);
    }
    let shared = Arc::into_inner(shared)
        .ok_or_else(|| AuditError::Setup("a list is still being read".to_owned()))?;
    let Collected { mut collector, journal } =
        shared.collected.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Namespaces are listed twice: for their labels, and to be judged.
    collector.missing.sort();
    let about = |missing: &Missing| (missing.group.clone(), missing.resource.clone());
    collector.missing.dedup_by_key(|missing| about(missing));
    // What could not be seen may be seen next time, so that the journal of an incomplete audit stays.
    if let Some(journal) = journal.filter(|_| collector.missing.is_empty()) {
        journal.remove().map_err(AuditError::Setup)?;
    }
    Ok((collector, server))
}

fn setup(error: ClusterError) -> AuditError {
    AuditError::Setup(error.to_string())
}

/// The namespaces with their labels; if they cannot be listed, that is said.
async fn namespaces(
    requests: &Requests,
    kinds: &[ServedKind],
    missing: &mut Vec<Missing>,
) -> Result<NamespaceLabels, AuditError> {
    let mut labels = NamespaceLabels::default();
    let Some(kind) = kinds.iter().find(|kind| kind.kind.kind == "Namespace") else {
        return Ok(labels);
    };
    let mut pages = requests.list(&kind.path());
    loop {
        match requests.next_page(&mut pages).await {
            Ok(None) => return Ok(labels),
            Ok(Some(page)) => {
                let list = page.decode().map_err(AuditError::Setup)?;
                list.get("items").map(Node::items).unwrap_or_default().iter().for_each(|item| {
                    labels.insert(item);
                });
            }
            // What is listed again is inserted again.
            Err(ClusterError::Refused { code: 410, .. }) if !pages.next_token().is_empty() => {
                pages = requests.list(&kind.path());
            }
            Err(error @ ClusterError::Refused { .. }) => {
                missing.push(kind.missing(reason(error), ""));
                return Ok(labels);
            }
            Err(error) => return Err(setup(error)),
        }
    }
}

/// The words of the server, or of the network.
fn reason(error: ClusterError) -> String {
    match error {
        ClusterError::Refused { code, message, .. } => format!("{message} ({code})"),
        error => error.to_string(),
    }
}

/// Lists one kind from where its journal ended, and judges it.
async fn list(
    shared: &Arc<Shared>,
    kind: &ServedKind,
    done: Option<Progress>,
) -> Result<(), AuditError> {
    let path = kind.path();
    let mut pages = shared.requests.list(&path);
    let Progress { pages: mut number, next, mut last } = done.unwrap_or_default();
    if number > 0 {
        let Some(token) = next else { return Ok(()) };
        pages = pages.starting_from(&token);
    }
    // A list that began anew: objects up to this one are judged.
    let mut after = String::new();
    let mut restarts = 0;
    let mut progress = ListProgress::new(&shared.bar);
    loop {
        let slot = shared.requests.slot().await;
        let page = match shared.requests.next_page(&mut pages).await {
            Ok(Some(page)) => page,
            Ok(None) => return Ok(()),
            // The token expired. Lists are in the order of names, so that what was judged can be told from the rest.
            Err(ClusterError::Refused { code: 410, .. }) if number > 0 && restarts < RESTARTS => {
                restarts += 1;
                after.clone_from(&last);
                pages = shared.requests.list(&path);
                continue;
            }
            Err(ClusterError::Refused { code: 404, .. }) if kind.is_guess.is_some() => {
                let why = kind.is_guess.clone().unwrap_or_default();
                shared.lock().collector.missing.push(kind.missing(why, ""));
                return Ok(());
            }
            Err(error) => {
                shared.lock().collector.missing.push(kind.missing(reason(error), &last));
                return Ok(());
            }
        };
        let next = pages.next_token().to_owned();
        let turn = shared.judges.acquire().await.map_err(|error| closed(&error))?;
        let head = ListHead { kind: kind.kind.kind.to_owned(), api_version: kind.api_version() };
        let (judging, from) = (Arc::clone(shared), after.clone());
        let results = tokio::task::spawn_blocking(move || judging.judge(page.text(), &head, &from));
        let results = results.await.map_err(|error| closed(&error))?;
        drop((turn, slot));
        let (results, judged, left) = match results {
            Ok(results) => results,
            Err(why) => {
                let why = format!("the answer cannot be read: {why}");
                shared.lock().collector.missing.push(kind.missing(why, &last));
                return Ok(());
            }
        };
        progress.advance(results.objects, left);
        if let Some(judged) = judged {
            (last, restarts) = (judged, 0);
        }
        let mut collected = shared.lock();
        let line =
            Line { resource: kind.resource(), number, next, last: last.clone(), page: results };
        if let Some(journal) = &mut collected.journal {
            journal.push(&line).map_err(AuditError::Setup)?;
        }
        let absorbed = collected.collector.absorb(kind.number, number, line.page);
        absorbed.map_err(AuditError::Output)?;
        number += 1;
    }
}

fn closed(error: &dyn std::fmt::Display) -> AuditError {
    AuditError::Setup(error.to_string())
}

/// The place of an object in a list: API servers sort by namespace and name.
fn place(object: &Node<'_>) -> String {
    let metadata = object.metadata();
    match metadata.namespace() {
        "" => metadata.name().to_owned(),
        namespace => format!("{namespace}/{}", metadata.name()),
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Collected> {
        self.collected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Judges the items of a list that come after a place; returns the place of the last of them, and how many objects
    /// the list has left, too.
    fn judge(
        &self,
        text: &str,
        head: &ListHead,
        after: &str,
    ) -> Result<(Page, Option<String>, u64), String> {
        let judge = Judge { targets: &self.config.targets, namespaces: &self.namespaces };
        let decoded = decode_json(text, Limits::STORED).map_err(|error| error.to_string())?;
        let mut list = decoded.documents.into_iter().next().ok_or("it is empty")?;
        let left = list.find(&["metadata", "remainingItemCount"]).and_then(Node::as_int);
        let left = left.and_then(|left| u64::try_from(left).ok()).unwrap_or(0);
        let items = list.remove("items").map(|items| items.value);
        let Some(Value::List(items)) = items else { return Err("a list without items".to_owned()) };
        let (mut page, mut last) = (Page::default(), None);
        for item in items {
            let at = place(&item);
            if after.is_empty() || at.as_str() > after {
                judge.object(&head.apply(item), &mut page);
                last = Some(at);
            }
        }
        Ok((page, last, left))
    }
}
