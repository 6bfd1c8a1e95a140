//! Violations that the checks report, each with a path and a line.

use std::fmt;

/// A violation, displayed as `path:line: what, why, and the fix`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    path: String,
    line: usize,
    text: String,
}

impl Violation {
    /// A violation in a line, counted from one.
    pub(crate) fn new(path: impl Into<String>, line: usize, text: impl Into<String>) -> Self {
        Self { path: path.into(), line, text: text.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.text)
    }
}

/// The number of the first line that `fits`, or 1.
pub(crate) fn line_where(text: &str, fits: impl Fn(&str) -> bool) -> usize {
    text.lines().position(fits).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_is_one_line_that_editors_can_follow() {
        assert_eq!(
            Violation::new("a/b.rs", 7, "x is y; do z").to_string(),
            "a/b.rs:7: x is y; do z"
        );
    }

    #[test]
    fn lines_count_from_one_and_fall_back_to_the_first() {
        assert_eq!(line_where("a\nb\nc\n", |line| line == "b"), 2);
        assert_eq!(line_where("a\nb\n", |line| line == "z"), 1);
    }
}
