//! The tasks of each extension server, which live as long as its APIService.

use super::requests::Requests;
use super::{availability, discovery, register};
use crate::app::App;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// A task that ends with its owner.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Runs the controllers of APIServices until the task is aborted.
pub(crate) async fn run(app: Arc<App>, requests: Arc<dyn Requests>) {
    let mut tasks: HashMap<Arc<str>, [Task; 2]> = HashMap::new();
    let mut changed = app.aggregator.services.cache.changes();
    let _registering = Task(tokio::spawn(register::keep(app.clone())));
    loop {
        changed.borrow_and_update();
        let set = app.aggregator.services.now();
        tasks.retain(|name, _| set.get(name).is_some_and(|service| service.remote.is_some()));
        app.aggregator.remote_documents.retain(|name| tasks.contains_key(name));
        for service in set.remote() {
            let name: Arc<str> = service.name.as_str().into();
            tasks.entry(name.clone()).or_insert_with(|| {
                let availability = availability::keep(app.clone(), requests.clone(), name.clone());
                let documents = discovery::keep(app.clone(), name);
                [Task(tokio::spawn(availability)), Task(tokio::spawn(documents))]
            });
        }
        availability::keep_local(&app, requests.as_ref()).await;
        if changed.changed().await.is_err() {
            return;
        }
    }
}
