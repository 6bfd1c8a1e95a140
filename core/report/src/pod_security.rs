//! Pod Security of namespaces: which levels their pods pass today.

use alloc::string::String;
use alloc::vec::Vec;
use ratchet_engine::pod_security::Level;

/// Whether the pods of a namespace pass a level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelResult {
    /// Number of pods and pod templates that do not pass.
    pub violations: u64,
    /// Why not, in the words of the admission plugin; a few of them.
    pub reasons: Vec<String>,
}

impl LevelResult {
    /// Whether all pods pass.
    pub fn passes(&self) -> bool {
        self.violations == 0
    }
}

/// A namespace, its labels and the levels that its pods pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamespaceLevels {
    /// The namespace's name.
    pub namespace: String,
    /// Number of pods and pod templates that were judged.
    pub pods: u64,
    /// The level that its label enforces; none if there is no label.
    pub enforced: Option<Level>,
    /// Whether the pods pass `baseline`.
    pub baseline: LevelResult,
    /// Whether the pods pass `restricted`.
    pub restricted: LevelResult,
}

impl NamespaceLevels {
    /// The strictest level that all pods of the namespace pass today.
    pub fn strictest(&self) -> Level {
        match (self.baseline.passes(), self.restricted.passes()) {
            (true, true) => Level::Restricted,
            (true, false) => Level::Baseline,
            (false, _) => Level::Privileged,
        }
    }
}
