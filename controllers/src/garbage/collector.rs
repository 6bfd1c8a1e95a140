//! The collector: applies what the graph asks for, after checking with the API that it still holds.

use super::graph::{Effect, Graph};
use super::identity::{
    FOREGROUND, Identity, Interner, ORPHAN, ObjectKind, ObservedObject, Owner, finalizers,
    has_finalizer, is_deleted, owner_nodes, owners,
};
use super::uid::Uid;
use super::verdict::{DependentState, OwnerState, Verdict};
use crate::discovery::{DiscoveredResources, Resource};
use crate::events::{ObjectReference, Recorder};
use crate::{BoxFuture, Client, Deletion, Failure, Outcome, Patch, Policy, Queue, Reconcile};
use ratchet_object::{Node, percent_encode};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::watch;

/// Prefixes of the keys in the queue.
const ATTEMPT_TO_DELETE: &str = "judge ";
const ATTEMPT_TO_ORPHAN: &str = "orphan ";

/// Dependents created just before their owner was deleted may not have arrived yet; an orphaned
/// dependent must not be missed for that.
const ORPHAN_DELAY: Duration = Duration::from_millis(200);

/// How often a patch that met a conflict is retried at once.
const ATTEMPTS: u32 = 5;

/// State shared by the monitors and the collector.
pub(super) struct SharedState {
    graph: Mutex<Graph>,
    interner: Mutex<Interner>,
    kinds: RwLock<HashMap<(String, String), Resource>>,
    queue: Arc<Queue>,
    recorder: Recorder,
    started: watch::Sender<bool>,
}

impl SharedState {
    pub(super) fn new(queue: Arc<Queue>, recorder: Recorder) -> Self {
        Self {
            graph: Mutex::default(),
            interner: Mutex::default(),
            kinds: RwLock::default(),
            queue,
            recorder,
            started: watch::Sender::new(false),
        }
    }

    /// Parses the metadata of an object.
    pub(super) fn observe(&self, node: &Node<'_>, kind: &Arc<ObjectKind>) -> ObservedObject {
        ObservedObject::from_node(node, kind, &mut self.interner())
    }

    /// The kind, shared with all its objects.
    pub(super) fn kind(&self, api_version: &str, kind: &str) -> Arc<ObjectKind> {
        self.interner().intern_kind(api_version, kind)
    }

    /// The uids of the observed objects of a kind.
    pub(super) fn uids(&self, kind: &ObjectKind) -> HashSet<Uid> {
        self.graph().uids(kind)
    }

    /// Changes the graph, and enqueues the effects.
    pub(super) fn change(&self, change: impl FnOnce(&mut Graph) -> Vec<Effect>) {
        let effects = change(&mut self.graph());
        for effect in effects {
            match effect {
                Effect::AttemptToDelete(uid) => {
                    self.queue.add(&format!("{ATTEMPT_TO_DELETE}{uid}"));
                }
                Effect::RetryDelete(uid) => self.queue.retry(&format!("{ATTEMPT_TO_DELETE}{uid}")),
                Effect::Orphan(uid) => {
                    self.queue.add_after(&format!("{ATTEMPT_TO_ORPHAN}{uid}"), ORPHAN_DELAY);
                }
                Effect::InvalidOwnerNamespace { dependent, owner } => {
                    self.report_invalid_namespace(&dependent, &owner);
                }
            }
        }
    }

    /// Updates the known kinds from discovery.
    pub(super) fn update_kinds(&self, discovered: DiscoveredResources) {
        let mut kinds = HashMap::new();
        for resource in discovered.all {
            let key = (resource.api_version(), resource.kind.clone());
            kinds.entry(key).or_insert(resource);
        }
        let mut current = self.kinds.write().unwrap_or_else(PoisonError::into_inner);
        // Kinds of groups that could not be discovered stay known.
        let old = std::mem::take(&mut *current);
        *current = if discovered.failure.is_some() { old } else { HashMap::new() };
        current.extend(kinds);
    }

    /// Starts collection, once everything was listed.
    pub(super) fn start(&self) {
        self.started.send_replace(true);
    }

    fn interner(&self) -> MutexGuard<'_, Interner> {
        self.interner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn graph(&self) -> MutexGuard<'_, Graph> {
        // No change leaves the graph in a state that the next one could not continue from.
        self.graph.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn resource(&self, identity: &Identity) -> Option<Resource> {
        let kinds = self.kinds.read().unwrap_or_else(PoisonError::into_inner);
        let ObjectKind { kind, api_version } = &*identity.kind;
        let key = (api_version.to_string(), kind.to_string());
        kinds.get(&key).cloned()
    }

