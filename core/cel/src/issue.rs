//! Compilation errors, formatted as cel-go formats them.

use crate::syntax::SourceError;
use crate::{EvalError, Type};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// The most issues that are reported.
const MAX_REPORTED: usize = 100;
/// Longer lines get no snippet.
const MAX_SNIPPET_LINE: usize = 16_384;

/// One error in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The line, from 1; -1 if it has no position.
    pub line: i32,
    /// The column, from 0, in code points; -1 if it has no position.
    pub column: i32,
    /// cel-go's message.
    pub message: String,
}

/// All errors of an expression, by position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issues {
    /// The errors.
    pub issues: Vec<Issue>,
    /// The expression.
    pub source: String,
    /// Whether the expression type-checks and yet cannot be planned: a constant in it fails.
    /// The text is then that failure alone.
    pub instantiation: bool,
    /// The type of the expression, if it type-checks.
    pub result: Option<Type>,
    more: usize,
}

impl Issues {
    pub(crate) fn of(source: &str, errors: Vec<SourceError>) -> Self {
        let more = errors.len().saturating_sub(MAX_REPORTED);
        let reported = errors.into_iter().take(MAX_REPORTED);
        let mut issues: Vec<Issue> =
            reported.map(|source_error| located(source, source_error)).collect();
        issues.sort_by_key(|issue| (issue.line, issue.column));
        Self { issues, source: source.to_string(), instantiation: false, result: None, more }
    }

    pub(crate) fn instantiation(source: &str, error: EvalError, result: Type) -> Self {
        let issues = vec![Issue { line: -1, column: -1, message: error.message }];
        let (source, result) = (source.to_string(), Some(result));
        Self { issues, source, instantiation: true, result, more: 0 }
    }
}

fn located(source: &str, source_error: SourceError) -> Issue {
    let SourceError { at, message } = source_error;
    let Some(at) = at.and_then(|at| usize::try_from(at).ok()) else {
        return Issue { line: -1, column: -1, message };
    };
    // An expression that ends before it begins ends before its first column.
    let (mut line, mut column) = (1, if source.is_empty() { -1 } else { 0 });
    for letter in source.chars().take(at) {
        if letter == '\n' {
            line += 1;
            column = 0;
        } else {
            column += 1;
        }
    }
    Issue { line, column, message }
}

impl fmt::Display for Issues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, issue) in self.issues.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            if self.instantiation {
                f.write_str(&issue.message)?;
                continue;
            }
            let Issue { line, column, message } = issue;
            write!(f, "ERROR: <input>:{line}:{}: {message}", column + 1)?;
            f.write_str(&self.snippet(issue).unwrap_or_default())?;
        }
        if self.more > 0 {
            write!(f, "\n{} more errors were truncated", self.more)?;
        }
        Ok(())
    }
}

impl Issues {
    /// The line of the expression, and below it a caret at the issue's column.
    fn snippet(&self, issue: &Issue) -> Option<String> {
        let line = usize::try_from(issue.line).ok()?.checked_sub(1)?;
        let text =
            self.source.split('\n').nth(line).filter(|text| text.len() <= MAX_SNIPPET_LINE)?;
        let text = text.replace('\t', " ");
        let column = usize::try_from(issue.column).ok()?;
        let mut under = String::new();
        for letter in text.chars().take(column) {
            under.push(if letter.len_utf8() > 1 { '\u{ff0e}' } else { '.' });
        }
        let wide = text.chars().nth(column).is_some_and(|letter| letter.len_utf8() > 1);
        under.push(if wide { '\u{ff3e}' } else { '^' });
        Some(format!("\n | {text}\n | {under}"))
    }
}

impl core::error::Error for Issues {}
