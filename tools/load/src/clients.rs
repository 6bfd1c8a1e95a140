//! Clients that send requests for a fixed time, each over a connection of its own.

use crate::connection::Connection;
use crate::endpoint::Endpoint;
use crate::sample::Sample;
use crate::worker::{RequestKind, Worker};
use anyhow::{Context, Result};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// The pause after a failure, so that a server that is away is not asked in a circle.
const PAUSE: Duration = Duration::from_millis(20);

/// Lets every worker send the requests in turn until the time is over or nothing is left to do.
pub(crate) async fn drive(
    endpoint: &Arc<Endpoint>,
    workers: Vec<Worker>,
    requests: &'static [&'static RequestKind],
    time: Duration,
) -> Result<Sample> {
    let mut ready = Vec::with_capacity(workers.len());
    for worker in workers {
        let mut connection = Connection::new(endpoint.clone());
        connection.open().await.context("a client cannot connect")?;
        ready.push((worker, connection));
    }
    let begun = Instant::now();
    let mut clients = JoinSet::new();
    for (worker, connection) in ready {
        clients.spawn(client(worker, connection, requests, begun, begun + time));
    }
    let mut all = Sample::default();
    while let Some(sample) = clients.join_next().await {
        all.join(sample.context("a client ended")?);
    }
    Ok(all)
}

async fn client(
    mut worker: Worker,
    mut connection: Connection,
    requests: &'static [&'static RequestKind],
    begun: Instant,
    end: Instant,
) -> Sample {
    let mut sample = Sample::default();
    for (turn, kind) in requests.iter().cycle().enumerate() {
        let sent = Instant::now();
        // Each request is sent once at least, however long the others took to get there.
        if sent >= end && turn >= requests.len() {
            break;
        }
        let Some(request) = (kind.next)(&mut worker) else { break };
        match connection.call(request).await {
            Ok(body) => {
                sample.succeeded(kind.name, sent.elapsed(), body.len());
                (kind.absorb)(&mut worker, &body);
            }
            Err(failure) => {
                sample.failed(&failure);
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    sample.elapsed = begun.elapsed();
    sample
}
