//! The graph of objects related to nodes, updated object by object, whose queries need no traversal.
//!
//! Edges lead towards nodes: a pod, volume attachment, resource slice or pod certificate request to the node it names;
//! a secret, config map, claim, service account or resource claim to the pods that use it; a volume to its claim, and a
//! secret to the volumes that need it on nodes.

mod references;

use crate::Resource;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_object::Node;
use references::References;

/// The kinds of objects that edges come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A pod, which runs on a node and uses other objects there.
    Pod,
    /// A volume, which a claim is bound to.
    PersistentVolume,
    /// A volume that is attached to a node.
    VolumeAttachment,
    /// The devices of a node.
    ResourceSlice,
    /// A certificate for a pod on a node.
    PodCertificateRequest,
}

/// The kinds of objects that can be related to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    ConfigMap,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodCertificateRequest,
    ResourceClaim,
    ResourceSlice,
    Secret,
    ServiceAccount,
    VolumeAttachment,
}

/// Group, resource, kind, and the source if edges come from it.
type Row = (&'static str, &'static str, Kind, Option<Source>);

const ROWS: [Row; 10] = [
    ("", "configmaps", Kind::ConfigMap, None),
    ("", "persistentvolumeclaims", Kind::PersistentVolumeClaim, None),
    ("", "persistentvolumes", Kind::PersistentVolume, Some(Source::PersistentVolume)),
    ("", "pods", Kind::Pod, Some(Source::Pod)),
    ("", "secrets", Kind::Secret, None),
    ("", "serviceaccounts", Kind::ServiceAccount, None),
    (
        "certificates.k8s.io",
        "podcertificaterequests",
        Kind::PodCertificateRequest,
        Some(Source::PodCertificateRequest),
    ),
    ("resource.k8s.io", "resourceclaims", Kind::ResourceClaim, None),
    ("resource.k8s.io", "resourceslices", Kind::ResourceSlice, Some(Source::ResourceSlice)),
    ("storage.k8s.io", "volumeattachments", Kind::VolumeAttachment, Some(Source::VolumeAttachment)),
];

impl Source {
    /// The source of a resource, if edges come from its objects.
    #[must_use]
    pub fn of(group: &str, resource: &str) -> Option<Self> {
        ROWS.iter().find(|row| (row.0, row.1) == (group, resource))?.3
    }

    /// A member that every object with an edge has: a caller with the text alone can skip others.
    #[must_use]
    pub const fn member(self) -> &'static str {
        match self {
            Self::PersistentVolume => "claimRef",
            _ => "nodeName",
        }
    }

    const fn kind(self) -> Kind {
        match self {
            Self::Pod => Kind::Pod,
            Self::PersistentVolume => Kind::PersistentVolume,
            Self::VolumeAttachment => Kind::VolumeAttachment,
            Self::ResourceSlice => Kind::ResourceSlice,
            Self::PodCertificateRequest => Kind::PodCertificateRequest,
        }
    }
}

/// An object, whether it exists or is only referenced.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Vertex {
    kind: Kind,
    namespace: String,
    name: String,
}

impl Vertex {
    fn new(kind: Kind, namespace: &str, name: &str) -> Self {
        Self { kind, namespace: namespace.into(), name: name.into() }
    }
}

/// The nodes that a vertex leads to, with the number of edges.
type Nodes = BTreeMap<Arc<str>, usize>;

/// The edges of a source, kept to remove them again.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Edges {
    /// All vertices that lead to this node through the object, itself included.
    Node { node: Arc<str>, from: Vec<Arc<Vertex>> },
    /// The claim that the volume is bound to, and the secrets that lead to the volume.
    Claim { claim: Arc<Vertex>, secrets: Vec<Arc<Vertex>> },
}

/// The objects that are related to nodes.
///
/// For every vertex the nodes that it leads to are counted, also through claims and volumes. So a query is two
/// lookups, and an update costs as many steps as the object has references: for a pod the secrets of the volumes bound
/// to its claims are added, for a volume its secrets on each node that uses its claim. Nothing depends on the number of
/// other objects.
#[derive(Debug, Default)]
pub struct NodeGraph {
    edges: BTreeMap<Vertex, Edges>,
    nodes: BTreeMap<Arc<Vertex>, Nodes>,
    /// The volumes that are bound to a claim.
    volumes: BTreeMap<Arc<Vertex>, BTreeSet<Vertex>>,
    #[cfg(test)]
    steps: usize,
}

