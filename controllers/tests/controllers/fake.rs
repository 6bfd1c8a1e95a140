//! An API in memory: objects under their paths, watches, and failures on demand.

use bytes::Bytes;
use ratchet_controllers::{
    Api, ApiRequest, ApiResponse, BoxFuture, Lines, Metrics, NoopMetrics, Representation,
    Selection, Settings, run,
};
use ratchet_object::{Limits, Node, decode};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// The maximum page size, so that every test reads several pages.
const PAGE: usize = 2;

/// The resources: group version, name, namespaced, whether collections can be deleted.
const RESOURCES: &[(&str, &str, bool, bool)] = &[
    ("v1", "namespaces", false, false),
    ("v1", "pods", true, true),
    ("v1", "configmaps", true, true),
    ("v1", "serviceaccounts", true, true),
    ("v1", "services", true, true),
    ("v1", "events", true, true),
    ("v1", "endpoints", true, true),
    ("v1", "nodes", false, true),
    ("discovery.k8s.io/v1", "endpointslices", true, true),
    ("apps/v1", "deployments", true, true),
    ("example.com/v1", "widgets", true, false),
    ("rbac.authorization.k8s.io/v1", "clusterroles", false, true),
    ("admissionregistration.k8s.io/v1", "validatingadmissionpolicies", false, true),
    ("certificates.k8s.io/v1", "certificatesigningrequests", false, true),
];

const REVIEWS: &str = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

#[derive(Default)]
pub(crate) struct Fake {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    revision: u64,
    objects: BTreeMap<String, Node<'static>>,
    events: Vec<(u64, String, Bytes)>,
    watchers: Vec<(String, mpsc::UnboundedSender<Bytes>)>,
    writes: Vec<String>,
    reads: usize,
    /// `METHOD path`, how often it fails at most, and with which code.
    failures: Vec<(String, usize, u16)>,
    /// Watches from before this revision are too old.
    oldest: u64,
    /// Allowed creations: `user subresource`.
    allowed: Vec<String>,
}

/// A status code and its message.
struct Refused(u16, &'static str);

impl From<u16> for Refused {
    fn from(code: u16) -> Self {
        Self(code, "")
    }
}

const TERMINATED: &str =
    r#"{"message":"unable to create new content in namespace x because it is being terminated"}"#;

/// Parses YAML.
pub(crate) fn node(text: &str) -> Node<'static> {
    let decoded = decode(text, Limits::DEFAULT).expect("reads");
    decoded.documents.into_iter().next().expect("there").into_owned()
}

