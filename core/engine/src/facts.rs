//! What the engine must be told about the world, and what a door tells it.

use alloc::vec::Vec;
use ratchet_object::{Node, Object};

/// What a judgement needs to know beside the change. The engine says it, the door fetches it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The labels of the namespace the object lives in.
    pub namespace: bool,
    /// Who asks.
    pub requester: bool,
    /// The pods that already live in the namespace that is being changed.
    pub existing_pods: bool,
}

/// What a door found out. Nothing here is fetched by the engine.
#[derive(Clone, Debug, Default)]
pub struct Facts<'a> {
    /// The namespace the object lives in.
    pub namespace: Namespace<'a>,
    /// The name of the user who asks, where it is known.
    pub requester: Option<&'a str>,
    /// The pods of the namespace that is being changed, in the order they were listed.
    pub existing_pods: Existing<'a>,
}

/// What is known of the object's namespace.
#[derive(Clone, Copy, Debug, Default)]
pub enum Namespace<'a> {
    /// It could not be looked up: a pod is then refused, for we fail closed.
    Missing(&'a str),
    /// Its `metadata.labels`; none is a namespace without labels.
    Labels(Option<&'a Node<'a>>),
    /// Nobody asked: the kind has no namespace, or no plugin looks at it.
    #[default]
    Unasked,
}

/// What is known of the pods that exist already.
#[derive(Clone, Debug)]
pub enum Existing<'a> {
    /// All of them, and how many may be looked at before time runs out.
    Pods {
        /// The pods.
        pods: Vec<&'a Object<'a>>,
        /// How many of them the door has time for.
        budget: usize,
    },
    /// They could not be listed.
    Unlisted,
}

/// Released Kubernetes looks at this many existing pods at most.
pub const EXISTING_PODS_BUDGET: usize = 3000;

impl Default for Existing<'_> {
    fn default() -> Self {
        Self::Pods { pods: Vec::new(), budget: EXISTING_PODS_BUDGET }
    }
}
