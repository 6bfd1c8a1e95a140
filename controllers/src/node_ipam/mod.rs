//! Every node gets networks for its pods, none that another one has.

#[cfg(test)]
mod tests;

use crate::client::escaped;
use crate::{
    About, Change, Client, Failure, Idle, Key, Outcome, Pace, Patch, Queue, Reconcile, Recorder,
    Row, Setup, Shared, Store, Waiting,
};
use ratchet_allocation::NodeRanges;
use ratchet_object::Node;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The row of this controller.
pub(crate) const ROW: Row = Row {
    name: "node-ipam-controller",
    aliases: &["nodeipam"],
    on_by_default: true,
    pace: Pace::DEFAULT,
    workers: 5,
    start,
};

const NODES: &str = "/api/v1/nodes";

/// Who tells of it.
const COMPONENT: &str = "cidrAllocator";

/// Refusals that leave no doubt: nothing was written.
const REFUSED: std::ops::Range<u16> = 400..500;

/// What is taken, and who waits for what is not there.
struct Ledger {
    ranges: NodeRanges,
    waiting: BTreeSet<Key>,
}

struct Networks {
    client: Client,
    nodes: Arc<Store>,
    recorder: Recorder,
    ledger: Arc<Mutex<Ledger>>,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let Some(ranges) = setup.settings.node_ranges.clone() else { return Box::new(Idle) };
    let nodes = setup.collection(NODES);
    let recorder = setup.recorder(COMPONENT);
    let ledger = Arc::new(Mutex::new(Ledger { ranges, waiting: BTreeSet::new() }));
    let (queue, heard) = (setup.queue.clone(), ledger.clone());
    // What nodes have is taken in here and not by the workers: they begin when all is known.
    setup.listen(NODES, move |change| lock(&heard).hear(change, &queue));
    Box::new(Networks { client: setup.client.clone(), nodes, recorder, ledger })
}

fn lock(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    // No step leaves the ledger half changed.
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ledger {
    fn hear(&mut self, change: &Change, queue: &Queue) {
        let key = &change.key;
        let is_other = match (&change.old, &change.new) {
            (Some(old), Some(new)) => uid(old) != uid(new),
            (_, new) => new.is_none(),
        };
        if is_other {
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

    /// What a node held is free, and those who wait may have it.
    fn release(&mut self, key: &str, queue: &Queue) {
        if self.ranges.release(key) {
            std::mem::take(&mut self.waiting).iter().for_each(|waiting| queue.add(waiting));
        }
    }
}

impl Reconcile for Networks {
    fn reconcile<'a>(&'a self, key: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            match self.nodes.get(key).filter(wants) {
                Some(node) => self.give(key, &node).await,
                None => Ok(Outcome::Done),
            }
        })
    }
}

impl Networks {
    async fn give(&self, key: &str, node: &Shared) -> Result<Outcome, Failure> {
        let allocated = lock(&self.ledger).ranges.allocate(key);
        let cidrs = match allocated {
            Ok(cidrs) => cidrs,
            Err(why) => {
                // Told once: it is tried again as soon as another node goes.
                if !lock(&self.ledger).waiting.insert(key.into()) {
                    return Ok(Outcome::Done);
                }
                self.tell(node, "CIDRNotAvailable");
                return Err(Failure::new(why));
            }
        };
        let path = format!("{NODES}/{}", escaped(key));
        match self.client.patch(&path, Patch::Strategic, &patch(node, &cidrs)).await {
            Ok(_) => Ok(Outcome::Done),
            // Where nobody knows whether it was written, the node keeps what it would have: the
            // next attempt is the same.
            Err(failure) if !REFUSED.contains(&failure.code) => Err(failure),
            Err(failure) => {
                // It may have got others meanwhile, which must not be given away.
                let now = self.nodes.get(key).is_some_and(|node| !wants(&node));
                if !now {
                    lock(&self.ledger).ranges.release(key);
                }
                if failure.is_not_found() {
                    return Ok(Outcome::Done);
                }
                if !failure.is_conflict() {
                    self.tell(node, "CIDRAssignmentFailed");
                }
                Err(failure)
            }
        }
    }

    fn tell(&self, node: &Shared, status: &'static str) {
        let about = About::object("v1", "Node", node);
        let message = format!("Node {} status is now: {status}", about.name);
        self.recorder.tell(&about, status, message);
    }
}

/// The uid keeps it from hitting another node of this name.
fn patch(node: &Node<'_>, cidrs: &[String]) -> Node<'static> {
    let text = |text: &String| Node::string(text.clone());
    let list = Node::list(cidrs.iter().map(text).collect());
    let first = cidrs.first().map(text).unwrap_or_else(|| Node::string(""));
    Node::map([
        ("metadata", Node::map([("uid", Node::string(uid(node).to_owned()))])),
        ("spec", Node::map([("podCIDR", first), ("podCIDRs", list)])),
    ])
}

fn wants(node: &Shared) -> bool {
    pod_cidrs(node).is_empty() && node.text_at(&["metadata", "deletionTimestamp"]).is_empty()
}

fn uid<'n>(node: &'n Node<'_>) -> &'n str {
    node.text_at(&["metadata", "uid"])
}

fn pod_cidrs<'n>(node: &'n Node<'_>) -> Vec<&'n str> {
    let list = node.find(&["spec", "podCIDRs"]).map(Node::items).unwrap_or_default();
    let list: Vec<&str> = list.iter().filter_map(Node::text).collect();
    match (list.is_empty(), node.text_at(&["spec", "podCIDR"])) {
        (true, "") | (false, _) => list,
        (true, one) => vec![one],
    }
}
