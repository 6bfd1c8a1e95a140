//! `Load`: writes that the webhook must refuse, one after another, while something else happens.

use crate::client::Target;
use crate::installation::service;
use hyper::Method;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Clients at work.
const CLIENTS: usize = 4;

/// Writes under way, until it is finished.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    refused: Arc<AtomicUsize>,
    thread: std::thread::JoinHandle<Vec<String>>,
}

impl Load {
    /// Begins to send Services that must be refused, as dry runs.
    pub(crate) fn start(kubeconfig: &Path) -> Self {
        let (stop, refused) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let target = Target::read(&kubeconfig.to_string_lossy());
        let (own_stop, own_refused) = (stop.clone(), refused.clone());
        let thread = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let mut clients = tokio::task::JoinSet::new();
                for number in 0..CLIENTS {
                    clients.spawn(send(
                        target.clone(),
                        number,
                        own_stop.clone(),
                        own_refused.clone(),
                    ));
                }
                clients.join_all().await.concat()
            })
        });
        Self { stop, refused, thread }
    }

    /// The number of refusals so far.
    pub(crate) fn refused(&self) -> usize {
        self.refused.load(Ordering::Relaxed)
    }

    /// Stops; returns every answer that was no refusal of the webhook.
    pub(crate) fn finish(self) -> Vec<String> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

async fn send(
    target: Target,
    number: usize,
    stop: Arc<AtomicBool>,
    refused: Arc<AtomicUsize>,
) -> Vec<String> {
    let mut connection = target.connect().await;
    let body = service(&format!("load-{number}"), "192.0.2.019", "a").to_string();
    let path = "/api/v1/namespaces/shop/services?dryRun=All";
    let mut wrong = Vec::new();
    while !stop.load(Ordering::Relaxed) && wrong.len() < 10 {
        let (code, answer) = connection.request(&Method::POST, path, body.clone().into()).await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        match answer.contains("denied the request") {
            true => drop(refused.fetch_add(1, Ordering::Relaxed)),
            false => wrong.push(format!("{code} {answer}")),
        }
    }
    wrong
}
