//! Carries out what the graph asks for, after the API was asked whether it is so.

use super::graph::{Effect, Graph};
use super::identity::{
    FOREGROUND, Identity, ORPHAN, Owner, Seen, Uid, Words, finalizers, has_finalizer, is_deleted,
    owner_nodes, owners,
};
use super::verdict::{Case, Standing, Verdict};
use crate::client::escaped;
use crate::discovery::{Discovered, Resource};
use crate::events::{About, Recorder};
use crate::{Client, Deletion, Failure, Outcome, Patch, Policy, Queue, Reconcile, Waiting};
use ratchet_object::Node;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::watch;

/// What the keys of the queue begin with.
const JUDGE: &str = "judge ";
const ORPHANS: &str = "orphan ";

/// Dependents that were made just before their owner was deleted may still be on their way here;
/// who is to be left behind must not be forgotten for that.
const ARRIVAL: Duration = Duration::from_millis(200);

/// So often a patch that met another one is tried again at once.
const ATTEMPTS: u32 = 5;

/// What the monitors and the collector share.
pub(super) struct Shelf {
    graph: Mutex<Graph>,
    words: Mutex<Words>,
    kinds: RwLock<HashMap<(String, String), Resource>>,
    queue: Arc<Queue>,
    recorder: Recorder,
    began: watch::Sender<bool>,
}

impl Shelf {
    /// An empty graph.
    pub(super) fn new(queue: Arc<Queue>, recorder: Recorder) -> Self {
        Self {
            graph: Mutex::default(),
            words: Mutex::default(),
            kinds: RwLock::default(),
            queue,
            recorder,
            began: watch::Sender::new(false),
        }
    }

    /// Reads the metadata of an object.
    pub(super) fn read(&self, node: &Node<'_>, api_version: &Arc<str>, kind: &Arc<str>) -> Seen {
        let mut words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        Seen::read(node, api_version, kind, &mut words)
    }

    /// Changes the graph, and asks for what follows from it.
    pub(super) fn change(&self, change: impl FnOnce(&mut Graph) -> Vec<Effect>) {
        let effects = change(&mut self.graph());
        for effect in effects {
            match effect {
                Effect::Judge(uid) => self.queue.add(&format!("{JUDGE}{uid}")),
                Effect::JudgeLater(uid) => self.queue.retry(&format!("{JUDGE}{uid}")),
                Effect::Orphan(uid) => {
                    self.queue.add_after(&format!("{ORPHANS}{uid}"), ARRIVAL);
                }
                Effect::Astray { dependent, owner } => self.tell_astray(&dependent, &owner),
            }
        }
    }

    /// Takes in which kinds there are.
    pub(super) fn learn(&self, found: Discovered) {
        let mut kinds = HashMap::new();
        for resource in found.all {
            let key = (resource.api_version(), resource.kind.clone());
            kinds.entry(key).or_insert(resource);
        }
        let mut known = self.kinds.write().unwrap_or_else(PoisonError::into_inner);
        // What could not be asked is as it was.
        let old = std::mem::take(&mut *known);
        *known = if found.failure.is_some() { old } else { HashMap::new() };
        known.extend(kinds);
    }

    /// Everything was listed: work begins.
    pub(super) fn begin(&self) {
        self.began.send_replace(true);
    }

    fn graph(&self) -> MutexGuard<'_, Graph> {
        // No change leaves the graph in a state that the next one could not go on from.
        self.graph.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn resource(&self, identity: &Identity) -> Option<Resource> {
        let kinds = self.kinds.read().unwrap_or_else(PoisonError::into_inner);
        let key = (identity.api_version.to_string(), identity.kind.to_string());
        kinds.get(&key).cloned()
    }

    fn tell_astray(&self, dependent: &Identity, owner: &Owner) {
        let about = About {
            api_version: dependent.api_version.to_string(),
            kind: dependent.kind.to_string(),
            namespace: dependent.namespace.to_string(),
            name: dependent.name.to_string(),
            uid: dependent.uid.to_string(),
        };
        let namespace = &dependent.namespace;
        let owner = owner.within(namespace);
        let message = format!("ownerRef {owner} does not exist in namespace {namespace:?}");
        self.recorder.warn(&about, "OwnerRefInvalidNamespace", message);
    }
}

