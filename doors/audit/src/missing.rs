//! What could not be seen: rights that are missing, lists that failed.

use serde::{Deserialize, Serialize};

/// A list that the cluster did not give.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Missing {
    /// The verb: `list`.
    pub verb: String,
    /// The API group; empty for the core group.
    pub group: String,
    /// The resource.
    pub resource: String,
    /// The words of the server, or of the network.
    pub reason: String,
    /// What was not judged for it.
    pub unseen: String,
}

impl Missing {
    /// The sentence for people.
    pub fn sentence(&self) -> String {
        let group = if self.group.is_empty() { "core" } else { self.group.as_str() };
        format!(
            "cannot {} {} of group {group}: {}; not judged: {}",
            self.verb, self.resource, self.reason, self.unseen
        )
    }
}
