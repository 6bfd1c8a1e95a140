//! Cluster state for one change: read from the door, and only as far as the engine needs it.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_engine::{
    ApiConfig, Change, EXISTING_PODS_BUDGET, Existing, Facts, Namespace, Needs, needs,
};
use ratchet_object::{ClusterReader, GroupVersionResource, Node, Object};

/// Namespaces, as validation reads them.
const NAMESPACES: GroupVersionResource<'_> = GroupVersionResource::any_version("", "namespaces");

/// Pods, with `apiVersion` and `kind`.
const PODS: GroupVersionResource<'_> =
    GroupVersionResource { group: "", version: "v1", resource: "pods" };

/// The facts of one change, owned; the engine borrows them through [`GatheredFacts::as_facts`].
#[derive(Debug)]
pub struct GatheredFacts {
    needs: Needs,
    namespace: String,
    /// `None` if the namespace does not exist; `Some(None)` if it has no labels.
    labels: Option<Option<Node<'static>>>,
    pods: Vec<Object<'static>>,
    requester: Option<String>,
}

/// Reads the facts that a change needs; `requester` is the name of the user, if it is known.
pub fn gather(
    change: &Change<'_>,
    config: &ApiConfig,
    cluster: &dyn ClusterReader,
    requester: Option<&str>,
) -> GatheredFacts {
    let needs = needs(change, config);
    let object = change.new_object();
    let namespace = object.namespace().to_string();
    GatheredFacts {
        needs,
        labels: match needs.namespace {
            true => cluster.labels(&NAMESPACES, "", &namespace),
            false => None,
        },
        pods: match needs.existing_pods {
            true => {
                let pods = cluster.list(&PODS, object.name(), EXISTING_PODS_BUDGET);
                pods.into_iter().map(Object::new).collect()
            }
            false => Vec::new(),
        },
        requester: requester.map(ToString::to_string),
        namespace,
    }
}

impl GatheredFacts {
    /// The facts as the engine takes them.
    pub fn as_facts(&self) -> Facts<'_> {
        Facts {
            namespace: match (&self.labels, self.needs.namespace) {
                (_, false) => Namespace::NotNeeded,
                (Some(labels), true) => Namespace::Labels(labels.as_ref()),
                (None, true) => Namespace::Missing(&self.namespace),
            },
            requester: self.requester.as_deref(),
            existing_pods: Existing::Pods {
                pods: self.pods.iter().collect(),
                budget: EXISTING_PODS_BUDGET,
            },
        }
    }
}