/// The collector.
pub(super) struct Collector {
    pub(super) client: Client,
    pub(super) shelf: Arc<Shelf>,
}

/// Why an object could not be judged.
enum Trouble {
    /// A request failed.
    Failed(Failure),
    /// The kind is not offered, now or ever.
    Unknown,
    /// An object without a namespace names an owner that stands in one: that will not get better.
    Senseless,
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Reconcile for Collector {
    fn reconcile<'a>(&'a self, key: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            // The sender lives as long as the shelf.
            let _ = self.shelf.began.subscribe().wait_for(|began| *began).await;
            let done = match (key.strip_prefix(JUDGE), key.strip_prefix(ORPHANS)) {
                (Some(uid), _) => self.judge(uid).await,
                (_, Some(uid)) => self.orphan(uid).await,
                _ => Ok(Outcome::Done),
            };
            match done {
                Err(Trouble::Unknown) => Ok(Outcome::Retry),
                Err(Trouble::Senseless) => Ok(Outcome::Done),
                Err(Trouble::Failed(failure)) => Err(failure),
                Ok(outcome) => Ok(outcome),
            }
        })
    }
}

impl Collector {
    /// Sees whether an object must go.
    async fn judge(&self, uid: &str) -> Result<Outcome, Trouble> {
        let Some((identity, foreground, deleting)) = self
            .shelf
            .graph()
            .get(uid)
            .map(|vertex| (vertex.identity.clone(), vertex.foreground, vertex.deleting))
        else {
            return Ok(Outcome::Done);
        };
        // Nothing stops what was deleted: its dependents are looked at when it is gone.
        if deleting && !foreground {
            return Ok(Outcome::Done);
        }
        let Some(live) = self.live(&identity).await? else {
            self.shelf.change(|graph| graph.refute(&identity));
            return Ok(Outcome::Done);
        };
        if foreground {
            self.wait_for_dependents(&identity).await?;
        } else if self.settle(&identity, &live).await? == Gone::Yes {
            self.shelf.change(|graph| graph.refute(&identity));
            return Ok(Outcome::Done);
        }
        // What nobody has seen yet is asked for until somebody sees it, or it is not there.
        let is_rumour = self.shelf.graph().get(uid).is_some_and(|vertex| vertex.rumour);
        Ok(if is_rumour { Outcome::Retry } else { Outcome::Done })
    }

    /// Does with a living object what its owners make of it.
    async fn settle(&self, identity: &Identity, live: &Node<'_>) -> Result<Gone, Trouble> {
        let mut standings = Vec::new();
        for owner in owners(live) {
            standings.push((owner.uid.clone(), self.standing(&owner, identity).await?));
        }
        let case = Case {
            owners: standings,
            dependents: {
                let graph = self.shelf.graph();
                graph.dependents(&identity.uid).map(|vertex| vertex.foreground).collect()
            },
            orphan: has_finalizer(live, ORPHAN),
            foreground: has_finalizer(live, FOREGROUND),
        };
        match case.judge() {
            Verdict::Keep => Ok(Gone::No),
            Verdict::Drop(uids) => {
                self.drop_owners(identity, &uids).await?;
                Ok(Gone::No)
            }
            Verdict::Delete { policy, unblock } => {
                if unblock {
                    self.unblock(identity, live).await?;
                }
                // Our own patch is no reason to think that somebody else changed it.
                let version = if unblock { "" } else { version(live) };
                self.delete(identity, version, live, policy).await
            }
        }
    }

    /// How an owner stands, as the API says.
    async fn standing(&self, owner: &Owner, item: &Identity) -> Result<Standing, Trouble> {
        let mut meant = owner.within(&"".into());
        let near = owner.within(&item.namespace);
        {
            let graph = self.shelf.graph();
            if graph.absent.has(&meant) || graph.absent.has(&near) {
                return Ok(Standing::Dangling);
            }
        }
        let resource = self.shelf.resource(&meant).ok_or(Trouble::Unknown)?;
        if resource.namespaced {
            meant = near;
        }
        match self.live(&meant).await? {
            None => {
                self.shelf.graph().absent.add(meant);
                Ok(Standing::Dangling)
            }
            Some(live) if is_deleted(&live) && has_finalizer(&live, FOREGROUND) => {
                Ok(Standing::Waiting)
            }
            Some(_) => Ok(Standing::Solid),
        }
    }

