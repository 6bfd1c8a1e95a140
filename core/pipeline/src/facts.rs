//! Cluster state for one change: read from the door, and only as far as the engine needs it.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_engine::{
    ApiConfig, Change, EXISTING_PODS_BUDGET, Existing, Facts, Namespace, Needs, needs,
};
use ratchet_object::{Node, Object};

/// The cluster state that a door supplies to validation.
pub trait FactsReader {
    /// The labels of a namespace, `None` if the namespace does not exist; `Some(None)` is one without labels.
    fn namespace_labels(&self, name: &str) -> Option<Option<Node<'static>>>;

    /// The pods of a namespace, at most `limit`; they have `apiVersion` and `kind`.
    fn pods(&self, namespace: &str, limit: usize) -> Vec<Object<'static>>;

    /// The name of the requesting user, if it is known.
    fn requester(&self) -> Option<&str>;
}

/// A door without a cluster: namespaces have no labels and no pods.
#[derive(Clone, Copy, Debug)]
pub struct NoCluster;

impl FactsReader for NoCluster {
    fn namespace_labels(&self, _: &str) -> Option<Option<Node<'static>>> {
        Some(None)
    }

    fn pods(&self, _: &str, _: usize) -> Vec<Object<'static>> {
        Vec::new()
    }

    fn requester(&self) -> Option<&str> {
        None
    }
}

/// The facts of one change, owned; the engine borrows them through [`GatheredFacts::as_facts`].
#[derive(Debug)]
pub struct GatheredFacts {
    needs: Needs,
    namespace: String,
    labels: Option<Option<Node<'static>>>,
    pods: Vec<Object<'static>>,
    requester: Option<String>,
}

/// Reads the facts that a change needs.
pub fn gather(change: &Change<'_>, config: &ApiConfig, door: &dyn FactsReader) -> GatheredFacts {
    let needs = needs(change, config);
    let object = change.new_object();
    let namespace = object.namespace().to_string();
    GatheredFacts {
        needs,
        labels: if needs.namespace { door.namespace_labels(&namespace) } else { None },
        pods: match needs.existing_pods {
            true => door.pods(object.name(), EXISTING_PODS_BUDGET),
            false => Vec::new(),
        },
        requester: door.requester().map(ToString::to_string),
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
