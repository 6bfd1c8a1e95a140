//! The controller of the condition `Available`: looks at a change of what an APIService depends on, and again after a
//! while, for a network has no events.

use super::backoff::Backoff;
use super::changes;
use super::conditions::{Condition, obstacle, with_condition};
use super::fetch::{Fetch, aggregator_user, fetch};
use super::requests::Requests;
use crate::app::App;
use crate::app::aggregator::api_service::ApiService;
use bytes::Bytes;
use ratchet_object::Node;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// How often a server that answers is looked at.
const INTERVAL: Duration = Duration::from_secs(30);
/// The time that a server has to answer.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The requests that are sent at once: one that is answered is enough, so that one bad endpoint of several says nothing.
const ATTEMPTS: usize = 5;

/// The delays after failed looks. The reference goes on to 30 seconds; a server that came back is found sooner here.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(5), Duration::from_secs(5));

/// Keeps the condition of one APIService until the task is aborted.
pub(super) async fn keep(app: Arc<App>, requests: Arc<dyn Requests>, name: Arc<str>) {
    let mut woken = changes::Changes::subscribe(&app);
    let mut failures = 0;
    loop {
        let seen = changes::inputs(&app, &name);
        let is_fine = look(&app, requests.as_ref(), &name).await;
        failures = if is_fine { 0 } else { failures + 1 };
        let pause = if is_fine { INTERVAL } else { BACKOFF.delay(failures) };
        let is_suspect = || app.aggregator.suspects.take(&name);
        woken.wait(pause, || changes::inputs(&app, &name) != seen || is_suspect()).await;
    }
}

/// Looks once and writes what changed; whether there is nothing to try again.
async fn look(app: &Arc<App>, requests: &dyn Requests, name: &str) -> bool {
    let set = app.aggregator.services.now();
    let Some(service) = set.get(name).filter(|service| service.remote.is_some()) else {
        return true;
    };
    let Some(condition) = condition(app, service).await else { return false };
    let is_failure = condition.reason == "FailedDiscoveryCheck";
    let is_written = write(app, requests, name, &condition).await;
    is_written && !is_failure
}

/// The condition as of now; none where the bundle is of no use, in which case the reference leaves it as it is.
async fn condition(app: &Arc<App>, service: &Arc<ApiService>) -> Option<Condition> {
    let remote = service.remote.as_ref()?;
    let resolver = &app.aggregator.resolver;
    let found = resolver.service(&remote.service).map(|item| item.node());
    let slices: Vec<Node<'static>> =
        resolver.slices(&remote.service).iter().map(|item| item.node()).collect();
    if let Some(obstacle) = obstacle(&remote.service, found.as_ref(), &slices) {
        return Some(obstacle);
    }
    remote.trust.as_ref().ok()?;
    let mut attempts = JoinSet::new();
    for _ in 0..ATTEMPTS {
        let (app, service) = (app.clone(), service.clone());
        attempts.spawn(async move { ask(&app, &service).await });
    }
    let mut last = String::new();
    while let Some(result) = attempts.join_next().await {
        match result {
            Ok(Ok(())) => return Some(Condition::passed()),
            Ok(Err(error)) => last = error,
            Err(error) => last = error.to_string(),
        }
    }
    Some(Condition::failed(last))
}

/// Asks for a document that every extension server must have.
async fn ask(app: &App, service: &ApiService) -> Result<(), String> {
    let server = app.aggregator.server(service)?;
    let path = service_path(service);
    let url = format!("https://{}{path}", server.authority());
    // Only the status counts: a body that never ends is no reason to call the server unavailable.
    let what = Fetch { path: &path, accept: "*/*", etag: "", limit: 0, timeout: TIMEOUT };
    let fetched = fetch(&app.aggregator, service, &aggregator_user(), what).await;
    let failed = |why: String| format!("failing or missing response from {url}: {why}");
    match fetched {
        Ok(fetched) if (200..300).contains(&fetched.code) => Ok(()),
        Ok(fetched) => Err(failed(format!("bad status from {url}: {}", fetched.code))),
        Err(why) => Err(failed(format!("Get \"{url}\": {why}"))),
    }
}

/// The path of the resource list of a version.
pub(super) fn service_path(service: &ApiService) -> String {
    match service.group.as_str() {
        "" => format!("/api/{}", service.version),
        group => format!("/apis/{group}/{}", service.version),
    }
}

/// Makes local APIServices available that are not: an extension server may have been taken away from them.
pub(super) async fn keep_local(app: &Arc<App>, requests: &dyn Requests) {
    let set = app.aggregator.services.now();
    let missing = set.all().filter(|service| service.remote.is_none() && !service.is_available);
    for service in missing {
        write(app, requests, &service.name, &Condition::local()).await;
    }
}

/// Writes a condition that is not there yet; whether it is there now.
async fn write(app: &Arc<App>, requests: &dyn Requests, name: &str, condition: &Condition) -> bool {
    let Some(item) = app.aggregator.services.cache.get(name) else { return true };
    let node = item.node();
    let was_available = app.aggregator.services.now().get(name).is_some_and(|one| one.is_available);
    let Some(mut new) = with_condition(&node, condition, &app.now()) else { return true };
    new.set("apiVersion", Node::string("apiregistration.k8s.io/v1"));
    new.set("kind", Node::string("APIService"));
    let path = format!("/apis/apiregistration.k8s.io/v1/apiservices/{name}/status");
    let (code, _) = requests.send("PUT", path, Bytes::from(new.to_json())).await;
    match code {
        200 => {
            tracing::info!(
                name,
                available = condition.is_true,
                reason = condition.reason,
                message = condition.message,
                "the availability of an APIService changed"
            );
            if was_available && !condition.is_true {
                app.aggregator.unavailable.inc(name, condition.reason);
            }
            true
        }
        // Somebody was faster, or it is gone: its change wakes this controller.
        404 | 409 => false,
        code => {
            tracing::warn!(name, code, "the status of an APIService could not be written");
            false
        }
    }
}
