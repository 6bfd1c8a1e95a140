//! Summary of an audit: objects counted by what they have to fear, and the exit status that follows.

/// Counts of objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Objects that were judged.
    pub objects: u64,
    /// Objects without findings, warned about, refused if created again, and frozen: under the target that is worst.
    pub states: StateCounts,
    /// The same for each target.
    pub targets: Vec<StateCounts>,
    /// Findings that the baseline has.
    pub suppressed: u64,
    /// Number of lists that could not be read, and of documents that could not be decoded.
    pub unseen: u64,
}

/// Objects by the worst state of their findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateCounts {
    /// Objects without findings.
    pub fine: u64,
    /// Objects with warnings at most.
    pub warned: u64,
    /// Objects that are refused if they are created again.
    pub refused: u64,
    /// Objects whose updates are refused.
    pub frozen: u64,
}

impl Summary {
    /// Exit status: 0 if nothing is refused or frozen, 1 if something is, 2 if something could not be seen.
    pub fn exit_code(&self, warnings_as_errors: bool) -> u8 {
        let is_bad = self.states.refused + self.states.frozen > 0;
        match self {
            Self { unseen: 1.., .. } => 2,
            _ if is_bad || (warnings_as_errors && self.states.warned > 0) => 1,
            _ => 0,
        }
    }
}
