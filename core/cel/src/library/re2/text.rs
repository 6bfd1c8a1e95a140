//! `Rest`: the part of a pattern that is not parsed yet.

use super::{PatternError, Reason};

/// The rest of the pattern.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest<'p>(pub(super) &'p str);

impl<'p> Rest<'p> {
    pub(super) fn next(&mut self) -> Option<char> {
        let mut letters = self.0.chars();
        let letter = letters.next()?;
        self.0 = letters.as_str();
        Some(letter)
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.0.chars().next()
    }

    pub(super) fn take(&mut self, prefix: &str) -> bool {
        match self.0.strip_prefix(prefix) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    /// The text that was consumed since an earlier position.
    pub(super) fn since(&self, start: Self) -> &'p str {
        let end = start.0.len().saturating_sub(self.0.len());
        start.0.get(..end).unwrap_or_default()
    }

    /// An error with the text that was consumed since an earlier position.
    pub(super) fn error(&self, start: Self, reason: Reason) -> PatternError<'p> {
        PatternError { reason, part: self.since(start) }
    }

    /// An error with the whole rest of the pattern.
    pub(super) fn fault_to_end(&self, reason: Reason) -> PatternError<'p> {
        PatternError { reason, part: self.0 }
    }
}
