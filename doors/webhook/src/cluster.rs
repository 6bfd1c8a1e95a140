//! `ClusterSource` and `ReviewCluster`: what a review knows of the cluster, and what is read for it on the way.

use crate::excerpt::excerpt;
use crate::metrics::Metrics;
use crate::namespaces::NamespaceCache;
use ratchet_cluster::Cluster;
use ratchet_object::{ClusterReader, GroupVersionKind, GroupVersionResource, Node, RestMapping};
use std::cell::RefCell;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The most reads from the API server at once; others wait for their turn until their deadline.
const MAX_READS: usize = 16;
/// The longest name of an object.
const MAX_NAME: usize = 253;

/// Where verdicts find what they need to know of the cluster.
#[derive(Clone)]
pub enum ClusterSource {
    /// What somebody else has read.
    Fixed(Arc<dyn ClusterReader + Send + Sync>),
    /// The cluster itself, through its API server.
    Live(Cluster),
}

impl<R: ClusterReader + Send + Sync + 'static> From<Arc<R>> for ClusterSource {
    fn from(reader: Arc<R>) -> Self {
        Self::Fixed(reader)
    }
}

impl From<Arc<dyn ClusterReader + Send + Sync>> for ClusterSource {
    fn from(reader: Arc<dyn ClusterReader + Send + Sync>) -> Self {
        Self::Fixed(reader)
    }
}

/// The same while the server runs.
#[derive(Clone)]
pub(crate) enum ClusterHandle {
    Fixed(Arc<dyn ClusterReader + Send + Sync>),
    Live(Arc<LiveCluster>),
}

/// A cluster with the namespaces that are known of it.
pub(crate) struct LiveCluster {
    pub(crate) cluster: Cluster,
    pub(crate) namespaces: Arc<NamespaceCache>,
    pub(crate) metrics: Arc<Metrics>,
    reads: Semaphore,
}

/// What a review needs and memory does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// A namespace.
    Namespace(String),
    /// The first pods of a namespace.
    Pods(String, usize),
}

/// Objects that were read for one review.
#[derive(Clone, Default)]
pub(crate) struct Fetched {
    /// Namespaces, or that there is none of this name: the cache may have no room for them.
    namespaces: Vec<(String, Option<Node<'static>>)>,
    pods: Vec<(String, Vec<Node<'static>>)>,
}

impl From<Arc<Self>> for Fetched {
    /// What nobody else reads any more.
    fn from(shared: Arc<Self>) -> Self {
        Arc::try_unwrap(shared).unwrap_or_else(|shared| (*shared).clone())
    }
}

impl LiveCluster {
    pub(crate) fn new(cluster: Cluster, metrics: &Arc<Metrics>) -> Self {
        let namespaces = Arc::new(NamespaceCache::new(Arc::clone(metrics)));
        let metrics = Arc::clone(metrics);
        Self { cluster, namespaces, metrics, reads: Semaphore::new(MAX_READS) }
    }

    /// Reads what a review needs. An error means that there is no verdict.
    pub(crate) async fn fetch(
        &self,
        missing: Vec<Missing>,
        fetched: &mut Fetched,
    ) -> Result<(), String> {
        for missing in missing {
            let _turn = self.reads.acquire().await.map_err(|error| error.to_string())?;
            let result = match missing {
                Missing::Namespace(name) => self.fetch_namespace(name, fetched).await,
                Missing::Pods(namespace, limit) => self.fetch_pods(namespace, limit, fetched).await,
            };
            let label = match &result {
                Ok(true) => "found",
                Ok(false) => "absent",
                Err(_) => "error",
            };
            self.metrics.lookups.with(&[label]).inc();
            result?;
        }
        Ok(())
    }

    async fn fetch_namespace(&self, name: String, fetched: &mut Fetched) -> Result<bool, String> {
        let path = format!("/api/v1/namespaces/{}", path_segment(&name)?);
        let answer = self.cluster.ask(&path).await.map_err(|error| error.to_string())?;
        let found = match answer.code {
            404 => None,
            _ if answer.is_success() => Some(answer.object().ok_or("a namespace that is no JSON")?),
            _ => return Err(format!("cannot read the namespace {name}: {}", answer.describe())),
        };
        self.namespaces.remember(&name, found.as_ref());
        let is_there = found.is_some();
        fetched.namespaces.push((name, found));
        Ok(is_there)
    }

    async fn fetch_pods(
        &self,
        namespace: String,
        limit: usize,
        fetched: &mut Fetched,
    ) -> Result<bool, String> {
        let path = format!("/api/v1/namespaces/{}/pods?limit={limit}", path_segment(&namespace)?);
        let answer = self.cluster.ask(&path).await.map_err(|error| error.to_string())?;
        if !answer.is_success() {
            // Warnings about pods that exist are no reason to have no verdict.
            tracing::warn!(
                namespace,
                answer = answer.describe(),
                "cannot list the pods of a namespace"
            );
            fetched.pods.push((namespace, Vec::new()));
            return Ok(false);
        }
        let mut list = answer.object().ok_or("a list of pods that is no JSON")?;
        let items = list.remove("items").map(|items| items.items().to_vec()).unwrap_or_default();
        let typed = items.into_iter().map(|mut pod| {
            pod.set("apiVersion", Node::string("v1"));
            pod.set("kind", Node::string("Pod"));
            pod
        });
        fetched.pods.push((namespace, typed.collect()));
        Ok(true)
    }
}

/// A name as a part of a path; the API server has checked those of objects, but not those of new ones.
pub(crate) fn path_segment(name: &str) -> Result<&str, String> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
    let is_path = name.bytes().all(|byte| byte == b'.');
    match name.len() <= MAX_NAME && !is_path && name.bytes().all(is_name) {
        true => Ok(name),
        false => Err(format!("{:?} is no name of a namespace", excerpt(name, MAX_NAME))),
    }
}

/// The cluster as one review reads it: from memory, with a list of what is not there.
pub(crate) struct ReviewCluster<'a> {
    view: &'a ClusterHandle,
    fetched: &'a Fetched,
    missing: RefCell<Vec<Missing>>,
}

