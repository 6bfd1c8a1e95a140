//! An API in memory that serves nodes, and may fail or lose its responses.

use crate::{Api, ApiRequest, ApiResponse, BoxFuture, Lines, Representation};
use bytes::Bytes;
use ratchet_net::CidrText;
use ratchet_object::{Limits, Node, decode_json};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use tokio::sync::mpsc;

/// How the API responds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mood {
    /// Correctly.
    #[default]
    Good,
    /// It does nothing, and reports a failure.
    Deaf,
    /// It applies the request, and reports a failure.
    Forgetful,
}

#[derive(Default)]
pub(super) struct World {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    revision: u64,
    nodes: BTreeMap<String, Node<'static>>,
    watchers: Vec<mpsc::UnboundedSender<Bytes>>,
    written: Vec<String>,
    writes: usize,
    mood: Mood,
}

fn cidrs(node: &Node<'_>) -> Vec<String> {
    let list = node.find(&["spec", "podCIDRs"]).map(Node::items).unwrap_or_default();
    list.iter().filter_map(Node::text).map(str::to_owned).collect()
}

impl World {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }

    pub(super) fn set_mood(&self, mood: Mood) {
        self.state().mood = mood;
    }

    /// Adds a node, unless it exists.
    pub(super) fn join(&self, number: u8, own: &[String]) {
        let mut state = self.state();
        let name = format!("n{number}");
        if state.nodes.contains_key(&name) {
            return;
        }
        let uid = Node::string(format!("uid-{}", state.revision));
        let metadata = Node::map([("name", Node::string(name.clone())), ("uid", uid)]);
        let list = own.iter().map(|cidr| Node::string(cidr.clone())).collect();
        let spec = Node::map([("podCIDRs", Node::list(list))]);
        state.put(&name, "ADDED", Node::map([("metadata", metadata), ("spec", spec)]));
    }

    pub(super) fn leave(&self, number: u8) {
        let mut state = self.state();
        let name = format!("n{number}");
        if let Some(node) = state.nodes.get(&name).cloned() {
            state.put(&name, "DELETED", node);
            state.nodes.remove(&name);
        }
    }

    /// The CIDRs of all nodes.
    pub(super) fn cidrs_by_node(&self) -> Vec<(String, String)> {
        let state = self.state();
        let of = |(name, node): (&String, &Node<'_>)| {
            cidrs(node).into_iter().map(|cidr| (name.clone(), cidr)).collect::<Vec<_>>()
        };
        state.nodes.iter().flat_map(of).collect()
    }

    /// Whether the CIDR is allocated, or may be soon.
    pub(super) fn is_taken(&self, cidr: &str) -> bool {
        let network = CidrText::parse(cidr).expect("a network");
        let is_waited_for = self.counts().1 > 0;
        let meets = |other: &str| CidrText::parse(other).expect("reads").contains_network(&network);
        is_waited_for || self.cidrs_by_node().iter().any(|(_, other)| meets(other))
    }

    /// How many nodes have CIDRs, and how many wait.
    pub(super) fn counts(&self) -> (usize, usize) {
        let state = self.state();
        let with = state.nodes.values().filter(|node| !cidrs(node).is_empty()).count();
        (with, state.nodes.len() - with)
    }

    pub(super) fn written(&self) -> Vec<String> {
        self.state().written.clone()
    }

    pub(super) fn writes(&self) -> usize {
        self.state().writes
    }
}

impl State {
    fn put(&mut self, name: &str, event: &str, mut node: Node<'static>) {
        self.revision += 1;
        let version = Node::string(self.revision.to_string());
        node.map_mut("metadata").set("resourceVersion", version);
        let line = Bytes::from(format!(r#"{{"type":"{event}","object":{node}}}"#));
        self.watchers.retain(|watcher| watcher.send(line.clone()).is_ok());
        self.nodes.insert(name.to_owned(), node);
    }

    fn patch(&mut self, name: &str, body: &[u8]) -> u16 {
        let text = std::str::from_utf8(body).expect("text");
        let patch = decode_json(text, Limits::DEFAULT).expect("reads").documents.remove(0);
        let Some(mut node) = self.nodes.get(name).cloned() else { return 404 };
        if patch.metadata().uid() != node.metadata().uid() {
            return 409;
        }
        if !cidrs(&node).is_empty() {
            return if cidrs(&node) == cidrs(&patch) { 200 } else { 422 };
        }
        self.written.extend(cidrs(&patch));
        node.set("spec", patch.get("spec").expect("a spec").clone().into_owned());
        self.put(name, "MODIFIED", node);
        200
    }

    fn answer(&mut self, request: &ApiRequest) -> (u16, String) {
        let path = request.path.split('?').next().unwrap_or_default();
        match (request.method, path.strip_prefix("/api/v1/nodes")) {
            ("GET", Some("")) => {
                let items: Vec<_> = self.nodes.values().map(Node::to_json).collect();
                let (items, version) = (items.join(","), self.revision);
                let metadata = format!(r#"{{"resourceVersion":"{version}"}}"#);
                (200, format!(r#"{{"metadata":{metadata},"items":[{items}]}}"#))
            }
            ("PATCH", Some(name)) => {
                self.writes += 1;
                match self.mood {
                    Mood::Good => {
                        (self.patch(name.trim_start_matches('/'), &request.body), "{}".to_owned())
                    }
                    Mood::Deaf => (0, String::new()),
                    Mood::Forgetful => {
                        self.patch(name.trim_start_matches('/'), &request.body);
                        (0, String::new())
                    }
                }
            }
            ("POST" | "PATCH", None) => (201, "{}".to_owned()),
            (method, _) => panic!("nobody asks so: {method} {path}"),
        }
    }
}

struct Events(mpsc::UnboundedReceiver<Bytes>);

impl Lines for Events {
    fn next(&mut self) -> BoxFuture<'_, Option<Bytes>> {
        Box::pin(self.0.recv())
    }
}

impl Api for World {
    fn send(&self, request: ApiRequest) -> BoxFuture<'_, ApiResponse> {
        Box::pin(async move {
            // Other tasks run before and after.
            tokio::task::yield_now().await;
            let (status, body) = self.state().answer(&request);
            tokio::task::yield_now().await;
            ApiResponse { status, body: body.into() }
        })
    }

    fn watch(&self, path: &str, _: Representation) -> BoxFuture<'_, Result<Box<dyn Lines>, u16>> {
        let mut state = self.state();
        let from = path.split("resourceVersion=").nth(1).and_then(|text| text.parse().ok());
        let (sender, receiver) = mpsc::unbounded_channel();
        // Changes between list and watch are lost: list again.
        let begun: Result<Box<dyn Lines>, u16> = match from == Some(state.revision) {
            true => {
                state.watchers.push(sender);
                Ok(Box::new(Events(receiver)))
            }
            false => Err(410),
        };
        Box::pin(std::future::ready(begun))
    }
}