    fn report_invalid_namespace(&self, dependent: &Identity, owner: &Owner) {
        let object = ObjectReference {
            api_version: dependent.kind.api_version.to_string(),
            kind: dependent.kind.kind.to_string(),
            namespace: dependent.namespace.to_string(),
            name: dependent.name.to_string(),
            uid: dependent.uid.to_string(),
        };
        let namespace = &dependent.namespace;
        let owner = owner.in_namespace(namespace);
        let message = format!("ownerRef {owner} does not exist in namespace {namespace:?}");
        self.recorder.warn(&object, "OwnerRefInvalidNamespace", message);
    }
}

/// The garbage collector.
pub(super) struct Collector {
    pub(super) client: Client,
    pub(super) shared: Arc<SharedState>,
}

/// Why an object could not be processed.
enum CollectError {
    /// A request failed.
    Failed(Failure),
    /// The kind is not served, now or ever.
    UnknownKind,
    /// A cluster-scoped object names a namespaced owner: retrying does not help.
    InvalidOwner,
}

impl From<Failure> for CollectError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Reconcile for Collector {
    fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            // The sender lives as long as the shared state.
            let _ = self.shared.started.subscribe().wait_for(|started| *started).await;
            let result =
                match (key.strip_prefix(ATTEMPT_TO_DELETE), key.strip_prefix(ATTEMPT_TO_ORPHAN)) {
                    (Some(uid), _) => self.attempt_to_delete(&uid.into()).await,
                    (_, Some(uid)) => self.attempt_to_orphan(&uid.into()).await,
                    _ => Ok(Outcome::Done),
                };
            match result {
                Err(CollectError::UnknownKind) => Ok(Outcome::Retry),
                Err(CollectError::InvalidOwner) => Ok(Outcome::Done),
                Err(CollectError::Failed(failure)) => Err(failure),
                Ok(outcome) => Ok(outcome),
            }
        })
    }
}

impl Collector {
    /// Deletes an object if its owners require it.
    async fn attempt_to_delete(&self, uid: &Uid) -> Result<Outcome, CollectError> {
        let Some((identity, foreground, deleting)) = self
            .shared
            .graph()
            .get(uid)
            .map(|vertex| (vertex.identity.clone(), vertex.foreground, vertex.deleting))
        else {
            return Ok(Outcome::Done);
        };
        // A deleted object needs no second deletion: its dependents are processed when it is gone.
        if deleting && !foreground {
            return Ok(Outcome::Done);
        }
        let Some(live) = self.live(&identity).await? else {
            self.shared.change(|graph| graph.mark_absent(&identity));
            return Ok(Outcome::Done);
        };
        if foreground {
            self.wait_for_dependents(&identity, &live).await?;
        } else if self.apply_verdict(&identity, &live).await? == Gone::Yes {
            self.shared.change(|graph| graph.mark_absent(&identity));
            return Ok(Outcome::Done);
        }
        // A virtual vertex is retried until its object is observed or known to be absent.
        let is_virtual = self.shared.graph().get(uid).is_some_and(|vertex| vertex.is_virtual);
        Ok(if is_virtual { Outcome::Retry } else { Outcome::Done })
    }

    /// Applies the verdict on an existing object.
    async fn apply_verdict(
        &self,
        identity: &Identity,
        live: &Node<'_>,
    ) -> Result<Gone, CollectError> {
        let mut owner_states = Vec::new();
        for owner in owners(live) {
            owner_states.push((owner.uid.clone(), self.owner_state(&owner, identity).await?));
        }
        let dependent = DependentState {
            owners: owner_states,
            dependents: {
                let graph = self.shared.graph();
                graph.dependents(&identity.uid).map(|vertex| vertex.foreground).collect()
            },
            orphan: has_finalizer(live, ORPHAN),
            foreground: has_finalizer(live, FOREGROUND),
        };
        match dependent.judge() {
            Verdict::Keep => Ok(Gone::No),
            Verdict::Drop(uids) => {
                self.drop_owners(identity, &uids).await?;
                Ok(Gone::No)
            }
            Verdict::Delete { policy, unblock } => {
                if unblock {
                    self.unblock(identity, live).await?;
                }
                // The patch above changed the version, so it cannot be a precondition.
                let version = if unblock { "" } else { version(live) };
                self.delete(identity, version, live, policy).await
            }
        }
    }

