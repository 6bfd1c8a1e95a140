//! Counts of a fix, and its exit status.

/// Counts of a fix of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files that were looked at.
    pub files: u64,
    /// Files with edits.
    pub changed: u64,
    /// Values that were, or would be, rewritten.
    pub edits: u64,
    /// Values that stay although they are not canonical.
    pub refused: u64,
    /// Values that an annotation excepts.
    pub excepted: u64,
    /// Documents that were passed over on purpose.
    pub skipped: u64,
    /// Documents and files that could not be read or written.
    pub failed: u64,
    /// Whether files were written.
    pub written: bool,
}

impl Summary {
    /// Exit status: 0 nothing left to do, 1 something to fix or refused, 2 something could not be read or written.
    pub fn exit_code(&self) -> u8 {
        if self.failed > 0 {
            2
        } else {
            u8::from(self.refused > 0 || (self.edits > 0 && !self.written))
        }
    }
}
