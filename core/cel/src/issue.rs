//! What is wrong with an expression, shown as cel-go shows it.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// One thing that is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 0, in code points.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

/// All that is wrong with an expression, by place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issues {
    /// Each of them.
    pub issues: Vec<Issue>,
    /// The expression.
    pub source: String,
}

impl fmt::Display for Issues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, issue) in self.issues.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            let Issue { line, column, message } = issue;
            write!(f, "ERROR: <input>:{line}:{}: {message}", column + 1)?;
        }
        Ok(())
    }
}

impl core::error::Error for Issues {}