    /// The state of an owner according to the API.
    async fn owner_state(
        &self,
        owner: &Owner,
        item: &Identity,
    ) -> Result<OwnerState, CollectError> {
        let mut identity = owner.in_namespace(&"".into());
        let namespaced = owner.in_namespace(&item.namespace);
        {
            let graph = self.shared.graph();
            if graph.absent.contains(&identity) || graph.absent.contains(&namespaced) {
                return Ok(OwnerState::Dangling);
            }
        }
        let resource = self.shared.resource(&identity).ok_or(CollectError::UnknownKind)?;
        if resource.namespaced {
            identity = namespaced;
        }
        match self.live(&identity).await? {
            None => {
                self.shared.graph().absent.add(identity);
                Ok(OwnerState::Dangling)
            }
            Some(live) if is_deleted(&live) && has_finalizer(&live, FOREGROUND) => {
                Ok(OwnerState::Waiting)
            }
            Some(_) => Ok(OwnerState::Solid),
        }
    }

    /// Removes the foreground finalizer if no dependent blocks, or enqueues the blocking
    /// dependents. Owners in a circle that were all deleted in the foreground would wait for each other for ever.
    async fn wait_for_dependents(
        &self,
        identity: &Identity,
        live: &Node<'_>,
    ) -> Result<(), CollectError> {
        let (blocking, waits_for_itself): (Vec<(Uid, bool)>, bool) = {
            let graph = self.shared.graph();
            let all = graph.blocking(&identity.uid);
            let all = all.map(|vertex| (vertex.identity.uid.clone(), vertex.foreground)).collect();
            (all, graph.waits_for_itself(&identity.uid))
        };
        if waits_for_itself {
            self.unblock(identity, live).await?;
        }
        if blocking.is_empty() {
            return self.remove_finalizer(identity, FOREGROUND).await;
        }
        for (uid, _) in blocking.iter().filter(|(_, waits)| !waits) {
            self.shared.queue.add(&format!("{ATTEMPT_TO_DELETE}{uid}"));
        }
        Ok(())
    }

    /// Removes the owner from its dependents, then the orphan finalizer from the owner.
    async fn attempt_to_orphan(&self, uid: &Uid) -> Result<Outcome, CollectError> {
        let (owner, dependents): (_, Vec<Identity>) = {
            let graph = self.shared.graph();
            let Some(vertex) = graph.get(uid) else { return Ok(Outcome::Done) };
            let dependents = graph.dependents(uid).map(|vertex| vertex.identity.clone());
            (vertex.identity.clone(), dependents.collect())
        };
        let mut first_error = None;
        for dependent in &dependents {
            if let Err(error) = self.drop_owners(dependent, std::slice::from_ref(&owner.uid)).await
            {
                first_error = first_error.or(Some(error));
            }
        }
        match first_error {
            Some(error) => Err(error),
            None => {
                self.remove_finalizer(&owner, ORPHAN).await?;
                Ok(Outcome::Done)
            }
        }
    }

