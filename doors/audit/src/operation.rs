//! The writes as which every stored object is judged.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A write of a stored object.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// It is created again: after a reinstallation, a restart of its node, a restored backup.
    Create,
    /// It is written as it is.
    Update,
    /// It gets a label.
    Label,
    /// It gets one more replica.
    Scale,
    /// Its controller writes its status as it is.
    Status,
    /// Its finalizers are removed, so that its deletion can end.
    Finalizer,
}

impl Operation {
    /// Every operation, in the order in which objects are judged.
    pub const ALL: [Self; 6] =
        [Self::Create, Self::Update, Self::Label, Self::Scale, Self::Status, Self::Finalizer];

    /// The name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Label => "label",
            Self::Scale => "scale",
            Self::Status => "status",
            Self::Finalizer => "finalizer",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