impl NodeGraph {
    /// Updates an object; none if it was deleted.
    pub fn set(&mut self, source: Source, namespace: &str, name: &str, object: Option<&Node<'_>>) {
        let vertex = Vertex::new(source.kind(), namespace, name);
        let references = object.and_then(|object| references::of(source, &vertex, object));
        let edges = references.map(|references| self.shared(references));
        if self.edges.get(&vertex) == edges.as_ref() {
            return;
        }
        if let Some(old) = self.edges.remove(&vertex) {
            self.unlink(&vertex, &old);
        }
        if let Some(new) = edges {
            self.link(&vertex, &new);
            self.edges.insert(vertex, new);
        }
    }

    /// Whether an object leads to a node.
    #[must_use]
    pub fn is_related(&self, node: &str, target: &Resource<'_>) -> bool {
        let row = ROWS.iter().find(|row| (row.0, row.1) == (target.group, target.resource));
        let Some((_, _, kind, _)) = row else { return false };
        let vertex = Vertex::new(*kind, target.namespace, target.name);
        let nodes = match self.edges.get(&vertex) {
            Some(Edges::Claim { claim, .. }) => self.nodes.get(claim),
            _ => self.nodes.get(&vertex),
        };
        nodes.is_some_and(|nodes| nodes.contains_key(node))
    }

    /// The same references with shared vertices.
    fn shared(&self, references: References) -> Edges {
        let shared = |vertex: Vertex| match self.nodes.get_key_value(&vertex) {
            Some((existing, _)) => existing.clone(),
            None => Arc::new(vertex),
        };
        match references {
            References::Node { node, from } => {
                Edges::Node { node, from: from.into_iter().map(shared).collect() }
            }
            References::Claim { claim, secrets } => Edges::Claim {
                claim: shared(claim),
                secrets: secrets.into_iter().map(shared).collect(),
            },
        }
    }

    fn link(&mut self, vertex: &Vertex, edges: &Edges) {
        match edges {
            Edges::Node { node, from } => from.iter().for_each(|from| self.add_edge(from, node)),
            Edges::Claim { claim, secrets } => {
                self.volumes.entry(claim.clone()).or_default().insert(vertex.clone());
                for node in self.nodes_of(claim) {
                    secrets.iter().for_each(|secret| self.add_edge(secret, &node));
                }
            }
        }
    }

    fn unlink(&mut self, vertex: &Vertex, edges: &Edges) {
        match edges {
            Edges::Node { node, from } => from.iter().for_each(|from| self.remove_edge(from, node)),
            Edges::Claim { claim, secrets } => {
                if let Some(volumes) = self.volumes.get_mut(claim) {
                    volumes.remove(vertex);
                    if volumes.is_empty() {
                        self.volumes.remove(claim);
                    }
                }
                for node in self.nodes_of(claim) {
                    secrets.iter().for_each(|secret| self.remove_edge(secret, &node));
                }
            }
        }
    }

    fn nodes_of(&self, vertex: &Arc<Vertex>) -> Vec<Arc<str>> {
        self.nodes.get(vertex).map(|nodes| nodes.keys().cloned().collect()).unwrap_or_default()
    }

    /// Adds one edge from a vertex to a node.
    fn add_edge(&mut self, from: &Arc<Vertex>, node: &Arc<str>) {
        #[cfg(test)]
        {
            self.steps += 1;
        }
        let nodes = self.nodes.entry(from.clone()).or_default();
        let count = nodes.entry(node.clone()).or_default();
        *count += 1;
        if *count == 1 {
            for secret in self.secrets_through(from) {
                self.add_edge(&secret, node);
            }
        }
    }

    /// Removes one edge from a vertex to a node.
    fn remove_edge(&mut self, from: &Arc<Vertex>, node: &Arc<str>) {
        #[cfg(test)]
        {
            self.steps += 1;
        }
        let Some(nodes) = self.nodes.get_mut(from) else { return };
        let Some(count) = nodes.get_mut(node) else { return };
        *count -= 1;
        if *count > 0 {
            return;
        }
        nodes.remove(node);
        if nodes.is_empty() {
            self.nodes.remove(from);
        }
        for secret in self.secrets_through(from) {
            self.remove_edge(&secret, node);
        }
    }

    /// The secrets of the volumes bound to a claim. Secrets have no such secrets, so adding them does not recurse.
    fn secrets_through(&self, claim: &Arc<Vertex>) -> Vec<Arc<Vertex>> {
        let volumes = self.volumes.get(claim).into_iter().flatten();
        let edges = volumes.filter_map(|volume| self.edges.get(volume));
        let secrets = edges.flat_map(|edges| match edges {
            Edges::Claim { secrets, .. } => secrets.as_slice(),
            Edges::Node { .. } => &[],
        });
        secrets.cloned().collect()
    }
}

#[cfg(test)]
mod tests;