    /// Removes the references to these owners from an object, if it still exists.
    async fn drop_owners(&self, identity: &Identity, uids: &[Uid]) -> Result<(), CollectError> {
        let references = uids.iter().map(|uid| {
            Node::map([("$patch", Node::string("delete")), ("uid", Node::string(uid.to_string()))])
        });
        let patch = owners_patch(identity, references.collect());
        let retained = |node: &Node<'static>| {
            let uid = Uid::from(node.text_at(&["uid"]));
            (!uids.contains(&uid)).then(|| node.clone())
        };
        self.patch_owners(identity, &patch, retained).await
    }

    /// Makes the object block its owners' deletion no more.
    async fn unblock(&self, identity: &Identity, live: &Node<'_>) -> Result<(), CollectError> {
        let unblocked = |node: &Node<'_>| {
            let mut node = node.clone().into_owned();
            node.set("blockOwnerDeletion", Node::bool(false));
            node
        };
        let blocks =
            |node: &&Node<'_>| node.get("blockOwnerDeletion").and_then(Node::as_bool) == Some(true);
        let blocking = owner_nodes(live).iter().filter(blocks).map(unblocked).collect();
        let patch = owners_patch(identity, blocking);
        self.patch_owners(identity, &patch, |node| Some(unblocked(node))).await
    }

    /// Patches owner references by uid or, where the API does not support that, replaces them all.
    async fn patch_owners(
        &self,
        identity: &Identity,
        patch: &Node<'static>,
        change: impl Fn(&Node<'static>) -> Option<Node<'static>>,
    ) -> Result<(), CollectError> {
        let path = self.path(identity)?;
        let client = self.client.metadata_only();
        match client.patch(&path, Patch::Strategic, patch).await {
            Err(failure) if failure.code == 415 => {}
            result => return ignore_not_found(result),
        }
        let Some(live) = self.live(identity).await? else { return Ok(()) };
        let references = owner_nodes(&live).iter().filter_map(change).collect();
        let replacement = metadata_patch(version(&live), "ownerReferences", references);
        ignore_not_found(client.patch(&path, Patch::Merge, &replacement).await)
    }

    async fn remove_finalizer(&self, identity: &Identity, name: &str) -> Result<(), CollectError> {
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
                result => return ignore_not_found(result),
            }
        }
    }

    /// Deletes exactly this object. One that others keep changing is deleted nevertheless, as long
    /// as its owner references stay the same.
    async fn delete(
        &self,
        identity: &Identity,
        judged_version: &str,
        judged: &Node<'_>,
        policy: Policy,
    ) -> Result<Gone, CollectError> {
        let path = self.path(identity)?;
        let mut deletion = Deletion {
            policy: Some(policy),
            uid: Some(identity.uid.to_string()),
            version: (!judged_version.is_empty()).then(|| judged_version.to_owned()),
        };
        loop {
            match self.client.delete_with(&path, &deletion).await {
                Err(failure) if failure.is_not_found() => return Ok(Gone::Yes),
                Err(failure) if failure.is_conflict() && deletion.version.is_some() => {
                    let Some(live) = self.live(identity).await? else { return Ok(Gone::Yes) };
                    if owner_nodes(&live) != owner_nodes(judged) {
                        return Err(failure.into());
                    }
                    deletion.version = None;
                }
                result => return Ok(result.map(|()| Gone::No)?),
            }
        }
    }

    /// The current object, if it exists and has the same uid.
    async fn live(&self, identity: &Identity) -> Result<Option<Node<'static>>, CollectError> {
        match self.client.metadata_only().get(&self.path(identity)?).await {
            Err(failure) if failure.is_not_found() => Ok(None),
            Err(failure) => Err(failure.into()),
            Ok(live) => {
                let is_same = Uid::from(live.metadata().uid()) == identity.uid;
                Ok(is_same.then_some(live))
            }
        }
    }

    fn path(&self, identity: &Identity) -> Result<String, CollectError> {
        let resource = self.shared.resource(identity).ok_or(CollectError::UnknownKind)?;
        let namespace = if resource.namespaced { &*identity.namespace } else { "" };
        if resource.namespaced && namespace.is_empty() {
            return Err(CollectError::InvalidOwner);
        }
        Ok(format!(
            "{}/{}",
            resource.path(&percent_encode(namespace)),
            percent_encode(&identity.name)
        ))
    }
}

/// Whether an object turned out to be deleted already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gone {
    Yes,
    No,
}

fn version<'n>(object: &'n Node<'_>) -> &'n str {
    object.metadata().resource_version()
}

fn ignore_not_found(result: Result<Node<'static>, Failure>) -> Result<(), CollectError> {
    match result {
        Err(failure) if failure.is_not_found() => Ok(()),
        result => Ok(result.map(drop)?),
    }
}

/// A strategic patch of owner references; the uid protects another object of the same name.
fn owners_patch(identity: &Identity, references: Vec<Node<'static>>) -> Node<'static> {
    let metadata = Node::map([
        ("ownerReferences", Node::list(references)),
        ("uid", Node::string(identity.uid.to_string())),
    ]);
    Node::map([("metadata", metadata)])
}

/// A merge patch of one list of the metadata; the version protects concurrent changes.
fn metadata_patch(version: &str, name: &'static str, list: Vec<Node<'static>>) -> Node<'static> {
    let list =
        if list.is_empty() { Node::new(ratchet_object::Value::Null) } else { Node::list(list) };
    let metadata = Node::map([("resourceVersion", Node::string(version.to_owned())), (name, list)]);
    Node::map([("metadata", metadata)])
}