impl<'a> ReviewCluster<'a> {
    pub(crate) fn new(view: &'a ClusterHandle, fetched: &'a Fetched) -> Self {
        Self { view, fetched, missing: RefCell::default() }
    }

    /// What has to be read before there is a verdict.
    pub(crate) fn into_missing(self) -> Vec<Missing> {
        self.missing.into_inner()
    }

    fn miss(&self, missing: Missing) {
        let mut all = self.missing.borrow_mut();
        if !all.contains(&missing) {
            all.push(missing);
        }
    }
}

impl ClusterReader for ReviewCluster<'_> {
    fn get(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        match self.view {
            ClusterHandle::Fixed(reader) => reader.get(resource, namespace, name),
            ClusterHandle::Live(live) => {
                if (resource.group, resource.resource) != ("", "namespaces") {
                    return None;
                }
                if let Some((_, found)) =
                    self.fetched.namespaces.iter().find(|(own, _)| own == name)
                {
                    return found.clone();
                }
                live.namespaces.get(name).unwrap_or_else(|| {
                    self.miss(Missing::Namespace(name.to_owned()));
                    None
                })
            }
        }
    }

    fn list(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        limit: usize,
    ) -> Vec<Node<'static>> {
        match self.view {
            ClusterHandle::Fixed(reader) => reader.list(resource, namespace, limit),
            ClusterHandle::Live(_) if (resource.group, resource.resource) == ("", "pods") => {
                let own = self.fetched.pods.iter().find(|(own, _)| own == namespace);
                own.map(|(_, pods)| pods.clone()).unwrap_or_else(|| {
                    self.miss(Missing::Pods(namespace.to_owned(), limit));
                    Vec::new()
                })
            }
            ClusterHandle::Live(_) => Vec::new(),
        }
    }

    fn rest_mapping(&self, kind: &GroupVersionKind<'_>) -> Option<RestMapping> {
        match self.view {
            ClusterHandle::Fixed(reader) => reader.rest_mapping(kind),
            ClusterHandle::Live(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_become_parts_of_paths() {
        for name in ["shop", "a.b-c", "N1"] {
            assert_eq!(path_segment(name), Ok(name));
        }
        let long = "a".repeat(MAX_NAME + 1);
        for name in ["", ".", "..", "a/b", "a?b", "a%2fb", "ä", &long] {
            assert!(path_segment(name).is_err(), "{name:?}");
        }
    }
}