    /// An object that waits for its dependents: goes if there are none, makes them go otherwise.
    async fn wait_for_dependents(&self, identity: &Identity) -> Result<(), Trouble> {
        let blocking: Vec<(Uid, bool)> = {
            let graph = self.shelf.graph();
            let all = graph.blocking(&identity.uid);
            all.map(|vertex| (vertex.identity.uid.clone(), vertex.foreground)).collect()
        };
        if blocking.is_empty() {
            return self.remove_finalizer(identity, FOREGROUND).await;
        }
        for (uid, _) in blocking.iter().filter(|(_, waits)| !waits) {
            self.shelf.queue.add(&format!("{JUDGE}{uid}"));
        }
        Ok(())
    }

    /// Makes the dependents of an object let go of it.
    async fn orphan(&self, uid: &str) -> Result<Outcome, Trouble> {
        let (owner, dependents): (_, Vec<Identity>) = {
            let graph = self.shelf.graph();
            let Some(vertex) = graph.get(uid) else { return Ok(Outcome::Done) };
            let dependents = graph.dependents(uid).map(|vertex| vertex.identity.clone());
            (vertex.identity.clone(), dependents.collect())
        };
        let mut trouble = None;
        for dependent in &dependents {
            if let Err(why) = self.drop_owners(dependent, std::slice::from_ref(&owner.uid)).await {
                trouble = trouble.or(Some(why));
            }
        }
        match trouble {
            Some(why) => Err(why),
            None => {
                self.remove_finalizer(&owner, ORPHAN).await?;
                Ok(Outcome::Done)
            }
        }
    }

