//! The controller of API Priority and Fairness: lends seats, restores the server's own objects, writes conditions.

use super::bootstrap::FLOW_CONTROL_MANAGER;
use crate::app::App;
use crate::app::flow_control::FlowController;
use crate::handler::loopback::{LoopbackClient, MediaTypes, own_user};
use crate::storage::cache::Item;
use bytes::Bytes;
use ratchet_flow_control::{Bootstrap, bootstrap_objects, is_unwanted, revise};
use ratchet_object::Node;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How often seats are lent anew.
const BORROWING: Duration = Duration::from_secs(10);

/// How often the server's own objects are restored.
const ENSURING: Duration = Duration::from_secs(60);

/// How long it waits after a write that failed.
const AGAIN: Duration = Duration::from_secs(1);

/// Who owns the conditions.
const CONDITION_MANAGER: &str = "api-priority-and-fairness-config-consumer-v1";

const GROUP: &str = "flowcontrol.apiserver.k8s.io";
const API: &str = "/apis/flowcontrol.apiserver.k8s.io/v1";
const KINDS: [(&str, &str); 2] =
    [("PriorityLevelConfiguration", "prioritylevelconfigurations"), ("FlowSchema", "flowschemas")];

/// Runs until the server stops.
pub(super) async fn run(app: Arc<App>) {
    let requests = Requests { client: LoopbackClient::new(app.clone()), app: app.clone() };
    let mut ensured: Option<Instant> = None;
    let Some(flow_control) = &app.flow_control else {
        // The objects are there whether they are in force or not.
        loop {
            requests.ensure().await;
            tokio::time::sleep(ENSURING).await;
        }
    };
    let [mut schemas, mut levels] = flow_control.changes();
    let mut borrowing = Instant::now() + BORROWING;
    loop {
        let now = Instant::now();
        if ensured.is_none_or(|ensured| now >= ensured + ENSURING) {
            requests.ensure().await;
            ensured = Some(now);
        }
        if now >= borrowing {
            flow_control.rebalance();
            borrowing = now + BORROWING;
        }
        let has_failed = !requests.write_conditions(flow_control).await;
        let again = if has_failed { now + AGAIN } else { borrowing };
        let changed = tokio::select! {
            changed = schemas.changed() => changed,
            changed = levels.changed() => changed,
            () = sleep_until(borrowing.min(again)) => Ok(()),
        };
        if changed.is_err() {
            // The caches are gone, and so is the server.
            return;
        }
    }
}

/// The writes of the controller, as the server itself.
struct Requests {
    client: LoopbackClient,
    app: Arc<App>,
}

impl Requests {
    async fn send(&self, method: &str, path: &str, content: &'static str, body: &Node<'_>) -> u16 {
        let types = MediaTypes { accept: "application/json", content };
        let body = Bytes::from(body.to_json());
        let (code, _) = self.client.request(&own_user(), method, path, types, body).await;
        if code >= 300 && code != 404 && code != 409 {
            tracing::warn!(method, path, code, "an object of flow control could not be written");
        }
        code
    }

    /// Writes the conditions that are missing; false if one could not be written.
    async fn write_conditions(&self, flow_control: &FlowController) -> bool {
        let mut is_complete = true;
        for (name, condition) in flow_control.dangling() {
            let path = format!(
                "{API}/flowschemas/{name}/status?fieldManager={CONDITION_MANAGER}&force=true"
            );
            let body = condition.to_apply(&name, self.app.now());
            let code = self.send("PATCH", &path, "application/apply-patch+yaml", &body).await;
            is_complete &= code < 300 || code == 404;
        }
        is_complete
    }

    /// Creates and restores the server's own objects, and deletes those of other releases.
    async fn ensure(&self) {
        for wanted in bootstrap_objects() {
            self.ensure_object(&wanted).await;
        }
        for (kind, plural) in KINDS {
            let items = self.app.cache.resource_cache(&format!("{plural}.{GROUP}")).now();
            for item in items.items.values().filter(|item| is_unwanted(kind, &item.node())) {
                let path = format!("{API}/{plural}/{}", item.key);
                self.send("DELETE", &path, "application/json", &Node::empty_map()).await;
            }
        }
    }

    async fn ensure_object(&self, wanted: &Bootstrap) {
        let kind = wanted.node.text_at(&["kind"]);
        let Some((_, plural)) = KINDS.iter().find(|(own, _)| *own == kind) else { return };
        let name = wanted.node.metadata().name();
        let cache = self.app.cache.resource_cache(&format!("{plural}.{GROUP}"));
        let owner = format!("fieldManager={FLOW_CONTROL_MANAGER}");
        let stored = cache.get(name).map(|item: Arc<Item>| item.node());
        let Some(stored) = stored else {
            let path = format!("{API}/{plural}?{owner}");
            self.send("POST", &path, "application/json", &wanted.node).await;
            return;
        };
        let Some(mut revised) = revise(&stored, wanted) else { return };
        revised.set("apiVersion", Node::string(format!("{GROUP}/v1")));
        revised.set("kind", Node::string(kind.to_owned()));
        let path = format!("{API}/{plural}/{name}?{owner}");
        self.send("PUT", &path, "application/json", &revised).await;
    }
}
