//! Whether a certificate bears the name of a node, and no other.

use std::fmt;

/// The name of a Node object: who a connection is meant for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeName(String);

impl NodeName {
    /// None for the empty name, which is no node's.
    pub fn new(name: &str) -> Option<Self> {
        (!name.is_empty()).then(|| Self(name.to_owned()))
    }

    /// The name of the object.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The one common name that its kubelet's certificate may have.
    pub fn common_name(&self) -> String {
        format!("system:node:{}", self.0)
    }

    /// Whether this certificate (DER, the leaf alone) bears the node's name as its only common name, byte for byte.
    pub fn is_borne_by(&self, _leaf: &[u8]) -> Result<(), NameFault> {
        Err(NameFault { expected: self.common_name(), presented: Vec::new() })
    }
}

/// A certificate that bears another name, several, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameFault {
    /// What was expected.
    pub expected: String,
    /// What was presented: every common name, in order.
    pub presented: Vec<String>,
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x509: kubelet serving certificate common name does not match expected {:?}", self.expected)
    }
}

impl std::error::Error for NameFault {}
