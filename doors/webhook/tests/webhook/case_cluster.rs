//! `CaseCluster`: the namespace and the pods that a case of the engine speaks of.

use crate::case_file::Proposal;
use ratchet_engine::{Existing, Namespace};
use ratchet_object::{ClusterReader, GroupVersionKind, GroupVersionResource, Node, RestMapping};

/// The cluster of a case: its namespace and the pods there.
pub(crate) struct CaseCluster {
    labels: Option<Node<'static>>,
    pods: Vec<Node<'static>>,
}

impl CaseCluster {
    pub(crate) fn of(proposal: &Proposal) -> Self {
        let facts = proposal.facts();
        let labels = match facts.namespace {
            Namespace::Labels(labels) => labels.map(|labels| labels.clone().into_owned()),
            Namespace::Missing(_) | Namespace::NotNeeded => None,
        };
        let pods = match facts.existing_pods {
            Existing::Pods { pods, .. } => {
                pods.into_iter().map(|pod| pod.node().clone().into_owned()).collect()
            }
            Existing::Unlisted => Vec::new(),
        };
        Self { labels, pods }
    }
}

impl ClusterReader for CaseCluster {
    fn get(
        &self,
        resource: &GroupVersionResource<'_>,
        _: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        if resource.resource != "namespaces" {
            return None;
        }
        let mut metadata = Node::map([("name", Node::string(name.to_owned()))]);
        if let Some(labels) = &self.labels {
            metadata.set("labels", labels.clone());
        }
        Some(Node::map([("metadata", metadata)]))
    }

    fn list(
        &self,
        resource: &GroupVersionResource<'_>,
        _: &str,
        limit: usize,
    ) -> Vec<Node<'static>> {
        let is_pods = resource.resource == "pods";
        self.pods.iter().filter(|_| is_pods).take(limit).cloned().collect()
    }

    fn rest_mapping(&self, _: &GroupVersionKind<'_>) -> Option<RestMapping> {
        None
    }
}
