//! Cluster state that the engine needs beside the change, and the values that a door supplies for it.

use alloc::vec::Vec;
use ratchet_object::{Node, Object};

/// Inputs that `judge` needs beside the change: the engine declares them, the door fetches them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The labels of the namespace the object lives in.
    pub namespace: bool,
    /// The name of the requesting user.
    pub requester: bool,
    /// The existing pods of the namespace that is being changed.
    pub existing_pods: bool,
}

/// Cluster state as the door read it. The engine fetches nothing itself.
#[derive(Clone, Debug, Default)]
pub struct Facts<'a> {
    /// The namespace the object lives in.
    pub namespace: Namespace<'a>,
    /// The name of the requesting user, if known.
    pub requester: Option<&'a str>,
    /// The pods of the namespace that is being changed, in the order they were listed.
    pub existing_pods: Existing<'a>,
}

/// The door's knowledge of the object's namespace.
#[derive(Clone, Copy, Debug, Default)]
pub enum Namespace<'a> {
    /// The lookup failed: pods are then refused (fail closed).
    Missing(&'a str),
    /// Its `metadata.labels`; `None` is a namespace without labels.
    Labels(Option<&'a Node<'a>>),
    /// Not looked up: the kind has no namespace, or no plugin needs it.
    #[default]
    NotNeeded,
}

/// The door's knowledge of the existing pods of a namespace.
#[derive(Clone, Debug)]
pub enum Existing<'a> {
    /// All of them, and how many may be evaluated.
    Pods {
        /// All pods of the namespace.
        pods: Vec<&'a Object<'a>>,
        /// The most pods to evaluate, which bounds the time.
        budget: usize,
    },
    /// The list call failed.
    Unlisted,
}

/// The most existing pods that released Kubernetes evaluates.
pub const EXISTING_PODS_BUDGET: usize = 3000;

impl Default for Existing<'_> {
    fn default() -> Self {
        Self::Pods { pods: Vec::new(), budget: EXISTING_PODS_BUDGET }
    }
}