/// Advances the paused clock.
pub(crate) async fn pass(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

/// Controllers that run until they are dropped.
pub(crate) struct Running(JoinHandle<()>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Fake {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn start(self: &Arc<Self>, controllers: &str) -> Running {
        self.start_metered(controllers, Arc::new(NoopMetrics))
    }

    pub(crate) fn start_metered(
        self: &Arc<Self>,
        controllers: &str,
        metrics: Arc<dyn Metrics>,
    ) -> Running {
        self.start_with(controllers, metrics, Settings::default())
    }

    pub(crate) fn start_with(
        self: &Arc<Self>,
        controllers: &str,
        metrics: Arc<dyn Metrics>,
        settings: Settings,
    ) -> Running {
        let selection = Selection::parse(controllers).expect("known");
        let settings = Settings { selection, ..settings };
        Running(tokio::spawn(run(self.clone(), settings, metrics, std::future::pending())))
    }

    /// Allows a user to create a subresource.
    pub(crate) fn allow(&self, user: &str, subresource: &str) {
        self.state().allowed.push(format!("{user} {subresource}"));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }

    /// Stores an object, whatever was there.
    pub(crate) fn set(&self, path: &str, text: &str) {
        let mut new = node(text);
        let mut parts = path.rsplit('/');
        new.map_mut("metadata").set("name", Node::string(parts.next().expect("a name").to_owned()));
        new.map_mut("metadata").set("uid", Node::string(format!("uid of {path}")));
        if let Some(namespace) = namespace(path) {
            new.map_mut("metadata").set("namespace", Node::string(namespace.to_owned()));
        }
        self.state().put(path, new);
    }

    /// Changes an object.
    pub(crate) fn change(&self, path: &str, change: impl FnOnce(&mut Node<'static>)) {
        let mut state = self.state();
        let mut new = state.objects.get(path).expect("there").clone();
        change(&mut new);
        state.put(path, new);
    }

    /// The stored object.
    pub(crate) fn get(&self, path: &str) -> Option<Node<'static>> {
        self.state().objects.get(path).cloned()
    }

    /// Removes an object as if a client had deleted it.
    pub(crate) fn delete(&self, path: &str) {
        self.state().delete(path);
    }

    /// The write requests so far.
    pub(crate) fn writes(&self) -> Vec<String> {
        self.state().writes.clone()
    }

    /// The paths of the objects of a collection.
    pub(crate) fn paths(&self, collection: &str) -> Vec<String> {
        self.state().below(collection)
    }

    /// The number of read requests so far.
    pub(crate) fn reads(&self) -> usize {
        self.state().reads
    }

    /// Makes the next `times` requests with this prefix fail.
    pub(crate) fn fail(&self, request: &str, times: usize, code: u16) {
        self.state().failures.push((request.to_owned(), times, code));
    }

    /// Makes requests succeed again.
    pub(crate) fn heal(&self) {
        self.state().failures.clear();
    }

    /// Ends all watches.
    pub(crate) fn hang_up(&self) {
        self.state().watchers.clear();
    }

    /// Forgets all events so far.
    pub(crate) fn forget(&self) {
        let mut state = self.state();
        state.oldest = state.revision;
        state.events.clear();
    }

    /// Forgets all events, so that watches are too old; `tell` sends them the error.
    pub(crate) fn compact(&self, tell: bool) {
        self.state().revision += 1;
        self.forget();
        let mut state = self.state();
        let line = r#"{"type":"ERROR","object":{"kind":"Status","code":410}}"#;
        if tell {
            // A watcher that is gone does not receive it.
            let send = |(_, watcher): &(_, mpsc::UnboundedSender<Bytes>)| watcher.send(line.into());
            state.watchers.iter().for_each(|watcher| drop(send(watcher)));
        }
        state.watchers.clear();
    }

    /// Sends a bookmark to all watches.
    pub(crate) fn bookmark(&self) {
        self.state().revision += 1;
        let version = self.state().revision;
        let object = format!(r#"{{"metadata":{{"resourceVersion":"{version}"}}}}"#);
        self.say(&format!(r#"{{"type":"BOOKMARK","object":{object}}}"#));
    }

    /// Sends a line to all watches.
    pub(crate) fn say(&self, line: &str) {
        let (state, line) = (self.state(), Bytes::from(line.to_owned()));
        state.watchers.iter().for_each(|(_, watcher)| watcher.send(line.clone()).expect("listens"));
    }
}

impl State {
    fn put(&mut self, path: &str, mut new: Node<'static>) {
        if self.objects.get(path) == Some(&new) {
            return;
        }
        self.revision += 1;
        new.map_mut("metadata").set("resourceVersion", Node::string(self.revision.to_string()));
        let old = self.objects.insert(path.to_owned(), new.clone());
        let deleted = has(&new, "deletionTimestamp");
        let held = has(&new, "finalizers")
            || new.find(&["spec", "finalizers"]).is_some_and(|list| !list.items().is_empty())
            || new.find(&["spec", "terminationGracePeriodSeconds"]).is_some();
        if deleted && !held {
            self.objects.remove(path);
            return self.tell(path, "DELETED", &new);
        }
        self.tell(path, if old.is_some() { "MODIFIED" } else { "ADDED" }, &new);
    }

    fn delete(&mut self, path: &str) {
        let Some(mut object) = self.objects.get(path).cloned() else { return };
        if !has(&object, "deletionTimestamp") {
            let now = jiff::Timestamp::now().to_string();
            object.map_mut("metadata").set("deletionTimestamp", Node::string(now));
            self.put(path, object);
        }
    }

    fn tell(&mut self, path: &str, kind: &str, object: &Node<'_>) {
        let line = Bytes::from(format!(r#"{{"type":"{kind}","object":{object}}}"#));
        self.events.push((self.revision, path.to_owned(), line.clone()));
        self.watchers
            .retain(|(at, watcher)| !holds(at, path) || watcher.send(line.clone()).is_ok());
    }

    /// The code with which this request fails, if it does.
    fn failure(&mut self, request: &str) -> Option<u16> {
        let failure = self
            .failures
            .iter_mut()
            .find(|(prefix, times, _)| request.starts_with(prefix.as_str()) && *times > 0)?;
        failure.1 -= 1;
        Some(failure.2)
    }

    fn answer(&mut self, request: &ApiRequest) -> Result<String, Refused> {
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let path = &path.replace("%3A", ":");
        let line = format!("{} {path}", request.method);
        if request.method == "GET" {
            self.reads += 1;
        } else {
            self.writes.push(line.clone());
        }
        if let Some(code) = self.failure(&line) {
            return Err(code.into());
        }
        if path == REVIEWS {
            return Ok(self.review(&request.body));
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        let resource = RESOURCES.iter().find(|row| row.1 == name);
        match (request.method, resource) {
            ("GET", Some(_)) => Ok(self.list(path, query)),
            ("GET", None) => match self.objects.get(path) {
                Some(object) => Ok(object.to_json()),
                None => document(path).ok_or(Refused::from(404)),
            },
            ("PUT", _) => self.update(path, &request.body),
            ("POST", Some(_)) => self.create(path, &request.body),
            ("DELETE", Some(row)) if row.3 => {
                self.below(path).iter().for_each(|object| self.delete(object));
                Ok("{}".to_owned())
            }
            ("DELETE", None) => {
                self.objects.contains_key(path).then_some(()).ok_or(404u16)?;
                self.delete(path);
                Ok("{}".to_owned())
            }
            _ => Err(405.into()),
        }
    }

    fn review(&self, body: &[u8]) -> String {
        let review = node(std::str::from_utf8(body).expect("text"));
        let user = review.text_at(&["spec", "user"]);
        let part = review.text_at(&["spec", "resourceAttributes", "subresource"]);
        let allowed = self.allowed.contains(&format!("{user} {part}"));
        format!(r#"{{"status":{{"allowed":{allowed}}}}}"#)
    }

    fn below(&self, collection: &str) -> Vec<String> {
        self.objects.keys().filter(|path| holds(collection, path)).cloned().collect()
    }

    fn list(&self, path: &str, query: &str) -> String {
        let token = query.split('&').find_map(|part| part.strip_prefix("continue="));
        let after = token.unwrap_or_default().replace("%2F", "/").replace("%2B", "+");
        let after = after.trim_start_matches('+');
        let mut rest: Vec<_> = self.below(path);
        rest.retain(|object| object.as_str() > after);
        let page: Vec<_> = rest.iter().take(PAGE).collect();
        let more = match page.last() {
            Some(last) if rest.len() > PAGE => format!(r#","continue":"+{last}""#),
            _ => String::new(),
        };
        let items: Vec<_> = page.iter().map(|object| self.objects[*object].to_json()).collect();
        let metadata = format!(r#"{{"resourceVersion":"{}"{more}}}"#, self.revision);
        format!(r#"{{"metadata":{metadata},"items":[{}]}}"#, items.join(","))
    }

    fn create(&mut self, collection: &str, body: &[u8]) -> Result<String, Refused> {
        let mut new = node(std::str::from_utf8(body).expect("text"));
        let prefix = new.metadata().generate_name().to_owned();
        if !prefix.is_empty() {
            let name = format!("{prefix}{:05}", self.revision);
            new.map_mut("metadata").set("name", Node::string(name));
        }
        let path = format!("{collection}/{}", new.metadata().name());
        if new.metadata().uid().is_empty() {
            let uid = format!("uid {}", self.revision);
            new.map_mut("metadata").set("uid", Node::string(uid));
        }
        if let Some(namespace) = namespace(&path) {
            let home =
                self.objects.get(&format!("/api/v1/namespaces/{namespace}")).ok_or(404u16)?;
            (!has(home, "deletionTimestamp")).then_some(()).ok_or(Refused(403, TERMINATED))?;
            new.map_mut("metadata").set("namespace", Node::string(namespace.to_owned()));
        }
        (!self.objects.contains_key(&path)).then_some(()).ok_or(409u16)?;
        self.put(&path, new);
        Ok(self.objects.get(&path).map(Node::to_json).unwrap_or_default())
    }

    fn update(&mut self, path: &str, body: &[u8]) -> Result<String, Refused> {
        let sent = node(std::str::from_utf8(body).expect("text"));
        let (object, part) = match path.rsplit_once('/') {
            Some((object, part @ ("status" | "finalize" | "approval"))) => (object, part),
            _ => (path, ""),
        };
        let mut new = self.objects.get(object).ok_or(404u16)?.clone();
        let version = |node: &Node<'_>| node.metadata().resource_version().to_owned();
        if version(&sent) != version(&new) {
            return Err(409.into());
        }
        match part {
            "status" | "approval" => {
                new.set("status", sent.get("status").expect("a status").clone());
            }
            "finalize" => {
                let list = sent.find(&["spec", "finalizers"]).expect("a list").clone();
                new.map_mut("spec").set("finalizers", list);
            }
            _ => new = sent,
        }
        self.put(object, new);
        let now = self.objects.get(object).map(Node::to_json);
        Ok(now.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned()))
    }
}

/// The namespace of an object.
fn namespace(path: &str) -> Option<&str> {
    let (name, rest) = path.split_once("/namespaces/")?.1.split_once('/')?;
    rest.contains('/').then_some(name)
}

/// Whether an object is in a collection: of its namespace, or of all namespaces.
fn holds(collection: &str, path: &str) -> bool {
    let (of, _) = path.rsplit_once('/').expect("a path");
    let everywhere = namespace(path).map(|name| of.replace(&format!("/namespaces/{name}"), ""));
    of == collection || everywhere.as_deref() == Some(collection)
}

fn has(object: &Node<'_>, name: &str) -> bool {
    let there = object.find(&["metadata", name]);
    there.is_some_and(|node| node.text().is_some() || !node.items().is_empty())
}

/// The discovery documents.
fn document(path: &str) -> Option<String> {
    if path == "/api" {
        return Some(r#"{"versions":["v1"]}"#.to_owned());
    }
    if path == "/apis" {
        let mut versions: Vec<_> =
            RESOURCES.iter().filter_map(|row| row.0.split_once('/')).collect();
        versions.sort_unstable();
        versions.dedup();
        let groups = versions.iter().map(|(group, version)| {
            let version =
                format!(r#"{{"groupVersion":"{group}/{version}","version":"{version}"}}"#);
            format!(r#"{{"name":"{group}","versions":[{version}],"preferredVersion":{version}}}"#)
        });
        return Some(format!(r#"{{"groups":[{}]}}"#, groups.collect::<Vec<_>>().join(",")));
    }
    let version = path.strip_prefix("/apis/").or_else(|| path.strip_prefix("/api/"))?;
    let rows = RESOURCES.iter().filter(|row| row.0 == version).map(|(_, name, namespaced, all)| {
        let verbs =
            if *all { r#""delete","deletecollection","list""# } else { r#""delete","list""# };
        format!(r#"{{"name":"{name}","namespaced":{namespaced},"verbs":[{verbs}]}}"#)
    });
    let rows: Vec<_> = rows.collect();
    (!rows.is_empty()).then(|| format!(r#"{{"resources":[{}]}}"#, rows.join(",")))
}

struct Events(mpsc::UnboundedReceiver<Bytes>);

impl Lines for Events {
    fn next(&mut self) -> BoxFuture<'_, Option<Bytes>> {
        Box::pin(self.0.recv())
    }
}

impl Api for Fake {
    fn send(&self, request: ApiRequest) -> BoxFuture<'_, ApiResponse> {
        let (status, body) = match self.state().answer(&request) {
            Ok(body) => (200, body),
            Err(Refused(code, body)) => (code, body.to_owned()),
        };
        Box::pin(std::future::ready(ApiResponse { status, body: body.into() }))
    }

    fn watch(&self, path: &str, _: Representation) -> BoxFuture<'_, Result<Box<dyn Lines>, u16>> {
        let mut state = self.state();
        state.reads += 1;
        let (collection, query) = path.split_once('?').expect("a query");
        let begun = state.failure(&format!("WATCH {collection}")).map_or(Ok(()), Err);
        let from = query.split('&').find_map(|part| part.strip_prefix("resourceVersion="));
        let from: u64 = from.expect("a version").parse().expect("a number");
        let old = if from < state.oldest { Err(410) } else { Ok(()) };
        let opened = begun.and(old).map(|()| {
            let (sender, receiver) = mpsc::unbounded_channel();
            let missed =
                state.events.iter().filter(|(at, of, _)| *at > from && holds(collection, of));
            missed.for_each(|(_, _, line)| sender.send(line.clone()).expect("listens"));
            state.watchers.push((collection.to_owned(), sender));
            Box::new(Events(receiver)) as Box<dyn Lines>
        });
        Box::pin(std::future::ready(opened))
    }
}
