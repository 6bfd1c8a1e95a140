//! Watch churn: objects change at a fixed rate, and every watcher must see every change.

use crate::connection::{ApiRequest, Connection};
use crate::endpoint::Endpoint;
use crate::errors::RequestFailure;
use crate::events::{Delivery, EventLedger};
use crate::resource::sequence_patch;
use crate::sample::Sample;
use crate::watcher::{self, Watch, WatchOutcome};
use crate::worker::seeded_name;
use crate::write_log::WriteLog;
use anyhow::{Context, Result};
use hyper::Method;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The longest wait for the next event after the last write: what comes slowly is late, not lost.
const GRACE: Duration = Duration::from_secs(10);

/// Watches and writes of one run.
#[derive(Clone, Debug)]
pub(crate) struct Churn {
    pub(crate) watchers: usize,
    /// Writers, each with an object of its own.
    pub(crate) writers: usize,
    /// Writes a second of all writers together.
    pub(crate) rate: usize,
    pub(crate) time: Duration,
}

/// Opens the watches, writes at the rate for the time, waits for the events, and settles accounts; `started` is called
/// between the watches and the first write.
pub(crate) async fn drive(
    endpoint: &Arc<Endpoint>,
    collection: &str,
    churn: &Churn,
    started: impl AsyncFnOnce(),
) -> Result<Sample> {
    let version = resource_version(endpoint, collection).await?;
    let writes = (churn.rate as f64 * churn.time.as_secs_f64()).ceil() as usize;
    let log = Arc::new(WriteLog::new(writes + churn.writers));
    let (stop, stopped) = watch::channel(false);
    let mut watchers = JoinSet::new();
    for _ in 0..churn.watchers {
        let mut watch = Watch::new(endpoint.clone(), collection.to_owned(), version);
        let body = watch.start().await.context("a watch cannot start")?;
        let ledger = EventLedger::new(log.capacity());
        watchers.spawn(watcher::follow(watch, body, ledger, log.clone(), stopped.clone()));
    }
    started().await;
    let begun = Instant::now();
    let mut sample = write_all(endpoint, collection, churn, &log, begun).await?;
    let acknowledged = log.acknowledged();
    let expected = acknowledged.iter().filter(|is| **is).count() * churn.watchers;
    let (mut received, mut progress) = (log.received(), Instant::now());
    while received < expected && progress.elapsed() < GRACE {
        tokio::time::sleep(Duration::from_millis(5)).await;
        if log.received() > received {
            (received, progress) = (log.received(), Instant::now());
        }
    }
    let elapsed = begun.elapsed();
    let mut delivery = Delivery::default();
    let _ = stop.send(true);
    while let Some(outcome) = watchers.join_next().await {
        let WatchOutcome { ledger, errors, bytes, resumed } = outcome.context("a watcher ended")?;
        delivery.add(ledger, &acknowledged);
        delivery.resumed += resumed;
        sample.errors.merge(errors);
        sample.bytes += bytes;
    }
    sample.delivery = Some(delivery);
    sample.elapsed = elapsed;
    Ok(sample)
}

async fn resource_version(endpoint: &Arc<Endpoint>, collection: &str) -> Result<u64> {
    let path = format!("{collection}?limit=1");
    let list = Connection::new(endpoint.clone()).call(ApiRequest::plain(Method::GET, path)).await;
    let list = list.context("cannot list what is watched")?;
    let list: serde_json::Value = serde_json::from_slice(&list).context("the list is no JSON")?;
    let version = list.pointer("/metadata/resourceVersion").and_then(serde_json::Value::as_str);
    let version = version.context("the list has no version")?;
    version.parse().with_context(|| format!("resourceVersion {version:?} is no number"))
}

async fn write_all(
    endpoint: &Arc<Endpoint>,
    collection: &str,
    churn: &Churn,
    log: &Arc<WriteLog>,
    begun: Instant,
) -> Result<Sample> {
    let mut writers = JoinSet::new();
    for number in 0..churn.writers {
        let path = format!("{collection}/{}", seeded_name(number));
        let connection = Connection::new(endpoint.clone());
        writers.spawn(write(connection, path, churn.clone(), number, log.clone(), begun));
    }
    let mut all = Sample::default();
    while let Some(sample) = writers.join_next().await {
        all.join(sample.context("a writer ended")?);
    }
    Ok(all)
}

/// One writer: of all writes that are due, it does every so-manieth.
async fn write(
    mut connection: Connection,
    path: String,
    churn: Churn,
    number: usize,
    log: Arc<WriteLog>,
    begun: Instant,
) -> Sample {
    let mut sample = Sample::default();
    for turn in (number..).step_by(churn.writers) {
        let due = Duration::from_secs_f64(turn as f64 / churn.rate as f64);
        let is_over = turn != number && begun.elapsed() >= churn.time;
        if due >= churn.time || is_over {
            break;
        }
        tokio::time::sleep_until((begun + due).into()).await;
        let Some(sequence) = log.begin() else { break };
        let sent = Instant::now();
        let request = ApiRequest::merge_patch(path.clone(), sequence_patch(sequence));
        let answer: Result<_, RequestFailure> = connection.call(request).await;
        match answer {
            Ok(body) => {
                log.acknowledge(sequence);
                sample.succeeded("write", sent.elapsed(), body.len());
            }
            Err(failure) => sample.failed(&failure),
        }
    }
    sample
}
