//! Controller that allocates pod CIDRs to nodes, no range twice.

#[cfg(test)]
mod tests;

use crate::{
    BoxFuture, Change, Client, Failure, Idle, Key, ObjectReference, Outcome, Patch, Queue,
    Reconcile, Recorder, RetryDelay, Row, Setup, Shared, Store,
};
use ratchet_allocation::NodeRanges;
use ratchet_object::{Node, percent_encode};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) const ROW: Row = Row {
    name: "node-ipam-controller",
    aliases: &["nodeipam"],
    on_by_default: true,
    retry_delay: RetryDelay::DEFAULT,
    workers: 5,
    start,
};

const NODES: &str = "/api/v1/nodes";

/// The source of the events.
const COMPONENT: &str = "cidrAllocator";

/// Status codes after which nothing was written for certain.
const NOT_WRITTEN: std::ops::Range<u16> = 400..500;

/// The allocated ranges, and the nodes that wait for a free one.
struct Allocations {
    ranges: NodeRanges,
    waiting: BTreeSet<Key>,
}

struct CidrAllocator {
    client: Client,
    nodes: Arc<Store>,
    recorder: Recorder,
    allocations: Arc<Mutex<Allocations>>,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let Some(ranges) = setup.settings.node_ranges.clone() else { return Box::new(Idle) };
    let nodes = setup.collection(NODES);
    let recorder = setup.recorder(COMPONENT);
    let allocations = Arc::new(Mutex::new(Allocations { ranges, waiting: BTreeSet::new() }));
    let (queue, shared) = (setup.queue.clone(), allocations.clone());
    // CIDRs of existing nodes are occupied here and not by the workers, which start when all are
    // known.
    setup.listen(NODES, move |change| lock(&shared).on_change(change, &queue));
    Box::new(CidrAllocator { client: setup.client.clone(), nodes, recorder, allocations })
}

fn lock(allocations: &Mutex<Allocations>) -> MutexGuard<'_, Allocations> {
    // No step leaves the state half changed.
    allocations.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Allocations {
    fn on_change(&mut self, change: &Change, queue: &Queue) {
        let key = &change.key;
        let is_replaced_or_deleted = match (&change.old, &change.new) {
            (Some(old), Some(new)) => uid(old) != uid(new),
            (_, new) => new.is_none(),
        };
        if is_replaced_or_deleted {
            self.waiting.remove(key);
            self.release(key, queue);
        }
        let Some(node) = &change.new else { return };
        let cidrs = pod_cidrs(node);
        if cidrs.is_empty() {
            return queue.add(key);
        }
        self.waiting.remove(key);
        for cidr in self.ranges.occupy(key, &cidrs) {
            tracing::warn!(node = &**key, cidr, "has a network that is not of this cluster");
        }
    }

    /// Frees the CIDRs of a node, and enqueues the nodes that wait.
    fn release(&mut self, key: &str, queue: &Queue) {
        if self.ranges.release(key) {
            std::mem::take(&mut self.waiting).iter().for_each(|waiting| queue.add(waiting));
        }
    }
}

impl Reconcile for CidrAllocator {
    fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            match self.nodes.get(key).filter(needs_cidrs) {
                Some(node) => self.allocate(key, &node).await,
                None => Ok(Outcome::Done),
            }
        })
    }
}

impl CidrAllocator {
    async fn allocate(&self, key: &str, node: &Shared) -> Result<Outcome, Failure> {
        let allocated = lock(&self.allocations).ranges.allocate(key);
        let cidrs = match allocated {
            Ok(cidrs) => cidrs,
            Err(why) => {
                // Recorded once: it is retried as soon as another node is deleted.
                if !lock(&self.allocations).waiting.insert(key.into()) {
                    return Ok(Outcome::Done);
                }
                self.record_event(node, "CIDRNotAvailable");
                return Err(Failure::new(why));
            }
        };
        let path = format!("{NODES}/{}", percent_encode(key));
        match self.client.patch(&path, Patch::Strategic, &patch(node, &cidrs)).await {
            Ok(_) => Ok(Outcome::Done),
            // Where it is unknown whether the write succeeded, the node keeps its allocation: the
            // next attempt is the same.
            Err(failure) if !NOT_WRITTEN.contains(&failure.code) => Err(failure),
            Err(failure) => {
                // The node may have got others meanwhile, which must stay allocated.
                let has_cidrs = self.nodes.get(key).is_some_and(|node| !needs_cidrs(&node));
                if !has_cidrs {
                    lock(&self.allocations).ranges.release(key);
                }
                if failure.is_not_found() {
                    return Ok(Outcome::Done);
                }
                if !failure.is_conflict() {
                    self.record_event(node, "CIDRAssignmentFailed");
                }
                Err(failure)
            }
        }
    }

    fn record_event(&self, node: &Shared, status: &'static str) {
        let object = ObjectReference::object("v1", "Node", node);
        let message = format!("Node {} status is now: {status}", object.name);
        self.recorder.normal(&object, status, message);
    }
}

/// The uid protects another node of this name.
fn patch(node: &Node<'_>, cidrs: &[String]) -> Node<'static> {
    let text = |text: &String| Node::string(text.clone());
    let list = Node::list(cidrs.iter().map(text).collect());
    let first = cidrs.first().map(text).unwrap_or_else(|| Node::string(""));
    Node::map([
        ("metadata", Node::map([("uid", Node::string(uid(node).to_owned()))])),
        ("spec", Node::map([("podCIDR", first), ("podCIDRs", list)])),
    ])
}

fn needs_cidrs(node: &Shared) -> bool {
    pod_cidrs(node).is_empty() && node.metadata().deletion_timestamp().is_empty()
}

fn uid<'n>(node: &'n Node<'_>) -> &'n str {
    node.metadata().uid()
}

fn pod_cidrs<'n>(node: &'n Node<'_>) -> Vec<&'n str> {
    let list = node.find(&["spec", "podCIDRs"]).map(Node::items).unwrap_or_default();
    let list: Vec<&str> = list.iter().filter_map(Node::text).collect();
    match (list.is_empty(), node.text_at(&["spec", "podCIDR"])) {
        (true, "") | (false, _) => list,
        (true, one) => vec![one],
    }
}