    /// Takes the references to these owners out of an object. One that is gone needs it no more.
    async fn drop_owners(&self, identity: &Identity, uids: &[Uid]) -> Result<(), Trouble> {
        let references = uids.iter().map(|uid| {
            Node::map([("$patch", Node::string("delete")), ("uid", Node::string(uid.to_string()))])
        });
        let patch = owners_patch(identity, references.collect());
        let stays = |node: &Node<'static>| {
            let uid = node.text_at(&["uid"]);
            (!uids.iter().any(|dropped| &**dropped == uid)).then(|| node.clone())
        };
        self.patch_owners(identity, &patch, stays).await
    }

    /// Makes the owners of an object wait for it no more.
    async fn unblock(&self, identity: &Identity, live: &Node<'_>) -> Result<(), Trouble> {
        let freed = |node: &Node<'_>| {
            let mut node = node.clone().into_owned();
            node.set("blockOwnerDeletion", Node::bool(false));
            node
        };
        let blocks =
            |node: &&Node<'_>| node.get("blockOwnerDeletion").and_then(Node::as_bool) == Some(true);
        let blocking = owner_nodes(live).iter().filter(blocks).map(freed).collect();
        let patch = owners_patch(identity, blocking);
        self.patch_owners(identity, &patch, |node| Some(freed(node))).await
    }

    /// Patches the references to owners by their uids or, where the API cannot, as a whole.
    async fn patch_owners(
        &self,
        identity: &Identity,
        patch: &Node<'static>,
        change: impl Fn(&Node<'static>) -> Option<Node<'static>>,
    ) -> Result<(), Trouble> {
        let path = self.path(identity)?;
        let client = self.client.metadata_only();
        match client.patch(&path, Patch::Strategic, patch).await {
            Err(failure) if failure.code == 415 => {}
            answered => return gone_is_fine(answered),
        }
        let Some(live) = self.live(identity).await? else { return Ok(()) };
        let references = owner_nodes(&live).iter().filter_map(change).collect();
        let whole = metadata_patch(version(&live), "ownerReferences", references);
        gone_is_fine(client.patch(&path, Patch::Merge, &whole).await)
    }

    /// Takes a finalizer out.
    async fn remove_finalizer(&self, identity: &Identity, name: &str) -> Result<(), Trouble> {
        let path = self.path(identity)?;
        let client = self.client.metadata_only();
        let mut attempts = 1;
        loop {
            let Some(live) = self.live(identity).await? else { return Ok(()) };
            if !has_finalizer(&live, name) {
                return Ok(());
            }
            let others = finalizers(&live).iter().filter(|one| one.text() != Some(name)).cloned();
            let patch = metadata_patch(version(&live), "finalizers", others.collect());
            match client.patch(&path, Patch::Merge, &patch).await {
                Err(failure) if failure.is_conflict() && attempts < ATTEMPTS => attempts += 1,
                answered => return gone_is_fine(answered),
            }
        }
    }

    /// Deletes exactly this object. One that others change all the time is deleted nevertheless,
    /// as long as they leave its owners alone.
    async fn delete(
        &self,
        identity: &Identity,
        version_seen: &str,
        seen: &Node<'_>,
        policy: Policy,
    ) -> Result<Gone, Trouble> {
        let path = self.path(identity)?;
        let mut deletion = Deletion {
            policy: Some(policy),
            uid: Some(identity.uid.to_string()),
            version: (!version_seen.is_empty()).then(|| version_seen.to_owned()),
        };
        loop {
            match self.client.delete_with(&path, &deletion).await {
                Err(failure) if failure.is_not_found() => return Ok(Gone::Yes),
                Err(failure) if failure.is_conflict() && deletion.version.is_some() => {
                    let Some(live) = self.live(identity).await? else { return Ok(Gone::Yes) };
                    if owner_nodes(&live) != owner_nodes(seen) {
                        return Err(failure.into());
                    }
                    deletion.version = None;
                }
                answered => return Ok(answered.map(|()| Gone::No)?),
            }
        }
    }

    /// The object as it is now, if it is there and no other.
    async fn live(&self, identity: &Identity) -> Result<Option<Node<'static>>, Trouble> {
        match self.client.metadata_only().get(&self.path(identity)?).await {
            Err(failure) if failure.is_not_found() => Ok(None),
            Err(failure) => Err(failure.into()),
            Ok(live) => {
                let is_same = live.text_at(&["metadata", "uid"]) == &*identity.uid;
                Ok(is_same.then_some(live))
            }
        }
    }

    fn path(&self, identity: &Identity) -> Result<String, Trouble> {
        let resource = self.shelf.resource(identity).ok_or(Trouble::Unknown)?;
        let namespace = if resource.namespaced { &*identity.namespace } else { "" };
        if resource.namespaced && namespace.is_empty() {
            return Err(Trouble::Senseless);
        }
        Ok(format!("{}/{}", resource.path(&escaped(namespace)), escaped(&identity.name)))
    }
}

/// Whether an object was found not to be there any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gone {
    Yes,
    No,
}

fn version<'n>(object: &'n Node<'_>) -> &'n str {
    object.text_at(&["metadata", "resourceVersion"])
}

fn gone_is_fine(answered: Result<Node<'static>, Failure>) -> Result<(), Trouble> {
    match answered {
        Err(failure) if failure.is_not_found() => Ok(()),
        answered => Ok(answered.map(drop)?),
    }
}

/// A strategic patch of references to owners; the uid keeps it from hitting another object.
fn owners_patch(identity: &Identity, references: Vec<Node<'static>>) -> Node<'static> {
    let metadata = Node::map([
        ("ownerReferences", Node::list(references)),
        ("uid", Node::string(identity.uid.to_string())),
    ]);
    Node::map([("metadata", metadata)])
}

/// A merge patch of one list of the metadata; the version keeps it from undoing what others did.
fn metadata_patch(version: &str, name: &'static str, list: Vec<Node<'static>>) -> Node<'static> {
    let list =
        if list.is_empty() { Node::new(ratchet_object::Value::Null) } else { Node::list(list) };
    let metadata = Node::map([("resourceVersion", Node::string(version.to_owned())), (name, list)]);
    Node::map([("metadata", metadata)])
}
