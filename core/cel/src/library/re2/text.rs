//! A place in a pattern.

use super::{Fault, Reason};

/// What is still to be read.
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

    /// What was read since an earlier place.
    pub(super) fn since(&self, start: Self) -> &'p str {
        let end = start.0.len().saturating_sub(self.0.len());
        start.0.get(..end).unwrap_or_default()
    }

    /// A fault that shows what was read since an earlier place.
    pub(super) fn fault(&self, start: Self, reason: Reason) -> Fault<'p> {
        Fault { reason, part: self.since(start) }
    }

    /// A fault that shows everything that is still to be read.
    pub(super) fn fault_to_end(&self, reason: Reason) -> Fault<'p> {
        Fault { reason, part: self.0 }
    }
}
