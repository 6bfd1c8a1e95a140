//! Summary of a check: objects counted by outcome, and the exit status that follows.

use crate::finding::{CheckedObject, Outcome};

/// Counts of checked objects by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Objects that were checked.
    pub objects: u64,
    /// Objects that the API server would refuse.
    pub refused: u64,
    /// Objects that the API server would admit with a warning.
    pub warned: u64,
    /// Documents that could not be decoded.
    pub unreadable: u64,
    /// Documents that were skipped on purpose.
    pub skipped: u64,
    /// Findings that an annotation or the baseline suppressed.
    pub suppressed: u64,
    /// Baseline findings that no longer occur.
    pub stale: u64,
}

impl Summary {
    /// Exit status: 0 if nothing is refused, 1 if something is, 2 if a document is unreadable.
    pub fn exit_code(&self, warnings_as_errors: bool) -> u8 {
        if self.unreadable > 0 {
            2
        } else if self.refused > 0 || (warnings_as_errors && self.warned > 0) {
            1
        } else {
            0
        }
    }

    pub(crate) fn count(&mut self, checked: &CheckedObject) {
        self.suppressed += checked.suppressed as u64;
        match checked.outcome {
            Outcome::Skipped { .. } => self.skipped += 1,
            Outcome::Unreadable => self.unreadable += 1,
            Outcome::Refused { .. } => self.refused += 1,
            Outcome::Warned => self.warned += 1,
            Outcome::Admitted => {}
        }
        if !matches!(checked.outcome, Outcome::Skipped { .. } | Outcome::Unreadable) {
            self.objects += 1;
        }
    }
}
