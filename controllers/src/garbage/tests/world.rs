//! A small API in memory that implements deletion, and nothing else.

use crate::garbage::identity::{FOREGROUND, ORPHAN, has_finalizer, is_deleted, owner_nodes};
use crate::{Api, ApiRequest, ApiResponse, BoxFuture, Lines, Representation};
use bytes::Bytes;
use ratchet_object::{Limits, Node, decode_json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::mpsc;

/// The path of the only collection.
pub(super) const THINGS: &str = "/apis/g/v1/namespaces/n/things";

#[derive(Default)]
pub(super) struct World {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    revision: u64,
    objects: BTreeMap<String, Node<'static>>,
    watchers: Vec<mpsc::UnboundedSender<Bytes>>,
    /// Watchers who never hear anything.
    silent: Vec<mpsc::UnboundedSender<Bytes>>,
    writes: usize,
}

fn parse(body: &[u8]) -> Node<'static> {
    let text = std::str::from_utf8(body).expect("text");
    let decoded = decode_json(text, Limits::DEFAULT).expect("reads");
    decoded.documents.into_iter().next().expect("there").into_owned()
}

fn finalizers(object: &Node<'_>) -> Vec<String> {
    let list = object.metadata().finalizers();
    list.iter().filter_map(Node::text).map(str::to_owned).collect()
}

impl World {
    pub(super) fn state_names(&self) -> Vec<String> {
        self.state().objects.keys().cloned().collect()
    }

    pub(super) fn owners(&self, name: &str) -> Vec<String> {
        let state = self.state();
        let object = state.objects.get(name).expect("there");
        owner_nodes(object).iter().map(|one| one.text_at(&["name"]).to_owned()).collect()
    }

    pub(super) fn writes(&self) -> usize {
        self.state().writes
    }

    /// Creates an object with these owners; its uid is derived from its name.
    pub(super) fn make(&self, name: &str, owners: &[(String, bool)]) {
        let owner = |(name, blocks): &(String, bool)| {
            let mut node = Node::map([("apiVersion", Node::string("g/v1"))]);
            node.set("kind", Node::string("Thing"));
            node.set("name", Node::string(name.clone()));
            node.set("uid", Node::string(format!("uid-{name}")));
            node.set("blockOwnerDeletion", Node::bool(*blocks));
            node
        };
        let mut metadata = Node::map([("name", Node::string(name.to_owned()))]);
        metadata.set("namespace", Node::string("n"));
        metadata.set("uid", Node::string(format!("uid-{name}")));
        metadata.set("ownerReferences", Node::list(owners.iter().map(owner).collect()));
        self.state().put(name, Node::map([("metadata", metadata)]));
    }

    /// Deletes as a client would.
    pub(super) fn delete(&self, name: &str, policy: &str) {
        self.state().delete(name, policy);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }
}

