//! `FlowSchema`: a compiled FlowSchema, which says to which flow of which priority level a request belongs.

use crate::rule::PolicyRule;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_access::Attributes;
use ratchet_object::Node;

/// A compiled FlowSchema.
#[derive(Clone, Debug)]
pub struct FlowSchema {
    /// Its name.
    pub name: String,
    /// Its uid; empty if it is not stored.
    pub uid: String,
    /// What divides its requests into flows.
    pub distinguisher: Option<Distinguisher>,
    /// The index of its priority level.
    pub level: usize,
    pub(crate) level_name: String,
    pub(crate) precedence: i64,
    rules: Vec<PolicyRule>,
}

/// `spec.distinguisherMethod.type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distinguisher {
    /// Every user has a flow.
    ByUser,
    /// Every namespace has a flow.
    ByNamespace,
}

impl Distinguisher {
    /// The text that tells the flow of a request from the others of its schema.
    pub fn of<'a>(self, request: &Attributes<'a>) -> &'a str {
        match self {
            Self::ByUser => &request.user.name,
            Self::ByNamespace => request.namespace(),
        }
    }
}

impl FlowSchema {
    /// Compiles a stored object; its priority level is found by name later.
    pub(crate) fn from_node(node: &Node<'_>) -> Self {
        let metadata = node.metadata();
        let distinguisher = match node.text_at(&["spec", "distinguisherMethod", "type"]) {
            "ByUser" => Some(Distinguisher::ByUser),
            "ByNamespace" => Some(Distinguisher::ByNamespace),
            _ => None,
        };
        let rules = node.find(&["spec", "rules"]).map(Node::items).unwrap_or_default();
        let precedence = node.find(&["spec", "matchingPrecedence"]).and_then(Node::as_int);
        Self {
            name: metadata.name().to_string(),
            uid: metadata.uid().to_string(),
            distinguisher,
            level: 0,
            level_name: level_name(node).to_string(),
            precedence: precedence.unwrap_or_default(),
            rules: rules.iter().map(PolicyRule::from_node).collect(),
        }
    }

    /// Whether one of the rules matches a request.
    pub fn matches(&self, request: &Attributes<'_>) -> bool {
        self.rules.iter().any(|rule| rule.matches(request))
    }
}

/// The name of the priority level that a FlowSchema refers to.
pub(crate) fn level_name<'n>(node: &'n Node<'_>) -> &'n str {
    node.text_at(&["spec", "priorityLevelConfiguration", "name"])
}