impl State {
    fn put(&mut self, name: &str, mut object: Node<'static>) {
        self.revision += 1;
        let version = Node::string(self.revision.to_string());
        object.map_mut("metadata").set("resourceVersion", version);
        let is_gone = is_deleted(&object) && finalizers(&object).is_empty();
        let event = if is_gone { "DELETED" } else { "MODIFIED" };
        let line = Bytes::from(format!(r#"{{"type":"{event}","object":{object}}}"#));
        self.watchers.retain(|watcher| watcher.send(line.clone()).is_ok());
        match is_gone {
            true => drop(self.objects.remove(name)),
            false => drop(self.objects.insert(name.to_owned(), object)),
        }
    }

    fn delete(&mut self, name: &str, policy: &str) {
        let Some(mut object) = self.objects.get(name).cloned() else { return };
        let mut remaining = finalizers(&object);
        remaining.retain(|one| one != FOREGROUND && one != ORPHAN);
        match policy {
            "Foreground" => remaining.push(FOREGROUND.to_owned()),
            "Orphan" => remaining.push(ORPHAN.to_owned()),
            _ => {}
        }
        let metadata = object.map_mut("metadata");
        metadata.set("finalizers", Node::list(remaining.into_iter().map(Node::string).collect()));
        metadata.set("deletionTimestamp", Node::string("2026-01-01T00:00:00Z"));
        self.put(name, object);
    }

    fn patch(&mut self, name: &str, content_type: &str, patch: &Node<'static>) -> u16 {
        let Some(mut object) = self.objects.get(name).cloned() else { return 404 };
        let at = |node: &Node<'_>, name: &str| node.text_at(&["metadata", name]).to_owned();
        for condition in ["uid", "resourceVersion"] {
            let wanted = at(patch, condition);
            if !wanted.is_empty() && wanted != at(&object, condition) {
                return 409;
            }
        }
        if content_type.contains("strategic") {
            let owners = patch_owners(&object, patch);
            object.map_mut("metadata").set("ownerReferences", Node::list(owners));
        } else if let Some(list) = patch.find(&["metadata", "finalizers"]) {
            let list = if list.is_null() { Node::list(Vec::new()) } else { list.clone() };
            object.map_mut("metadata").set("finalizers", list);
        }
        self.put(name, object);
        200
    }

    fn answer(&mut self, request: &ApiRequest) -> (u16, String) {
        let path = request.path.split('?').next().unwrap_or_default();
        let name = path.strip_prefix(THINGS).map(|rest| rest.trim_start_matches('/').to_owned());
        if request.method != "GET" {
            self.writes += 1;
        }
        match (request.method, path, name) {
            ("GET", "/api", _) => (404, String::new()),
            ("GET", "/apis", _) => {
                let version = r#"{"groupVersion":"g/v1","version":"v1"}"#;
                (200, format!(r#"{{"groups":[{{"name":"g","versions":[{version}],"preferredVersion":{version}}}]}}"#))
            }
            ("GET", "/apis/g/v1", _) => (200, r#"{"resources":[{"name":"things","kind":"Thing","namespaced":true,"verbs":["delete","list","watch"]}]}"#.to_owned()),
            ("GET", "/apis/g/v1/things", _) => {
                let items: Vec<_> = self.objects.values().map(Node::to_json).collect();
                let items = items.join(",");
                (200, format!(r#"{{"metadata":{{"resourceVersion":"{}"}},"items":[{items}]}}"#, self.revision))
            }
            ("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", _) => {
                (200, r#"{"metadata":{"resourceVersion":"1"},"items":[]}"#.to_owned())
            }
            ("GET", _, Some(name)) => match self.objects.get(&name) {
                Some(object) => (200, object.to_json()),
                None => (404, String::new()),
            },
            ("DELETE", _, Some(name)) => {
                let Some(object) = self.objects.get(&name) else { return (404, String::new()) };
                let options = parse(&request.body);
                for condition in ["uid", "resourceVersion"] {
                    let wanted = options.text_at(&["preconditions", condition]);
                    if !wanted.is_empty() && wanted != object.text_at(&["metadata", condition]) {
                        return (409, String::new());
                    }
                }
                self.delete(&name, options.text_at(&["propagationPolicy"]));
                (200, "{}".to_owned())
            }
            ("PATCH", _, Some(name)) => {
                let patch = parse(&request.body);
                (self.patch(&name, request.content_type, &patch), "{}".to_owned())
            }
            ("POST", path, None) if path.ends_with("/events") => (201, "{}".to_owned()),
            (method, path, _) => panic!("nobody asks so: {method} {path}"),
        }
    }
}

/// The owner references after a strategic patch of them.
fn patch_owners(object: &Node<'static>, patch: &Node<'static>) -> Vec<Node<'static>> {
    let mut owners = owner_nodes(object).to_vec();
    for change in owner_nodes(patch) {
        let uid = change.text_at(&["uid"]);
        if change.text_at(&["$patch"]) == "delete" {
            owners.retain(|owner| owner.text_at(&["uid"]) != uid);
        }
        for owner in owners.iter_mut().filter(|owner| owner.text_at(&["uid"]) == uid) {
            owner.set("blockOwnerDeletion", Node::bool(false));
        }
    }
    owners
}

struct Events(mpsc::UnboundedReceiver<Bytes>);

impl Lines for Events {
    fn next(&mut self) -> BoxFuture<'_, Option<Bytes>> {
        Box::pin(self.0.recv())
    }
}

impl Api for World {
    fn send(&self, request: ApiRequest) -> BoxFuture<'_, ApiResponse> {
        let (status, body) = self.state().answer(&request);
        Box::pin(async move {
            // Other tasks run between a request and its response.
            tokio::task::yield_now().await;
            ApiResponse { status, body: body.into() }
        })
    }

    fn watch(&self, path: &str, _: Representation) -> BoxFuture<'_, Result<Box<dyn Lines>, u16>> {
        let (sender, receiver) = mpsc::unbounded_channel();
        match path.contains("/customresourcedefinitions") {
            // Nobody defines anything here.
            true => self.state().silent.push(sender),
            false => self.state().watchers.push(sender),
        }
        let lines: Box<dyn Lines> = Box::new(Events(receiver));
        Box::pin(std::future::ready(Ok(lines)))
    }
}

/// Whether an object is deleted and waits for finalizers.
pub(super) fn waits(world: &Arc<World>, name: &str) -> bool {
    let state = world.state();
    let object = state.objects.get(name);
    object.is_some_and(|object| is_deleted(object) && has_finalizer(object, FOREGROUND))
}
